package imports

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A script that was read before is not read again, unless anything that the
// answer depends on is another.
func TestMemory(t *testing.T) {
	cache, folder := t.TempDir(), t.TempDir()
	find := func(source string, asks bool) string {
		t.Helper()
		f, err := New(Config{Python: python(t), CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		started := len(f.idle)
		report, err := f.Find(t.Context(), Input{Source: []byte(source), Name: filepath.Join(folder, "job.py"), Dirs: []string{folder}})
		if err != nil {
			t.Fatal(err)
		}
		if asked := started > 0 || len(f.idle) > 0; asked != asks {
			t.Errorf("%q: Python was asked: %v, want %v", source, asked, asks)
		}
		return fmt.Sprint(report.Dependencies, report.Local, report.Syntax)
	}
	same := func(source string, asks bool, want string) {
		t.Helper()
		if got := find(source, asks); got != want {
			t.Errorf("%q: got %s, want %s", source, got, want)
		}
	}
	const script = "import yaml\nimport PIL.Image\n"
	first := find(script, true)
	same(script, false, first)
	if other := find(script+"import requests\n", true); other == first {
		t.Errorf("another script has the same answer: %s", other)
	}
	// A file beside it that an import could mean.
	for _, name := range []string{"yaml.py", "PIL"} {
		path := filepath.Join(folder, name)
		if err := os.Mkdir(path, 0o755); name == "PIL" && err != nil {
			t.Fatal(err)
		}
		if name == "yaml.py" {
			os.Remove(path)
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		find(script, true)
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		same(script, false, first)
	}
	if err := os.WriteFile(filepath.Join(folder, "unrelated.py"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	same(script, false, first)
	// What is never remembered: errors, modules beside the script, folders that it names.
	for _, source := range []string{"x ===\n", "import unrelated\n", "import sys\nsys.path.insert(0, 'elsewhere')\nimport yaml\n",
		"import sqlalchemy\nsqlalchemy.create_engine('postgresql://me:hush@host/db')\n"} {
		same(source, true, find(source, true))
	}
	// A broken entry is made anew.
	entries, err := filepath.Glob(filepath.Join(cache, "scans", "*"))
	if err != nil || len(entries) < 2 {
		t.Fatalf("got %v, %v", entries, err)
	}
	for _, path := range entries {
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	same(script, true, first)
	same(script, false, first)
}

func TestMemoryIsBounded(t *testing.T) {
	m := memory{dir: t.TempDir(), base: "x"}
	found := &facts{Modules: map[string]*moduleFact{"": {}}}
	for i := range maxMemories + 10 {
		m.keep(Input{Source: fmt.Append(nil, i)}, found)
	}
	entries, err := os.ReadDir(m.dir)
	if err != nil || len(entries) > maxMemories || len(entries) < maxMemories/3 {
		t.Errorf("%d entries are kept (%v)", len(entries), err)
	}
	if m.recall(Input{Source: fmt.Append(nil, maxMemories+9)}) == nil {
		t.Error("the newest is forgotten")
	}
}
