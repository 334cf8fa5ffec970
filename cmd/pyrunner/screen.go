package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/staged-agent/staged-agent/pyrunner"
)

// A screen shows a run's output as it comes. That it can't be shown any more
// ends the run: nobody would see what it still does.
type screen struct {
	ctx      context.Context // of the run
	out, err io.Writer
	flush    []*pyrunner.EscapeWriter
}

func newScreen(ctx context.Context, opts options, std streams) *screen {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &screen{ctx: ctx, out: sink{std.out, cancel}, err: sink{std.err, cancel}}
	if opts.raw {
		return s
	}
	for _, w := range []*io.Writer{&s.out, &s.err} {
		escaper := pyrunner.NewEscapeWriter(*w)
		s.flush = append(s.flush, escaper)
		*w = escaper
	}
	return s
}

// close shows the rest, and returns what there is to say at the end of a run.
func (s *screen) close(result *pyrunner.Result, err error) error {
	for _, w := range s.flush {
		_ = w.Flush() // the sink remembers it
	}
	var lost *lostOutput
	if errors.As(context.Cause(s.ctx), &lost) {
		if result != nil {
			lost.script = result.Script
		}
		return lost
	}
	return err
}

// A sink ends the run when it can't be written to.
type sink struct {
	io.Writer
	cancel context.CancelCauseFunc
}

func (s sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err != nil {
		s.cancel(&lostOutput{err: err})
	}
	return n, err
}

// A lostOutput reports that the output can't be written.
type lostOutput struct {
	err    error
	script string // kept; "" where there is none
}

func (e *lostOutput) Error() string {
	message := fmt.Sprintf("writing the output: %v", e.err)
	if e.script != "" {
		message += "\nscript kept: " + e.script
	}
	return message
}

func (e *lostOutput) Unwrap() error { return e.err }
