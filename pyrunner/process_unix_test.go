//go:build unix

package pyrunner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// tree starts a family: a child in the group, a grandchild in a session of its
// own, and a daemon (forked twice, its parents gone). Each writes its pid.
const tree = `
import os, subprocess, sys, time
out = os.environ["PIDS"]
def note(name):
    with open(os.path.join(out, name), "w") as f:
        f.write(str(os.getpid()))
note("script")
sleeper = "import os,sys,time;open(os.path.join(sys.argv[1], sys.argv[2]),'w').write(str(os.getpid()));time.sleep(600)"
subprocess.Popen([sys.executable, "-c", sleeper, out, "child"])
subprocess.Popen([sys.executable, "-c", sleeper, out, "session"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        note("daemon")
        time.sleep(600)
    os._exit(0)
while len([n for n in os.listdir(out) if os.path.getsize(os.path.join(out, n))]) < 4:
    time.sleep(0.01)
open(os.path.join(out, "ready"), "w").write("0")
print("partial", flush=True)
`

// family waits until the tree stands and returns its pids.
func family(t *testing.T, dir string) []int {
	t.Helper()
	eventually(t, "the family stands", time.Minute, func() bool {
		content, _ := os.ReadFile(filepath.Join(dir, "ready"))
		return len(content) > 0
	})
	var pids []int
	for _, name := range []string{"script", "child", "session", "daemon"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		pid, numErr := strconv.Atoi(string(content))
		if err != nil || numErr != nil {
			t.Fatal(err, numErr)
		}
		pids = append(pids, pid)
	}
	return pids
}

// isAlive is false for a process that has ended and waits to be collected.
func isAlive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return runtime.GOOS != "linux"
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func wantGone(t *testing.T, pids []int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		pids = pids[:2] // elsewhere only what is still related to the run can be found
	}
	for _, pid := range pids {
		eventually(t, fmt.Sprintf("process %d of %v is gone", pid, pids), gone, func() bool { return !isAlive(pid) })
	}
}

func TestTimeLimitEndsTheTree(t *testing.T) { // issue 4 point 10; GenericAgent#797, llm-sandbox#43
	inTemp(t, 1)
	r := newRunner(t, Config{})
	dir := t.TempDir()
	job := Job{Source: tree + "time.sleep(600)\n", Env: []string{"PIDS=" + dir}, Timeout: 5 * time.Second}
	res, err := runFails[*TimeoutError](t, r, job)
	wantText(t, "stdout", res.Stdout, "partial\n") // inspect_ai#1979
	wantPart(t, "message", err.Error(), "5s")
	wantPart(t, "message", err.Error(), err.Script)
	wantGone(t, family(t, dir))
}

func TestCancelEndsTheTree(t *testing.T) { // uv#12108
	inTemp(t, 1)
	r := newRunner(t, Config{})
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		family(t, dir)
		cancel()
	}()
	res, err := r.Run(ctx, Job{Source: tree + "time.sleep(600)\n", Env: []string{"PIDS=" + dir}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	wantText(t, "stdout", res.Stdout, "partial\n")
	wantPart(t, "message", err.Error(), res.Script)
	wantGone(t, family(t, dir))
}

// A script that ends leaves nothing running, and a child that holds its pipe
// open keeps nobody waiting (openinterpreter#1525).
func TestEndOfScriptEndsTheTree(t *testing.T) {
	r := newRunner(t, Config{})
	dir := t.TempDir()
	res := mustRun(t, r, Job{Source: tree, Env: []string{"PIDS=" + dir}})
	wantText(t, "stdout", res.Stdout, "partial\n")
	wantGone(t, family(t, dir))
}

func TestSignalToOwnGroup(t *testing.T) {
	r := newRunner(t, Config{})
	source := "import os, signal\nprint('before', flush=True)\nos.killpg(0, signal.SIGKILL)\n"
	res, err := runFails[*ScriptError](t, r, Job{Source: source})
	wantText(t, "stdout", res.Stdout, "before\n")
	wantText(t, "signal", err.Signal, "SIGKILL")
}

func TestSignalsByName(t *testing.T) { // facts: SIGSEGV 139, KeyboardInterrupt 130
	r := newRunner(t, Config{})
	for signal, code := range map[string]int{"SIGSEGV": 139, "SIGKILL": 137, "SIGTERM": 143, "SIGABRT": 134} {
		_, err := runFails[*ScriptError](t, r, Job{Source: "import os, signal\nos.kill(os.getpid(), signal." + signal + ")\n"})
		if err.Signal != signal || err.ExitCode != code {
			t.Errorf("%s: got %q, %d", signal, err.Signal, err.ExitCode)
		}
	}
	_, err := runFails[*ScriptError](t, r, Job{Source: "raise KeyboardInterrupt\n"})
	if err.ExitCode != 130 {
		t.Errorf("KeyboardInterrupt: got %d, want 130", err.ExitCode)
	}
}

// uv alone may be killed, by its own script too: Python does not outlive it.
func TestScriptKillsUV(t *testing.T) { // facts: SIGTERM, SIGKILL to uv alone; uv#11817
	r := newRunner(t, Config{})
	for _, signal := range []string{"SIGKILL", "SIGTERM", "SIGHUP"} {
		dir := t.TempDir()
		source := "import os, signal, time\nopen(os.environ['PIDS'] + '/script', 'w').write(str(os.getpid()))\n" +
			"print('before', flush=True)\nos.kill(os.getppid(), signal." + signal + ")\ntime.sleep(600)\n"
		res, err := runFails[*ScriptError](t, r, Job{Source: source, Env: []string{"PIDS=" + dir}})
		wantText(t, "signal", err.Signal, signal)
		wantText(t, "stdout", res.Stdout, "before\n")
		content, _ := os.ReadFile(filepath.Join(dir, "script"))
		pid, _ := strconv.Atoi(string(content))
		eventually(t, signal+": the script is gone", gone, func() bool { return !isAlive(pid) })
	}
}

// A script may kill its supervisor; it ends with it all the same.
func TestScriptKillsItsSupervisor(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // the script finds its supervisor through /proc
	}
	r := newRunner(t, Config{})
	for _, signal := range []string{"SIGKILL", "SIGSTOP"} {
		dir := t.TempDir()
		source := `
import os, signal, time
open(os.environ["PIDS"] + "/script", "w").write(str(os.getpid()))
def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
os.kill(parent(os.getppid()), signal.` + signal + `)
time.sleep(600)
`
		_, err := r.Run(context.Background(), Job{Source: source, Env: []string{"PIDS=" + dir}, Timeout: 3 * time.Second})
		if err == nil {
			t.Errorf("%s: got no error", signal)
		}
		content, _ := os.ReadFile(filepath.Join(dir, "script"))
		pid, _ := strconv.Atoi(string(content))
		eventually(t, signal+": the script is gone", gone, func() bool { return !isAlive(pid) })
	}
}

