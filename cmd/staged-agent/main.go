// Command staged-agent takes one task through three stages: it clarifies the
// requirements with the user, implements them in Python, and reviews its own
// work with real checks.
//
//	staged-agent --demo
//	staged-agent --task "count the words of a file"
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/joho/godotenv"

	"github.com/staged-agent/staged-agent/agent"
	"github.com/staged-agent/staged-agent/stages"
)

// Exit codes.
const (
	exitApproved    = 0
	exitFault       = 1
	exitUsage       = 2
	exitNotApproved = 3
	exitInterrupted = 130
)

// exitCodes of the outcomes.
var exitOf = map[agent.Outcome]int{
	agent.Approved:           exitApproved,
	agent.Failed:             exitFault,
	agent.RevisionLimit:      exitNotApproved,
	agent.StepLimit:          exitNotApproved,
	agent.Stalled:            exitNotApproved,
	agent.InterruptedOutcome: exitInterrupted,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	code := run(ctx, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr)
	os.Exit(code)
}

// run is the whole program; it returns the exit code.
func run(ctx context.Context, args []string, lookup func(string) (string, bool), stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if o.help {
		fmt.Fprint(stdout, o.usage)
		return exitApproved
	}
	if err != nil {
		fmt.Fprintf(stderr, "%v\nstaged-agent --help shows the flags\n", err)
		return exitUsage
	}
	if lookup, err = withDotEnv(lookup); err != nil {
		fmt.Fprintf(stderr, "%v\n", err)
		return exitFault
	}
	if o.listStages {
		err = stages.List(stdout, o.language(lookup))
	} else {
		var end agent.Ended
		end, err = work(ctx, o, lookup, stdin, stdout, stderr)
		if err == nil {
			return exitOf[end.Outcome]
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, visible(err.Error(), true))
		return exitFault
	}
	return exitApproved
}

// withDotEnv adds the file .env below the real environment, which wins where it
// has a value. The
// file's values never enter this process's environment, and so no child's.
func withDotEnv(lookup func(string) (string, bool)) (func(string) (string, bool), error) {
	file, err := godotenv.Read()
	if errors.Is(err, os.ErrNotExist) {
		return lookup, nil
	}
	if err != nil {
		return nil, errors.New(".env cannot be read: it is not a list of NAME=value lines")
	}
	return func(name string) (string, bool) {
		if v, ok := lookup(name); ok && v != "" {
			return v, true
		}
		v, ok := file[name]
		return v, ok
	}, nil
}
