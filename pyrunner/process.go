package pyrunner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// drainTime is how long output may still arrive after everything that could
// write it has been ended; only a process that cannot be ended makes us wait.
const drainTime = 2 * time.Second

// A command is a program to start, with all it is given.
type command struct {
	Argv   []string // Argv[0] is a full path
	Dir    string   // a full path
	Env    []string
	Stdout *capture
	Stderr *capture
}

// A status tells how a program ended.
type status struct {
	Code   int // exit status; 128 + n for signal n
	Signal int // 0 for none
}

// errKilled reports that a program was ended because its context was.
var errKilled = errors.New("killed")

// An output is the reading end of one stream of a program.
type output struct {
	file *os.File
	done chan struct{}
}

// newOutput returns the output and the end that the program writes to, which
// the caller closes once the program has it.
func newOutput() (*output, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("making a pipe: %w", err)
	}
	return &output{file: r, done: make(chan struct{})}, w, nil
}

// copyTo reads until the last writer is gone.
func (o *output) copyTo(c *capture) {
	go func() {
		defer close(o.done)
		buf := make([]byte, 32<<10)
		_, _ = io.CopyBuffer(struct{ io.Writer }{c}, struct{ io.Reader }{o.file}, buf)
	}()
}

// finish waits for the end of the stream, though not for ever, and closes it.
func (o *output) finish(limit <-chan time.Time) {
	select {
	case <-o.done:
	case <-limit:
	}
	o.file.Close()
	<-o.done
}

// execute runs a program to its end. When ctx ends first, the program and every
// process it started are killed and the error is errKilled; the captures then
// hold all that was written before.
func (r *Runner) execute(ctx context.Context, cmd command) (status, error) {
	if ctx.Err() != nil {
		return status{}, errKilled
	}
	l, err := r.launcher(ctx)
	if err != nil {
		return status{}, err
	}
	return l.run(ctx, cmd)
}
