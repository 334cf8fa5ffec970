package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/staged-agent/staged-agent/agent/provider/scripted"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"staged-agent": main})
}

// TestScripts runs testdata/script. Beside testscript's own commands there are
// these; testdata/models is copied beside each script, and $EXE is the program.
//
//	model SCRIPT.json [KEY]   start a strict endpoint whose model is scripted, and point the environment to it
//	sent N                    the endpoint has had N requests; their bodies are in sent.jsonl
//	exits CODE COMMAND…       run a command that ends with this exit status
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"model": cmdModel, "sent": cmdSent, "exits": cmdExits},
	})
}

// setup keeps the caches of uv and Python's own places, which the scripts share
// with everything else, and nothing besides.
func setup(e *testscript.Env) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	if err := os.CopyFS(e.WorkDir, os.DirFS("testdata/models")); err != nil {
		return err
	}
	exe, err := exec.LookPath("staged-agent") // which testscript.Main has made
	if err != nil {
		return err
	}
	e.Setenv("EXE", exe)
	e.Setenv("HOME", home)
	e.Setenv("USERPROFILE", home)
	e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
	for _, name := range []string{"PYENV_ROOT", "UV_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			e.Setenv(name, value)
		}
	}
	return nil
}

// servers are the endpoints of the scripts that run now, by script.
var servers sync.Map

func cmdModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: model SCRIPT.json [KEY]")
	}
	files := os.DirFS(ts.MkAbs("."))
	script, err := scripted.Load(files, args[0], "en")
	ts.Check(err)
	cfg := scripted.Config{Script: script, Files: files}
	if len(args) == 2 {
		cfg.Key = args[1]
		ts.Setenv("OPENAI_API_KEY", cfg.Key)
	}
	server, err := scripted.New(cfg)
	ts.Check(err)
	ts.Check(server.Start())
	ts.Defer(func() { server.Close() })
	ts.Setenv("OPENAI_BASE_URL", server.URL())
	ts.Setenv("OPENAI_MODEL", script.Model)
	servers.Store(ts, server)
}

func cmdSent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sent N")
	}
	server, ok := servers.Load(ts)
	if !ok {
		ts.Fatalf("there is no model")
	}
	var b strings.Builder
	requests := server.(*scripted.Server).Requests()
	for _, r := range requests {
		b.Write(r)
		b.WriteByte('\n')
	}
	ts.Check(os.WriteFile(ts.MkAbs("sent.jsonl"), []byte(b.String()), 0o644))
	if got := strconv.Itoa(len(requests)); got != args[0] {
		ts.Fatalf("the endpoint has had %s requests, want %s", got, args[0])
	}
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Check(err)
	}
	if got := strconv.Itoa(code); got != args[0] {
		ts.Fatalf("exit status %s, want %s\nstandard error:\n%s", got, args[0], ts.ReadFile("stderr"))
	}
}
