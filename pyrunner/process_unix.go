//go:build unix

package pyrunner

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

//go:embed supervise.py
var superviseSource string

// A launcher starts programs, each under a supervisor of its own: a small
// process that stays when this one is killed, sees that it was, and ends the
// run. One supervisor is started ahead of need, since Python takes 10 ms to
// start: while the caller reads the first script and, once there has been more
// than one program and so most likely will be another, as soon as one has ended.
type launcher struct {
	python string
	mu     sync.Mutex
	spare  *supervisor
	runs   int // programs started
	closed bool
}

func newLauncher(python string) *launcher { return &launcher{python: python} }

// prepare starts a supervisor for the next run, unless one waits already.
func (l *launcher) prepare() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spare == nil && !l.closed {
		l.spare, _ = startSupervisor(l.python) // an error comes up again in run
	}
}

func (l *launcher) take() (*supervisor, error) {
	l.mu.Lock()
	spare := l.spare
	l.spare = nil
	l.runs++
	l.mu.Unlock()
	if spare != nil {
		return spare, nil
	}
	return startSupervisor(l.python)
}

// close ends the supervisor that waits.
func (l *launcher) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.spare != nil {
		l.spare.discard()
		l.spare = nil
	}
}

func (l *launcher) run(ctx context.Context, cmd command) (status, error) {
	s, err := l.take()
	if err != nil {
		return status{}, err
	}
	s.stdout.copyTo(cmd.Stdout)
	s.stderr.copyTo(cmd.Stderr)
	if err := s.send(cmd); err != nil {
		s.discard()
		return status{}, err
	}
	st, err := s.wait(ctx)
	if l.isBusy() {
		go l.prepare()
	}
	return st, err
}

func (l *launcher) isBusy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runs > 1
}

// A supervisor is one process of supervise.py, with or without its job.
type supervisor struct {
	cmd            *exec.Cmd
	control        *os.File // closed: kill
	status         *os.File
	stdout, stderr *output
	pid            int // of the program, once known
}

func startSupervisor(python string) (*supervisor, error) {
	var files [4]*os.File // the child's ends: control, status, stdout, stderr
	s := &supervisor{}
	var errs [4]error
	files[0], s.control, errs[0] = os.Pipe()
	s.status, files[1], errs[1] = os.Pipe()
	s.stdout, files[2], errs[2] = newOutput()
	s.stderr, files[3], errs[3] = newOutput()
	err := errors.Join(errs[:]...)
	if err == nil {
		err = s.start(python, files)
	}
	for _, f := range files {
		f.Close()
	}
	if err != nil {
		s.closeOurs()
		return nil, fmt.Errorf("starting the supervisor: %w", err)
	}
	return s, nil
}

func (s *supervisor) start(python string, files [4]*os.File) error {
	s.cmd = &exec.Cmd{
		Path:       python,
		Args:       []string{python, "-I", "-S", "-c", superviseSource},
		Env:        []string{}, // not nil, which would be ours
		Dir:        "/",
		Stdout:     files[2],
		Stderr:     files[3],
		ExtraFiles: files[:2],
		// A session of its own: Ctrl-C at the terminal reaches the runner only,
		// which then decides.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	return s.cmd.Start()
}

func (s *supervisor) closeOurs() {
	for _, f := range []*os.File{s.control, s.status} {
		f.Close()
	}
	for _, o := range []*output{s.stdout, s.stderr} {
		if o != nil {
			o.file.Close()
		}
	}
}

// discard ends a supervisor that has no job.
func (s *supervisor) discard() {
	s.closeOurs()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// send hands over the job.
func (s *supervisor) send(cmd command) error {
	fields := []string{cmd.Dir, strconv.Itoa(len(cmd.Argv))}
	fields = append(append(fields, cmd.Argv...), cmd.Env...)
	// None of them holds a NUL: Job.plan has seen to that.
	body := strings.Join(fields, "\x00") + "\x00"
	if _, err := fmt.Fprintf(s.control, "%010d%s", len(body), body); err != nil {
		return fmt.Errorf("starting uv: %w", err)
	}
	return nil
}

// wait returns when the program has ended and nothing it started is left.
func (s *supervisor) wait(ctx context.Context) (status, error) {
	type result struct {
		st  status
		err error
	}
	ended := make(chan result, 1)
	go func() {
		st, err := s.readStatus()
		_ = s.cmd.Wait() // the supervisor outlives every process of the run
		ended <- result{st, err}
	}()
	var res result
	select {
	case res = <-ended:
	case <-ctx.Done():
		s.control.Close()
		select {
		case res = <-ended:
		case <-time.After(drainTime): // it was stopped or killed itself
			_ = s.cmd.Process.Kill()
			res = <-ended
		}
	}
	if errors.Is(res.err, io.ErrUnexpectedEOF) {
		res.err = s.orphaned(ctx, res.err)
	}
	limit := time.After(drainTime)
	s.stdout.finish(limit)
	s.stderr.finish(limit)
	s.closeOurs()
	return res.st, res.err
}

// readStatus reads the supervisor's lines to their end.
func (s *supervisor) readStatus() (status, error) {
	var st status
	err := fmt.Errorf("the run's supervisor died: %w", io.ErrUnexpectedEOF)
	for lines := bufio.NewScanner(s.status); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		number, text, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(number)
		switch word {
		case "pid":
			s.pid = n
		case "failed":
			return st, fmt.Errorf("starting uv: %s: %w", text, syscall.Errno(n))
		case "exit":
			st, err = status{Code: n}, nil
		case "signal":
			st, err = status{Code: 128 + n, Signal: n}, nil
		case "killed":
			err = errKilled
		}
	}
	return st, err
}

// orphaned deals with a script that killed or stopped its supervisor: what can
// still be reached is its process group.
func (s *supervisor) orphaned(ctx context.Context, err error) error {
	if s.pid > 0 {
		_ = syscall.Kill(-s.pid, syscall.SIGKILL)
	}
	if ctx.Err() != nil {
		return errKilled
	}
	return err
}
