package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/staged-agent/staged-agent/pyrunner"
)

// options are a command line, read.
type options struct {
	verb   string // "" to run a script
	script string // path, or "-" for standard input
	code   string
	inCode bool // -c was given

	with, env           []string
	python, uv, mapFile string
	unknown             string
	noInfer             bool
	save                string
	force               bool
	timeout             seconds
	maxOutput           int64
	offline             bool
	uvConfig            bool

	json, raw, names bool
	version          bool
	runs             int

	usage string // the help text
}

const header = `Usage: pyrunner [FLAGS] SCRIPT       run a Python script with what it imports
       pyrunner [FLAGS] -c CODE      run program text
       pyrunner [FLAGS] -            run program text from standard input
       pyrunner deps [FLAGS] SCRIPT  print what would be installed; run nothing
       pyrunner lock [FLAGS] SCRIPT  print a metadata block (PEP 723) with exact versions
       pyrunner bench [FLAGS]        time runs against uv and against bare Python
       pyrunner mcp [FLAGS]          serve coding agents on standard input and output

A script gets no arguments and no input. Where the current folder has a
pyproject.toml, the script runs in that project: on its interpreter and with its
dependencies, to which only --with adds.

Exit status: the script's own; 120 uv not found, 121 syntax error, 122 the
dependencies cannot be installed, 124 time limit, 125 a fault of pyrunner,
130 interrupted, 2 wrong use.

Flags:
`

// boolHint is what pflag prints behind every flag without a value.
const boolHint = "[=true|false]"

var errArguments = errors.New("a script gets no arguments and no input: write each value into the script as a literal, or into a file that it opens (flags of pyrunner go before the script)")

// parse reads a command line; it touches nothing else.
func parse(args []string) (options, error) {
	opts := options{timeout: seconds(pyrunner.DefaultTimeout)}
	if len(args) > 0 {
		if _, found := verbs[args[0]]; found {
			opts.verb, args = args[0], args[1:]
		}
	}
	flags := opts.flags()
	opts.usage = header + strings.ReplaceAll(flags.FlagUsages(), boolHint, strings.Repeat(" ", len(boolHint)))
	flags.Usage = func() {}
	flags.SetInterspersed(opts.verb != "")
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	opts.inCode = flags.Changed("code")
	if opts.version {
		return opts, nil
	}
	if err := opts.check(flags.Changed("save")); err != nil {
		return opts, err
	}
	return opts, opts.positional(flags.Args())
}

func (o *options) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("pyrunner", pflag.ContinueOnError)
	f.SortFlags = false
	f.StringVarP(&o.code, "code", "c", "", "program text to run")
	f.StringArrayVar(&o.with, "with", nil, "requirement to add, such as 'pandas>=2' (may be repeated)")
	f.StringVar(&o.python, "python", "", "interpreter: a path or a version (default: python3 on PATH)")
	f.BoolVar(&o.noInfer, "no-infer", false, "look for no dependencies")
	f.StringVar(&o.unknown, "unknown", "check", "imports that nobody vouches for: check, install or refuse")
	f.StringVar(&o.mapFile, "map", "", "file that adds to and overrides the map from import to distribution")
	f.StringVar(&o.save, "save", "", "keep the program at this path")
	f.BoolVar(&o.force, "force", false, "with --save: overwrite")
	f.Var(&o.timeout, "timeout", "time limit of the run, in seconds or as 1m30s; 0: none")
	f.Int64Var(&o.maxOutput, "max-output", pyrunner.DefaultMaxOutput, "bytes kept of each stream for --json")
	f.StringArrayVar(&o.env, "env", nil, "environment variable that may reach the script (may be repeated)")
	f.BoolVar(&o.offline, "offline", false, "never go to an index")
	f.BoolVar(&o.uvConfig, "uv-config", false, "honour the uv.toml of the user and of folders above")
	f.StringVar(&o.uv, "uv", "", "path of uv (default: on PATH)")
	f.BoolVar(&o.json, "json", false, "print one JSON object instead of the output")
	f.BoolVar(&o.raw, "raw", false, "pass bytes that are not UTF-8 on as they are, instead of as \\xNN")
	if o.verb == "deps" {
		f.BoolVar(&o.names, "names", false, "print a JSON list of distribution names")
	}
	if o.verb == "bench" {
		f.IntVar(&o.runs, "runs", 15, "runs of each kind")
	}
	f.BoolVar(&o.version, "version", false, "print the version")
	return f
}

