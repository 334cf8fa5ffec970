package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/pyrunner/imports"
)

// A usageError is a fault in what the user asked for.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// An object is what --json prints, one for each invocation.
type object struct {
	Kind         string               `json:"kind"`      // ok, uv_not_found, syntax_error, dependency_error, runtime_error, timeout, interrupted, usage_error, fault
	ExitCode     int                  `json:"exit_code"` // pyrunner's exit status
	Signal       string               `json:"signal,omitempty"`
	Stdout       string               `json:"stdout"`
	Stderr       string               `json:"stderr"`
	Truncated    bool                 `json:"truncated"`
	Script       string               `json:"script"` // the file, where there is one: a temporary script is removed after success
	Line         int                  `json:"line,omitempty"`
	Column       int                  `json:"column,omitempty"`
	Message      string               `json:"message"`
	Dependencies []imports.Dependency `json:"dependencies"`
	Command      []string             `json:"command"`
	Python       string               `json:"python"`
	Duration     durations            `json:"duration_ms"`
}

// durations are in milliseconds.
type durations struct {
	Scan    float64 `json:"scan"`
	Install float64 `json:"install"`
	Run     float64 `json:"run"`
}

// classify gives an error its kind and exit status.
func classify(err error) (kind string, code int) {
	var (
		syntax     *pyrunner.SyntaxError
		dependency *pyrunner.DependencyError
		script     *pyrunner.ScriptError
		timeout    *pyrunner.TimeoutError
		usage      usageError
		job        *pyrunner.JobError
	)
	switch {
	case err == nil:
		return "ok", 0
	case errors.Is(err, pyrunner.ErrNoUV):
		return "uv_not_found", exitNoUV
	case errors.As(err, &syntax):
		return "syntax_error", exitSyntax
	case errors.As(err, &dependency):
		return "dependency_error", exitDependency
	case errors.As(err, &script):
		return "runtime_error", script.ExitCode
	case errors.As(err, &timeout):
		return "timeout", exitTimeout
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "interrupted", exitInterrupt
	case errors.As(err, &usage), errors.As(err, &job):
		return "usage_error", exitUsage
	default:
		return "fault", exitFault
	}
}

// report turns what a run gave into the object.
func report(result *pyrunner.Result, err error) object {
	o := object{Dependencies: []imports.Dependency{}, Command: []string{}}
	if result != nil {
		o.fill(result)
	}
	o.Kind, o.ExitCode = classify(err)
	if err != nil {
		o.Message = err.Error()
	}
	var syntax *pyrunner.SyntaxError
	var script *pyrunner.ScriptError
	var dependency *pyrunner.DependencyError
	if errors.As(err, &dependency) {
		o.Line = dependency.Line
	}
	if errors.As(err, &syntax) {
		o.Line, o.Column, o.Message = syntax.Line, syntax.Column, syntax.Message
	}
	if errors.As(err, &script) {
		o.Message = script.Summary() // the traceback is in stderr
	}
	return o
}

func (o *object) fill(result *pyrunner.Result) {
	o.Signal, o.Truncated = result.Signal, result.Truncated
	o.Stdout, o.Stderr = result.Stdout, result.Stderr
	o.Script, o.Python = result.Script, result.Python
	if result.Dependencies != nil {
		o.Dependencies = result.Dependencies
	}
	if result.Command != nil {
		o.Command = result.Command
	}
	ms := func(d interface{ Microseconds() int64 }) float64 { return float64(d.Microseconds()) / 1000 }
	o.Duration = durations{Scan: ms(result.Scan), Install: ms(result.Install), Run: ms(result.RunTime)}
}

func printResult(w io.Writer, result *pyrunner.Result, err error) int {
	o := report(result, err)
	if printJSON(w, o) != nil {
		return exitFault
	}
	return o.ExitCode
}

// printJSON prints one line, characters as they are.
func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// fail tells a person, or with --json a program, and returns the exit status.
// What the script itself wrote has been shown already.
func fail(std streams, opts options, err error) int {
	if opts.json {
		return printResult(std.out, nil, err)
	}
	message := err.Error()
	var script *pyrunner.ScriptError
	if errors.As(err, &script) {
		message = script.Summary()
	}
	fmt.Fprintf(std.err, "pyrunner: %s\n", message)
	_, code := classify(err)
	return code
}
