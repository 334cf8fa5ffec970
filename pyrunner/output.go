package pyrunner

import (
	"fmt"
	"io"
	"sync"
	"unicode/utf8"
)

// A capture keeps the first and the last bytes of a stream of any length in
// bounded memory, and hands every byte on to a live writer, if there is one.
type capture struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte // ring of the latest bytes, once head is full
	next  int    // where the ring is written next
	half  int    // most bytes in head, and in tail
	total int64  // bytes seen
	live  io.Writer
}

// newCapture returns a capture of at most limit bytes.
func newCapture(limit int64, live io.Writer) *capture {
	return &capture{half: int(limit+1) / 2, live: live}
}

// Write never fails: a live writer that does is not written to again.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += int64(len(p))
	c.keep(p)
	if c.live != nil {
		if _, err := c.live.Write(p); err != nil {
			c.live = nil
		}
	}
	return len(p), nil
}

func (c *capture) keep(p []byte) {
	n := min(len(p), c.half-len(c.head))
	c.head = append(c.head, p[:n]...)
	p = p[n:]
	if len(p) > c.half {
		p = p[len(p)-c.half:]
	}
	for len(p) > 0 {
		if len(c.tail) < c.half {
			n = min(len(p), c.half-len(c.tail))
			c.tail = append(c.tail, p[:n]...)
		} else {
			n = copy(c.tail[c.next:], p)
			c.next = (c.next + n) % c.half
		}
		p = p[n:]
	}
}

// text returns what was kept, bytes that are not UTF-8 escaped as \xNN, and
// whether anything had to be left out; then a line in the middle says how much.
func (c *capture) text() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	head, tail := string(c.head), string(c.tail[c.next:])+string(c.tail[:c.next])
	if c.total == int64(len(head)+len(tail)) {
		return escape(head + tail), false
	}
	head, tail = trimPartialEnd(head), trimPartialStart(tail)
	note := fmt.Sprintf("\n[... %d bytes cut ...]\n", c.total-int64(len(head)+len(tail)))
	return escape(head) + note + escape(tail), true
}

// trimPartialEnd drops a character that the cut has halved.
func trimPartialEnd(s string) string {
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if c := s[len(s)-i]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-i:]) {
				return s[:len(s)-i]
			}
			break
		}
	}
	return s
}

func trimPartialStart(s string) string {
	for i := 0; i < utf8.UTFMax-1 && i < len(s); i++ {
		if utf8.RuneStart(s[i]) {
			return s[i:]
		}
	}
	return s
}
