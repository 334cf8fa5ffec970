package pyrunner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/staged-agent/staged-agent/pyrunner/imports"
)

// newFinder returns the reader of scripts for an interpreter.
func (r *Runner) newFinder(python string) (*imports.Finder, error) {
	return imports.New(imports.Config{Python: python, MapFile: r.cfg.MapFile, CacheDir: r.stateDir()})
}

// Check compiles source with the interpreter that would run it: nil, or a
// *SyntaxError. Nothing is run and no file is made. name stands in the error.
func (r *Runner) Check(ctx context.Context, source []byte, name string) error {
	python, err := r.interpreter(ctx)
	if err != nil {
		return err
	}
	p := &plan{name: name, source: source, python: python}
	report, err := r.find(ctx, p, source, name)
	if err != nil {
		return err
	}
	p.report = report
	return p.syntaxError()
}

// Deps returns the dependencies that a run of the job would install besides
// Job.With. Nothing is run or installed.
func (r *Runner) Deps(ctx context.Context, job Job) ([]imports.Dependency, error) {
	p, err := job.plan(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.scan(ctx, p); err != nil {
		return nil, err
	}
	return p.dependencies(), nil
}

// dependencies lists what was found, or what the script declares.
func (p *plan) dependencies() []imports.Dependency {
	switch {
	case p.report == nil || p.NoInfer:
		return nil
	case p.declares():
		return declared(p.report.Metadata)
	}
	return p.report.Dependencies
}

// scan reads the program: it fills in the interpreter, the report and the
// requirements, or returns a *SyntaxError.
func (r *Runner) scan(ctx context.Context, p *plan) error {
	var err error
	if p.project {
		p.python, err = r.projectPython(ctx, p.dir)
	} else {
		p.python, err = r.interpreter(ctx)
	}
	if err != nil {
		return err
	}
	if p.Module == "" {
		if p.report, err = r.find(ctx, p, p.source, p.name); err != nil {
			return err
		}
		if err := p.syntaxError(); err != nil {
			return err
		}
	} else {
		p.report = &imports.Report{}
	}
	if err := r.scanMore(ctx, p); err != nil {
		return err
	}
	return p.require()
}

// scanMore adds the imports of Job.Scan. A file that does not compile adds
// none: whoever reads it next will say so.
func (r *Runner) scanMore(ctx context.Context, p *plan) error {
	for _, path := range p.Scan {
		path = absolute(p.dir, path)
		source, err := os.ReadFile(path)
		if err != nil {
			return &JobError{Message: "scanning for imports", Err: err}
		}
		report, err := r.find(ctx, p, source, path)
		if err != nil {
			return err
		}
		for _, dep := range report.Dependencies {
			if !slices.Contains(p.report.Dependencies, dep) {
				p.report.Dependencies = append(p.report.Dependencies, dep)
			}
		}
	}
	return nil
}

// localDirs lists the folders that the program's own modules may lie in.
func (p *plan) localDirs(name string) []string {
	var dirs []string
	if filepath.IsAbs(name) {
		dirs = append(dirs, realFolder(name))
	} else if p.script != "" {
		dirs = append(dirs, realFolder(p.script))
	}
	for _, dir := range p.ImportPath {
		dirs = append(dirs, absolute(p.dir, dir))
	}
	return dirs
}

// realFolder is where Python looks for a script's neighbours: beside the file
// itself, not beside a link to it.
func realFolder(script string) string {
	if real, err := filepath.EvalSymlinks(script); err == nil {
		script = real
	}
	return filepath.Dir(script)
}

func (p *plan) syntaxError() error {
	s := p.report.Syntax
	if s == nil {
		return encodingError(p.source, p.name)
	}
	return &SyntaxError{File: p.name, Line: s.Line, Column: s.Column, Text: s.Text, Message: s.Message}
}

// require settles the requirements: those asked for, and those found.
func (p *plan) require() error {
	asked := map[string]bool{}
	for _, spec := range p.With {
		asked[normalName(leadingName.FindString(strings.TrimSpace(spec)))] = true
		if strings.TrimSpace(spec) == "" || strings.HasPrefix(strings.TrimSpace(spec), "-") {
			return &JobError{Message: fmt.Sprintf("requirement %q: want a name such as requests or requests>=2", spec)}
		}
		p.with = append(p.with, spec)
	}
	if p.NoInfer || p.project || p.inline() {
		return nil
	}
	for _, dep := range p.dependencies() {
		if !leadingName.MatchString(dep.Spec) {
			return p.noRequirement(dep)
		}
		// A name that the caller gave is the caller's to vouch for, and needs
		// no second mention that says less.
		isAsked := asked[normalName(dep.Distribution)]
		if !slices.Contains(p.with, dep.Spec) && !(isAsked && normalName(dep.Spec) == normalName(dep.Distribution)) {
			p.with = append(p.with, dep.Spec)
		}
		if !dep.Vouched && !isAsked {
			p.unknown = append(p.unknown, dep)
		}
	}
	return nil
}

var nameRuns = regexp.MustCompile(`[-_.]+`)

// normalName is a distribution's name as PEP 503 compares it.
func normalName(name string) string {
	return nameRuns.ReplaceAllString(strings.ToLower(name), "-")
}

// noRequirement refuses what would be an option or a path on a command line:
// the text is the script's, not the user's.
func (p *plan) noRequirement(dep imports.Dependency) error {
	err := &DependencyError{Names: []string{dep.Spec}, Output: fmt.Sprintf("%q (%s) names no distribution", dep.Spec, dep.Why)}
	if p.declares() {
		err.Line = p.report.Metadata.Line
	}
	return err
}
