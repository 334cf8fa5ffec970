package pyrunner

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// arguments returns uv's arguments for the environment of a plan, without what
// is to run in it. Outside a project each flag shuts something out that would
// otherwise leak in: --no-project a project above the script or the folder,
// --isolated the packages of the interpreter and of any .venv, --no-config a
// uv.toml or .python-version of somebody else.
func (r *Runner) arguments(p *plan, offline bool) []string {
	args := []string{"run", "-q"}
	if p.project {
		return append(args, r.projectArguments(p)...)
	}
	args = append(args, "--no-project", "--isolated")
	if !r.cfg.UseUVConfig {
		args = append(args, "--no-config")
	}
	if p.python != "" {
		args = append(args, "--python", p.python)
	}
	if offline {
		args = append(args, "--offline")
	}
	args = append(args, r.unknownArguments(p)...)
	for _, spec := range p.with {
		args = append(args, "--with", spec)
	}
	return args
}

// inline reports whether uv will find metadata (PEP 723) in the script.
func (p *plan) inline() bool {
	return p.declares() && !p.hidden()
}

// declares reports whether the script has metadata.
func (p *plan) declares() bool {
	return p.report != nil && p.report.Metadata != nil
}

// hidden reports whether uv overlooks the metadata, as it does behind a byte
// order mark or between bare carriage returns. Its requirements are then added
// to the command.
func (p *plan) hidden() bool { return p.declares() && !uvSeesMetadata(p.source) }

func uvSeesMetadata(source []byte) bool {
	for line := range bytes.Lines(source) {
		if string(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))) == "# /// script" {
			return true
		}
	}
	return false
}

// projectArguments are none for a script of the project. They name the project
// where uv would look for it from another folder (it starts at the script), and
// hold what the caller has asked for by name.
func (r *Runner) projectArguments(p *plan) []string {
	var args []string
	if p.script != "" && nearestProject(filepath.Dir(p.script)) != p.dir {
		args = append(args, "--project", p.dir)
	}
	if r.cfg.Offline {
		args = append(args, "--offline")
	}
	for _, spec := range p.With {
		args = append(args, "--with", spec)
	}
	return args
}

// nearestProject returns the closest folder, from dir upwards, with a pyproject.toml.
func nearestProject(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "pyproject.toml")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// program returns what is to run: the script, or a module.
func (p *plan) program() []string {
	if p.Module != "" {
		return append([]string{"python", "-m", p.Module}, p.Args...)
	}
	if script := p.target(); strings.HasSuffix(script, ".py") {
		return []string{script}
	}
	return []string{"--script", p.target()} // or uv would take it for a command
}

// target is the script as uv gets it.
func (p *plan) target() string {
	switch {
	case p.linked != "":
		return p.linked
	case p.project:
		return relative(p.dir, p.script)
	}
	return p.script
}

// environ returns the environment for the plan's program.
func (r *Runner) environ(p *plan) []string {
	var extra []string
	if len(p.ImportPath) > 0 {
		dirs := make([]string, len(p.ImportPath))
		for i, dir := range p.ImportPath {
			dirs[i] = absolute(p.dir, dir)
		}
		extra = append(extra, "PYTHONPATH="+strings.Join(dirs, string(filepath.ListSeparator)))
	}
	return r.scriptEnv(append(extra, p.Env...))
}
