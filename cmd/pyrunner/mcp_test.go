package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/staged-agent/staged-agent/pyrunner"
)

// An answer is what the client saw of a call.
type answer struct {
	Error      bool
	Structured map[string]any
	Text       string
}

type seen struct {
	Server                                                                  string
	Tools                                                                   []string
	Schemas                                                                 map[string][]string
	Ok, Fails, Syntax, Timeout, Script, Dependencies, Missing, Extra, After answer
	ProgressOk                                                              []string `json:"progress_ok"`
	CancelledIsGone                                                         bool     `json:"cancelled_is_gone"`
}

// TestMCP is a conversation with a client that we did not write. That its SDK
// cannot be installed is a failure.
func TestMCP(t *testing.T) { // issue 4 point 16
	got := converse(t)
	if got.Server != "pyrunner" || !slices.Equal(got.Tools, []string{"dependencies", "run_python", "run_script"}) {
		t.Errorf("got server %q, tools %v", got.Server, got.Tools)
	}
	if !slices.Equal(got.Schemas["run_python"], []string{"code", "timeout"}) {
		t.Errorf("got %v", got.Schemas)
	}
	for name, test := range map[string]struct {
		got   answer
		kind  string
		error bool
	}{
		"ok":      {got.Ok, "ok", false},
		"fails":   {got.Fails, "runtime_error", true},
		"syntax":  {got.Syntax, "syntax_error", true},
		"timeout": {got.Timeout, "timeout", true},
		"script":  {got.Script, "ok", false},
		"after":   {got.After, "ok", false},
	} {
		if test.got.Structured["kind"] != test.kind || test.got.Error != test.error {
			t.Errorf("%s: got %+v", name, test.got)
		}
	}
	if got.Ok.Structured["stdout"] != "six\n" || got.Timeout.Structured["stdout"] != "1\n" || got.Script.Structured["stdout"] != "a file\n" {
		t.Errorf("output: got %v, %v, %v", got.Ok, got.Timeout, got.Script)
	}
	if !got.Missing.Error || !got.Extra.Error {
		t.Errorf("bad arguments: got %v, %v", got.Missing, got.Extra)
	}
	if list, _ := got.Dependencies.Structured["dependencies"].([]any); len(list) != 1 {
		t.Errorf("dependencies: got %v", got.Dependencies)
	}
	if !slices.Equal(got.ProgressOk, []string{"install", "run"}) {
		t.Errorf("progress: got %v", got.ProgressOk)
	}
	if !got.CancelledIsGone {
		t.Error("the cancelled run goes on")
	}
}

// converse runs the client, in an environment that uv makes for it, against
// the command as the server.
func converse(t *testing.T) seen {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "file.py")
	if err := os.WriteFile(script, []byte("print('a file')\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	runner, err := pyrunner.New(pyrunner.Config{StateDir: "-"})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	server := build(t)
	uv, _ := exec.LookPath("uv")
	result, err := runner.Run(t.Context(), pyrunner.Job{
		Path: "testdata/mcp_client.py", With: []string{"mcp<2"}, NoInfer: true, Timeout: -1,
		Env: []string{
			"SERVER=" + server, "SCRIPT=" + script, "PID_FILE=" + filepath.Join(dir, "pid"),
			"TMPDIR=" + dir, "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "UV_CACHE_DIR=" + filepath.Join(dir, "uv"),
			"PATH=" + filepath.Dir(uv) + string(os.PathListSeparator) + os.Getenv("PATH"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got seen
	if err := json.Unmarshal([]byte(result.Stdout), &got); err != nil {
		t.Fatalf("%v: %s", err, result.Stdout)
	}
	return got
}
