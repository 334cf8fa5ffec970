package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/pyrunner/imports"
)

// runDeps prints what a run would install. Nothing is run.
func runDeps(ctx context.Context, opts options, std streams) int {
	job, err := opts.job(std.in)
	if err != nil {
		return fail(std, opts, usageError{err})
	}
	runner, err := pyrunner.New(opts.config())
	if err != nil {
		return fail(std, opts, err)
	}
	defer runner.Close()
	found, err := runner.Deps(ctx, job)
	if err != nil {
		return fail(std, opts, err)
	}
	switch {
	case opts.names:
		printJSON(std.out, names(found))
	case opts.json:
		printJSON(std.out, append([]imports.Dependency{}, found...))
	default:
		for _, dep := range found {
			fmt.Fprintf(std.out, "%s\t(import %s: %s)\n", dep.Spec, dep.Import, dep.Why)
		}
	}
	return 0
}

// names lists each distribution once, in order.
func names(found []imports.Dependency) []string {
	list := []string{}
	for _, dep := range found {
		if !slices.Contains(list, dep.Distribution) {
			list = append(list, dep.Distribution)
		}
	}
	return list
}

// runLock prints the metadata block, or with --save writes the script with the
// block on top to another file.
func runLock(ctx context.Context, opts options, std streams) int {
	job, err := opts.job(std.in)
	if err != nil {
		return fail(std, opts, usageError{err})
	}
	runner, err := pyrunner.New(opts.config())
	if err != nil {
		return fail(std, opts, err)
	}
	defer runner.Close()
	lock, err := runner.Lock(ctx, job)
	if err != nil {
		return fail(std, opts, err)
	}
	if opts.save == "" {
		fmt.Fprint(std.out, lock.Block)
		return 0
	}
	if err := lock.Save(opts.save, opts.force); err != nil {
		return fail(std, opts, err)
	}
	return 0
}
