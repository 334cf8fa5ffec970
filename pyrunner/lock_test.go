package pyrunner

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestLock(t *testing.T) { // issue 4 point 6
	inTemp(t, 0)
	r := newRunner(t, Config{})
	script := write(t, filepath.Join(t.TempDir(), "s.py"), "#!/usr/bin/env python3\n# coding: utf-8\nimport requests\nprint(requests.__name__)\n")
	lock, err := r.Lock(t.Context(), Job{Path: script})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?s)^# /// script\n# requires-python = ">=3\.\d+"\n# dependencies = \[\n.*#     "idna==.*#     "requests==.*# \]\n# ///\n$`).MatchString(lock.Block) {
		t.Errorf("got %s", lock.Block)
	}
	shared := filepath.Join(t.TempDir(), "shared.py")
	if err := lock.Save(shared, false); err != nil {
		t.Fatal(err)
	}
	if err := lock.Save(shared, false); !errors.Is(err, ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
	res := mustRun(t, r, Job{Path: shared})
	wantText(t, "stdout", res.Stdout, "requests\n")
	content, _ := os.ReadFile(shared)
	if !strings.HasPrefix(string(content), "#!/usr/bin/env python3\n# coding: utf-8\n# /// script\n") {
		t.Errorf("got %s", content)
	}
	if _, err := r.Lock(t.Context(), Job{Path: shared}); err == nil {
		t.Error("a script with a block: got no error")
	}
	empty, err := r.Lock(t.Context(), Job{Source: "print(1)\n"})
	if err != nil {
		t.Fatal(err)
	}
	wantPart(t, "no dependency", empty.Block, "# dependencies = [\n# ]\n")
}

// What is locked is what a run would install: names that nobody vouches for
// are looked at first.
func TestLockLooksAtUnknownImports(t *testing.T) {
	inTemp(t, 0)
	job := Job{Source: "import staged_agent_no_such_module\n"}
	_, err := newRunner(t, Config{Unknown: UnknownRefuse}).Lock(t.Context(), job)
	if !isDependency(err) {
		t.Fatalf("got %v, want a DependencyError", err)
	}
	wantPart(t, "message", err.Error(), "no known distribution")
	lock, err := newRunner(t, Config{}).Lock(t.Context(), Job{Source: "import tomlkit\n"}) // old, and what it says
	if err != nil {
		t.Fatal(err)
	}
	wantPart(t, "block", lock.Block, `"tomlkit==`)
}

// However a script begins, its bytes stay, and what must be first stays first.
func FuzzSplitHead(f *testing.F) {
	for _, seed := range []string{"", "import x\n", "#!/usr/bin/python\nimport x", "\xef\xbb\xbf# coding: utf-8\n", "# a\n# coding: x\n", "\xef\xbb\xbfx"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		head, body := splitHead(source)
		if string(head)+string(body) != string(source) {
			t.Errorf("%q: got %q, %q", source, head, body)
		}
		if len(head) > 0 && string(head) != "\xef\xbb\xbf" && !strings.HasSuffix(string(head), "\n") {
			t.Errorf("%q: the head %q ends in the middle of a line", source, head)
		}
	})
}