// check refuses what no flag can mean, rather than do something else quietly.
func (o *options) check(saving bool) error {
	switch {
	case !slices.Contains(policies, pyrunner.Unknown(o.unknown)):
		return fmt.Errorf("--unknown: got %q, want check, install or refuse", o.unknown)
	case o.maxOutput <= 0:
		return fmt.Errorf("--max-output: got %d, want a number of bytes above 0", o.maxOutput)
	case saving && o.save == "":
		return errors.New("--save: got an empty path")
	case o.force && !saving:
		return errors.New("--force: nothing is saved; want --save PATH too")
	case o.verb == "bench" && o.runs <= 0:
		return fmt.Errorf("--runs: got %d, want a number above 0", o.runs)
	}
	for _, name := range o.env {
		if name == "" || strings.Contains(name, "=") {
			return fmt.Errorf("--env: got %q, want the name of a variable of the environment", name)
		}
	}
	return nil
}

// positional checks what is left beside the flags.
func (o *options) positional(args []string) error {
	switch {
	case o.verb == "mcp" || o.verb == "bench":
		if len(args) > 0 || o.inCode {
			return fmt.Errorf("%s takes no script", o.verb)
		}
		return nil
	case o.inCode && len(args) > 0, len(args) > 1:
		return errArguments
	case o.inCode:
		return nil
	case len(args) == 0:
		return errors.New("want a script, -c CODE, or - (see --help)")
	case args[0] == "":
		return errors.New("the script's path is empty")
	}
	o.script = args[0]
	if o.save != "" && o.script != "-" && o.verb == "" {
		return errors.New("--save keeps program text given by -c or -; SCRIPT is a file already")
	}
	return nil
}

// job reads the program where it comes from the command line or standard input.
func (o options) job(ctx context.Context, in io.Reader) (pyrunner.Job, error) {
	job := pyrunner.Job{With: o.with, NoInfer: o.noInfer, Force: o.force}
	switch {
	case o.inCode:
		job.Source = o.code
	case o.script == "-":
		source, err := readAll(ctx, in)
		if ctx.Err() != nil {
			return job, fmt.Errorf("interrupted while reading standard input (%w)", ctx.Err())
		}
		if err != nil {
			return job, fmt.Errorf("reading standard input: %w", err)
		}
		job.Source = source
	default:
		job.Path = o.script
		return job, nil
	}
	if job.Source == "" {
		job.Source = "\n" // an empty program is a program
	}
	if o.verb == "" {
		job.Path = o.save
	}
	return job, nil
}

// maxSource bounds what is read of standard input, in bytes.
const maxSource = 64 << 20

// readAll reads to the end, or until ctx ends: a terminal may never end.
func readAll(ctx context.Context, in io.Reader) (string, error) {
	type result struct {
		text []byte
		err  error
	}
	read := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(in, maxSource+1))
		read <- result{text, err}
	}()
	select {
	case r := <-read:
		if r.err == nil && len(r.text) > maxSource {
			return "", usageError{fmt.Errorf("more than %d MiB", maxSource>>20)}
		}
		return string(r.text), r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (o options) config() pyrunner.Config {
	timeout := time.Duration(o.timeout)
	if timeout == 0 {
		timeout = -1
	}
	return pyrunner.Config{
		UV: o.uv, Python: o.python, PassEnv: o.env, Offline: o.offline, UseUVConfig: o.uvConfig,
		MapFile: o.mapFile, Unknown: pyrunner.Unknown(o.unknown), Timeout: timeout, MaxOutput: o.maxOutput,
	}
}

var policies = []pyrunner.Unknown{pyrunner.UnknownCheck, pyrunner.UnknownInstall, pyrunner.UnknownRefuse}

// seconds is a duration that a plain number of seconds may stand for.
type seconds time.Duration

func (s *seconds) String() string { return time.Duration(*s).String() }

func (s *seconds) Type() string { return "duration" }

// Set accepts "90", "1.5" and "1m30s".
func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	if n, numErr := strconv.ParseFloat(strings.TrimSpace(text), 64); numErr == nil {
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil || d < 0 {
		return fmt.Errorf("got %q, want seconds, or a duration such as 1m30s", text)
	}
	*s = seconds(d)
	return nil
}

// version is the module's, as the Go tool recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
