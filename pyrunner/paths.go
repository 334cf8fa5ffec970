package pyrunner

import (
	"runtime"
	"strings"
)

// The rules about paths are written out for each platform, by its Go name, so
// that those of all three are tested on any.

// absolute returns path as seen from dir, which is a full path. Its ".." stay:
// behind a link they lead elsewhere than the text says.
func absolute(dir, path string) string { return absoluteOn(runtime.GOOS, dir, path) }

func absoluteOn(goos, dir, path string) string {
	if goos != "windows" {
		if strings.HasPrefix(path, "/") {
			return path
		}
		return strings.TrimRight(dir, "/") + "/" + path
	}
	drive, rest := splitDrive(path)
	rooted := rest != "" && isSlash(rest[0])
	home, _ := splitDrive(dir)
	switch {
	case drive != "" && rooted:
		return path
	case rooted: // the root of the folder's own drive
		return home + rest
	case drive != "" && !strings.EqualFold(drive, home):
		return drive + `\` + rest // of another drive nobody knows the current folder
	}
	return strings.TrimRight(dir, `\/`) + `\` + rest
}

// splitDrive cuts what stands before a Windows path's first folder: a drive
// ("C:"), a share (`\\server\share`) or, for a path of the system's own form,
// `\\?\C:`.
func splitDrive(path string) (drive, rest string) {
	if len(path) >= 2 && path[1] == ':' && isLetter(path[0]) {
		return path[:2], path[2:]
	}
	if len(path) < 3 || !isSlash(path[0]) || !isSlash(path[1]) || isSlash(path[2]) {
		return "", path
	}
	names := 0
	for i := 2; i < len(path); i++ {
		if isSlash(path[i]) {
			names++
		}
		if names == 2 {
			return path[:i], path[i:]
		}
	}
	return path, ""
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// relative returns path as seen from dir where path is below it, in a form
// that can't be taken for an option; otherwise path itself. Both are full.
func relative(dir, path string) string { return relativeOn(runtime.GOOS, dir, path) }

func relativeOn(goos, dir, path string) string {
	separator, same := "/", func(a, b string) bool { return a == b }
	if goos == "windows" {
		separator, same = `\`, func(a, b string) bool {
			return strings.EqualFold(strings.ReplaceAll(a, "/", `\`), strings.ReplaceAll(b, "/", `\`))
		}
	}
	prefix := strings.TrimRight(dir, separator) + separator
	if len(path) <= len(prefix) || !same(path[:len(prefix)], prefix) {
		return path
	}
	below := path[len(prefix):]
	if strings.HasPrefix(below, "-") {
		return "." + separator + below
	}
	return below
}
