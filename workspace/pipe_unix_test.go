//go:build unix

package workspace

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipesDoNotBlock(t *testing.T) {
	w := open(t)
	if err := syscall.Mkfifo(filepath.Join(w.Dir(), "pipe.py"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Read("pipe.py"); err == nil {
		t.Error("a pipe was read")
	}
	if _, err := w.open("pipe.py"); err == nil {
		t.Error("a pipe was opened")
	}
	if files, err := w.Files(); err != nil || len(files) > 0 {
		t.Errorf("got %v, %v, want no pipe listed", files, err)
	}
}
