package imports

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed helper/*.py
var helperFiles embed.FS

// bootstrap reads the helper's program from standard input, as source or as marshalled code: a
// command line is too short for it on Windows. CODE and KIND are the program's to see.
const bootstrap = "import sys,marshal;r=sys.stdin.buffer;KIND,n=r.readline().split();CODE=r.read(int(n));" +
	"CODE=marshal.loads(CODE) if KIND==b'code' else compile(CODE,'<helper>','exec');exec(CODE)"

// A Finder turns scripts into lists of distributions. It keeps helper processes alive, at most one
// for each scan that was ever under way at once, and at most one for each processor while idle.
type Finder struct {
	known  *knowledge
	python string
	cache  string // folder of kept code; "" for none
	memory memory
	hello  hello
	target target
	idle   chan *helper

	mu     sync.Mutex
	closed bool
}

// A helper is one Python process that reads scripts, one at a time. It ends by itself when its
// standard input closes, and so with this process, however that ends.
type helper struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	log   *tail
	hello hello
}

var errClosed = errors.New("imports: the finder is closed")

// Close ends the helpers. Scans under way finish first or fail.
func (f *Finder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	close(f.idle)
	for h := range f.idle {
		h.end()
	}
	return nil
}

func (f *Finder) acquire() (*helper, bool, error) {
	select {
	case h, open := <-f.idle:
		if !open {
			return nil, false, errClosed
		}
		return h, false, nil
	default:
		h, err := f.start()
		return h, true, err
	}
}

func (f *Finder) release(h *helper) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		h.end()
		return
	}
	select {
	case f.idle <- h:
	default:
		h.end()
	}
}

// scan asks a helper about a script. A helper that dies on the way is replaced once: it may have
// been killed by somebody. Dying of the same script twice is a verdict on the script.
func (f *Finder) scan(ctx context.Context, in Input) (*facts, error) {
	var died error
	for range 2 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, _, err := f.acquire()
		if err != nil {
			return nil, err
		}
		found := new(facts)
		if err = h.ask(ctx, encodeRequest(in), found); err == nil {
			f.release(h)
			if found.Failed != "" {
				return nil, fmt.Errorf("imports: the helper could not read the script: %s", found.Failed)
			}
			return found, nil
		}
		died = h.end()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, errAnswerTooLong) {
			return nil, fmt.Errorf("imports: %w", err)
		}
	}
	message := fmt.Sprintf("Python itself ended while compiling this: %v", died)
	return &facts{Syntax: &Syntax{Line: 1, Message: message}}, nil
}

// ask sends a request and reads the answer. Cancelling the context kills the helper.
func (h *helper) ask(ctx context.Context, request []byte, answer *facts) error {
	stop := context.AfterFunc(ctx, func() { h.cmd.Process.Kill() })
	defer stop()
	if _, err := h.in.Write(request); err != nil {
		return err
	}
	return decodeAnswer(h.out, answer)
}

func (h *helper) end() error {
	h.in.Close()
	timer := time.AfterFunc(200*time.Millisecond, func() { h.cmd.Process.Kill() })
	defer timer.Stop()
	return h.cmd.Wait()
}

// start starts a helper, on kept code if there is any that works.
func (f *Finder) start() (*helper, error) {
	program, err := helperProgram()
	if err != nil {
		return nil, err
	}
	path := bytecodePath(f.cache, f.python, program)
	if code := readBytecode(path); code != nil {
		if h, err := f.startOn("code", string(code)); err == nil {
			return h, nil
		}
		_ = os.Remove(path)
	}
	h, err := f.startOn("source", program)
	if err == nil {
		writeBytecode(path, h.hello.Code)
		h.hello.Code = ""
	}
	return h, err
}

func (f *Finder) startOn(kind, program string) (h *helper, err error) {
	h = &helper{cmd: exec.Command(f.python, "-I", "-S", "-X", "utf8", "-c", bootstrap), log: new(tail)}
	h.cmd.Env = childEnv(runtime.GOOS, os.LookupEnv)
	h.cmd.Stderr = h.log
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("imports: %w", err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("imports: %w", err)
	}
	h.out = bufio.NewReaderSize(out, 64<<10)
	if err := h.cmd.Start(); err != nil {
		return nil, fmt.Errorf("imports: starting Python: %w", err)
	}
	words, prefixes := f.known.wanted()
	greeting := kind + " " + strconv.Itoa(len(program)) + "\n" + program + strings.Join(words, "\t") + "\n" + strings.Join(prefixes, "\t") + "\n"
	_, err = io.WriteString(h.in, greeting)
	if err == nil {
		err = decodeAnswer(h.out, &h.hello)
	}
	if err != nil {
		died := h.end()
		return nil, fmt.Errorf("imports: %s does not work as Python 3.8 or newer: %w (%v) %s", f.python, err, died, h.log)
	}
	return h, nil
}

var helperProgram = sync.OnceValues(func() (string, error) {
	names, err := fs.Glob(helperFiles, "helper/*.py")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		text, err := helperFiles.ReadFile(name)
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	return b.String(), nil
})

// childEnv is all that Python needs to start: nothing of the user's.
func childEnv(goos string, lookup func(string) (string, bool)) []string {
	names := []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH"}
	if goos == "windows" {
		names = []string{"SYSTEMROOT"}
	}
	env := []string{}
	for _, name := range names {
		if value, ok := lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// A tail keeps the end of what the helper said on standard error, for the error message.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - 2000; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
