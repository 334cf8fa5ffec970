package pyrunner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// newRunner returns a Runner on the real uv. That there is none is a failure.
// Its time limit is one that a busy machine keeps, too.
func newRunner(t testing.TB, cfg Config) *Runner {
	t.Helper()
	if cfg.StateDir == "" {
		cfg.StateDir = t.TempDir()
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 20 * time.Minute
	}
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// inTemp gives the test a temporary folder of its own, which must be empty at
// the end but for the scripts that the test says are kept.
func inTemp(t *testing.T, kept int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "temp ünd 中文")
	write(t, filepath.Join(dir, "x"), "")
	os.Remove(filepath.Join(dir, "x"))
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	t.Setenv("TEMP", dir)
	t.Cleanup(func() {
		entries, _ := os.ReadDir(dir)
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
			return strings.HasPrefix(e.Name(), "uv-") // uv's own lock for a project
		})
		if len(entries) != kept {
			t.Errorf("temporary folder: got %d entries (%v), want %d", len(entries), entries, kept)
		}
	})
	return dir
}

// write makes a file, and the folders above it.
func write(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// mustRun runs a job that has to succeed.
func mustRun(t testing.TB, r *Runner, job Job) *Result {
	t.Helper()
	res, err := r.Run(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// runFails runs a job that has to fail with an error of type E.
func runFails[E error](t testing.TB, r *Runner, job Job) (*Result, E) {
	t.Helper()
	res, err := r.Run(context.Background(), job)
	var want E
	if !errors.As(err, &want) {
		t.Fatalf("got error %T (%v), want %T", err, err, want)
	}
	return res, want
}

func asError[E error](err error, want *E) bool { return errors.As(err, want) }

func wantText(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func wantPart(t testing.TB, what, got, part string) {
	t.Helper()
	if !strings.Contains(got, part) {
		t.Errorf("%s: got %q, want %q in it", what, got, part)
	}
}

// eventually waits for something that must come about; the limit is far beyond
// what it takes, so that a busy machine decides nothing.
func eventually(t testing.TB, what string, limit time.Duration, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// gone is how long processes may take to disappear: issue 4 allows 2 s; the
// rest is for a busy machine.
const gone = 10 * time.Second
