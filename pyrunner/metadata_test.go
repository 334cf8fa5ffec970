package pyrunner

import (
	"os"
	"path/filepath"
	"testing"
)

const inlineSix = "# /// script\n# dependencies = ['six']\n# ///\nimport six, importlib.util as u\nprint(six.__name__, u.find_spec('idna') is not None)\n"

func TestMetadata(t *testing.T) { // issue 4 point 5; facts, row PEP 723
	t.Setenv("UV_CACHE_DIR", t.TempDir())
	inTemp(t, 0)
	r := newRunner(t, Config{})
	wantText(t, "block", mustRun(t, r, Job{Source: inlineSix}).Stdout, "six False\n")
	wantText(t, "block and with", mustRun(t, r, Job{Source: inlineSix, With: []string{"idna"}}).Stdout, "six True\n")
	path := filepath.Join(t.TempDir(), "kept 中")
	wantText(t, "kept, no suffix", mustRun(t, r, Job{Source: inlineSix, Path: path}).Stdout, "six False\n")
	wantText(t, "in place", mustRun(t, r, Job{Path: path}).Stdout, "six False\n")
	crlf := "\xef\xbb\xbf# /// script\r\n# dependencies = ['six']\r\n# ///\r\nimport six\r\nprint(six.__name__)\r\n"
	wantText(t, "BOM and CRLF", mustRun(t, r, Job{Source: crlf}).Stdout, "six\n")
}

// No guessing beside the author's word.
func TestMetadataIsAllThereIs(t *testing.T) {
	inTemp(t, 1)
	r := newRunner(t, Config{})
	_, err := runFails[*ScriptError](t, r, Job{Source: "# /// script\n# dependencies = []\n# ///\nimport six\n"})
	wantPart(t, "traceback", err.Traceback, "ModuleNotFoundError")
}

func TestMetadataFailures(t *testing.T) {
	inTemp(t, 2)
	r := newRunner(t, Config{})
	_, dep := runFails[*DependencyError](t, r, Job{Source: "# /// script\n# dependencies = ['six==0.0.0.1']\n# ///\n"})
	wantPart(t, "output", dep.Output, "six==0.0.0.1")
	_, failed := runFails[*ScriptError](t, r, Job{Source: inlineSix + "1/0\n"})
	wantPart(t, "traceback", failed.Traceback, "ZeroDivisionError")
}

func TestBrokenMetadata(t *testing.T) { // uv#12499
	r := newRunner(t, Config{})
	for name, test := range map[string]struct {
		source string
		line   int
	}{
		"unclosed":   {"x = 1\n# /// script\n# dependencies = []\n", 2},
		"two blocks": {"# /// script\n# dependencies = []\n# ///\n\n# /// script\n# dependencies = []\n# ///\n", 5},
		"TOML":       {"# /// script\n# dependencies = [\n# ///\n", 2},
		"Python":     {"# /// script\n# requires-python = '>=3.99'\n# ///\n", 2},
	} {
		inTempFor := t.TempDir()
		t.Setenv("TMPDIR", inTempFor)
		_, err := runFails[*DependencyError](t, r, Job{Source: test.source})
		if err.Line < test.line || err.Line > test.line+1 {
			t.Errorf("%s: got line %d, want %d", name, err.Line, test.line)
		}
		if _, statErr := os.Stat(err.Script); statErr != nil {
			t.Errorf("%s: script not kept: %v", name, statErr)
		}
	}
}

// uv keeps an environment for each script with metadata; a temporary one's
// would never be used again: uv#13431.
func TestTemporaryMetadataLeavesNoEnvironment(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("UV_CACHE_DIR", cache)
	temp := inTemp(t, 1)
	r := newRunner(t, Config{})
	for range 3 {
		mustRun(t, r, Job{Source: inlineSix})
	}
	runFails[*ScriptError](t, r, Job{Source: inlineSix + "raise SystemExit(1)\n"})
	if locks, _ := filepath.Glob(filepath.Join(temp, "uv-*")); len(locks) > 0 {
		t.Errorf("left behind: %v", locks)
	}
	left, _ := filepath.Glob(filepath.Join(cache, "environments-v*", "*"))
	for _, path := range left {
		if filepath.Base(path)[:7] == "script-" {
			t.Errorf("left behind: %s", path)
		}
	}
}

func TestIsScriptEnvironment(t *testing.T) {
	for path, want := range map[string]bool{
		"/c/environments-v2/script-0011": true, "/c/environments-v2": false, "/c/environments-v2/other-00": false,
		"/usr/script-1": false, "/": false, "": false,
	} {
		if got := isScriptEnvironment(filepath.FromSlash(path)); got != want {
			t.Errorf("%s: got %v", path, got)
		}
	}
}
