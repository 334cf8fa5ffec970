// Command staged-agent takes one task through three stages: it clarifies the
// requirements with the user, implements them in Python, and reviews its own
// work with real checks.
//
//	staged-agent --demo
//	staged-agent --task "count the words of a file"
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	code := run(ctx, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr)
	os.Exit(code)
}

// run is the whole program; it returns the exit code.
func run(ctx context.Context, args []string, lookup func(string) (string, bool), stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if o.help {
		_, err := io.WriteString(stdout, o.usage)
		return report(stderr, err)
	}
	if err != nil {
		return report(stderr, usageError{err})
	}
	if o.listStages {
		return report(stderr, stages.List(stdout, o.language(lookup)))
	}
	if lookup, err = withDotEnv(lookup); err != nil {
		return report(stderr, err)
	}
	started := false
	end, err := work(ctx, o, lookup, stdin, stdout, stderr, &started)
	if err == nil {
		return exitOf[end.Outcome]
	}
	if o.json && !started { // readers of the events wait for the last one
		reason, _, _ := strings.Cut(err.Error(), "\n")
		last := agent.Record{Seq: 1, Time: time.Now(), Event: agent.Ended{Outcome: agent.Failed, Reason: reason, Summary: agent.NewMachine(nil).Summary()}}
		err = errors.Join(err, jsonLines{stdout}.Write(last))
	}
	return report(stderr, err)
}

// A usageError is a fault in what was asked for.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// report tells an error, if there is one, and returns its exit code.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return exitApproved
	}
	fmt.Fprintln(stderr, visible(err.Error(), true))
	var usage usageError
	if errors.As(err, &usage) {
		fmt.Fprintln(stderr, "staged-agent --help shows the flags")
		return exitUsage
	}
	return exitFault
}

// withDotEnv adds the file .env below the real environment, which wins where it
// has a value. The file's values never enter this process's environment, and so
// no child's. Its text is shown to nobody.
func withDotEnv(lookup func(string) (string, bool)) (func(string) (string, bool), error) {
	text, err := os.ReadFile(".env")
	if errors.Is(err, os.ErrNotExist) {
		return lookup, nil
	}
	if err != nil {
		return nil, fmt.Errorf(".env cannot be read: %w", err)
	}
	file, err := godotenv.UnmarshalBytes(bytes.TrimPrefix(text, []byte("\ufeff")))
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
