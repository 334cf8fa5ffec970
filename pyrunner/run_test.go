package pyrunner

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestSourceAlone(t *testing.T) { // R3, R4c
	inTemp(t, 0)
	r := newRunner(t, Config{})
	res := mustRun(t, r, Job{Source: "import sys\nprint('out')\nprint('err', file=sys.stderr)\n"})
	wantText(t, "stdout", res.Stdout, "out\n")
	wantText(t, "stderr", res.Stderr, "err\n")
	wantText(t, "script", res.Script, "")
	if res.ExitCode != 0 || res.Truncated || len(res.Dependencies) != 0 {
		t.Errorf("got %+v", res)
	}
}

func TestTemporaryScriptIsPrivate(t *testing.T) { // R4c, R7d
	dir := inTemp(t, 1)
	write(t, filepath.Join(dir, "colorsys.py"), "raise SystemExit('a stranger in the temporary folder')\n")
	defer os.Remove(filepath.Join(dir, "colorsys.py"))
	r := newRunner(t, Config{})
	_, err := runFails[*ScriptError](t, r, Job{Source: "import colorsys\ncolorsys.rgb_to_hsv\n1/0\n"})
	wantPart(t, "traceback", err.Traceback, "ZeroDivisionError")
	wantPart(t, "script", err.Script, dir)
	wantPart(t, "message", err.Error(), err.Script)
	info, statErr := os.Stat(err.Script)
	if statErr != nil {
		t.Fatal(statErr)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, want 0600", info.Mode())
	}
}

func TestSourceKeptAtPath(t *testing.T) { // R4a
	inTemp(t, 0)
	r := newRunner(t, Config{})
	path := filepath.Join(t.TempDir(), "kept here.py")
	res := mustRun(t, r, Job{Source: "print(__file__)\n", Path: path})
	wantText(t, "stdout", res.Stdout, path+"\n")
	wantText(t, "script", res.Script, path)
	_, err := r.Run(context.Background(), Job{Source: "print(2)\n", Path: path})
	if !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
	content, _ := os.ReadFile(path)
	wantText(t, "file", string(content), "print(__file__)\n")
	res = mustRun(t, r, Job{Source: "print(2)\n", Path: path, Force: true})
	wantText(t, "stdout", res.Stdout, "2\n")
	_, err = r.Run(context.Background(), Job{Source: "print(2)\n", Path: filepath.Join(t.TempDir(), "no", "such.py")})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
}

func TestExistingScriptIsNotChanged(t *testing.T) { // R4b
	r := newRunner(t, Config{})
	dir := t.TempDir()
	write(t, filepath.Join(dir, "beside.py"), "WORD = 'beside'\n")
	for name, content := range map[string]string{
		"crlf":   "import beside\r\nprint(beside.WORD)\r\n",
		"bom":    "\xef\xbb\xbfimport beside\nprint(beside.WORD)",
		"latin1": "# -*- coding: latin-1 -*-\nimport beside\nprint(beside.WORD) # \xe9\n",
	} {
		path := write(t, filepath.Join(dir, name+".py"), content)
		res := mustRun(t, r, Job{Path: path, Dir: t.TempDir()})
		wantText(t, name, res.Stdout, "beside\n")
		after, _ := os.ReadFile(path)
		wantText(t, name, string(after), content)
	}
}

