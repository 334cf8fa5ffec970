package pyrunner

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/staged-agent/staged-agent/pyrunner/imports"
)

// A Job is one thing to run: Source, Path, both, or Module.
type Job struct {
	// Source is the program's text. Alone, it is put in a temporary file that
	// only this user can read, removed after success, kept and named after failure.
	Source string
	// Path is, with Source, where to keep the program (its folder must exist);
	// alone, an existing script, which is run where it is and never changed. A
	// pipe in its place is read to its end, and what it held is run as Source.
	Path    string
	Force   bool // with Source and Path: an existing file may be overwritten
	Discard bool // with Source alone: the temporary file is removed after failure too; the caller has the text

	// Module is run as `python -m Module Args...`: for programs that drive a
	// tool such as pytest or ruff. Scripts get no arguments.
	Module string
	Args   []string

	Dir        string   // working folder; "": the current one. With a pyproject.toml in it, the job runs in that project
	ImportPath []string // folders whose modules the program may import
	With       []string // requirements added to what is found
	Scan       []string // further Python files whose imports count
	NoInfer    bool     // look for no dependencies: With is all

	Timeout   time.Duration // 0: the Runner's; negative: none
	MaxOutput int64         // bytes kept of each stream; 0: the Runner's

	Stdout, Stderr io.Writer // live copies, as the output comes; nil: none
	Env            []string  // NAME=value, for this job alone

	// OnPhase is called as each part of the work begins: "install" (only where
	// something has to be fetched) and "run". nil: nobody is told.
	OnPhase func(phase string)
}

// A Result is what a run brought about. It is there whenever anything ran, also
// beside an error, so that no output is lost.
type Result struct {
	Stdout, Stderr string // bytes that are not UTF-8 are written \xNN
	Truncated      bool   // more came than MaxOutput; the text says where it is cut
	ExitCode       int    // 0 to 255; -1 when a time limit or the context ended it
	// Signal names the signal that ended the script. uv reports signal n as
	// status 128+n, so a script that exits with such a status of its own has
	// one too.
	Signal string

	Script       string // path of the script while it exists; "" once a temporary file is removed
	Dependencies []imports.Dependency
	Command      []string // as it was run
	Python       string   // full path of the interpreter; "" where the project chooses it

	Scan, Install, RunTime time.Duration // reading, preparing the environment, running
}

// A plan is a job with its questions answered.
type plan struct {
	Job
	dir     string // full path
	project bool   // dir holds a pyproject.toml
	name    string // of the script, in messages
	source  []byte
	script  string // full path, once there is one
	linked  string // another name of it for uv; "" where it needs none
	temp    string // folder to remove, for a temporary script
	passing bool   // source came through a pipe, which gives it only once
	python  string
	phase   string // the last that was entered
	report  *imports.Report
	with    []string             // requirements, all of them
	unknown []imports.Dependency // those among them that nobody vouches for
}

// enter tells whoever wants to know that a phase begins.
func (p *plan) enter(phase string) {
	if p.OnPhase != nil && p.phase != phase {
		p.OnPhase(phase)
	}
	p.phase = phase
}

func (j Job) plan(ctx context.Context) (*plan, error) {
	p := &plan{Job: j}
	if (j.Module != "") == (j.Source != "" || j.Path != "") {
		return nil, &JobError{Message: "want one of Source, Path and Module"}
	}
	if j.Module == "" && len(j.Args) > 0 {
		return nil, &JobError{Message: "a script gets no arguments; write each input into the script as a literal, or into a file that it opens"}
	}
	if strings.ContainsRune(strings.Join(slices.Concat([]string{j.Path, j.Module, j.Dir}, j.Args, j.With, j.Env), ""), 0) {
		return nil, &JobError{Message: "a path, argument or variable holds a NUL byte"}
	}
	dir, err := filepath.Abs(j.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the working folder: %w", err)
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, &JobError{Message: "working folder", Err: err}
	} else if !info.IsDir() {
		return nil, &JobError{Message: dir + " is not a folder"}
	}
	p.dir = dir
	_, err = os.Stat(filepath.Join(dir, "pyproject.toml"))
	p.project = err == nil
	return p, p.read(ctx)
}

// read gets the program's text; no file is made.
func (p *plan) read(ctx context.Context) error {
	p.name = "<script>"
	if p.Path != "" {
		p.name = p.Path
		p.script = absolute(p.dir, p.Path)
	}
	p.source = []byte(p.Source)
	if p.Source != "" || p.Module != "" {
		return nil
	}
	source, again, err := readScript(ctx, p.script)
	if ctx.Err() != nil {
		return p.stopped(ctx)
	}
	if err != nil {
		return &JobError{Message: "reading the script", Err: err}
	}
	p.source = source
	if !again {
		p.Path, p.script, p.passing = "", "", true
	}
	return nil
}
