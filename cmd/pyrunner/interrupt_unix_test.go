//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const sleeper = `
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print("partial", flush=True)
with open(os.environ["PIDS"] + ".new", "w") as f:
    f.write(f"{os.getpid()} {child.pid}")
os.rename(os.environ["PIDS"] + ".new", os.environ["PIDS"])
time.sleep(600)
`

// TestSignals ends the command in each way, and looks for what it ran.
func TestSignals(t *testing.T) { // issue 4 point 10
	command := build(t)
	for name, test := range map[string]struct {
		signal syscall.Signal
		status int // -1: killed
	}{"Ctrl-C": {syscall.SIGINT, 130}, "SIGTERM": {syscall.SIGTERM, 130}, "hang-up": {syscall.SIGHUP, 130}, "kill -9": {syscall.SIGKILL, -1}} {
		dir := t.TempDir()
		pids := filepath.Join(dir, "pids")
		t.Setenv("PIDS", pids)
		t.Setenv("TMPDIR", dir)
		var out bytes.Buffer
		cmd := exec.Command(command, "--json", "--env", "PIDS", "-c", sleeper)
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running := waitFor(t, pids)
		if err := cmd.Process.Signal(test.signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != test.status {
			t.Errorf("%s: got status %d, want %d", name, got, test.status)
		}
		wantEnded(t, name, running)
		if test.status != -1 {
			wantInterrupted(t, name, out.Bytes())
		}
	}
}

func waitFor(t *testing.T, path string) []int {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		content, err := os.ReadFile(path)
		if err != nil && time.Now().Before(end) {
			continue
		}
		var pids []int
		for _, field := range strings.Fields(string(content)) {
			pid, _ := strconv.Atoi(field)
			pids = append(pids, pid)
		}
		if len(pids) != 2 {
			t.Fatalf("got %q", content)
		}
		return pids
	}
}

func wantEnded(t *testing.T, name string, pids []int) {
	t.Helper()
	for _, pid := range pids {
		end := time.Now().Add(10 * time.Second)
		for syscall.Kill(pid, 0) == nil {
			if time.Now().After(end) {
				t.Fatalf("%s: process %d lives on", name, pid)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

func wantInterrupted(t *testing.T, name string, out []byte) {
	t.Helper()
	var got object
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	if got.Kind != "interrupted" || got.Stdout != "partial\n" || got.Script == "" {
		t.Errorf("%s: got %+v", name, got)
	}
}

// Before there is a program, too, Ctrl-C ends the command; and what was started
// to ignore a hang-up ignores it.
func TestSignalsWithoutProgram(t *testing.T) {
	command := build(t)
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer w.Close()
	cmd := exec.Command(command, "-")
	cmd.Stdin = in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // until it listens, a signal simply kills it
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // one that goes on reading never ends
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupt && code != -1 {
		t.Errorf("got status %d", code)
	}
	script := "import os, signal, sys\nos.kill(int(os.environ['RUNNER']), signal.SIGHUP)\nprint('still here')\n"
	out, err := exec.Command("sh", "-c", `trap "" HUP; RUNNER=$$; export RUNNER; exec "$0" --env RUNNER -c "$1"`, command, script).CombinedOutput()
	if err != nil || string(out) != "still here\n" {
		t.Errorf("nohup: got %v, %s", err, out)
	}
}
