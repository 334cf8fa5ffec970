package pyrunner

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

var encodingCookie = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+`)

// encodingError finds what compile() lets pass and a run does not: in a source
// that must be UTF-8, bytes in a comment that are not. nil where there are none.
func encodingError(source []byte, name string) error {
	if utf8.Valid(source) || !mustBeUTF8(source) {
		return nil
	}
	line := 0
	for text := range bytes.Lines(source) {
		line++
		if utf8.Valid(text) {
			continue
		}
		return &SyntaxError{
			File: name, Line: line, Text: escape(strings.TrimRight(string(text), "\r\n")),
			Message: fmt.Sprintf("Non-UTF-8 code starting with '\\x%02x' on line %d, but no encoding declared; see https://peps.python.org/pep-0263/ for details",
				firstInvalid(text), line),
		}
	}
	return nil
}

// firstInvalid is the first byte that belongs to no character.
func firstInvalid(text []byte) byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			return text[0]
		}
		text = text[size:]
	}
	return 0
}

// mustBeUTF8 reports whether no encoding is declared: by a byte order mark, in
// the first line, or in the second below a comment or nothing (PEP 263). Where
// one is, compile() is as strict as a run.
func mustBeUTF8(source []byte) bool {
	if bytes.HasPrefix(source, []byte("\xef\xbb\xbf")) {
		return false
	}
	first, rest, _ := bytes.Cut(source, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	for _, line := range [][]byte{first, second} {
		if encodingCookie.Match(line) {
			return false
		}
		if text := bytes.TrimLeft(line, " \t\f\r"); len(text) > 0 && text[0] != '#' {
			break
		}
	}
	return true
}
