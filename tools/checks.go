package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/workspace"
)

// The checkers, pinned: a check must mean the same tomorrow.
const (
	ruffVersion   = "ruff==0.17.6"
	pytestVersion = "pytest==9.2.0"
)

// Warm prepares the environments of the checks, so that the first check need
// not wait for them. What goes wrong comes up again in the check itself.
func Warm(ctx context.Context, runner *pyrunner.Runner) {
	for _, checker := range []string{ruffVersion, pytestVersion} {
		if runner.Warm(ctx, []string{checker}) != nil {
			return
		}
	}
}

// A checker runs checks and files their outcome as evidence.
type checker struct {
	ws     *workspace.Workspace
	runner *pyrunner.Runner
}

// target is the file that a check is about, with the hash of its bytes. Its
// error is one for refused.
func (c checker) target(name string) (file, hash string, err error) {
	if file, err = workspace.CleanPath(name); err != nil {
		return "", "", err
	}
	if hash, err = c.ws.Hash(file); err != nil {
		return "", "", err
	}
	if path.Ext(file) != ".py" {
		return "", "", &workspace.PathError{Path: name, Reason: "it is not a Python file"}
	}
	return file, hash, nil
}

// file records the evidence and returns the result. The evidence counts for the
// bytes before the check; what changed meanwhile was not checked.
func (c checker) file(check, file, hash, print string, passed bool, summary, text string) Result {
	c.ws.Record(workspace.Evidence{Check: check, File: file, Hash: hash, Fingerprint: print, Passed: passed, Summary: summary})
	r := Result{Text: summary + "\n" + text, Status: OK, Facts: []Fact{CheckRan{Check: check, File: file, Hash: hash, Passed: passed, Summary: summary}}}
	if strings.TrimSpace(text) == "" {
		r.Text = summary
	}
	if !passed {
		r.Status = Failed
	}
	return r
}

// outside runs a checker of ours away from the workspace, so that no file there
// can change how it works.
func (c checker) outside(ctx context.Context, job pyrunner.Job) (*pyrunner.Result, error) {
	dir, err := os.MkdirTemp("", "staged-agent-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	job.Dir, job.NoInfer, job.Discard, job.Env = dir, true, true, quietPython
	return c.runner.Run(ctx, job)
}

func (c checker) path(file string) string {
	return filepath.Join(c.ws.Dir(), filepath.FromSlash(file))
}

// fault turns an error that is not the checked code's into a result where the
// code may be its cause, and otherwise into an error that ends the run: a check
// that cannot be made says nothing of the code.
func fault(ctx context.Context, check string, err error) (Result, error) {
	var missing *pyrunner.DependencyError
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case errors.As(err, &missing):
		return Result{}, fmt.Errorf("the %s cannot be installed: %w", check, err)
	case !isVerdict(err):
		return Result{}, fmt.Errorf("the %s cannot be run: %w", check, err)
	}
	return unusable(check, err), nil
}

func unusable(check string, err error) Result {
	return Result{Text: fmt.Sprintf("the %s could not be run: %s", check, ends(err.Error(), outputLimit)), Status: Failed}
}

// lintRules are pycodestyle and pyflakes whole, a missing module docstring
// (D100), and tabs; line length 120.
const lintRules = "E,W,F,D100"

func runLinter(ws *workspace.Workspace, runner *pyrunner.Runner) (Tool, error) {
	c := checker{ws, runner}
	return define("run_linter", "Check a Python file with ruff: syntax, undefined and unused names, bare except, docstring, style.",
		func(ctx context.Context, a fileArgs, s Scene) (Result, error) {
			file, hash, err := c.target(a.File)
			if err != nil {
				return refused(err, "")
			}
			args := []string{"check", "--isolated", "--no-cache", "--ignore-noqa", "--preview", "--select", lintRules,
				"--line-length", "120", "--output-format", "json", "--", c.path(file)}
			result, err := c.outside(ctx, pyrunner.Job{Module: "ruff", Args: args, With: []string{ruffVersion}})
			var failed *pyrunner.ScriptError
			if err != nil && !(errors.As(err, &failed) && failed.ExitCode == 1) {
				return fault(ctx, "linter", err)
			}
			findings, err := readFindings(result.Stdout, file)
			if err != nil {
				return unusable("linter", err), nil
			}
			summary := fmt.Sprintf(s.say("linter: %s: no findings", "代码检查：%s：没有问题"), file)
			if len(findings) > 0 {
				summary = s.say("linter: "+file+": "+counted(len(findings), "finding"), fmt.Sprintf("代码检查：%s：问题 %d 个", file, len(findings)))
			}
			return c.file("linter", file, hash, "", len(findings) == 0, summary, ends(strings.Join(findings, "\n"), outputLimit)), nil
		})
}

func readFindings(output, file string) ([]string, error) {
	var found []struct {
		Code     string `json:"code"`
		Message  string `json:"message"`
		Location struct {
			Row    int `json:"row"`
			Column int `json:"column"`
		} `json:"location"`
	}
	if err := json.Unmarshal([]byte(output), &found); err != nil {
		return nil, fmt.Errorf("reading ruff's report: %w", err)
	}
	var lines []string
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s %s", file, f.Location.Row, f.Location.Column, f.Code, f.Message))
	}
	return lines, nil
}

//go:embed probes/complexity.py
var complexityProbe string

// ComplexityLimit is the cyclomatic complexity above which a function is named
// as too complex: McCabe's own limit ("A Complexity Measure", 1976).
const ComplexityLimit = 10

func analyzeComplexity(ws *workspace.Workspace, runner *pyrunner.Runner) (Tool, error) {
	c := checker{ws, runner}
	return define("analyze_complexity", fmt.Sprintf("Measure a Python file: cyclomatic complexity and nesting of each function, counts. The limit is %d.", ComplexityLimit),
		func(ctx context.Context, a fileArgs, s Scene) (Result, error) {
			file, hash, err := c.target(a.File)
			if err != nil {
				return refused(err, "")
			}
			source := complexityProbe + fmt.Sprintf("\nmain(%s, %s)\n", literal(c.path(file)), literal(file))
			result, err := c.outside(ctx, pyrunner.Job{Source: source})
			if err != nil {
				return fault(ctx, "complexity analysis", err)
			}
			var m struct {
				Worst int    `json:"worst"`
				Text  string `json:"text"`
			}
			if err := json.Unmarshal([]byte(result.Stdout), &m); err != nil {
				return unusable("complexity analysis", err), nil
			}
			passed := m.Worst <= ComplexityLimit
			summary := fmt.Sprintf(s.say("complexity: %s: highest %d, limit %d", "复杂度：%s：最高 %d，上限 %d"), file, m.Worst, ComplexityLimit)
			return c.file("complexity", file, hash, "", passed, summary, ends(m.Text, outputLimit)), nil
		})
}

// literal writes text as a Python string: JSON's form is one, but for DEL and
// characters beyond the basic plane, which JSON text may hold as they are.
func literal(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}
