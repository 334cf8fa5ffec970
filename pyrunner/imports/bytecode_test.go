package imports

import (
	"os"
	"path/filepath"
	"testing"
)

// The helper's code is kept between programs, and made anew where it is broken.
func TestKeptCode(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	find := func(when string) {
		t.Helper()
		f, err := New(Config{Python: python(t), CacheDir: dir})
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		defer f.Close()
		report, err := f.Find(t.Context(), Input{Source: []byte("import yaml # " + when + "\n")})
		if err != nil || len(report.Dependencies) != 1 || report.Dependencies[0].Spec != "pyyaml" {
			t.Errorf("%s: got %+v, %v", when, report, err)
		}
	}
	kept := func() string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, "helper-*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("got %v, %v, want one file", files, err)
		}
		return files[0]
	}
	find("at first")
	whole, err := os.ReadFile(kept())
	if err != nil {
		t.Fatal(err)
	}
	find("kept")
	for name, content := range map[string][]byte{"empty": nil, "cut": whole[:len(whole)/2], "changed": append(append([]byte{}, whole[:100]...), whole[99:]...)} {
		if err := os.WriteFile(kept(), content, 0o600); err != nil {
			t.Fatal(err)
		}
		find(name)
		if now, _ := os.ReadFile(kept()); len(now) != len(whole) {
			t.Errorf("%s: the file was not made anew", name)
		}
	}
	writeBytecode(kept(), "00ff") // whole, but no code
	find("no code")
}
