package pyrunner

import "testing"

func TestAbsolute(t *testing.T) { // R5: three platforms on any
	for _, test := range []struct{ goos, dir, path, want string }{
		{"linux", "/home/me", "s.py", "/home/me/s.py"},
		{"linux", "/", "s.py", "/s.py"},
		{"linux", "/home/me", "/s.py", "/s.py"},
		{"linux", "/home/me", `C:\s.py`, `/home/me/C:\s.py`}, // a name like any other
		{"darwin", "/Users/me", "a b/中.py", "/Users/me/a b/中.py"},
		{"darwin", "/Users/me", "-s.py", "/Users/me/-s.py"},
		{"windows", `C:\me`, "s.py", `C:\me\s.py`},
		{"windows", `C:\`, "s.py", `C:\s.py`},
		{"windows", `C:\me`, `a b\中.py`, `C:\me\a b\中.py`},
		{"windows", `C:\me`, `D:\s.py`, `D:\s.py`},
		{"windows", `C:\me`, "d:/s.py", "d:/s.py"},
		{"windows", `C:\me`, `\s.py`, `C:\s.py`},
		{"windows", `C:\me`, "/s.py", "C:/s.py"},
		{"windows", `C:\me`, "C:s.py", `C:\me\s.py`},
		{"windows", `C:\me`, "c:s.py", `C:\me\s.py`},
		{"windows", `C:\me`, "D:s.py", `D:\s.py`},
		{"windows", `C:\me`, `\\server\share\s.py`, `\\server\share\s.py`},
		{"windows", `C:\me`, "//server/share/s.py", "//server/share/s.py"},
		{"windows", `C:\me`, `\\?\C:\very\long\s.py`, `\\?\C:\very\long\s.py`},
		{"windows", `\\server\share\me`, "s.py", `\\server\share\me\s.py`},
		{"windows", `\\server\share\me`, `\s.py`, `\\server\share\s.py`},
		{"windows", `C:\me`, "中:s.py", `C:\me\中:s.py`},
	} {
		if got := absoluteOn(test.goos, test.dir, test.path); got != test.want {
			t.Errorf("%s: %q in %q: got %q, want %q", test.goos, test.path, test.dir, got, test.want)
		}
	}
}

func TestRelative(t *testing.T) { // R2, R5
	for _, test := range []struct{ goos, dir, path, want string }{
		{"linux", "/p", "/p/s.py", "s.py"},
		{"linux", "/p", "/p/sub/s.py", "sub/s.py"},
		{"linux", "/p", "/p/-s.py", "./-s.py"},
		{"linux", "/p", "/P/s.py", "/P/s.py"},
		{"linux", "/p", "/pp/s.py", "/pp/s.py"},
		{"linux", "/p", "/p", "/p"},
		{"linux", "/", "/s.py", "s.py"},
		{"darwin", "/p", "/p/..s.py", "..s.py"},
		{"darwin", "/p", "/other/s.py", "/other/s.py"},
		{"windows", `C:\p`, `C:\p\s.py`, "s.py"},
		{"windows", `C:\p`, `c:\P\sub\s.py`, `sub\s.py`},
		{"windows", `C:\p`, "C:/p/s.py", "s.py"},
		{"windows", `C:\p`, `C:\p\-s.py`, `.\-s.py`},
		{"windows", `C:\p`, `D:\p\s.py`, `D:\p\s.py`},
		{"windows", `\\server\share`, `\\server\share\s.py`, "s.py"},
	} {
		if got := relativeOn(test.goos, test.dir, test.path); got != test.want {
			t.Errorf("%s: %q from %q: got %q, want %q", test.goos, test.path, test.dir, got, test.want)
		}
	}
}

// Whatever the names, a path made absolute from a folder is seen below it again.
func FuzzPaths(f *testing.F) {
	f.Add("a", "b.py")
	f.Add("-", "-c")
	f.Fuzz(func(t *testing.T, folder, name string) {
		for goos, root := range map[string]string{"linux": "/", "darwin": "/Users/", "windows": `C:\`} {
			dir := absoluteOn(goos, root, "x"+folder)
			got := relativeOn(goos, dir, absoluteOn(goos, dir, "x"+name))
			if got != "x"+name && goos != "windows" {
				t.Errorf("%s: %q below %q: got %q", goos, name, folder, got)
			}
			if len(got) > 0 && got[0] == '-' {
				t.Errorf("%s: %q could be an option", goos, got)
			}
		}
	})
}