// When the runner itself is killed, nothing of the run stays: uv#12830, #11817.
// The runner here is this test binary, started again.
func TestRunnerIsKilled(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestRunnerToBeKilled$")
	cmd.Env = append(os.Environ(), "PYRUNNER_TEST_PIDS="+dir, "TMPDIR="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pids := family(t, dir)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	wantGone(t, pids)
}

func TestRunnerToBeKilled(t *testing.T) {
	dir := os.Getenv("PYRUNNER_TEST_PIDS")
	if dir == "" {
		return // part of TestRunnerIsKilled
	}
	r := newRunner(t, Config{})
	_, _ = r.Run(context.Background(), Job{Source: tree + "time.sleep(600)\n", Env: []string{"PIDS=" + dir}, Timeout: -1})
}

// A process that forks as fast as it can is stopped before it is killed.
func TestForkChain(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // only Linux hands orphans to their supervisor
	}
	r := newRunner(t, Config{})
	dir := t.TempDir()
	source := `
import os, time
print("started", flush=True)
end = time.time() + 600
while time.time() < end:
    if os.fork():
        os._exit(0)
    os.setsid()
    open(os.environ["PIDS"] + "/last", "w").write(str(os.getpid()))
`
	if _, err := r.Run(context.Background(), Job{Source: source, Env: []string{"PIDS=" + dir}, Timeout: 5 * time.Second}); err != nil {
		t.Log(err) // the script itself ends at once, with success
	}
	last := func() string {
		content, _ := os.ReadFile(filepath.Join(dir, "last"))
		return string(content)
	}
	at := last()
	time.Sleep(300 * time.Millisecond) // time in which a survivor would show
	if now := last(); now != at {
		t.Errorf("the chain goes on: %s, then %s", at, now)
	}
}

// A pipe in place of a script gives its text only once: what it held is run.
func TestScriptFromPipe(t *testing.T) {
	inTemp(t, 1)
	r := newRunner(t, Config{})
	pipe := filepath.Join(t.TempDir(), "pipe.py")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for source, fails := range map[string]bool{"import six\nprint('piped')\n": false, "": false, "1/0\n": true} {
		go os.WriteFile(pipe, []byte(source), 0)
		res, err := r.Run(t.Context(), Job{Path: pipe})
		var failed *ScriptError
		if errors.As(err, &failed) != fails || err != nil && !fails {
			t.Fatalf("%q: got %v", source, err)
		}
		if fails {
			wantFile(t, failed.Script, source)
		} else {
			wantText(t, "script", res.Script, "")
		}
		wantText(t, source, res.Stdout, map[bool]string{true: "piped\n"}[strings.Contains(source, "piped")])
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := r.Run(ctx, Job{Path: pipe}); !errors.Is(err, context.Canceled) {
		t.Errorf("a pipe that nobody writes to: got %v", err)
	}
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, path, string(content), want)
}

func TestEndlessScript(t *testing.T) {
	r := newRunner(t, Config{})
	_, err := runFails[*JobError](t, r, Job{Path: "/dev/zero"})
	wantPart(t, "message", err.Error(), "64 MiB")
}

// Descriptors that whoever started us left open are not the script's.
func TestDescriptorsStayOut(t *testing.T) {
	open, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	for range 20 {
		fd, err := syscall.Dup(int(open.Fd())) // inherited, unlike what Go opens
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(fd)
	}
	res := mustRun(t, newRunner(t, Config{}), Job{Source: "import os\nprint(len(os.listdir('/dev/fd')))\n"})
	wantText(t, "open files", res.Stdout, "4\n") // the three and that of the listing
}

// A shim that starts nothing is passed over: uv finds an interpreter.
func TestBrokenShim(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "python3"), "#!/bin/sh\nexit 9\n")
	if err := os.Chmod(filepath.Join(dir, "python3"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := dir + string(os.PathListSeparator) + os.Getenv("PATH")
	uv, err := exec.LookPath("uv")
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, Config{UV: uv, LookupEnv: withEnv(map[string]string{"PATH": path})})
	wantText(t, "stdout", mustRun(t, r, Job{Source: "print('ran')\n"}).Stdout, "ran\n")
	_, missing := runFails[*DependencyError](t, newRunner(t, Config{Python: filepath.Join(dir, "absent")}), Job{Path: write(t, filepath.Join(dir, "s.py"), "1\n")})
	wantPart(t, "message", missing.Error(), "is no Python interpreter")
}
