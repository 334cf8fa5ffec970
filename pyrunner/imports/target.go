package imports

import (
	"fmt"
	"strings"
)

// A target is the Python and the platform that will run the scripts.
type target struct {
	version  []int // 3, 12, 1
	platform string
	stdlib   map[string]bool
}

func newTarget(h hello) target {
	t := target{version: release(h.Version), platform: h.Platform, stdlib: map[string]bool{}}
	for _, name := range h.Stdlib {
		t.stdlib[name] = true
	}
	return t
}

// A condition is an @word of the data files: @windows, @macos, @linux, @posix, @3.12+, @<3.11.
type condition struct {
	platform string
	from     []int // at least this version
	below    []int // less than this version
}

func parseCondition(text string) (condition, error) {
	switch text {
	case "windows", "macos", "linux", "posix":
		return condition{platform: text}, nil
	}
	if v, ok := strings.CutSuffix(text, "+"); ok && release(v) != nil {
		return condition{from: release(v)}, nil
	}
	if v, ok := strings.CutPrefix(text, "<"); ok && release(v) != nil {
		return condition{below: release(v)}, nil
	}
	return condition{}, fmt.Errorf("@%s: want @windows, @macos, @linux, @posix, @3.12+ or @<3.11", text)
}

func (t target) holds(conditions []condition) bool {
	for _, c := range conditions {
		switch {
		case c.platform == "windows" && t.platform != "win32",
			c.platform == "macos" && t.platform != "darwin",
			c.platform == "linux" && t.platform != "linux",
			c.platform == "posix" && t.platform == "win32",
			c.from != nil && compareRelease(t.version, c.from) < 0,
			c.below != nil && compareRelease(t.version, c.below) >= 0:
			return false
		}
	}
	return true
}

// Python's list of standard modules is the same on every platform; these exist on one kind only.
var (
	windowsOnly = words("msvcrt winreg winsound _winapi nt _msi msilib")
	posixOnly   = words("crypt curses fcntl grp nis ossaudiodev posix pty pwd readline resource spwd syslog termios tty")
)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// hasStandard tells whether importing a top-level standard module works on the target.
func (t target) hasStandard(top string) bool {
	if !t.stdlib[top] {
		return false
	}
	if t.platform == "win32" {
		return !posixOnly[top]
	}
	return !windowsOnly[top]
}
