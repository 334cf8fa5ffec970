package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pyrunner": main})
}

// TestScripts runs what a user types, on the real command and the real uv.
func TestScripts(t *testing.T) {
	cache := uvCache(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			temp := filepath.Join(env.WorkDir, ".temp")
			env.Setenv("TMPDIR", temp)
			env.Setenv("TMP", temp)
			env.Setenv("TEMP", temp)
			env.Setenv("HOME", filepath.Join(env.WorkDir, ".home"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("UV_CACHE_DIR", cache)
			for _, name := range []string{"PYENV_ROOT", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
				env.Setenv(name, os.Getenv(name))
			}
			return os.Mkdir(temp, 0o755)
		},
	})
}

// uvCache is where uv keeps distributions; without uv the tests fail here.
func uvCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("uv", "cache", "dir").Output()
	if err != nil {
		t.Fatalf("uv: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// build makes the command itself: a signal must not reach the test.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pyrunner.exe") // the suffix is for Windows
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}
