// Pyrunner runs a Python script through uv, in an environment of its own, with
// the distributions that the script imports.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
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
	job, err := opts.job(std.in)
	if err != nil {
		return fail(std, opts, usageError{err})
	}
	runner, err := pyrunner.New(opts.config())
	if err != nil {
		return fail(std, opts, err)
	}
	defer runner.Close()
	var outs []*pyrunner.EscapeWriter
	if !opts.json {
		job.Stdout, outs = opts.live(std.out, outs)
		job.Stderr, outs = opts.live(std.err, outs)
	}
	result, err := runner.Run(ctx, job)
	for _, out := range outs {
		out.Flush()
	}
	if opts.json {
		return printResult(std.out, result, err)
	}
	if err != nil {
		return fail(std, opts, err)
	}
	return 0
}

// live is the writer for a stream as it comes.
func (o options) live(w io.Writer, outs []*pyrunner.EscapeWriter) (io.Writer, []*pyrunner.EscapeWriter) {
	if o.raw {
		return w, outs
	}
	escaper := pyrunner.NewEscapeWriter(w)
	return escaper, append(outs, escaper)
}
