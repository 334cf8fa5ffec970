package tools

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/workspace"
)

func runTests(ws *workspace.Workspace, runner *pyrunner.Runner) (Tool, error) {
	c := checker{ws, runner}
	return define("run_tests", "Run the workspace's tests (test_*.py) with pytest; without any, compile the file, import it, and run it with --help if it takes arguments.",
		func(ctx context.Context, a fileArgs, s Scene) (Result, error) {
			file, hash, err := c.target(a.File)
			if err != nil {
				return refused(err, "")
			}
			print, err := ws.Fingerprint()
			if err != nil {
				return refused(err, "")
			}
			sources, tests, err := c.sources()
			if err != nil {
				return refused(err, "")
			}
			var summary, text string
			if len(tests) > 0 {
				summary, text, err = c.pytest(ctx, s, sources, tests)
			} else {
				summary, text, err = c.smoke(ctx, s, file, sources)
			}
			var failed checkFailed
			if err != nil && !errors.As(err, &failed) {
				return fault(ctx, "tests", err)
			}
			return c.file("tests", file, hash, print, err == nil, s.say("tests: ", "测试：")+summary, text), nil
		})
}

// checkFailed reports that the check was made and did not pass.
type checkFailed struct{ error }

// sources returns the workspace's Python files, as paths for the runner, and
// those among them that hold tests, as names in the workspace.
func (c checker) sources() (sources, tests []string, err error) {
	files, err := c.ws.Files()
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		if path.Ext(f.Path) != ".py" {
			continue
		}
		sources = append(sources, c.path(f.Path))
		if base := path.Base(f.Path); strings.HasPrefix(base, "test_") {
			tests = append(tests, f.Path)
		}
	}
	return sources, tests, nil
}

// pytest runs the tests. They pass if it exits with 0 and reports that tests
// ran: a test can end Python with 0 before it reports. Its settings are ours,
// and nothing above the workspace counts: one line in a pytest.ini could have it
// run nothing and succeed.
func (c checker) pytest(ctx context.Context, s Scene, sources, tests []string) (summary, text string, err error) {
	dir, err := os.MkdirTemp("", "staged-agent-pytest-")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir)
	settings, reported := filepath.Join(dir, "pytest.ini"), filepath.Join(dir, "report.xml")
	if err := os.WriteFile(settings, nil, 0o600); err != nil {
		return "", "", err
	}
	args := []string{"-c", settings, "--rootdir", c.ws.Dir(), "--confcutdir", c.ws.Dir(), "--junit-xml", reported,
		"-q", "--no-header", "-p", "no:cacheprovider", "--"}
	for _, t := range tests {
		args = append(args, filepath.FromSlash(t))
	}
	result, err := c.runner.Run(ctx, pyrunner.Job{
		Module: "pytest", Args: args, With: []string{pytestVersion}, Scan: sources,
		Dir: c.ws.Dir(), ImportPath: []string{c.ws.Dir()}, Env: quietPython,
	})
	var missing *pyrunner.DependencyError
	if errors.As(err, &missing) {
		if lacks := c.runner.Warm(ctx, []string{pytestVersion}); lacks != nil {
			return "", "", lacks // it is pytest that cannot be had, and not what the code imports
		}
	}
	counts := readCounts(reported)
	if err == nil && counts.ran() == 0 {
		err = &pyrunner.ScriptError{ExitCode: 0}
	}
	summary, text, err = verdictOf(s, fmt.Sprintf(s.say("pytest on %s", "用 pytest 运行 %s"), strings.Join(tests, ", ")), result, err)
	return summary + counts.in(s), text, err
}

// counts are what pytest reported.
type counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

func readCounts(file string) counts {
	var report struct {
		Suites []counts `xml:"testsuite"`
	}
	content, err := os.ReadFile(file)
	if err != nil || xml.Unmarshal(content, &report) != nil || len(report.Suites) != 1 {
		return counts{}
	}
	return report.Suites[0]
}

func (c counts) ran() int { return c.Tests - c.Skipped }

