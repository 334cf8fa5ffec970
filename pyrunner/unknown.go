package pyrunner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/staged-agent/staged-agent/pyrunner/imports"
)

// settled is how long a release must have been public before a name that nobody
// vouches for may be installed: most malicious ones are found within days.
const settled = 90 * 24 * time.Hour

// distributionName is what an inferred requirement's name must look like. An
// import can hold anything (importlib.import_module takes any text), and none of
// it may become an option, a path or an address.
var distributionName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// verifyUnknown applies the policy to imports that nobody vouches for: models
// invent modules, and attackers register what models invent.
func (r *Runner) verifyUnknown(ctx context.Context, p *plan) error {
	for _, dep := range p.unknown {
		if !distributionName.MatchString(dep.Distribution) || r.cfg.Unknown == UnknownRefuse {
			return unknownError(p, dep, "")
		}
		if r.cfg.Unknown == UnknownInstall {
			continue
		}
		if err := r.verify(ctx, p, dep); err != nil {
			return err
		}
	}
	return nil
}

func unknownError(p *plan, dep imports.Dependency, reason string) error {
	message := fmt.Sprintf("import %s: no known distribution; add --with NAME", dep.Import)
	if reason != "" {
		message += "\n" + reason
	}
	return &DependencyError{Script: p.script, Names: []string{dep.Import}, Output: message}
}

// verify installs the distribution alone, into a folder that is looked at and
// thrown away: as a wheel, so that none of its code runs, and in a version that
// is old enough. It must hold the module.
func (r *Runner) verify(ctx context.Context, p *plan, dep imports.Dependency) error {
	key := environmentKey([]string{"unknown"}, []string{p.python}, []string{dep.Import}, []string{dep.Distribution})
	defer r.ready.lock(key)()
	if r.ready.has(key) {
		return nil
	}
	target, err := os.MkdirTemp("", "pyrunner-")
	if err != nil {
		return fmt.Errorf("checking %s: %w", dep.Distribution, err)
	}
	defer os.RemoveAll(target)
	ctx, cancel := withLimit(ctx, r.cfg.InstallTimeout, DefaultInstallTimeout, "install")
	defer cancel()
	err = r.unpack(ctx, p, dep, target, true)
	if isDependency(err) && !r.cfg.Offline {
		p.enter("install")
		err = r.unpack(ctx, p, dep, target, false)
	}
	if err != nil {
		return err
	}
	if !provides(target, dep.Import) {
		return unknownError(p, dep, fmt.Sprintf("a distribution %s exists, but it does not provide this module", dep.Distribution))
	}
	r.ready.add(key)
	return nil
}

func (r *Runner) unpack(ctx context.Context, p *plan, dep imports.Dependency, target string, offline bool) error {
	argv := []string{r.uv, "pip", "install", "-q", "--no-deps", "--no-build", "--target", target,
		"--python", p.python, "--exclude-newer", cutoff(time.Now())}
	if !r.cfg.UseUVConfig {
		argv = append(argv, "--no-config")
	}
	if offline {
		argv = append(argv, "--offline")
	}
	out := newCapture(probeLimit, nil)
	argv = append(argv, dep.Distribution)
	st, err := r.execute(ctx, command{Argv: argv, Dir: target, Env: r.installEnv(), Stdout: out, Stderr: out})
	if errors.Is(err, errKilled) {
		return p.stopped(ctx)
	}
	if err == nil && st.Code != 0 {
		text, _ := out.text()
		return unknownError(p, dep, text)
	}
	return err
}

// cutoff is the last day whose releases count as settled.
func cutoff(now time.Time) string {
	return now.UTC().Add(-settled).Format(time.DateOnly)
}

// provides reports whether an installed tree holds a module, or, for a dotted
// name, its first part and as many more as are folders.
func provides(tree, module string) bool {
	root, rest, dotted := strings.Cut(module, ".")
	for _, pattern := range []string{root + ".py", root + ".*.so", root + ".so", root + ".*.pyd", root + ".pyd"} {
		if found, _ := filepath.Glob(filepath.Join(tree, pattern)); len(found) > 0 {
			return true
		}
	}
	folder := filepath.Join(tree, root)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return false
	}
	if _, err := os.Stat(filepath.Join(folder, "__init__.py")); err == nil || !dotted {
		return true
	}
	return provides(folder, rest) // a namespace that others share
}

// settledArguments hold uv to settled releases of the unknown names.
func (r *Runner) settledArguments(p *plan) []string {
	if r.cfg.Unknown != UnknownCheck {
		return nil
	}
	var args []string
	for _, dep := range p.unknown {
		args = append(args, "--exclude-newer-package", dep.Distribution+"="+cutoff(time.Now()))
	}
	return args
}

// unknownArguments do so for a run, and let none of their code run to build them.
func (r *Runner) unknownArguments(p *plan) []string {
	args := r.settledArguments(p)
	if len(args) == 0 {
		return nil
	}
	for _, dep := range p.unknown {
		args = append(args, "--no-build-package", dep.Distribution)
	}
	return args
}
