package pyrunner

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// An EscapeWriter passes text on and shows bytes that are not UTF-8 as \xNN. A
// character may come in pieces.
type EscapeWriter struct {
	mu      sync.Mutex
	w       io.Writer
	pending []byte // the start of a character, at most three bytes
}

// NewEscapeWriter returns a writer to w. Flush must be called after the last Write.
func NewEscapeWriter(w io.Writer) *EscapeWriter { return &EscapeWriter{w: w} }

// Write passes p on, less the start of a character at its end, which waits for the rest.
func (e *EscapeWriter) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := string(e.pending) + string(p)
	whole := trimPartialEnd(text)
	e.pending = []byte(text[len(whole):])
	if _, err := io.WriteString(e.w, escape(whole)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what waits.
func (e *EscapeWriter) Flush() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err := io.WriteString(e.w, escape(string(e.pending)))
	e.pending = nil
	return err
}

// escape shows bytes that are not UTF-8 as \xNN.
func escape(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}
