package pyrunner

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/windows"
)

// These tests need neither uv nor Python: the test program itself is what is
// run. So they also run where only Wine is to be had (make wine).

// TestWindowsHelper is no test but the program that the others run, as told by
// the variable HELPER.
func TestWindowsHelper(t *testing.T) {
	switch os.Getenv("HELPER") {
	case "arguments":
		_ = json.NewEncoder(os.Stdout).Encode([]any{os.Args[2:], workingFolder()})
	case "tree": // a child, which outlives this one unless the job ends it
		child := again("sleep")
		child.Stdout = os.Stdout // and holds the pipe open
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(os.Getenv("PID_FILE"), []byte(strconv.Itoa(child.Process.Pid)), 0o600); err != nil {
			t.Fatal(err)
		}
		if os.Getenv("ENDS") == "" {
			time.Sleep(time.Hour)
		}
	case "runner": // a runner that is to be killed
		_, _ = newLauncher("").run(context.Background(), helperCommand(t, "tree", "PID_FILE="+os.Getenv("PID_FILE")))
	case "sleep":
		time.Sleep(time.Hour)
	default:
		return
	}
	os.Exit(7)
}

// tempFolder is a temporary folder. Wine 8 cannot remove one in Go's way, which
// is no fault of what is tested here.
func tempFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pyrunner-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func workingFolder() string {
	dir, _ := os.Getwd()
	return filepath.Base(dir)
}

func again(what string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestWindowsHelper$")
	cmd.Env = append(os.Environ(), "HELPER="+what)
	return cmd
}

func helperCommand(t *testing.T, what string, env ...string) command {
	t.Helper()
	return command{
		Argv: []string{os.Args[0], "-test.run=^TestWindowsHelper$"}, Dir: tempFolder(t),
		Env:    append(append(os.Environ(), "HELPER="+what), env...),
		Stdout: newCapture(1<<20, nil), Stderr: newCapture(1<<20, nil),
	}
}

func TestWindowsArguments(t *testing.T) { // issue 4 point 13
	want := []string{"a b", `say "hi"`, `ends in \`, `C:\a b\c\`, `\\host\share\x`, "中文 é", "", "%PATH%", "a&b|c>d^e", "'", "--", `\"`, "\ttab"}
	folder := filepath.Join(tempFolder(t), "a b 中文")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := helperCommand(t, "arguments")
	cmd.Argv, cmd.Dir = append(cmd.Argv, want...), folder
	st, err := newLauncher("").run(t.Context(), cmd)
	if err != nil || st.Code != 7 {
		t.Fatalf("got %+v, %v", st, err)
	}
	text, _ := cmd.Stdout.text()
	var got []any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	var arguments []string
	for _, a := range got[0].([]any) {
		arguments = append(arguments, a.(string))
	}
	if d := cmp.Diff(want, arguments); d != "" {
		t.Error(d)
	}
	if got[1] != "a b 中文" {
		t.Errorf("ran in %q", got[1])
	}
}

// childOf waits for the process that the helper has started.
func childOf(t *testing.T, file string) windows.Handle {
	t.Helper()
	var pid int
	eventually(t, "the child has started", time.Minute, func() bool {
		text, _ := os.ReadFile(file)
		pid, _ = strconv.Atoi(string(text))
		return pid > 0
	})
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { windows.CloseHandle(process) })
	return process
}

func wantGone(t *testing.T, process windows.Handle) {
	t.Helper()
	if event, err := windows.WaitForSingleObject(process, uint32(gone.Milliseconds())); event != windows.WAIT_OBJECT_0 {
		t.Errorf("a process of the run goes on (%d, %v)", event, err)
	}
}

func TestWindowsCancelEndsTheTree(t *testing.T) { // issue 4 point 10
	file := filepath.Join(tempFolder(t), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := newLauncher("").run(ctx, helperCommand(t, "tree", "PID_FILE="+file))
		done <- err
	}()
	child := childOf(t, file)
	cancel()
	if err := <-done; err != errKilled {
		t.Errorf("got %v, want errKilled", err)
	}
	wantGone(t, child)
}

// A program that ends while its child holds the pipe open returns at once, and
// the child ends with it.
func TestWindowsLeftChild(t *testing.T) {
	file := filepath.Join(tempFolder(t), "pid")
	st, err := newLauncher("").run(t.Context(), helperCommand(t, "tree", "ENDS=1", "PID_FILE="+file))
	if err != nil || st.Code != 7 {
		t.Errorf("got %+v, %v", st, err)
	}
	text, _ := os.ReadFile(file)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid)); err == nil {
		defer windows.CloseHandle(process)
		wantGone(t, process)
	}
}

func TestWindowsRunnerIsKilled(t *testing.T) {
	file := filepath.Join(tempFolder(t), "pid")
	runner := again("runner")
	runner.Env = append(runner.Env, "PID_FILE="+file)
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	child := childOf(t, file)
	if err := runner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = runner.Wait()
	wantGone(t, child)
}
