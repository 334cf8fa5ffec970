package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A place is a folder with programs on its PATH: the helper of the skill is run
// there as an agent would run it.
type place struct {
	t    *testing.T
	dir  string
	path string
}

func newPlace(t *testing.T, programs ...string) place {
	t.Helper()
	p := place{t, t.TempDir(), t.TempDir()}
	for _, program := range programs {
		if err := os.Symlink(program, filepath.Join(p.path, filepath.Base(program))); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p place) write(name, content string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// helper returns the exit status, and both streams.
func (p place) helper(args ...string) (status int, out, errs string) {
	p.t.Helper()
	script, err := filepath.Abs(filepath.Join(skill, "scripts", "run.py"))
	if err != nil {
		p.t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(python3(p.t), append([]string{script}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "PATH="+p.path)
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

func (p place) want(status int, part string, args ...string) {
	p.t.Helper()
	got, out, errs := p.helper(args...)
	if got != status || !strings.Contains(out+errs, part) {
		p.t.Errorf("%q: got %d, %q, %q, want %d and %q", args, got, out, errs, status, part)
	}
}

func realUV(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("uv")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// python3 is the interpreter itself, under a name by which it is looked for.
func python3(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Fatal(err)
	}
	named := filepath.Join(t.TempDir(), "python3")
	if err := os.Symlink(strings.TrimSpace(string(out)), named); err != nil {
		t.Fatal(err)
	}
	return named
}

// Where pyrunner is absent, the helper keeps the plain rules on uv alone.
func TestSkillHelperAlone(t *testing.T) { // issue 4 point 17
	p := newPlace(t, realUV(t), python3(t))
	p.write("beside.py", "WORD = 'beside'\n")
	p.write("job.py", "import yaml, beside, os, sys\ntry:\n    input()\nexcept EOFError:\n    print(yaml.__name__, beside.WORD, sys.argv[1:], os.path.isabs(__file__))\n")
	p.want(0, "yaml beside []", "job.py")
	p.write("more.py", "import importlib\nprint(importlib.import_module('idna').__name__)\n")
	p.want(0, "idna", "--with", "idna", "more.py")
	p.write("broken.py", "x = 1\nx ===\n")
	p.want(121, "line 2", "broken.py")
	p.write("fails.py", "import sys\nsys.exit(7)\n")
	p.want(7, "", "fails.py")
	p.want(122, "six==0.0.0.1", "--with", "six==0.0.0.1", "job.py")
	p.write("inline.py", "# /// script\n# dependencies = ['six']\n# ///\nimport six\nprint(six.__name__)\n")
	p.want(0, "six", "inline.py")
	p.want(2, "a script gets no arguments", "job.py", "one")
	p.want(2, "absent.py", "absent.py")
	p.write("pyproject.toml", "[project]\nname='own'\nversion='1'\nrequires-python='>=3.8'\ndependencies=['idna']\n")
	p.write("project.py", "import idna, sys\nprint('.venv' in sys.prefix)\n")
	p.want(0, "True", "project.py")
}

func TestSkillHelperWithoutUV(t *testing.T) { // R7a
	p := newPlace(t)
	p.write("job.py", "print(1)\n")
	p.want(120, "uv not found", "job.py")
	p.want(120, "https://docs.astral.sh/uv/getting-started/installation/", "job.py")
}

func TestSkillHelperCallsPyrunner(t *testing.T) {
	command := build(t)
	named := filepath.Join(filepath.Dir(command), "pyrunner")
	if err := os.Rename(command, named); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, realUV(t), python3(t), named)
	p.write("job.py", "import six, sys\nprint(six.__name__)\nsys.exit(3)\n")
	p.want(3, "pyrunner: the script failed with exit status 3", "job.py")
}
