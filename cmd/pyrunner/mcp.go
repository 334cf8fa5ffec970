package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/pyrunner/imports"
)

type runPythonArgs struct {
	Code    string  `json:"code" jsonschema:"the whole program; inputs are literals in it"`
	Timeout float64 `json:"timeout,omitempty" jsonschema:"time limit in seconds; left out or 0: the server's"`
}

type runScriptArgs struct {
	Path    string  `json:"path" jsonschema:"path of an existing Python file; it is not changed"`
	Timeout float64 `json:"timeout,omitempty" jsonschema:"time limit in seconds; left out or 0: the server's"`
}

type dependenciesArgs struct {
	Code string `json:"code" jsonschema:"the program whose imports are looked up; it is not run"`
}

type dependenciesResult struct {
	Dependencies []imports.Dependency `json:"dependencies"`
}

// A tools answers the calls of one client.
type tools struct{ runner *pyrunner.Runner }

// runMCP serves the Model Context Protocol until the client hangs up.
func runMCP(ctx context.Context, opts options, std streams) int {
	runner, err := pyrunner.New(opts.config())
	if err != nil {
		return fail(std, opts, err)
	}
	defer runner.Close()
	transport := &mcp.IOTransport{Reader: io.NopCloser(std.in), Writer: nopCloser{std.out}}
	err = newServer(runner).Run(ctx, transport)
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return fail(std, opts, err)
	}
	return 0
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func newServer(runner *pyrunner.Runner) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "pyrunner", Version: version()}, nil)
	t := tools{runner}
	mcp.AddTool(server, &mcp.Tool{
		Name:        "run_python",
		Description: "Run a Python program. What it imports is installed. It gets no arguments and no input; print the results.",
	}, t.runPython)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "run_script",
		Description: "Run an existing Python file where it is. What it imports is installed. It gets no arguments and no input.",
	}, t.runScript)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "dependencies",
		Description: "List the distributions that a Python program needs, without running or installing anything.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, t.dependencies)
	return server
}

func (t tools) runPython(ctx context.Context, req *mcp.CallToolRequest, args runPythonArgs) (*mcp.CallToolResult, object, error) {
	source := args.Code
	if source == "" {
		source = "\n"
	}
	return t.run(ctx, req, pyrunner.Job{Source: source}, args.Timeout)
}

func (t tools) runScript(ctx context.Context, req *mcp.CallToolRequest, args runScriptArgs) (*mcp.CallToolResult, object, error) {
	if args.Path == "" {
		return nil, object{}, errors.New("path: got an empty text, want the path of a Python file")
	}
	return t.run(ctx, req, pyrunner.Job{Path: args.Path}, args.Timeout)
}

// run returns the same object as --json. A failed script is an error to the
// client, with all that is known about it.
func (t tools) run(ctx context.Context, req *mcp.CallToolRequest, job pyrunner.Job, timeout float64) (*mcp.CallToolResult, object, error) {
	job.Timeout = time.Duration(timeout * float64(time.Second))
	if job.Timeout < 0 {
		return nil, object{}, errors.New("timeout: got a negative number, want seconds")
	}
	job.OnPhase = progress(ctx, req)
	result, err := t.runner.Run(ctx, job)
	return &mcp.CallToolResult{IsError: err != nil}, report(result, err), nil
}

// progress tells the client, if it asked to be told, what is being done.
func progress(ctx context.Context, req *mcp.CallToolRequest) func(string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	steps := 0.0
	return func(phase string) {
		steps++
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: steps, Message: phase,
		})
	}
}

func (t tools) dependencies(ctx context.Context, _ *mcp.CallToolRequest, args dependenciesArgs) (*mcp.CallToolResult, dependenciesResult, error) {
	found, err := t.runner.Deps(ctx, pyrunner.Job{Source: args.Code + "\n"})
	return nil, dependenciesResult{append([]imports.Dependency{}, found...)}, err
}