func (c counts) in(s Scene) string {
	if c.Tests == 0 {
		return s.say(" (no test was reported)", "（没有报告任何测试）")
	}
	parts := []string{fmt.Sprintf(s.say("%d passed", "通过 %d"), c.Tests-c.Failures-c.Errors-c.Skipped)}
	for _, p := range []struct {
		n    int
		text string
	}{{c.Failures, s.say("%d failed", "失败 %d")}, {c.Errors, s.say("%d with errors", "出错 %d")}, {c.Skipped, s.say("%d skipped", "跳过 %d")}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf(p.text, p.n))
		}
	}
	return fmt.Sprintf(s.say(" (%s)", "（%s）"), strings.Join(parts, s.say(", ", "，")))
}

func verdictOf(s Scene, summary string, result *pyrunner.Result, err error) (string, string, error) {
	var script *pyrunner.ScriptError
	var limit *pyrunner.TimeoutError
	var syntax *pyrunner.SyntaxError
	var missing *pyrunner.DependencyError
	switch {
	case err == nil:
		return summary + s.say(": passed", "：通过"), report("exit status 0", result), nil
	case errors.As(err, &script), errors.As(err, &limit), errors.As(err, &syntax), errors.As(err, &missing):
		return summary + s.say(": failed", "：未通过"), report(verdict(err), result), checkFailed{err}
	}
	return "", "", err
}

// smoke is the check of a file that has no tests. The file is never changed and
// nothing is put before it: compile it, import it without running __main__, and
// run it with --help when it parses arguments.
func (c checker) smoke(ctx context.Context, s Scene, file string, sources []string) (summary, text string, err error) {
	source, err := c.ws.Read(file)
	if err != nil {
		return "", "", err
	}
	if err := c.runner.Check(ctx, source, file); err != nil {
		return verdictOf(s, s.say("smoke run: compile ", "试运行：编译 ")+file, nil, err)
	}
	parses, err := c.parsesArguments(ctx, file)
	if err != nil {
		return "", "", err
	}
	steps := []struct{ name, source string }{{"import " + file, importProgram(c.path(file))}}
	if parses {
		steps = append(steps, struct{ name, source string }{"run " + file + " --help", helpProgram(c.path(file))})
	}
	var done []string
	for _, step := range steps {
		job := pyrunner.Job{Source: step.source, Discard: true, Scan: sources, Dir: c.ws.Dir(), ImportPath: []string{filepath.Dir(c.path(file)), c.ws.Dir()}, Env: quietPython}
		result, err := c.runner.Run(ctx, job)
		summary, text, err := verdictOf(s, s.say("smoke run: ", "试运行：")+step.name, result, err)
		if err != nil {
			return summary, text, err
		}
		done = append(done, step.name+": "+strings.SplitN(text, "\n", 2)[0])
	}
	return fmt.Sprintf(s.say("smoke run of %s (there are no test_*.py): passed", "试运行 %s（没有 test_*.py）：通过"), file), strings.Join(append([]string{"compile: ok"}, done...), "\n"), nil
}

// importProgram imports a file as a module, from its place.
func importProgram(file string) string {
	return fmt.Sprintf(`import importlib.util
import pathlib
import sys

path = pathlib.Path(%s)
spec = importlib.util.spec_from_file_location(path.stem, path)
module = importlib.util.module_from_spec(spec)
sys.modules[path.stem] = module
spec.loader.exec_module(module)
`, literal(file))
}

// parsesArguments reports whether a file's text makes a parser of arguments.
func (c checker) parsesArguments(ctx context.Context, file string) (bool, error) {
	result, err := c.outside(ctx, pyrunner.Job{Source: fmt.Sprintf(`import ast

with open(%s, "rb") as f:
    tree = ast.parse(f.read())
nodes = list(ast.walk(tree))
names = {n.attr for n in nodes if isinstance(n, ast.Attribute)} | {n.id for n in nodes if isinstance(n, ast.Name)}
names |= {a.name for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names}
names |= {n.module for n in nodes if isinstance(n, ast.ImportFrom)}
print(bool(names & {"ArgumentParser", "click", "typer", "docopt", "fire"}))
`, literal(c.path(file)))})
	if err != nil {
		return false, err
	}
	return strings.TrimSpace(result.Stdout) == "True", nil
}

// helpProgram runs a file as a program with --help.
func helpProgram(file string) string {
	return fmt.Sprintf(`import runpy
import sys

path = %s
sys.argv = [path, "--help"]
runpy.run_path(path, run_name="__main__")
`, literal(file))
}
