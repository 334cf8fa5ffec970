package pyrunner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/staged-agent/staged-agent/pyrunner/imports"
)

// find reads a program. A script whose metadata asks for another Python than
// ours is read again by that one, if uv knows it: to ours its syntax may be an
// error.
func (r *Runner) find(ctx context.Context, p *plan, source []byte, name string) (*imports.Report, error) {
	report, err := r.findWith(ctx, p, source, name)
	var broken *imports.MetadataError
	isBroken := errors.As(err, &broken)
	if isBroken || err == nil && report.Syntax != nil && bytes.Contains(source, []byte("# /// script")) {
		if python, ok := r.otherPython(ctx, p, source); ok {
			p.python = python
			report, err = r.findWith(ctx, p, source, name)
			isBroken = errors.As(err, &broken)
		}
	}
	if isBroken {
		return nil, &DependencyError{Line: broken.Line, Output: fmt.Sprintf("%s, %v", name, broken)}
	}
	return report, err
}

func (r *Runner) findWith(ctx context.Context, p *plan, source []byte, name string) (*imports.Report, error) {
	finder, err := r.finder(p.python)
	if err != nil {
		return nil, err
	}
	report, err := finder.Find(ctx, imports.Input{Source: source, Name: name, Dirs: p.localDirs(name)})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return report, nil
}

// otherPython has uv read the metadata and choose an interpreter, unless the
// user has chosen one. It is asked about a copy: the script may not exist yet.
func (r *Runner) otherPython(ctx context.Context, p *plan, source []byte) (string, bool) {
	if r.cfg.Python != "" || p.project {
		return "", false
	}
	folder, err := os.MkdirTemp("", "pyrunner-")
	if err != nil {
		return "", false
	}
	defer os.RemoveAll(folder)
	copied := filepath.Join(folder, "script.py")
	if os.WriteFile(copied, source, 0o600) != nil {
		return "", false
	}
	python, err := r.askUV(ctx, folder, "--no-config", "--script", copied)
	if err != nil {
		return "", false
	}
	python, err = filepath.EvalSymlinks(python)
	return python, err == nil && python != p.python
}

var leadingName = regexp.MustCompile(`^\s*([A-Za-z0-9][A-Za-z0-9._-]*)`)

// declared lists what a script's own metadata asks for.
func declared(m *imports.Metadata) []imports.Dependency {
	var list []imports.Dependency
	for _, spec := range m.Dependencies {
		dep := imports.Dependency{Spec: spec, Vouched: true, Why: fmt.Sprintf("script metadata, line %d", m.Line)}
		if name := leadingName.FindStringSubmatch(spec); name != nil {
			dep.Distribution = name[1]
		}
		list = append(list, dep)
	}
	return list
}