func TestSyntaxErrorLeavesNothing(t *testing.T) { // R7b
	inTemp(t, 0)
	r := newRunner(t, Config{})
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept.py")
	for _, job := range []Job{{Source: "x = 1\ndef f(:\n    pass\n"}, {Source: "x = 1\ndef f(:\n", Path: kept}} {
		res, err := runFails[*SyntaxError](t, r, job)
		if err.Line != 2 || err.Column != 7 || err.Message != "invalid syntax" {
			t.Errorf("got %+v", err)
		}
		wantPart(t, "message", err.Error(), "line 2")
		wantText(t, "text", err.Text, "def f(:")
		wantText(t, "script", res.Script, "")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// Only compile() sees these; a parser alone lets them pass.
func TestCompileErrors(t *testing.T) {
	r := newRunner(t, Config{})
	for _, source := range []string{"return 1\n", "x = 1\nfrom __future__ import annotations\n", "break\n", "def f():\n  x=1\n  global x\n"} {
		if err := r.Check(context.Background(), []byte(source), "s.py"); err == nil {
			t.Errorf("%q: got no error", source)
		}
	}
	if err := r.Check(context.Background(), []byte("raise SystemExit(1)\n"), "s.py"); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestFailureKinds(t *testing.T) { // R7c, R7d; issue 4 point 9
	inTemp(t, 7)
	r := newRunner(t, Config{})
	for name, test := range map[string]struct {
		source string
		code   int
	}{
		"words of uv":   {"import sys\nprint('error: No solution found when resolving', file=sys.stderr)\nsys.exit(1)\n", 1},
		"status of uv":  {"import sys\nsys.exit(2)\n", 2},
		"large status":  {"import sys\nsys.exit(255)\n", 255},
		"beyond a byte": {"import sys\nsys.exit(300)\n", 44},
		"text":          {"raise SystemExit('a text')\n", 1},
		"import error":  {"import importlib\nimportlib.import_module('no.such'.strip())\n", 1},
	} {
		res, err := runFails[*ScriptError](t, r, Job{Source: test.source, NoInfer: true})
		if err.ExitCode != test.code || res.ExitCode != test.code {
			t.Errorf("%s: got %d, want %d", name, err.ExitCode, test.code)
		}
	}
	res := mustRun(t, r, Job{Source: "print('Traceback (most recent call last):\\nError')\n"})
	wantPart(t, "stdout", res.Stdout, "Traceback")
	_, err := runFails[*DependencyError](t, r, Job{Source: "print(1)\n", With: []string{"six==0.0.0.1"}})
	wantPart(t, "output", err.Output, "six==0.0.0.1")
	if _, statErr := os.Stat(err.Script); statErr != nil {
		t.Error(statErr)
	}
}

func TestNoUV(t *testing.T) { // R7a
	for _, cfg := range []Config{
		{UV: filepath.Join(t.TempDir(), "uv")},
		{LookupEnv: func(string) (string, bool) { return "", false }},
	} {
		_, err := New(cfg)
		if !errors.Is(err, ErrNoUV) {
			t.Fatalf("got %v, want ErrNoUV", err)
		}
		for _, part := range []string{"uv not found", "https://docs.astral.sh/uv/getting-started/installation/", "pip install uv"} {
			wantPart(t, "message", err.Error(), part)
		}
	}
}

func TestNoInputNoArguments(t *testing.T) { // R8
	inTemp(t, 1)
	r := newRunner(t, Config{})
	_, err := runFails[*ScriptError](t, r, Job{Source: "input()\n"})
	wantPart(t, "traceback", err.Traceback, "EOFError")
	res := mustRun(t, r, Job{Source: "import sys\nprint(sys.argv[1:], sys.stdin.read() == '')\n"})
	wantText(t, "stdout", res.Stdout, "[] True\n")
	if _, err := r.Run(context.Background(), Job{Source: "1\n", Args: []string{"a"}}); err == nil || !strings.Contains(err.Error(), "literal") {
		t.Errorf("got %v", err)
	}
}

func TestModule(t *testing.T) {
	r := newRunner(t, Config{})
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tool.py"), "import sys, idna\nprint('tool', sys.argv[1:], idna.__name__)\n")
	res := mustRun(t, r, Job{Module: "tool", Args: []string{"-x", "a b"}, Dir: dir, Scan: []string{"tool.py"}})
	wantText(t, "stdout", res.Stdout, "tool ['-x', 'a b'] idna\n")
}

func TestImportPath(t *testing.T) {
	r := newRunner(t, Config{})
	dir := filepath.Join(t.TempDir(), "a b", "中文")
	write(t, filepath.Join(dir, "requests.py"), "WHO = 'local'\n") // not the distribution of that name
	res := mustRun(t, r, Job{Source: "import requests\nprint(requests.WHO)\n", ImportPath: []string{dir}})
	wantText(t, "stdout", res.Stdout, "local\n")
	if len(res.Dependencies) != 0 {
		t.Errorf("got %v, want no dependency", res.Dependencies)
	}
}

func TestJobsThatMakeNoSense(t *testing.T) {
	r := newRunner(t, Config{})
	for name, job := range map[string]Job{
		"nothing":        {},
		"two":            {Source: "1", Module: "m"},
		"absent script":  {Path: filepath.Join(t.TempDir(), "absent.py")},
		"absent folder":  {Source: "1", Dir: filepath.Join(t.TempDir(), "absent")},
		"folder":         {Path: t.TempDir()},
		"option as with": {Source: "1", With: []string{"--index-url=x"}},
		"NUL":            {Source: "1", Env: []string{"A=a\x00b"}},
	} {
		var want *JobError
		if _, err := r.Run(context.Background(), job); !errors.As(err, &want) {
			t.Errorf("%s: got %v, want a JobError", name, err)
		}
	}
	if _, err := New(Config{MapFile: filepath.Join(t.TempDir(), "absent")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent map: got %v", err)
	}
	if _, err := New(Config{Unknown: "maybe"}); err == nil {
		t.Error("unknown policy: got no error")
	}
}

// A caller that has the text need not find it again in the temporary folder.
func TestDiscard(t *testing.T) {
	inTemp(t, 0)
	r := newRunner(t, Config{})
	_, err := runFails[*ScriptError](t, r, Job{Source: "raise SystemExit(3)\n", Discard: true})
	wantText(t, "script", err.Script, "")
	_, missing := runFails[*DependencyError](t, r, Job{Source: "import six\n", With: []string{"six==0.0.0.1"}, Discard: true})
	wantText(t, "script", missing.Script, "")
	_, late := runFails[*TimeoutError](t, r, Job{Source: "import time\ntime.sleep(60)\n", Timeout: time.Second, Discard: true})
	wantText(t, "script", late.Script, "")
}
