package pyrunner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// project makes a folder with a pyproject.toml that needs six.
func project(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a project 中")
	write(t, filepath.Join(dir, "pyproject.toml"), "[project]\nname='own'\nversion='1'\nrequires-python='>=3.8'\ndependencies=['six']\n")
	return dir
}

func TestProject(t *testing.T) { // R2
	r := newRunner(t, Config{})
	dir := project(t)
	script := write(t, filepath.Join(dir, "sub", "-s.py"), "import six, sys, os\nprint(os.path.realpath(sys.prefix), six.__name__)\n")
	want := filepath.Join(realPath(t, dir), ".venv") + " six\n"
	res := mustRun(t, r, Job{Path: script, Dir: dir})
	wantText(t, "stdout", res.Stdout, want)
	if got := res.Command[1:]; len(got) != 3 || got[0] != "run" || got[2] != filepath.Join("sub", "-s.py") {
		t.Errorf("got %q, want uv run with a relative path and nothing else", got)
	}
	for _, made := range []string{".venv", "uv.lock"} { // the project's own environment serves
		if _, err := os.Stat(filepath.Join(dir, made)); err != nil {
			t.Error(err)
		}
	}
}

// A path that looks like an option is not one.
func TestProjectLeadingDash(t *testing.T) {
	r := newRunner(t, Config{})
	dir := project(t)
	write(t, filepath.Join(dir, "-c.py"), "print('dash')\n")
	res := mustRun(t, r, Job{Path: "-c.py", Dir: dir})
	wantText(t, "stdout", res.Stdout, "dash\n")
}

func TestProjectSourceAlone(t *testing.T) { // R2 with R4c
	inTemp(t, 0)
	r := newRunner(t, Config{})
	dir := project(t)
	res := mustRun(t, r, Job{Source: "import six\nprint(six.__name__)\n", Dir: dir})
	wantText(t, "stdout", res.Stdout, "six\n")
	wantPart(t, "command", joined(res.Command), "--project "+dir)
}

func TestProjectFailures(t *testing.T) {
	inTemp(t, 1)
	r := newRunner(t, Config{})
	dir := project(t)
	_, err := runFails[*ScriptError](t, r, Job{Source: "import idna\n", Dir: dir}) // not among its dependencies
	wantPart(t, "traceback", err.Traceback, "ModuleNotFoundError")
	write(t, filepath.Join(dir, "pyproject.toml"), "broken [\n")
	script := write(t, filepath.Join(dir, "s.py"), "print(1)\n")
	_, dep := runFails[*DependencyError](t, r, Job{Path: script, Dir: dir})
	wantPart(t, "output", dep.Output, "pyproject.toml") // it says which file is at fault
	wantText(t, "script", dep.Script, script)
}

// What the caller asks for by name is added, to this run only.
func TestProjectWith(t *testing.T) {
	r := newRunner(t, Config{})
	dir := project(t)
	job := Job{Source: "import importlib.util as u\nprint(u.find_spec('idna') is not None)\n", Dir: dir}
	job.With = []string{"idna"}
	wantText(t, "with", mustRun(t, r, job).Stdout, "True\n")
	job.With = nil
	wantText(t, "without", mustRun(t, r, job).Stdout, "False\n")
}

// A project's environment is made before the script's own time begins, and by
// a process that may see what the script may not.
func TestProjectIsPreparedFirst(t *testing.T) { // issue 4 point 12
	r := newRunner(t, Config{LookupEnv: withEnv(map[string]string{
		"UV_INDEX": "corp=https://me:sk-1@127.0.0.1:9/simple", "UV_INDEX_CORP_PASSWORD": "sk-2", "NO_PROXY": "sk-3",
		"UV_DEFAULT_INDEX": os.Getenv("UV_DEFAULT_INDEX"),
	}), Offline: true})
	dir := filepath.Join(t.TempDir(), "p")
	write(t, filepath.Join(dir, "pyproject.toml"), "[project]\nname='own'\nversion='1'\nrequires-python='>=3.8'\n")
	job := Job{Source: "import os\nprint(os.environ, open('/proc/%d/environ' % os.getppid()).read() if os.path.exists('/proc') else '')\n", Dir: dir}
	var phases []string
	job.OnPhase = func(phase string) { phases = append(phases, phase) }
	for range 2 {
		if out := mustRun(t, r, job).Stdout; strings.Contains(out, "sk-") {
			t.Errorf("a secret of the installation reached the script: %s", out)
		}
	}
	wantText(t, "phases", joined(phases), "install run run ") // the second time there is nothing to make
	write(t, filepath.Join(dir, "pyproject.toml"), "[project]\nname='own'\nversion='2'\nrequires-python='>=3.8'\n")
	mustRun(t, r, job)
	wantText(t, "phases after a change", joined(phases), "install run run install run ")
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func joined(words []string) string {
	text := ""
	for _, w := range words {
		text += w + " "
	}
	return text
}
