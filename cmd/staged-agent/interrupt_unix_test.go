//go:build unix

package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A waiter keeps what is printed, and tells when a text has been.
type waiter struct {
	printed strings.Builder
	text    string
	seen    chan struct{}
}

func (w *waiter) Write(p []byte) (int, error) {
	was := strings.Contains(w.printed.String(), w.text)
	n, err := w.printed.Write(p)
	if !was && strings.Contains(w.printed.String(), w.text) {
		close(w.seen)
	}
	return n, err
}

// Ctrl-C ends a run cleanly wherever it is: the end is told, with exit status 130.
func TestInterrupt(t *testing.T) {
	exe, err := exec.LookPath("staged-agent")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, when string
		signal     syscall.Signal
		args       []string
	}{
		{"at a question", "your answer", syscall.SIGINT, []string{"--demo", "--interactive", "--lang", "en"}},
		{"at a tool", "✓ run_linter", syscall.SIGINT, []string{"--demo", "--lang", "en"}},
		{"asked to stop", "✓ write_file", syscall.SIGTERM, []string{"--demo", "--lang", "en"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := &waiter{text: c.when, seen: make(chan struct{})}
			cmd := exec.Command(exe, append(c.args, "--runs-dir", filepath.Join(t.TempDir(), "runs"))...)
			in, feed := io.Pipe() // never ends
			defer feed.Close()
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			go io.Copy(stdin, in)
			cmd.Stdout = out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case <-out.seen:
				err = cmd.Process.Signal(c.signal)
			case err = <-ended:
				t.Fatalf("the run ended before it showed %q (%v)", c.when, err)
			}
			if err != nil {
				t.Fatal(err)
			}
			err = <-ended
			if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
				t.Errorf("got exit status %d (%v), want %d\n%s", got, err, exitInterrupted, &out.printed)
			}
			if !strings.Contains(out.printed.String(), "outcome: interrupted — the user interrupted the run") {
				t.Errorf("the end is not told:\n%s", &out.printed)
			}
		})
	}
}
