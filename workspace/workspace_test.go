package workspace

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T) *Workspace {
	t.Helper()
	w, err := Open(filepath.Join(t.TempDir(), "a space 与中文"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func write(t *testing.T, w *Workspace, name, content string) Version {
	t.Helper()
	v, err := w.Write(name, []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCleanPath(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"tool.py", "tool.py"}, {"pkg/mod.py", "pkg/mod.py"}, {`pkg\mod.py`, "pkg/mod.py"}, {"./a//b/../c.py", "a/c.py"}, {"报告 1.py", "报告 1.py"}, {"..a/b", "..a/b"},
	} {
		if got, err := CleanPath(c.in); err != nil || got != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.in, got, err, c.want)
		}
	}
	for in, reason := range map[string]string{
		"": "empty", "  ": "empty", ".": "folder itself", "a/..": "folder itself", "..": "leaves", "../x": "leaves", "a/../../x": "leaves", `..\x`: "leaves",
		"/etc/passwd": "absolute", `\x`: "absolute", `\\host\share\x`: "absolute", "//host/x": "absolute", `C:\x`: "colon", "C:x": "colon", "x:stream": "colon",
		"~/x": "~", "a\x00b": "control character", "a\nb": "control character", "a/": "names a folder", "\xff": "UTF-8",
		"x.": "dot or a space", "a /b": "dot or a space", "nul": "device", "NUL.py": "device", "a/com1.txt": "device",
		strings.Repeat("x", 256): "longer than 255", strings.Repeat("x/", 600) + "y": "longer than 1024",
	} {
		_, err := CleanPath(in)
		var p *PathError
		if !errors.As(err, &p) || !strings.Contains(p.Reason, reason) || !strings.Contains(err.Error(), "want a relative path inside the workspace") {
			t.Errorf("%q: got %v, want a *PathError about %q that says what is allowed", in, err, reason)
		}
	}
}

func FuzzCleanPath(f *testing.F) {
	for _, seed := range []string{"a/b.py", `..\..\x`, "C:x", "a/../..", "/x", "./.", "a\x00"} {
		f.Add(seed)
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, name string) {
		clean, err := CleanPath(name)
		if err != nil {
			return
		}
		full := filepath.Join(root, filepath.FromSlash(clean))
		if !strings.HasPrefix(full, root+string(filepath.Separator)) || !filepath.IsLocal(clean) {
			t.Errorf("%q became %q, which leaves the root", name, clean)
		}
		if again, err := CleanPath(clean); err != nil || again != clean {
			t.Errorf("%q became %q and then %q (%v)", name, clean, again, err)
		}
	})
}

func TestWriteAndRead(t *testing.T) {
	w := open(t)
	if v := write(t, w, `pkg\mod.py`, "one"); !v.New || v.Path != "pkg/mod.py" || v.Size != 3 {
		t.Errorf("got %+v", v)
	}
	v := write(t, w, "pkg/mod.py", "")
	if v.New {
		t.Error("an existing file counts as new")
	}
	if got, err := w.Read("pkg/mod.py"); err != nil || len(got) != 0 {
		t.Errorf("got %q, %v, want the empty text", got, err)
	}
	if h, err := w.Hash("pkg/mod.py"); err != nil || h != v.Hash {
		t.Errorf("got %s, %v, want %s", h, err, v.Hash)
	}
	entries, err := os.ReadDir(filepath.Join(w.Dir(), "pkg"))
	if err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v: a temporary file is left", entries, err)
	}
	_, err = w.Read("nothing.py")
	if err == nil || !strings.Contains(err.Error(), "the workspace holds pkg/mod.py") {
		t.Errorf("got %v, want the files that are there", err)
	}
	for _, name := range []string{"pkg", "pkg/mod.py/x.py"} {
		if _, err := w.Write(name, nil); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if _, err := w.Write("big.py", make([]byte, MaxFile+1)); err == nil {
		t.Error("a file beyond the limit was written")
	}
}

func TestLinksLeadNowhere(t *testing.T) {
	w := open(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.py"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"link.py": filepath.Join(outside, "secret.py"), "folder": outside, "up": "..", "dangling.py": "nothing", "self.py": "self.py"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(w.Dir(), name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link.py", "folder/secret.py", "folder/new.py", "up/x.py", "dangling.py", "self.py", "folder"} {
		if content, err := w.Read(name); err == nil {
			t.Errorf("%s: read %q", name, content)
		}
		if _, err := w.Write(name, []byte("x")); err == nil {
			t.Errorf("%s: was written", name)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "secret.py")); string(got) != "secret" {
		t.Errorf("the file outside is now %q", got)
	}
	if files, err := w.Files(); err != nil || len(files) > 0 {
		t.Errorf("got %v, %v, want no link listed", files, err)
	}
}

