package pyrunner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNoUV reports that there is no uv to run scripts with.
var ErrNoUV = errors.New("uv not found: install it (https://docs.astral.sh/uv/getting-started/installation/, or `pip install uv`)")

// ErrExists reports that a file is there already where a script should be kept.
var ErrExists = errors.New("the file exists already")

// A JobError reports a Job, or a Config, that makes no sense: a script
// that can't be read, a place where it can't be kept, fields that contradict
// each other. Nothing was run.
type JobError struct {
	Message string
	Err     error // what the system said, such as fs.ErrNotExist or ErrExists; nil for none
}

func (e *JobError) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

func (e *JobError) Unwrap() error { return e.Err }

// A SyntaxError reports source that Python cannot compile. Nothing was run and
// no file was made.
type SyntaxError struct {
	File    string // name of the script, "<script>" for source without a path
	Line    int    // from 1; 0 if Python named no line
	Column  int    // from 1, in characters; 0 if Python named no column
	Text    string // the line at fault, without its line end
	Message string // Python's own description
}

func (e *SyntaxError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "syntax error in %s, line %d", e.File, e.Line)
	if e.Column > 0 {
		fmt.Fprintf(&b, ", column %d", e.Column)
	}
	fmt.Fprintf(&b, ": %s", e.Message)
	if text := strings.TrimSpace(e.Text); text != "" {
		fmt.Fprintf(&b, "\n    %s", text)
	}
	return b.String()
}

// A DependencyError reports that the environment for a script could not be
// made: a distribution that cannot be found or installed, an import nobody
// vouches for, an interpreter that is not there. The script has not run.
type DependencyError struct {
	Script string   // path of the script, which is kept; "" for a job without one
	Line   int      // of the script, from 1, where its metadata is at fault; otherwise 0
	Names  []string // the imports or requirements at fault, as far as they are known
	Output string   // uv's output, whole
}

func (e *DependencyError) Error() string {
	var b strings.Builder
	b.WriteString("the script's dependencies cannot be installed")
	if len(e.Names) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(e.Names, ", "))
	}
	if e.Script != "" {
		fmt.Fprintf(&b, "\nscript kept: %s", e.Script)
	}
	if out := strings.TrimRight(e.Output, "\n"); out != "" {
		fmt.Fprintf(&b, "\n%s", out)
	}
	return b.String()
}

// A ScriptError reports that Python ran the script and the script failed.
type ScriptError struct {
	Script    string // path of the script, which is kept; "" for a module
	ExitCode  int    // 1 to 255
	Signal    string // name of the signal that ended it, such as "SIGSEGV"; "" for none
	Traceback string // standard error, whole, or cut as Result.Stderr is
	Hint      string // what may be behind it, such as a module beside the script that hides another; "" for nothing known
}

func (e *ScriptError) Error() string {
	message := e.Summary()
	if out := strings.TrimRight(e.Traceback, "\n"); out != "" {
		message += "\n" + out
	}
	return message
}

// Summary is the message without the traceback.
func (e *ScriptError) Summary() string {
	var b strings.Builder
	if e.Signal != "" {
		fmt.Fprintf(&b, "the script was ended by %s", e.Signal)
	} else {
		fmt.Fprintf(&b, "the script failed with exit status %d", e.ExitCode)
	}
	if e.Script != "" {
		fmt.Fprintf(&b, "\nscript kept: %s", e.Script)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\nhint: %s", e.Hint)
	}
	return b.String()
}

// A TimeoutError reports that a time limit ended the run, and every process of it.
type TimeoutError struct {
	After  time.Duration // the limit
	Phase  string        // "install" or "run"
	Script string        // path of the script, which is kept; "" for a job without one
}

// An interruption reports that the caller's context ended the run.
type interruption struct {
	cause  error
	script string
}

func (e *interruption) Error() string {
	message := "interrupted"
	if !errors.Is(e.cause, context.Canceled) {
		message += ": " + e.cause.Error()
	}
	if e.script != "" {
		message += "\nscript kept: " + e.script
	}
	return message
}

func (e *interruption) Unwrap() error { return e.cause }

func (e *TimeoutError) Error() string {
	message := fmt.Sprintf("the script was ended after its time limit of %v", e.After)
	if e.Phase == "install" {
		message = fmt.Sprintf("installing the dependencies was ended after %v", e.After)
	}
	if e.Script != "" {
		message += "\nscript kept: " + e.Script
	}
	return message
}
