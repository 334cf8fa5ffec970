package pyrunner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// probeLimit bounds what is kept of uv's own output, in bytes.
const probeLimit = 8 << 20

// emptyProgram is asked for to learn whether an environment can be made. With
// -S no code of an installed distribution runs, not even a .pth file.
var emptyProgram = []string{"python", "-I", "-S", "-c", "pass"}

// Warm makes the environment for these requirements ready, so that a later job
// which needs just them starts at once.
func (r *Runner) Warm(ctx context.Context, with []string) error {
	p, err := Job{Module: "pyrunner", With: with, NoInfer: true}.plan(ctx)
	if err != nil {
		return err
	}
	p.project = false
	if err := r.scan(ctx, p); err != nil {
		return err
	}
	_, err = r.prepare(ctx, p)
	return err
}

// prepare makes the environment of a plan and reports whether uv can now make
// it again without what only an installation may see: the way to an index, and
// the secrets for it.
func (r *Runner) prepare(ctx context.Context, p *plan) (offline bool, err error) {
	if !p.project && len(p.with) == 0 && !p.inline() {
		return true, nil // nothing to fetch
	}
	key := r.key(p)
	if key != "" {
		defer r.ready.lock(key)()
	}
	if r.ready.has(key) {
		return true, nil
	}
	ctx, cancel := withLimit(ctx, r.cfg.InstallTimeout, DefaultInstallTimeout, "install")
	defer cancel()
	if p.project {
		return true, r.syncProject(ctx, p)
	}
	return r.install(ctx, p, key)
}

// syncProject makes a project's own environment before the script runs, so that
// the script's time limit does not count it.
func (r *Runner) syncProject(ctx context.Context, p *plan) error {
	p.enter("install")
	if err := r.probe(ctx, p, false); err != nil {
		return err
	}
	r.ready.add(r.key(p)) // another than before: uv may have written the lock file
	return nil
}

func (r *Runner) install(ctx context.Context, p *plan, key string) (offline bool, err error) {
	err = r.probe(ctx, p, true)
	if isDependency(err) && !r.cfg.Offline {
		p.enter("install")
		if err := r.probe(ctx, p, false); err != nil {
			return false, err
		}
		// Some caches keep nothing; then every run has to go to the index.
		err = r.probe(ctx, p, true)
		if isDependency(err) {
			return false, nil
		}
	}
	if err == nil {
		r.ready.add(key)
	}
	return err == nil, err
}

func isDependency(err error) bool {
	var dep *DependencyError
	return errors.As(err, &dep)
}

// probe asks uv for the environment with an empty program. That uv cannot make
// it is a *DependencyError.
func (r *Runner) probe(ctx context.Context, p *plan, offline bool) error {
	if p.inline() && !p.project {
		if err := r.ask(ctx, p, offline, r.syncArguments(p, offline)); err != nil || len(p.with) == 0 {
			return err
		}
	}
	return r.ask(ctx, p, offline, append(r.arguments(p, offline), emptyProgram...))
}

// syncArguments: a script with metadata has an environment that belongs to its
// path, so uv is asked for that one.
func (r *Runner) syncArguments(p *plan, offline bool) []string {
	args := []string{"sync", "-q", "--script", p.target(), "--python", p.python}
	if !r.cfg.UseUVConfig {
		args = append(args, "--no-config")
	}
	if offline {
		args = append(args, "--offline")
	}
	return args
}

// ask runs uv; that it fails is a *DependencyError.
func (r *Runner) ask(ctx context.Context, p *plan, offline bool, args []string) error {
	env := r.environ(p)
	if !offline {
		env = r.installEnv()
	}
	out := newCapture(probeLimit, nil)
	argv := append([]string{r.uv}, args...)
	st, err := r.execute(ctx, command{Argv: argv, Dir: p.dir, Env: env, Stdout: out, Stderr: out})
	if errors.Is(err, errKilled) {
		return p.stopped(ctx)
	}
	if err != nil {
		return err
	}
	if st.Code != 0 {
		text, _ := out.text()
		return &DependencyError{Script: p.script, Output: text}
	}
	return nil
}

// key names the environment of a plan; "" where no other run can have the same.
func (r *Runner) key(p *plan) string {
	switch {
	case p.project:
		return environmentKey([]string{"project", r.uv}, p.projectState(), p.With)
	case p.inline() && p.temp != "":
		return "" // it belongs to the path of a temporary script
	}
	var index []string
	for _, name := range indexNames {
		if value, ok := r.lookup(name); ok {
			index = append(index, name+"="+value)
		}
	}
	cache, _ := r.lookup("UV_CACHE_DIR")
	fixed := []string{r.uv, p.python, cache, fmt.Sprint(r.cfg.UseUVConfig)}
	var metadata []string
	if p.inline() {
		metadata = []string{p.script, metadataText(p.source)}
	}
	return environmentKey(fixed, index, p.with, metadata)
}

// projectState tells one state of a project from another, as far as its
// environment depends on it.
func (p *plan) projectState() []string {
	state := []string{p.dir}
	for _, name := range []string{"pyproject.toml", "uv.lock", ".python-version", filepath.Join(".venv", "pyvenv.cfg")} {
		if info, err := os.Stat(filepath.Join(p.dir, name)); err == nil {
			state = append(state, fmt.Sprint(name, info.Size(), info.ModTime().UnixNano()))
		}
	}
	return state
}

// metadataText is the part of a script that a change of its metadata must
// change: all of its comments at the left margin.
func metadataText(source []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(source)) {
		if strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// An expired is the cause of a context that one of our limits has ended.
type expired struct {
	after time.Duration
	phase string
}

func (e *expired) Error() string { return fmt.Sprintf("%s: time limit of %v", e.phase, e.after) }

// withLimit gives ctx a time limit: want, or standard where want is 0, or none
// where it is negative.
func withLimit(ctx context.Context, want, standard time.Duration, phase string) (context.Context, context.CancelFunc) {
	if want == 0 {
		want = standard
	}
	if want < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, want, &expired{want, phase})
}

// stopped is the error of a plan whose context has ended.
func (p *plan) stopped(ctx context.Context) error {
	var limit *expired
	if errors.As(context.Cause(ctx), &limit) {
		return &TimeoutError{After: limit.after, Phase: limit.phase, Script: p.script}
	}
	return &interruption{cause: ctx.Err(), script: p.script}
}
