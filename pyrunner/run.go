package pyrunner

import (
	"context"
	"errors"
	"time"
)

// Run runs a job. The Result is there whenever the job made sense, also beside
// an error; what it holds is then what was known when the error came.
func (r *Runner) Run(ctx context.Context, job Job) (*Result, error) {
	p, err := job.plan(ctx)
	if err != nil {
		return nil, err
	}
	res := &Result{ExitCode: -1}
	if p.isThere() {
		res.Script = p.script
	}
	r.prestart(ctx)
	start := time.Now()
	err = r.scan(ctx, p)
	res.Scan = time.Since(start)
	res.Python, res.Dependencies = p.python, p.dependencies()
	if isDependency(err) && !p.Discard {
		return res, p.keep(res, err)
	}
	if err != nil {
		return res, err
	}
	if err := p.place(); err != nil {
		return res, err
	}
	unlink, err := p.alias()
	if err != nil {
		return res, err
	}
	defer unlink()
	err = r.attempt(ctx, p, res)
	r.removeInlineEnvironment(context.WithoutCancel(ctx), p)
	if p.temp != "" && p.Discard {
		forgetScript(err)
	}
	if err == nil || p.Discard {
		p.removeTemporary()
	}
	res.Script = p.script
	return res, err
}

// forgetScript takes the path of a file that is gone out of an error.
func forgetScript(err error) {
	var (
		failed  *ScriptError
		missing *DependencyError
		late    *TimeoutError
	)
	switch {
	case errors.As(err, &failed):
		failed.Script = ""
	case errors.As(err, &missing):
		missing.Script = ""
	case errors.As(err, &late):
		late.Script = ""
	}
}

// prestart has a supervisor start while the script is read.
func (r *Runner) prestart(ctx context.Context) {
	if l, err := r.launcher(ctx); err == nil {
		l.prepare()
	}
}

// keep puts the script of a job that cannot run where its author can mend it.
func (p *plan) keep(res *Result, err error) error {
	if placeErr := p.place(); placeErr != nil {
		return placeErr
	}
	res.Script = p.script
	var dep *DependencyError
	if errors.As(err, &dep) {
		dep.Script = p.script
	}
	return err
}

// attempt prepares the environment and runs the program. A program that failed
// is told from one that never started by asking for its environment once more:
// only if that is gone, though it was thought ready, is it made and the
// program started again.
func (r *Runner) attempt(ctx context.Context, p *plan, res *Result) error {
	for last := false; ; last = true {
		start := time.Now()
		err := r.verifyUnknown(ctx, p)
		var offline bool
		if err == nil {
			offline, err = r.prepare(ctx, p)
		}
		res.Install += time.Since(start)
		if err != nil {
			return err
		}
		start = time.Now()
		err = r.once(ctx, p, res, offline)
		res.RunTime = time.Since(start)
		var failed *ScriptError
		if !errors.As(err, &failed) {
			return err
		}
		gone := r.probe(ctx, p, offline)
		switch {
		case gone == nil:
			failed.Hint = r.shadowHint(ctx, p)
			return err
		case last || !offline || !isDependency(gone):
			return gone
		}
		r.ready.forget(r.key(p))
	}
}

// once runs the program and files its output in res.
func (r *Runner) once(ctx context.Context, p *plan, res *Result, offline bool) error {
	limit := p.MaxOutput
	if limit == 0 {
		limit = r.cfg.MaxOutput
	}
	if limit <= 0 {
		limit = DefaultMaxOutput
	}
	stdout, stderr := newCapture(limit, p.Stdout), newCapture(limit, p.Stderr)
	res.Command = append(append([]string{r.uv}, r.arguments(p, offline)...), p.program()...)
	env := r.environ(p)
	if !offline {
		env = lastOfEach(append(r.installEnv(), env...), "")
	}
	p.enter("run")
	ctx, cancel := r.limited(ctx, p)
	defer cancel()
	st, err := r.execute(ctx, command{Argv: res.Command, Dir: p.dir, Env: env, Stdout: stdout, Stderr: stderr})
	var cutOut, cutErr bool
	res.Stdout, cutOut = stdout.text()
	res.Stderr, cutErr = stderr.text()
	res.Truncated = cutOut || cutErr
	if errors.Is(err, errKilled) {
		return p.stopped(ctx)
	}
	if err != nil {
		return err
	}
	return res.judge(p, st)
}

func (r *Runner) limited(ctx context.Context, p *plan) (context.Context, context.CancelFunc) {
	want := p.Timeout
	if want == 0 {
		want = r.cfg.Timeout
	}
	return withLimit(ctx, want, DefaultTimeout, "run")
}

func (res *Result) judge(p *plan, st status) error {
	res.ExitCode = st.Code
	if st.Code == 0 {
		return nil
	}
	res.Signal = signalName(st)
	return &ScriptError{Script: p.script, ExitCode: st.Code, Signal: res.Signal, Traceback: res.Stderr}
}
