package pyrunner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Small reproductions of reports about uv and about other runners. Those that
// need more than a line stand where their subject is: uv#12830, #11817, #12108,
// GenericAgent#797, llm-sandbox#43, inspect_ai#1979, openinterpreter#1525 in
// process_unix_test.go; uv#8764, #13055, #12877, #9939, #7073, #13327 in
// isolation_test.go; uv#12499, #13431 in metadata_test.go; marimo#10585,
// crewAI#4516 in unknown_test.go; rllm#895, code_puppy#649 in output_test.go.
func TestReports(t *testing.T) {
	r := newRunner(t, Config{})
	for name, test := range map[string]struct{ source, want string }{
		// vscode-ipe#41: input() hangs.
		"input": {"try:\n    input('name? ')\nexcept EOFError:\n    print('EOF')\n", "name? EOF\n"},
		// pipreqs#551: a script that is not UTF-8, with a cookie.
		"cookie": {"# -*- coding: latin-1 -*-\nprint('\xe9')\n", "é\n"},
		// mcp-run-python#18: dependencies fixed at start; here each job has its own.
		"own dependencies": {"import idna\nprint(idna.__name__)\n", "idna\n"},
		// openinterpreter#477: installs break the host.
		"pip changes nothing": {"import subprocess, sys\np = subprocess.run([sys.executable, '-m', 'pip', '--version'], capture_output=True)\nprint(p.returncode != 0)\n", "True\n"},
		// The smoke test of an earlier program put lines in front of the script.
		"future import": {"from __future__ import annotations\nprint(__name__)\n", "__main__\n"},
	} {
		res := mustRun(t, r, Job{Source: test.source})
		wantText(t, name, res.Stdout, test.want)
	}
}

func TestSetuptools(t *testing.T) { // facts: pkg_resources, distutils
	r := newRunner(t, Config{})
	res := mustRun(t, r, Job{Source: "import pkg_resources\nprint(pkg_resources.__name__)\n", With: []string{"setuptools<82"}, NoInfer: true})
	wantText(t, "stdout", res.Stdout, "pkg_resources\n")
}

// matplotlib's show() without a display returns.
func TestShowWithoutDisplay(t *testing.T) {
	r := newRunner(t, Config{})
	res := mustRun(t, r, Job{
		Source: "import matplotlib.pyplot as p\np.plot([1, 2])\np.show()\nprint('shown')\n",
		With:   []string{"matplotlib"}, NoInfer: true, Timeout: 5 * time.Minute,
	})
	wantText(t, "stdout", res.Stdout, "shown\n")
}

// A distribution that fails to build on purpose is a dependency failure, with
// uv's whole output.
func TestBuildFailure(t *testing.T) { // facts: sklearn
	inTemp(t, 1)
	r := newRunner(t, Config{})
	_, err := runFails[*DependencyError](t, r, Job{Source: "print(1)\n", With: []string{"sklearn"}})
	wantPart(t, "output", err.Output, "scikit-learn")
}

// A requirement without a build for this platform: pywin32 has none for Linux.
func TestNoBuildForThisPlatform(t *testing.T) {
	inTemp(t, 1)
	r := newRunner(t, Config{})
	_, err := runFails[*DependencyError](t, r, Job{Source: "print(1)\n", With: []string{"pywin32; sys_platform != 'win32'"}})
	if err.Output == "" {
		t.Error("uv's output is missing")
	}
}

// Many different scripts fill no disk: uv#13431.
func TestManyScriptsFillNoCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("UV_CACHE_DIR", cache)
	inTemp(t, 0)
	r := newRunner(t, Config{})
	mustRun(t, r, Job{Source: "import six\n"})
	count := func() int {
		n := 0
		for _, pattern := range []string{"environments-v*/*", "builds-v*/*", "archive-v*/*"} {
			found, _ := filepath.Glob(filepath.Join(cache, filepath.FromSlash(pattern)))
			n += len(found)
		}
		return n
	}
	before := count()
	for i := range 20 {
		mustRun(t, r, Job{Source: fmt.Sprintf("import six\nprint(%d)\n", i)})
		mustRun(t, r, Job{Source: fmt.Sprintf("# /// script\n# dependencies = ['six']\n# ///\nprint(%d)\n", i)})
	}
	if after := count(); after > before+1 {
		t.Errorf("uv's cache: got %d entries, had %d", after, before)
	}
}

// 300 runs, 8 at a time, of every kind: no file, process or descriptor is left.
func TestSoak(t *testing.T) {
	runs := 300
	if testing.Short() {
		runs = 30
	}
	inTemp(t, 0)
	r := newRunner(t, Config{})
	folder := t.TempDir()
	jobs := soakJobs(folder)
	for _, job := range jobs { // whatever is kept alive is there now
		_, _ = r.Run(t.Context(), job)
	}
	before := resources()
	var group sync.WaitGroup
	next := make(chan int)
	for range 8 {
		group.Go(func() {
			for i := range next {
				soakOne(t, r, jobs, i)
			}
		})
	}
	for i := range runs {
		next <- i
	}
	close(next)
	group.Wait()
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".py") {
			t.Errorf("left behind: %s", entry.Name())
		}
	}
	// The helpers that scan, at most one for each processor, and one supervisor
	// that waits are there while the Runner is.
	eventually(t, "no descriptor or process is left over", 10*time.Second, func() bool {
		after := resources()
		return after.files <= before.files+40 && after.children <= before.children+4
	})
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, "no child is left", 10*time.Second, func() bool { return resources().children == 0 })
}

// soakJobs are one of each kind; those that keep their script keep it in folder.
func soakJobs(folder string) []Job {
	kept := func(n int) string { return filepath.Join(folder, fmt.Sprintf("kept%d.py", n)) }
	return []Job{
		{Source: "print('fine')\n"},
		{Source: "import six\nprint('fine')\n"},
		{Source: "import sys\nsys.exit(3)\n", Path: kept(1), Force: true},
		{Source: "x ==== 1\n"},
		{Source: "import time\nprint('fine', flush=True)\ntime.sleep(600)\n", Path: kept(2), Force: true, Timeout: 300 * time.Millisecond},
		{Source: "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\nprint('fine')\n"},
	}
}

func soakOne(t *testing.T, r *Runner, jobs []Job, i int) {
	kind := i % len(jobs)
	res, err := r.Run(t.Context(), jobs[kind])
	switch want := []string{"<nil>", "<nil>", "*pyrunner.ScriptError", "*pyrunner.SyntaxError", "*pyrunner.TimeoutError", "<nil>"}[kind]; {
	case fmt.Sprintf("%T", err) != want:
		t.Errorf("run %d: got %v, want %s", i, err, want)
	case err == nil && res.Stdout != "fine\n":
		t.Errorf("run %d: got %q", i, res.Stdout)
	}
}

type held struct{ files, children int }

// resources counts what this process has open and started, where that can be seen.
func resources() held {
	var h held
	files, _ := os.ReadDir("/proc/self/fd")
	h.files = len(files)
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		h.children += len(strings.Fields(string(children)))
	}
	return h
}
