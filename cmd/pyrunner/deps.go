package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/pyrunner/imports"
)

// runDeps prints what a run would install. Nothing is run.
func runDeps(ctx context.Context, opts options, std streams) int {
	job, err := opts.job(ctx, std.in)
	if err != nil {
		return fail(std, opts, err)
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
	if err := opts.printDeps(std.out, found); err != nil {
		return fail(std, opts, &lostOutput{err: err})
	}
	return 0
}

func (o options) printDeps(w io.Writer, found []imports.Dependency) error {
	switch {
	case o.names:
		return printJSON(w, names(found))
	case o.json:
		return printJSON(w, append([]imports.Dependency{}, found...))
	}
	for _, dep := range found {
		if _, err := fmt.Fprintf(w, "%s\t(%s)\n", dep.Spec, dep.Why); err != nil {
			return err
		}
	}
	return nil
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
	job, err := opts.job(ctx, std.in)
	if err != nil {
		return fail(std, opts, err)
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
		if _, err := io.WriteString(std.out, lock.Block); err != nil {
			return fail(std, opts, &lostOutput{err: err})
		}
		return 0
	}
	if err := lock.Save(opts.save, opts.force); err != nil {
		return fail(std, opts, err)
	}
	return 0
}
