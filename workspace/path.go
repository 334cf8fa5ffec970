package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a path, in bytes: those of common file systems, and some room.
const (
	MaxPath    = 1024
	MaxElement = 255
)

// A PathError reports a path that cannot name a file of the workspace.
type PathError struct {
	Path   string
	Reason string
}

// IsRefusal reports whether an error is about what was asked for, so that asking
// otherwise mends it: a path, a size, a file that is not there. Any other is a
// fault of the disk.
func IsRefusal(err error) bool {
	var p *PathError
	var size *SizeError
	return errors.As(err, &p) || errors.As(err, &size) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// A SizeError reports a file that is too large.
type SizeError struct{ message string }

func (e *SizeError) Error() string { return e.message }

func (e *PathError) Error() string {
	shown := e.Path
	if len(shown) > 80 {
		shown = strings.ToValidUTF8(shown[:80], "") + "…"
	}
	return fmt.Sprintf(`path %q: %s; want a relative path inside the workspace, such as "tool.py" or "pkg/mod.py"`, shown, e.Reason)
}

// CleanPath turns a path that a model gave into a clean relative path with
// slashes, the same on every platform, or a *PathError. A backslash separates.
func CleanPath(name string) (string, error) {
	slashed := strings.ReplaceAll(name, `\`, "/")
	if reason := badPath(slashed); reason != "" {
		return "", &PathError{name, reason}
	}
	clean := path.Clean(slashed)
	if clean == "." {
		return "", &PathError{name, "it names the folder itself"}
	}
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", &PathError{name, "it leaves the workspace"}
	}
	for element := range strings.SplitSeq(clean, "/") {
		if reason := badElement(element); reason != "" {
			return "", &PathError{name, reason}
		}
	}
	return clean, nil
}

func badPath(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "it is empty"
	case len(name) > MaxPath:
		return fmt.Sprintf("it is longer than %d bytes", MaxPath)
	case !utf8.ValidString(name):
		return "it is not UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "it holds a control character"
	case name[0] == '/':
		return "it is absolute"
	case name[0] == '~':
		return "it begins with ~"
	case strings.Contains(name, ":"):
		return "it holds a colon, as a drive letter does"
	case strings.HasSuffix(name, "/"):
		return "it names a folder"
	}
	return ""
}

func badElement(element string) string {
	if len(element) > MaxElement {
		return fmt.Sprintf("a name in it is longer than %d bytes", MaxElement)
	}
	if strings.HasSuffix(element, ".") || strings.HasSuffix(element, " ") {
		return "a name in it ends in a dot or a space, which Windows drops"
	}
	stem, _, _ := strings.Cut(strings.ToUpper(element), ".")
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return "a name in it is a device on Windows"
	}
	if len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && stem[3] >= '1' && stem[3] <= '9' {
		return "a name in it is a device on Windows"
	}
	return ""
}
