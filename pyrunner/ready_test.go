package pyrunner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func offline(res *Result) bool { return slices.Contains(res.Command, "--offline") }

// The first run installs; the second, also of another Runner, asks no index.
func TestReadyEnvironmentsAreRemembered(t *testing.T) { // issue 4 point 8
	t.Setenv("UV_CACHE_DIR", t.TempDir())
	state := t.TempDir()
	job := Job{Source: "import six\n"}
	var phases []string
	job.OnPhase = func(phase string) { phases = append(phases, phase) }
	if res := mustRun(t, newRunner(t, Config{StateDir: state}), job); !offline(res) || strings.Join(phases, " ") != "install run" {
		t.Errorf("first: got %v, %v", res.Command, phases)
	}
	phases = nil
	// With no way to an index, only what is remembered can work.
	unreachable := withEnv(map[string]string{"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"})
	res := mustRun(t, newRunner(t, Config{StateDir: state, LookupEnv: unreachable}), job)
	if !offline(res) || strings.Join(phases, " ") != "run" {
		t.Errorf("second: got %v, %v", res.Command, phases)
	}
}

// What is remembered may be wrong: the cache was emptied meanwhile. The script
// then runs once all the same, and its output is its own.
func TestForgottenEnvironmentIsMadeAgain(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("UV_CACHE_DIR", cache)
	r := newRunner(t, Config{})
	count := filepath.Join(t.TempDir(), "count")
	job := Job{Source: "import six\nopen(" + quoted(count) + ", 'a').write('x')\nprint('ran')\n"}
	mustRun(t, r, job)
	entries, _ := os.ReadDir(cache)
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(cache, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	res := mustRun(t, r, job)
	wantText(t, "stdout", res.Stdout, "ran\n")
	wantText(t, "stderr", res.Stderr, "")
	ran, _ := os.ReadFile(count)
	wantText(t, "runs", string(ran), "xx")
}

// A script that fails is never run twice, ready environment or not.
func TestFailedScriptRunsOnce(t *testing.T) {
	t.Setenv("UV_CACHE_DIR", t.TempDir())
	inTemp(t, 2)
	r := newRunner(t, Config{})
	count := filepath.Join(t.TempDir(), "count")
	for range 2 {
		runFails[*ScriptError](t, r, Job{Source: "import six\nopen(" + quoted(count) + ", 'a').write('x')\nraise SystemExit(2)\n"})
	}
	ran, _ := os.ReadFile(count)
	wantText(t, "runs", string(ran), "xx")
}

func TestOffline(t *testing.T) {
	t.Setenv("UV_CACHE_DIR", t.TempDir())
	inTemp(t, 1)
	_, err := runFails[*DependencyError](t, newRunner(t, Config{Offline: true}), Job{Source: "import six\n"})
	if err.Output == "" {
		t.Error("uv's output is missing")
	}
}

func TestWarm(t *testing.T) {
	t.Setenv("UV_CACHE_DIR", t.TempDir())
	r := newRunner(t, Config{})
	if err := r.Warm(t.Context(), []string{"six", "idna"}); err != nil {
		t.Fatal(err)
	}
	var phases []string
	res := mustRun(t, r, Job{
		Source: "import six, idna\n", NoInfer: true, With: []string{"idna", "six"},
		OnPhase: func(phase string) { phases = append(phases, phase) },
	})
	if !offline(res) || strings.Join(phases, " ") != "run" {
		t.Errorf("got %v, %v", res.Command, phases)
	}
}

func TestEnvironmentKey(t *testing.T) {
	a := environmentKey([]string{"a", "b"}, []string{"c"})
	if b := environmentKey([]string{"b", "a"}, []string{"c"}); a != b {
		t.Error("the order of requirements made a difference")
	}
	for _, other := range []string{environmentKey([]string{"a"}, []string{"b", "c"}), environmentKey([]string{"ab"}, []string{"c"})} {
		if a == other {
			t.Error("different environments have one key")
		}
	}
}
