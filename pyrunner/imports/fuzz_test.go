package imports

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Whatever a script holds, reading it gives a report or the fault of its
// metadata, and the next script is read as if nothing had been.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"import yaml\n", "import a.b as c, d\nfrom . import e\n", "# -*- coding: latin-1 -*-\nimport caf\xe9\n", "\ufeffimport x\r\n",
		"try:\n    import a\nexcept ImportError:\n    import b\n", "__import__('a\\nb')\n", "import importlib\nimportlib.import_module('-r evil')\n",
		"# /// script\n# dependencies = ['x']\n# ///\n", "x = (\n", "\x00", "match x:\n    case {'a': [*_]}:\n        import z\n", "f'{__import__(\"a\")}'\n",
	} {
		f.Add([]byte(seed))
	}
	finder, err := New(Config{Python: python(f)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { finder.Close() })
	f.Fuzz(func(t *testing.T, source []byte) {
		if len(source) > 20_000 {
			return // Python's own limits of nesting and memory are not ours to find
		}
		report, err := finder.Find(t.Context(), Input{Source: source, Name: "job.py", Dirs: []string{t.TempDir()}})
		var metadata *MetadataError
		if err != nil && !errors.As(err, &metadata) {
			t.Fatalf("%q: %v", source, err)
		}
		if report != nil {
			for _, d := range report.Dependencies {
				if d.Spec == "" || strings.HasPrefix(d.Spec, "-") || strings.ContainsAny(d.Spec, " \n/\\$;|") {
					t.Errorf("%q: needs %q, which is no requirement", source, d.Spec)
				}
			}
		}
		after, err := finder.Find(t.Context(), Input{Source: []byte("import yaml\n")})
		if err != nil || len(after.Dependencies) != 1 || after.Dependencies[0].Spec != "pyyaml" {
			t.Fatalf("after %q: got %+v, %v", source, after, err)
		}
	})
}

// An answer comes from a process that the script's author may have confused.
func FuzzDecodeAnswer(f *testing.F) {
	f.Add([]byte(`{"modules":{"":{"imports":[{"m":"yaml","l":1}]}}}` + "\n"))
	f.Add([]byte("{\n"))
	f.Add([]byte("null\n[]\n"))
	finder, err := New(Config{Python: python(f)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { finder.Close() })
	f.Fuzz(func(t *testing.T, answer []byte) {
		var got facts
		if err := decodeAnswer(bufio.NewReader(bytes.NewReader(answer)), &got); err == nil && got.Syntax == nil {
			finder.judge(&got)
		}
	})
}
