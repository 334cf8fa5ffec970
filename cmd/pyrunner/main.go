// Pyrunner runs a Python script through uv, in an environment of its own, with
// the distributions that the script imports.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/pflag"
	"github.com/staged-agent/staged-agent/pyrunner"
)

// Exit statuses. Any other is the script's own.
const (
	exitUsage      = 2
	exitNoUV       = 120
	exitSyntax     = 121
	exitDependency = 122
	exitTimeout    = 124
	exitFault      = 125 // pyrunner itself could not do its work
	exitInterrupt  = 130
)

// streams are what the process reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// verbs are the commands besides running a script. A script of such a name is
// reached as ./NAME.
var verbs = map[string]verb{"deps": runDeps, "lock": runLock, "bench": runBench, "mcp": runMCP}

type verb func(context.Context, options, streams) int

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
	context.AfterFunc(ctx, stop)   // the second Ctrl-C ends us at once
	signal.Ignore(syscall.SIGPIPE) // a closed standard output is an error of writing
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// interrupts are the signals that end a run, less those that whoever started us
// wants ignored, as nohup does.
func interrupts() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	return slices.DeleteFunc(all, signal.Ignored)
}

func run(ctx context.Context, args []string, std streams) int {
	opts, err := parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		io.WriteString(std.out, opts.usage)
		return 0
	}
	if err != nil {
		return fail(std, opts, usageError{err})
	}
	if opts.version {
		io.WriteString(std.out, "pyrunner "+version()+"\n")
		return 0
	}
	if verb, found := verbs[opts.verb]; found {
		return verb(ctx, opts, std)
	}
	return runScript(ctx, opts, std)
}

// runScript is the command proper.
func runScript(ctx context.Context, opts options, std streams) int {
	job, err := opts.job(ctx, std.in)
	if err != nil {
		return fail(std, opts, err)
	}
	runner, err := pyrunner.New(opts.config())
	if err != nil {
		return fail(std, opts, err)
	}
	defer runner.Close()
	if opts.json {
		result, err := runner.Run(ctx, job)
		return printResult(std.out, result, err)
	}
	show := newScreen(ctx, opts, std)
	job.Stdout, job.Stderr = show.out, show.err
	result, err := runner.Run(show.ctx, job)
	if err = show.close(result, err); err != nil {
		return fail(std, opts, err)
	}
	return 0
}
