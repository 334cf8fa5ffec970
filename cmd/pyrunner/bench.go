package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/staged-agent/staged-agent/pyrunner"
)

// benchSets are the dependency lists that are timed: none, one, seven.
var benchSets = [][]string{nil, {"requests"}, {"requests", "httpx", "rich", "click", "attrs", "jinja2", "tqdm"}}

// A contender is one way to run the same script.
type contender struct {
	name  string
	run   func(context.Context) error
	times []time.Duration
}

// runBench times the same script under bare Python, raw uv, this package and
// this command, one after the other in each round, so that a busy moment hits all.
func runBench(ctx context.Context, opts options, std streams) int {
	runner, err := pyrunner.New(opts.config())
	if err != nil {
		return fail(std, opts, err)
	}
	defer runner.Close()
	folder, err := os.MkdirTemp("", "pyrunner-bench-")
	if err != nil {
		return fail(std, opts, err)
	}
	defer os.RemoveAll(folder)
	fmt.Fprintf(std.out, "medians of %d runs each, ms\n%-10s %-22s %8s %10s %8s\n", max(opts.runs, 1), "packages", "how", "median", "over bare", "ratio")
	for i, set := range benchSets {
		script := filepath.Join(folder, fmt.Sprintf("bench%d.py", i))
		if err := os.WriteFile(script, []byte(benchScript(set)), 0o600); err != nil {
			return fail(std, opts, err)
		}
		contenders, err := line(ctx, runner, script, set, opts)
		if err == nil {
			err = race(ctx, contenders, max(opts.runs, 1))
		}
		if err != nil {
			return fail(std, opts, err)
		}
		printRace(std, len(set), contenders)
	}
	return 0
}

// benchScript needs its packages, as a reader of it must find, and does not
// load them, so that only what runs around it is timed.
func benchScript(set []string) string {
	var b strings.Builder
	b.WriteString("def work():\n    pass\n")
	for _, name := range set {
		fmt.Fprintf(&b, "    import %s\n", strings.ReplaceAll(name, "attrs", "attr"))
	}
	return b.String()
}

// line puts up the contenders, once each is warm.
func line(ctx context.Context, runner *pyrunner.Runner, script string, set []string, opts options) ([]*contender, error) {
	first, err := runner.Run(ctx, pyrunner.Job{Path: script})
	if err != nil {
		return nil, err
	}
	uv, python := first.Command[0], first.Python
	bare := filepath.Join(filepath.Dir(script), "bare") // the interpreter without what was installed into it
	if err := program(uv, "venv", "-q", "--allow-existing", "--no-project", "--no-config", "--python", python, bare)(ctx); err != nil {
		return nil, err
	}
	raw := []string{uv, "run", "-q", "--no-project", "--isolated", "--no-config", "--python", python}
	for _, name := range set {
		raw = append(raw, "--with", name)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	own := []string{self}
	if opts.uv != "" {
		own = append(own, "--uv", opts.uv)
	}
	if opts.python != "" {
		own = append(own, "--python", opts.python)
	}
	all := []*contender{
		{name: "bare python", run: program(venvPython(bare), script)},
		{name: "uv run --with", run: program(append(raw, script)...)},
		{name: "pyrunner, package", run: func(ctx context.Context) error {
			_, err := runner.Run(ctx, pyrunner.Job{Path: script})
			return err
		}},
		{name: "pyrunner, command", run: program(append(own, script)...)},
	}
	for _, c := range all {
		if err := c.run(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return all, nil
}

func venvPython(venv string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(venv, "Scripts", "python.exe")
	}
	return filepath.Join(venv, "bin", "python")
}

func program(argv ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
		if err != nil {
			return errors.Join(err, errors.New(string(out)))
		}
		return nil
	}
}

func race(ctx context.Context, contenders []*contender, rounds int) error {
	for range rounds {
		for _, c := range contenders {
			start := time.Now()
			if err := c.run(ctx); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			c.times = append(c.times, time.Since(start))
		}
	}
	return nil
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000
}

func printRace(std streams, packages int, contenders []*contender) {
	bare := median(contenders[0].times)
	for _, c := range contenders {
		m := median(c.times)
		fmt.Fprintf(std.out, "%-10d %-22s %8.1f %10.1f %8.2f\n", packages, c.name, m, m-bare, m/bare)
	}
}
