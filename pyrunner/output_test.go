package pyrunner

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCapture(t *testing.T) {
	for name, test := range map[string]struct {
		limit  int64
		pieces []string
		want   string
		cut    bool
	}{
		"nothing":      {10, nil, "", false},
		"fits":         {10, []string{"01234", "56789"}, "0123456789", false},
		"one too many": {10, []string{"01234", "56789", "x"}, "01234\n[... 1 bytes cut ...]\n6789x", true},
		"much":         {4, []string{"abcdefghij", "klm"}, "ab\n[... 9 bytes cut ...]\nlm", true},
		"odd limit":    {3, []string{"abcdefg"}, "ab\n[... 3 bytes cut ...]\nfg", true},
		"not UTF-8":    {10, []string{"a\xff\xc3"}, `a\xff\xc3`, false},
		"halved":       {6, []string{"aa中", "bb", "中z"}, "aa\n[... 8 bytes cut ...]\nz", true},
	} {
		c := newCapture(test.limit, nil)
		for _, p := range test.pieces {
			fmt.Fprint(c, p)
		}
		got, cut := c.text()
		if got != test.want || cut != test.cut {
			t.Errorf("%s: got %q, %v, want %q, %v", name, got, cut, test.want, test.cut)
		}
	}
}

// Whatever comes, in whatever pieces: bounded, valid, and whole when it fits.
func FuzzCapture(f *testing.F) {
	f.Add([]byte("abc\xff中文"), uint8(4), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, limit, piece uint8) {
		var live bytes.Buffer
		c := newCapture(int64(limit)+1, &live)
		for rest := data; len(rest) > 0; {
			n := min(len(rest), int(piece)+1)
			c.Write(rest[:n])
			rest = rest[n:]
		}
		text, cut := c.text()
		if !utf8.ValidString(text) {
			t.Errorf("not UTF-8: %q", text)
		}
		if len(c.head)+len(c.tail) > int(limit)+2 {
			t.Errorf("kept %d bytes of %d", len(c.head)+len(c.tail), limit)
		}
		if !cut && text != escape(string(data)) {
			t.Errorf("got %q, want %q", text, escape(string(data)))
		}
		if !bytes.Equal(live.Bytes(), data) {
			t.Errorf("live copy: got %q, want %q", live.Bytes(), data)
		}
	})
}

// In pieces or at once, the escaped text is the same.
func FuzzEscapeWriter(f *testing.F) {
	f.Add([]byte("a\xe4\xb8\xadb\xe4\xb8\xff\xf0\x9f"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, piece uint8) {
		var out bytes.Buffer
		w := NewEscapeWriter(&out)
		for rest := data; len(rest) > 0; {
			n := min(len(rest), int(piece)+1)
			w.Write(rest[:n])
			rest = rest[n:]
		}
		w.Flush()
		if out.String() != escape(string(data)) {
			t.Errorf("got %q, want %q", out.String(), escape(string(data)))
		}
	})
}

func TestHugeOutputInBoundedMemory(t *testing.T) { // R3
	r := newRunner(t, Config{})
	mustRun(t, r, Job{Source: "pass\n"}) // what is read once is not counted
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	res := mustRun(t, r, Job{
		Source:    "import sys\nprint('first')\nfor _ in range(300):\n    sys.stdout.write('x' * (1 << 20))\nprint('last')\n",
		MaxOutput: 1000,
	})
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 20<<20 {
		t.Errorf("allocated %d bytes for 300 MiB of output", grown)
	}
	if !res.Truncated || len(res.Stdout) > 1100 {
		t.Errorf("got %d bytes, truncated %v", len(res.Stdout), res.Truncated)
	}
	wantPart(t, "head", res.Stdout[:10], "first")
	wantPart(t, "tail", res.Stdout[len(res.Stdout)-10:], "last")
	wantPart(t, "note", res.Stdout, "bytes cut")
}

func TestOutputIsText(t *testing.T) { // rllm#895, code_puppy#649, autogen#1745
	r := newRunner(t, Config{LookupEnv: withEnv(map[string]string{"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "gbk"})})
	res := mustRun(t, r, Job{Source: "import sys\nprint('中文 é')\nsys.stdout.flush()\nsys.stdout.buffer.write(b'\\xff\\xfe\\n')\nsys.stderr.buffer.write(b'\\x80')\n"})
	wantText(t, "stdout", res.Stdout, "中文 é\n\\xff\\xfe\n")
	wantText(t, "stderr", res.Stderr, `\x80`)
}

func TestLiveCopies(t *testing.T) {
	r := newRunner(t, Config{})
	var out, err bytes.Buffer
	mustRun(t, r, Job{Source: "import sys\nprint('o' * 5000)\nprint('e', file=sys.stderr)\n", MaxOutput: 10, Stdout: &out, Stderr: &err})
	wantText(t, "stdout", out.String(), strings.Repeat("o", 5000)+"\n")
	wantText(t, "stderr", err.String(), "e\n")
}
