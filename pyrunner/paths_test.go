package pyrunner

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOddPaths(t *testing.T) { // R5, issue 4 point 13
	r := newRunner(t, Config{})
	names := []string{
		"plain.py", "with space.py", "中文 é.py", "-dash.py", "--with.py", "no-extension", "UPPER.PY", ".hidden.py",
		"at@sign.py", "per%20cent.py", "semi;colon.py", "dollar$HOME.py", "amp&and.py", "http:.py",
		strings.Repeat("long", 60) + ".py",
	}
	if runtime.GOOS != "windows" {
		names = append(names, "quote'single.py", `quote"double.py`, "new\nline.py", "tab\t.py", `back\slash.py`, "star*?.py", "\xff\xfe.py")
	}
	for _, name := range names {
		dir := filepath.Join(t.TempDir(), "d "+name)
		path := write(t, filepath.Join(dir, name), "import beside\nprint(beside.WORD)\n")
		write(t, filepath.Join(dir, "beside.py"), "WORD = 'found'\n")
		for what, job := range map[string]Job{
			"full path":       {Path: path},
			"relative path":   {Path: name, Dir: dir},
			"through parents": {Path: filepath.Join("..", filepath.Base(dir), name), Dir: dir},
		} {
			res := mustRun(t, r, job)
			wantText(t, what+" of "+name, res.Stdout, "found\n")
		}
	}
}

func TestSymlinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links want a privilege there
	}
	r := newRunner(t, Config{})
	dir := t.TempDir()
	write(t, filepath.Join(dir, "real", "beside.py"), "WORD = 'found'\n")
	path := write(t, filepath.Join(dir, "real", "s.py"), "import beside\nprint(beside.WORD)\n")
	if err := os.Symlink(path, filepath.Join(dir, "link.py")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(path), filepath.Join(dir, "folder")); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{filepath.Join(dir, "link.py"), filepath.Join(dir, "folder", "s.py")} {
		wantText(t, link, mustRun(t, r, Job{Path: link}).Stdout, "found\n")
	}
	// Behind a link ".." leads to the folder above its target.
	write(t, filepath.Join(dir, "real", "sub", "x"), "")
	write(t, filepath.Join(dir, "s.py"), "print('another')\n")
	if err := os.Symlink(filepath.Join(dir, "real", "sub"), filepath.Join(dir, "deep")); err != nil {
		t.Fatal(err)
	}
	behind := dir + "/deep/../s.py"
	wantText(t, behind, mustRun(t, r, Job{Path: behind}).Stdout, "found\n")
	wantText(t, "deep/../s.py", mustRun(t, r, Job{Path: "deep/../s.py", Dir: dir}).Stdout, "found\n")
	loop := filepath.Join(dir, "loop.py")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), Job{Path: loop}); err == nil {
		t.Error("a link to itself: got no error")
	}
}

func TestReadOnlyFolder(t *testing.T) {
	r := newRunner(t, Config{})
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "s.py"), "import beside\nprint(beside.WORD)\n")
	write(t, filepath.Join(dir, "beside.py"), "WORD = 'found'\n")
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	wantText(t, "stdout", mustRun(t, r, Job{Path: path, Dir: dir}).Stdout, "found\n")
}

func TestScriptThatIsNone(t *testing.T) {
	r := newRunner(t, Config{})
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "absent.py")} {
		if _, err := r.Run(t.Context(), Job{Path: path}); err == nil {
			t.Errorf("%s: got no error", path)
		}
	}
}

// A module beside the script that hides another is named when the script fails.
func TestHiddenModulesAreNamed(t *testing.T) {
	r := newRunner(t, Config{})
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "s.py"), "import smtplib\n")
	hiding := write(t, filepath.Join(dir, "email.py"), "")
	_, err := runFails[*ScriptError](t, r, Job{Path: path})
	wantPart(t, "hint", err.Hint, hiding)
	wantPart(t, "message", err.Error(), "hides the standard library's module email")
	if err := os.Remove(hiding); err != nil {
		t.Fatal(err)
	}
	write(t, path, "import numpy\nnumpy.array\n")
	hiding = write(t, filepath.Join(dir, "numpy.py"), "")
	_, err = runFails[*ScriptError](t, r, Job{Path: path})
	wantPart(t, "hint", err.Hint, hiding)
	write(t, path, "1/0\n")
	os.Remove(hiding)
	_, err = runFails[*ScriptError](t, r, Job{Path: path})
	wantText(t, "hint", err.Hint, "")
}
