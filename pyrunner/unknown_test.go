package pyrunner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/staged-agent/staged-agent/pyrunner/imports"
)

// A name that nobody has registered, and a name that is a distribution of
// another module: what models invent looks like either.
func TestUnknownImports(t *testing.T) { // issue 4 point 4; marimo#10585, codegate#1037
	inTemp(t, 2)
	r := newRunner(t, Config{})
	ran := filepath.Join(t.TempDir(), "ran")
	_, err := runFails[*DependencyError](t, r, Job{Source: "open(" + quoted(ran) + ", 'w')\nimport staged_agent_no_such_module\n"})
	wantPart(t, "output", err.Output, "import staged_agent_no_such_module: no known distribution; add --with NAME")
	wantPart(t, "output", err.Output, "not found")
	if _, statErr := os.Stat(ran); statErr == nil {
		t.Error("the script has run")
	}
	_, err = runFails[*DependencyError](t, newRunner(t, Config{Unknown: UnknownRefuse}), Job{Source: "import staged_agent_no_such_module\n"})
	wantPart(t, "output", err.Output, "import staged_agent_no_such_module: no known distribution")
}

// Text that is imported can hold anything; none of it reaches a command line.
func TestImportsThatAreNoNames(t *testing.T) { // crewAI#4516
	r := newRunner(t, Config{Unknown: UnknownInstall})
	for _, text := range []string{"-r evil", "--index-url=http://127.0.0.1:9", "../up", "a;id", "$(id)", "git+https://127.0.0.1/x", "六"} {
		source := "import importlib\ntry:\n    importlib.import_module('" + text + "')\nexcept BaseException: pass\n"
		res, err := r.Run(t.Context(), Job{Source: source, Path: filepath.Join(t.TempDir(), "s.py")})
		if err != nil && !isDependency(err) {
			t.Errorf("%s: got %v", text, err)
		}
		for _, argument := range res.Command {
			if argument == text {
				t.Errorf("%s: became an argument of %q", text, res.Command)
			}
		}
	}
}

// Nor does what stands in metadata that uv itself does not read.
func TestMetadataThatIsNoName(t *testing.T) {
	r := newRunner(t, Config{})
	for _, spec := range []string{"--index-url=http://127.0.0.1:9", "-rx", " --help", "./up", "/etc", ""} {
		source := "\xef\xbb\xbf# /// script\n# dependencies = ['six', '" + spec + "']\n# ///\n"
		res, err := runFails[*DependencyError](t, r, Job{Source: source, Path: filepath.Join(t.TempDir(), "s.py")})
		if err.Line != 1 || len(res.Command) != 0 {
			t.Errorf("%q: got line %d, command %q", spec, err.Line, res.Command)
		}
		wantPart(t, spec, err.Output, "names no distribution")
	}
}

func TestVerify(t *testing.T) {
	r := newRunner(t, Config{})
	p := &plan{Job: Job{}, dir: t.TempDir()}
	var err error
	if p.python, err = r.interpreter(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.verify(t.Context(), p, imports.Dependency{Import: "six", Distribution: "six"}); err != nil {
		t.Error(err)
	}
	// The distribution is real and old, and has no module of that name.
	err = r.verify(t.Context(), p, imports.Dependency{Import: "jwt", Distribution: "six"})
	if !isDependency(err) {
		t.Fatalf("got %v", err)
	}
	wantPart(t, "message", err.Error(), "does not provide this module")
}

func TestProvides(t *testing.T) {
	tree := t.TempDir()
	for _, file := range []string{"one.py", "two/__init__.py", "three.cpython-311-x86_64-linux-gnu.so", "google/cloud/storage/__init__.py", "data/x.txt"} {
		write(t, filepath.Join(tree, filepath.FromSlash(file)), "")
	}
	for module, want := range map[string]bool{
		"one": true, "two": true, "two.sub": true, "three": true, "google.cloud.storage": true, "google": true,
		"google.cloud.bigquery": false, "google.other": false, "four": false, "On": false,
	} {
		if got := provides(tree, module); got != want {
			t.Errorf("%s: got %v", module, got)
		}
	}
}

func TestCutoff(t *testing.T) {
	if got := cutoff(time.Date(2026, 12, 1, 23, 59, 0, 0, time.UTC)); got != "2026-09-02" {
		t.Errorf("got %s", got)
	}
}

func TestDistributionNames(t *testing.T) { // crewAI#4516
	for name, want := range map[string]bool{
		"six": true, "ruamel.yaml": true, "zope-interface": true, "a": true, "A_b.c-d9": true,
		"": false, "-r": false, "--index-url=x": false, "a b": false, "a;rm -rf": false, "../x": false, "/etc/passwd": false,
		"git+https://x": false, "a@b": false, "$(id)": false, "`id`": false, "six\nidna": false, "a-": false, "数学": false, "six[x]": false,
	} {
		if got := distributionName.MatchString(name); got != want {
			t.Errorf("%q: got %v", name, got)
		}
	}
}

func quoted(path string) string { return "r'" + path + "'" }

// A distribution that the caller asked for needs nobody else's word, however
// new its release is.
func TestNamesTheCallerGave(t *testing.T) {
	r := newRunner(t, Config{Unknown: UnknownRefuse})
	if _, err := r.Run(t.Context(), Job{Source: "import staged_agent_no_such\n", With: []string{"staged.agent-no_such==1"}}); !isDependency(err) {
		t.Fatalf("got %v, want what uv says of the requirement", err)
	} else if strings.Contains(err.Error(), "add --with NAME") {
		t.Errorf("got %v: the name was refused although it was asked for", err)
	}
}
