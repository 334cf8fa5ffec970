package pyrunner

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Each of these tests is a row of the facts about uv: what would leak in, or
// break a run, without the flag or the care that keeps it out.

// venv makes a virtual environment in a folder, with a module "leak" in it.
func venv(t *testing.T, r *Runner, dir string) string {
	t.Helper()
	python, err := r.interpreter(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lib, _ := filepath.Glob(filepath.Join(dir, "[Ll]ib", "python3*", "site-packages"))
	if len(lib) == 0 {
		lib = []string{filepath.Join(dir, "Lib", "site-packages")}
	}
	write(t, filepath.Join(lib[0], "leak.py"), "")
	return dir
}

const findLeak = "import importlib.util, sys\nprint(importlib.util.find_spec('leak'), sys.prefix != sys.base_prefix)\n"

func TestNothingLeaksIn(t *testing.T) { // --isolated; uv#13055, #9939, #7073
	inTemp(t, 0)
	plain := newRunner(t, Config{})
	top := t.TempDir()
	venv(t, plain, filepath.Join(top, ".venv"))
	below := filepath.Dir(write(t, filepath.Join(top, "below", "x"), ""))
	t.Setenv("VIRTUAL_ENV", filepath.Join(top, ".venv"))
	t.Setenv("PYTHONPATH", filepath.Join(top, ".venv"))
	r := newRunner(t, Config{})
	for _, dir := range []string{top, below, t.TempDir()} {
		res := mustRun(t, r, Job{Source: findLeak, Dir: dir})
		wantText(t, dir, res.Stdout, "None True\n")
		wantText(t, dir, res.Stderr, "")
	}
}

func TestInterpretersOwnPackagesStayOut(t *testing.T) { // --isolated
	probe := newRunner(t, Config{})
	python := filepath.Join(venv(t, probe, filepath.Join(t.TempDir(), "v")), "bin", "python")
	if runtime.GOOS == "windows" {
		python = filepath.Join(filepath.Dir(filepath.Dir(python)), "Scripts", "python.exe")
	}
	res := mustRun(t, newRunner(t, Config{Python: python}), Job{Source: findLeak})
	wantText(t, "stdout", res.Stdout, "None True\n")
}

func TestStrangersProjectIsLeftAlone(t *testing.T) { // --no-project; uv#8764
	r := newRunner(t, Config{})
	top := t.TempDir()
	write(t, filepath.Join(top, "pyproject.toml"), "[project]\nname='stranger'\nversion='1'\nrequires-python='>=3.8'\ndependencies=['no-such-distribution-at-all==9']\n")
	script := write(t, filepath.Join(top, "sub", "s.py"), findLeak)
	for _, dir := range []string{filepath.Dir(script), t.TempDir()} {
		res := mustRun(t, r, Job{Path: script, Dir: dir})
		wantText(t, "stdout", res.Stdout, "None True\n")
	}
	for _, made := range []string{".venv", "uv.lock"} {
		if _, err := os.Stat(filepath.Join(top, made)); err == nil {
			t.Errorf("%s was made in a stranger's project", made)
		}
	}
}

func TestStrangersConfigurationIsNotRead(t *testing.T) { // --no-config, full --python; uv#12877
	r := newRunner(t, Config{})
	top := t.TempDir()
	write(t, filepath.Join(top, "uv.toml"), "this is = not toml [\n")
	write(t, filepath.Join(top, ".python-version"), "3.99\n")
	write(t, filepath.Join(top, "up", "pyproject.toml"), "neither [ is this\n")
	script := write(t, filepath.Join(top, "up", "below", "s.py"), "import six\nprint('ran')\n")
	res := mustRun(t, r, Job{Path: script, Dir: filepath.Dir(script)})
	wantText(t, "stdout", res.Stdout, "ran\n")
	wantText(t, "stderr", res.Stderr, "")
}

func TestUVConfigOnRequest(t *testing.T) { // the flag of issue 4 point 7
	dir := t.TempDir()
	write(t, filepath.Join(dir, "uv.toml"), "this is = not toml [\n")
	job := Job{Path: write(t, filepath.Join(dir, "s.py"), "print('ran')\n"), Dir: dir}
	mustRun(t, newRunner(t, Config{}), job)
	_, err := runFails[*DependencyError](t, newRunner(t, Config{UseUVConfig: true}), job)
	wantPart(t, "output", err.Output, "uv.toml") // it says which file is at fault
}

// A .venv in the working folder must not become the interpreter: its "python"
// would be started outside of anything (uv#11078).
func TestPlantedInterpreterIsNotStarted(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the planted program is a shell script
	}
	r := newRunner(t, Config{})
	dir := t.TempDir()
	planted := write(t, filepath.Join(dir, ".venv", "bin", "python"), "#!/bin/sh\ntouch "+filepath.Join(dir, "started")+"\n")
	write(t, filepath.Join(dir, ".venv", "pyvenv.cfg"), "home = /usr/bin\n")
	if err := os.Chmod(planted, 0o755); err != nil {
		t.Fatal(err)
	}
	mustRun(t, r, Job{Source: "import six\n", Dir: dir})
	if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
		t.Error("uv started a program of the working folder")
	}
}

func TestDotEnvIsNotLoaded(t *testing.T) {
	r := newRunner(t, Config{})
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".env"), "FROM_FILE=1\n")
	res := mustRun(t, r, Job{Source: "import os\nprint(os.environ.get('FROM_FILE'))\n", Dir: dir})
	wantText(t, "stdout", res.Stdout, "None\n")
}

func TestUVSaysNothing(t *testing.T) { // -q
	t.Setenv("UV_CACHE_DIR", t.TempDir()) // so that something is installed
	r := newRunner(t, Config{})
	res := mustRun(t, r, Job{Source: "import six\nprint('ran')\n"})
	wantText(t, "stdout", res.Stdout, "ran\n")
	wantText(t, "stderr", res.Stderr, "")
}

func TestEachFlagIsThere(t *testing.T) {
	r := newRunner(t, Config{})
	res := mustRun(t, r, Job{Source: "import six, idna\n"})
	command := strings.Join(res.Command, " ")
	for _, part := range []string{" run -q --no-project --isolated --no-config --python " + res.Python + " --offline ", " --with six", " --with idna"} {
		wantPart(t, "command", command, part)
	}
	if !filepath.IsAbs(res.Command[0]) || !filepath.IsAbs(res.Python) {
		t.Errorf("got %v, want full paths", res.Command)
	}
}

// What must go on working inside the isolated environment.
func TestOrdinaryPrograms(t *testing.T) {
	r := newRunner(t, Config{})
	for name, source := range map[string]string{
		"sys.executable": "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', 'import six; print(1)'], text=True), end='')\nimport six\n",
		"multiprocessing": "import multiprocessing as m\ndef f(x): return x\nif __name__ == '__main__':\n" +
			"    with m.get_context('spawn').Pool(2) as p: print(sum(p.map(f, [0, 1])))\n",
		"entry point": "import subprocess\nimport idna\nimport pygments\nsubprocess.run(['pygmentize', '-V'], check=True, stdout=subprocess.DEVNULL)\nprint(1)\n", // uv#13327
		"__file__":    "import os\nprint(int(os.path.isabs(__file__) and __name__ == '__main__'))\n",
		"traceback":   "try:\n    1/0\nexcept ZeroDivisionError as e:\n    print(e.__traceback__.tb_lineno - 1)\n",
		"threads":     "import threading\nthreading.Thread(target=print, args=(1,)).start()\n",
	} {
		res := mustRun(t, r, Job{Source: source})
		wantText(t, name, res.Stdout, "1\n")
	}
}
