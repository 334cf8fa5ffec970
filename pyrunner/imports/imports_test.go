package imports

import (
	"context"
	"os/exec"
	"strings"
	"testing"
)

func python(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Fatalf("asking python3 for its path: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func newFinder(t testing.TB) *Finder {
	t.Helper()
	f, err := New(Config{Python: python(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestSmoke(t *testing.T) {
	f := newFinder(t)
	r, err := f.Find(context.Background(), Input{Source: []byte("import os, cv2\nimport pandas as pd\nx='a.xls'\npd.read_excel(x)\n")})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", r)
}
