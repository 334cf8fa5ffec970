package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/staged-agent/staged-agent/workspace"
)

type fileArgs struct {
	File string `json:"file" jsonschema:"a Python file of the workspace"`
}

type revisionArgs struct {
	Issues []string `json:"issues" jsonschema:"one entry per issue: file, place, what is wrong, what is wanted"`
}

func requestRevision() (Tool, error) {
	return define("request_revision", "Send the work back to the software engineer with a list of issues.",
		func(_ context.Context, a revisionArgs, s Scene) (Result, error) {
			var issues []string
			for _, issue := range a.Issues {
				if issue = strings.TrimSpace(issue); issue != "" {
					issues = append(issues, issue)
				}
			}
			if len(issues) == 0 {
				return refuse("issues: the list is empty, want at least one issue; call request_revision again, or approve_code if there is none"), nil
			}
			return Result{Text: s.say("sent back with "+counted(len(issues), "issue"), fmt.Sprintf("已退回修改，问题 %d 个", len(issues))), Status: OK, Signal: &Signal{Issues: issues}}, nil
		})
}

// counted is a number of things, in words.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

type approveArgs struct {
	Comment string `json:"comment" jsonschema:"what was checked, and how it turned out"`
}

// checkTools names the tool that brings each kind of evidence.
var checkTools = map[string]string{"linter": "run_linter", "tests": "run_tests", "complexity": "analyze_complexity"}

// approveCode is refused unless every check was made on the bytes as they stand
// and those that can fail have passed.
func approveCode(ws *workspace.Workspace) (Tool, error) {
	return define("approve_code", "Approve the work and end the run. Refused unless all checks were run on the current files and passed.",
		func(_ context.Context, a approveArgs, s Scene) (Result, error) {
			if s.Submitted == "" {
				return refuse("nothing was submitted, so nothing can be approved"), nil
			}
			gaps, err := ws.Missing(s.Submitted)
			if err != nil {
				return refused(fmt.Errorf("not approved: %w", err), "")
			}
			if len(gaps) == 0 {
				return Result{Text: s.say("approved", "审查通过"), Status: OK, Signal: &Signal{File: s.Submitted, Comment: strings.TrimSpace(a.Comment)}}, nil
			}
			var b strings.Builder
			fmt.Fprintf(&b, "not approved: the evidence for %s is not complete.", s.Submitted)
			for _, gap := range gaps {
				fmt.Fprintf(&b, "\n- %s: %s", checkTools[gap.Check], gap.Reason)
			}
			b.WriteString("\nRun what is missing; where a check fails, call request_revision.")
			return Result{Text: b.String(), Status: Refused}, nil
		})
}