func TestFilesAndFingerprint(t *testing.T) {
	w := open(t)
	for _, name := range []string{"b.py", "a/c.py", "__pycache__/b.pyc", ".pytest_cache/x", "z.pyc"} {
		write(t, w, name, name)
	}
	var names []string
	files, err := w.Files()
	for _, f := range files {
		names = append(names, f.Path)
	}
	if d := cmp.Diff([]string{"a/c.py", "b.py"}, names); d != "" || err != nil {
		t.Error(d, err)
	}
	before, _ := w.Fingerprint()
	write(t, w, "__pycache__/b.pyc", "other")
	if after, _ := w.Fingerprint(); after != before {
		t.Error("a cache has changed the fingerprint")
	}
	write(t, w, "a/c.py", "other")
	if after, _ := w.Fingerprint(); after == before {
		t.Error("a file's bytes have not changed the fingerprint")
	}
}

func TestMissing(t *testing.T) { // fault 3: no approval without a check on these very bytes
	w := open(t)
	write(t, w, "tool.py", "x")
	record := func(check string, passed bool) {
		h, _ := w.Hash("tool.py")
		print, _ := w.Fingerprint()
		e := Evidence{Check: check, File: "tool.py", Hash: h, Passed: passed}
		if check == "tests" {
			e.Fingerprint = print
		}
		w.Record(e)
	}
	want := func(when string, want ...Gap) {
		t.Helper()
		got, err := w.Missing("tool.py")
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %s %v", when, d, err)
		}
	}
	want("at first", Gap{"linter", NeverRan}, Gap{"tests", NeverRan}, Gap{"complexity", NeverRan})
	record("linter", false)
	record("tests", true)
	record("complexity", false)
	want("the linter has failed", Gap{"linter", NotPast})
	record("linter", true)
	want("all is there")
	write(t, w, "data.txt", "y")
	want("another file is new", Gap{"tests", Stale})
	write(t, w, "tool.py", "z")
	want("the file has changed", Gap{"linter", Stale}, Gap{"tests", Stale}, Gap{"complexity", Stale})
	if _, err := w.Missing("nothing.py"); err == nil {
		t.Error("a file that is not there lacks nothing")
	}
}

func TestRequirements(t *testing.T) {
	w := open(t)
	for _, r := range []Requirement{{" Depth ", "one"}, {"names", "kept"}, {"depth", " two "}} {
		if _, err := w.SaveRequirement(r.Key, r.Value); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]Requirement{{"Depth", "two"}, {"names", "kept"}}, w.Requirements()); d != "" {
		t.Error(d)
	}
	for _, r := range []Requirement{{"", "x"}, {"x", " "}, {strings.Repeat("x", 201), "x"}, {"x", strings.Repeat("中", 4001)}} {
		if _, err := w.SaveRequirement(r.Key, r.Value); err == nil {
			t.Errorf("%.10q, %.10q: got no error", r.Key, r.Value)
		}
	}
}

func TestExport(t *testing.T) {
	w := open(t)
	write(t, w, "tool.py", "new")
	write(t, w, "pkg/mod.py", "mod")
	out := filepath.Join(t.TempDir(), "deep", "out")
	names, err := w.Export(out, false)
	if d := cmp.Diff([]string{"pkg/mod.py", "tool.py"}, names); d != "" || err != nil {
		t.Error(d, err)
	}
	if _, err := w.Export(out, false); err != nil {
		t.Errorf("equal files: %v", err)
	}
	mine := filepath.Join(out, "tool.py")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, w, "more.py", "more")
	_, err = w.Export(out, false)
	var clash *ClashError
	if !errors.As(err, &clash) || !cmp.Equal(clash.Paths, []string{"tool.py"}) {
		t.Fatalf("got %v, want a clash on tool.py", err)
	}
	if got, _ := os.ReadFile(mine); string(got) != "mine" {
		t.Errorf("the user's file is now %q", got)
	}
	if _, err := os.Stat(filepath.Join(out, "more.py")); err == nil {
		t.Error("a file was copied in spite of the clash")
	}
	if _, err := w.Export(out, true); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(mine); string(got) != "new" {
		t.Errorf("with force the file is %q", got)
	}
}

func TestManyAtOnce(t *testing.T) {
	w := open(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			name := path.Join("d", string(rune('a'+i%2))+".py")
			for range 20 {
				if _, err := w.Write(name, []byte(strings.Repeat(string(rune('a'+i)), 1000))); err != nil {
					t.Error(err)
				}
				if got, err := w.Read(name); err != nil || strings.Count(string(got), string(got[:1])) != 1000 {
					t.Errorf("got a torn file: %v", err)
				}
			}
		})
	}
	group.Wait()
}
