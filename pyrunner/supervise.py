# Watches one run: started before it, gone after it, and with it every process it began.
#
# Descriptors: 3 is the control pipe (one job, then silence; its end means "kill"),
# 4 the status pipe (lines: the process started, how it ended), 1 and 2 the run's own output.
# A job is a length in ten digits, then fields that end in NUL: the folder, the
# number of arguments, the arguments, and the environment. Neither arguments nor
# environment can hold a NUL, so nothing needs quoting.
#
# Only modules written in C are imported: each of the usual ones would cost more
# than all of this.
import _signal
import posix
import select
import sys


def become_subreaper():
    """Makes orphans of the run children of this process (Linux)."""
    if not sys.platform.startswith("linux"):
        return
    import _ctypes
    prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")
    _ctypes.call_function(prctl, (36, 1, 0, 0, 0))  # PR_SET_CHILD_SUBREAPER


def read_exactly(count):
    data = b""
    while len(data) < count:
        piece = posix.read(3, count - len(data))
        if not piece:
            posix._exit(0)  # the runner ended before it had a job
        data += piece
    return data


def read_job():
    fields = read_exactly(int(read_exactly(10))).split(b"\0")[:-1]
    count = int(fields[1])
    return fields[0], fields[2:2 + count], fields[2 + count:]


def run(folder, argv, environ):
    """The child's side: becomes the program, or exits with 127."""
    try:
        _signal.signal(_signal.SIGHUP, _signal.SIG_DFL)
        for number in (_signal.SIGPIPE, _signal.SIGXFSZ):  # Python ignores them, and that is inherited
            _signal.signal(number, _signal.SIG_DFL)
        posix.setsid()  # so that a script which signals its own group spares this process
        posix.chdir(folder)
        posix.execve(argv[0], argv, dict(e.split(b"=", 1) for e in environ))
    except OSError as error:
        posix.write(4, b"failed %d %s\n" % (error.errno, (error.strerror or "").encode()))
    posix._exit(127)


def processes():
    """Yields (pid, parent) for every process that can be seen."""
    if sys.platform.startswith("linux"):
        for name in posix.listdir("/proc"):
            if name.isdigit():
                pair = from_proc(name)
                if pair:
                    yield pair
        return
    import os
    for line in os.popen("ps -axo pid=,ppid=").read().splitlines():
        yield tuple(map(int, line.split()))


def from_proc(name):
    try:
        handle = posix.open("/proc/%s/stat" % name, posix.O_RDONLY)
        try:
            text = posix.read(handle, 4096)
        finally:
            posix.close(handle)
        return int(name), int(text.rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return None  # it ended while we looked


def descendants():
    found, grew, pairs = {posix.getpid()}, True, list(processes())
    while grew:
        grew = False
        for pid, parent in pairs:
            if parent in found and pid not in found:
                found.add(pid)
                grew = True
    return found - {posix.getpid()}


def signal_each(pids, number):
    for pid in pids:
        try:
            posix.kill(pid, number)
        except OSError:
            pass  # gone, or no longer ours


def reap(first, status):
    """Collects what has ended; returns the status of the program, once known."""
    while True:
        try:
            pid, code = posix.waitpid(-1, posix.WNOHANG)
        except OSError:
            return status, True  # no child at all is left
        if pid == 0:
            return status, False
        if pid == first:
            status = code


def kill_all(first, status):
    """Ends every descendant. Stopping comes before killing, so that a process
    which forks as fast as we kill can't outrun us."""
    for _ in range(200):
        status, empty = reap(first, status)
        if empty:
            return status
        seen = set()
        for _ in range(20):
            new = descendants() - seen
            if not new:
                break
            signal_each(new, _signal.SIGSTOP)
            seen |= new
        signal_each(seen, _signal.SIGKILL)
        select.select([], [], [], 0.005)
    return status


def report(status):
    if status is None:
        posix.write(4, b"killed\n")
    elif posix.WIFSIGNALED(status):
        posix.write(4, b"signal %d\n" % posix.WTERMSIG(status))
    else:
        posix.write(4, b"exit %d\n" % posix.WEXITSTATUS(status))


def silence():
    """Gives up the run's output, so that only the run holds it open."""
    null = posix.open("/dev/null", posix.O_RDWR)
    posix.dup2(null, 1)
    posix.dup2(null, 2)


def close_strangers():
    """Closes descriptors that the runner's own starter left open in it: the run
    could write to them, and whoever waits for their end would wait for the run."""
    for name in posix.listdir("/dev/fd"):
        if name.isdigit() and int(name) > 4:
            try:
                posix.close(int(name))
            except OSError:
                pass  # that of the listing itself


def main():
    close_strangers()
    become_subreaper()
    _signal.signal(_signal.SIGHUP, _signal.SIG_IGN)
    awake, wake = posix.pipe()
    posix.set_blocking(wake, False)
    _signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    _signal.signal(_signal.SIGCHLD, lambda *_: None)
    folder, argv, environ = read_job()
    posix.set_inheritable(3, False)
    posix.set_inheritable(4, False)
    first = posix.fork()
    if first == 0:
        run(folder, argv, environ)
    posix.write(4, b"pid %d\n" % first)
    silence()
    status = None
    while status is None:
        ready, _, _ = select.select([3, awake], [], [])
        if 3 in ready:
            break  # nothing more is ever sent: the pipe has ended
        posix.read(awake, 512)
        status, _ = reap(first, status)
    if status is not None:
        report(status)
    killed = kill_all(first, status)
    if status is None:
        report(killed if killed is not None and not posix.WIFSIGNALED(killed) else None)


main()
posix._exit(0)  # the runner waits for this process: no time for Python to tidy up
