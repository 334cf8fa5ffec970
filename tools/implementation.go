package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/workspace"
)

type writeArgs struct {
	Path    string `json:"path" jsonschema:"relative path in the workspace, such as tool.py"`
	Content string `json:"content" jsonschema:"the file's whole text"`
}

func writeFile(ws *workspace.Workspace) (Tool, error) {
	return define("write_file", "Write a file of the workspace, whole. An existing file is replaced.",
		func(_ context.Context, a writeArgs, s Scene) (Result, error) {
			v, err := ws.Write(a.Path, []byte(a.Content))
			if err != nil {
				return refused(err, "; call write_file again")
			}
			fact := FileWritten{Path: v.Path, Hash: v.Hash, Size: v.Size}
			return Result{Text: fmt.Sprintf(s.say("wrote %s, %d bytes", "已写入 %s，%d 字节"), v.Path, v.Size), Status: OK, Facts: []Fact{fact}}, nil
		})
}

type readArgs struct {
	Path string `json:"path" jsonschema:"relative path in the workspace"`
}

func readFile(ws *workspace.Workspace) (Tool, error) {
	return define("read_file", "Read a file of the workspace.",
		func(_ context.Context, a readArgs, _ Scene) (Result, error) {
			content, err := ws.Read(a.Path)
			if err != nil {
				return refused(err, "")
			}
			text := strings.ToValidUTF8(string(content), "�")
			if text == "" {
				text = "(the file is empty)"
			}
			return Result{Text: text, Status: OK}, nil
		})
}

type executeArgs struct {
	Code string `json:"code" jsonschema:"a Python program; no arguments, no keyboard input"`
}

func executeCode(ws *workspace.Workspace, runner *pyrunner.Runner) (Tool, error) {
	return define("execute_code", "Run a Python program in the workspace's folder. It can import the files there. Third-party packages that it imports are installed.",
		func(ctx context.Context, a executeArgs, _ Scene) (Result, error) {
			if strings.TrimSpace(a.Code) == "" {
				return refuse("code: it is empty, want a Python program; call execute_code again"), nil
			}
			job := pyrunner.Job{Source: a.Code, Discard: true, Dir: ws.Dir(), ImportPath: []string{ws.Dir()}, Env: quietPython}
			return run(ctx, runner, job)
		})
}

// quietPython keeps Python from leaving compiled files in the workspace.
var quietPython = []string{"PYTHONDONTWRITEBYTECODE=1"}

// run runs a job and tells the model what came of it, by its exit status and
// never by words of its output. The error is one that the program is not to
// blame for: the context's, a missing uv, a full disk.
func run(ctx context.Context, runner *pyrunner.Runner, job pyrunner.Job) (Result, error) {
	result, err := runner.Run(ctx, job)
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if err == nil {
		return Result{Text: report("exit status 0", result), Status: OK}, nil
	}
	if !isVerdict(err) {
		return Result{}, err
	}
	return Result{Text: report(verdict(err), result), Status: Failed}, nil
}

// isVerdict reports whether an error of the runner is about the program that was run.
func isVerdict(err error) bool {
	var (
		script  *pyrunner.ScriptError
		limit   *pyrunner.TimeoutError
		syntax  *pyrunner.SyntaxError
		missing *pyrunner.DependencyError
	)
	return errors.As(err, &script) || errors.As(err, &limit) || errors.As(err, &syntax) || errors.As(err, &missing)
}

// verdict says in one line or a few what kind of failure it was.
func verdict(err error) string {
	var script *pyrunner.ScriptError
	if errors.As(err, &script) {
		head := fmt.Sprintf("exit status %d", script.ExitCode)
		if script.Signal != "" {
			head = "ended by " + script.Signal
		}
		if script.Hint != "" {
			head += "\nhint: " + script.Hint
		}
		return head
	}
	return ends(err.Error(), outputLimit)
}

// outputLimit is how many characters of each output stream a model is shown.
const outputLimit = 8000

func report(head string, r *pyrunner.Result) string {
	var b strings.Builder
	b.WriteString(head)
	if r == nil {
		return b.String()
	}
	for _, s := range []struct{ name, text string }{{"standard output", r.Stdout}, {"standard error", r.Stderr}} {
		if text := strings.TrimRight(s.text, "\n"); text != "" {
			fmt.Fprintf(&b, "\n%s:\n%s", s.name, ends(text, outputLimit))
		}
	}
	if r.Stdout == "" && r.Stderr == "" {
		b.WriteString("\n(no output)")
	}
	return b.String()
}

// ends keeps the first third and the last two thirds of a long text.
func ends(text string, limit int) string {
	r := []rune(text)
	if len(r) <= limit {
		return text
	}
	head, tail := limit/3, limit-limit/3
	return fmt.Sprintf("%s\n[… %d characters left out …]\n%s", string(r[:head]), len(r)-limit, string(r[len(r)-tail:]))
}

type submitArgs struct {
	File string `json:"file" jsonschema:"the main file to review"`
}

func submitForReview(ws *workspace.Workspace) (Tool, error) {
	return define("submit_for_review", "Hand the work to the code reviewer.",
		func(_ context.Context, a submitArgs, s Scene) (Result, error) {
			file, err := workspace.CleanPath(a.File)
			if err == nil {
				_, err = ws.Hash(file)
			}
			if err != nil {
				return refused(err, "; write the file first, then call submit_for_review again")
			}
			return Result{Text: fmt.Sprintf(s.say("submitted %s for review", "已提交 %s，等待审查"), file), Status: OK, Signal: &Signal{File: file}}, nil
		})
}
