package pyrunner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A Lock is a script's metadata block (PEP 723), with every distribution that
// it needs, directly or not, at one exact version.
type Lock struct {
	Block  string // the block's lines
	source []byte
}

// Lock resolves a job's dependencies and returns the block for sharing the
// script. Nothing of the script is run. A script that has metadata already is
// an error: `uv lock --script` is for those.
func (r *Runner) Lock(ctx context.Context, job Job) (*Lock, error) {
	p, err := job.plan(ctx)
	if err != nil {
		return nil, err
	}
	p.project = false // the block is for running the script anywhere
	if err := r.scan(ctx, p); err != nil {
		return nil, err
	}
	if p.declares() {
		return nil, errors.New("the script has a metadata block already; `uv lock --script` locks it")
	}
	if err := r.verifyUnknown(ctx, p); err != nil {
		return nil, err
	}
	pins, err := r.compile(ctx, p)
	if err != nil {
		return nil, err
	}
	version, err := pythonVersion(ctx, p.python)
	if err != nil {
		return nil, err
	}
	return &Lock{Block: block(version, pins), source: p.source}, nil
}

// compile has uv resolve the plan's requirements to exact versions that hold
// on every platform, from its cache if it can.
func (r *Runner) compile(ctx context.Context, p *plan) ([]string, error) {
	if len(p.with) == 0 {
		return nil, nil
	}
	folder, err := os.MkdirTemp("", "pyrunner-")
	if err != nil {
		return nil, fmt.Errorf("locking: %w", err)
	}
	defer os.RemoveAll(folder)
	list := filepath.Join(folder, "requirements.in")
	if err := os.WriteFile(list, []byte(strings.Join(p.with, "\n")+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("locking: %w", err)
	}
	pins, err := r.compileList(ctx, p, list, true)
	if isDependency(err) && !r.cfg.Offline {
		pins, err = r.compileList(ctx, p, list, false)
	}
	return pins, err
}

func (r *Runner) compileList(ctx context.Context, p *plan, list string, offline bool) ([]string, error) {
	argv := []string{r.uv, "pip", "compile", "-q", "--no-header", "--no-annotate", "--universal", "--python", p.python}
	if !r.cfg.UseUVConfig {
		argv = append(argv, "--no-config")
	}
	if offline {
		argv = append(argv, "--offline")
	}
	argv = append(argv, r.settledArguments(p)...)
	stdout, stderr := newCapture(probeLimit, nil), newCapture(probeLimit, nil)
	argv = append(argv, list)
	st, err := r.execute(ctx, command{Argv: argv, Dir: filepath.Dir(list), Env: r.installEnv(), Stdout: stdout, Stderr: stderr})
	if errors.Is(err, errKilled) {
		return nil, p.stopped(ctx)
	}
	if err != nil {
		return nil, err
	}
	if st.Code != 0 {
		text, _ := stderr.text()
		return nil, &DependencyError{Output: text}
	}
	text, _ := stdout.text()
	return strings.Split(strings.TrimSpace(text), "\n"), nil
}

// pythonVersion returns "3.12" and the like.
func pythonVersion(ctx context.Context, python string) (string, error) {
	cmd := exec.CommandContext(ctx, python, "-I", "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", python, err)
	}
	return string(bytes.TrimSpace(out)), nil
}

func block(version string, pins []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# /// script\n# requires-python = \">=%s\"\n# dependencies = [\n", version)
	for _, pin := range pins {
		fmt.Fprintf(&b, "#     %s,\n", tomlString(pin))
	}
	b.WriteString("# ]\n# ///\n")
	return b.String()
}

// tomlString quotes s as TOML does; what uv prints has no control characters,
// and Go's quoting of the rest is TOML's.
func tomlString(s string) string { return strconv.Quote(s) }

// Save writes the script with the block on top to a new file, or with force to
// any. A file that is there already is ErrExists.
func (l *Lock) Save(path string, force bool) error {
	head, body := splitHead(l.source)
	return save(path, append(append(head, l.Block...), body...), force)
}

// splitHead parts a script after the lines that must stay first: a byte order
// mark, an interpreter line and an encoding declaration.
func splitHead(source []byte) (head, body []byte) {
	rest := source
	for i := 0; i < 2; i++ {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		plain := bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		isHead := bytes.HasPrefix(plain, []byte("#!")) || bytes.HasPrefix(plain, []byte("#")) && bytes.Contains(plain, []byte("coding"))
		if !found || !isHead {
			break
		}
		rest = after
	}
	n := len(source) - len(rest)
	if n == 0 && bytes.HasPrefix(source, []byte("\xef\xbb\xbf")) {
		n = 3
	}
	return bytes.Clone(source[:n]), source[n:]
}
