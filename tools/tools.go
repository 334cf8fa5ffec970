// Package tools defines what the model can do: each tool's description,
// arguments and handler, side by side.
//
//	set, err := tools.New(tools.Deps{Workspace: ws, Runner: runner, Asker: user})
//	result, err := set.Call(ctx, "write_file", `{"path":"a.py","content":""}`, tools.Scene{})
//
// A call never fails because of what a model wrote: whatever it wrote, it gets a
// Result that says what to do (A7). An error ends the run.
package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/workspace"
)

// An Asker answers questions in the user's stead: a playbook, a person.
type Asker interface {
	// Ask returns the answer, never empty; the id of the fact that it states,
	// empty where it states none; and whether the question was answered before.
	// An error ends the run.
	Ask(ctx context.Context, question string) (answer, fact string, repeat bool, err error)
}

// Deps is what the tools work on.
type Deps struct {
	Workspace *workspace.Workspace
	Runner    *pyrunner.Runner
	Asker     Asker
}

// A Scene is what a tool may know of the run.
type Scene struct {
	Lang      string // zh for results in Chinese; English otherwise. Refusals, and what a program says, are English
	Submitted string // file under review; empty before the first submission
}

// A Status says how a call went.
type Status string

// The statuses of a Result.
const (
	OK      Status = "ok"
	Failed  Status = "failed"  // the work was done and its outcome is a failure: a script's exit status, a check that did not pass
	Refused Status = "refused" // nothing was done: wrong arguments, wrong place, no evidence
)

// A Result is the answer to one call.
type Result struct {
	Text   string // for the model, never empty
	Status Status
	Signal *Signal // of an accepted signal tool
	Facts  []Fact  // what was learned, for whoever watches
}

// A Signal is what an accepted signal tool hands over. Each tool fills what it has.
type Signal struct {
	Summary string   `json:"summary,omitempty"`
	File    string   `json:"file,omitempty"`
	Issues  []string `json:"issues,omitempty"`
	Comment string   `json:"comment,omitempty"`
}

// A Fact is something a tool learned or did: one of the types of this file.
type Fact interface{ fact() }

// RequirementSaved reports a requirement that was recorded.
type RequirementSaved struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// QuestionAnswered reports a question and its answer.
type QuestionAnswered struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Fact     string `json:"fact,omitempty"`
	Repeat   bool   `json:"repeat,omitempty"`
}

// FileWritten reports a file of the workspace that a tool wrote.
type FileWritten struct {
	Path string `json:"path"`
	Hash string `json:"hash"` // SHA-256, hexadecimal
	Size int    `json:"size"` // bytes
}

// CheckRan reports a check, and what it was made on.
type CheckRan struct {
	Check   string `json:"check"` // linter, tests or complexity
	File    string `json:"file"`
	Hash    string `json:"hash"` // of the file's bytes
	Passed  bool   `json:"passed"`
	Summary string `json:"summary"`
}

func (RequirementSaved) fact() {}
func (QuestionAnswered) fact() {}
func (FileWritten) fact()      {}
func (CheckRan) fact()         {}

// A Tool is one tool.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments
	call        func(ctx context.Context, arguments string, s Scene) (Result, error)
}

// A Set is all tools, by name.
type Set struct {
	tools map[string]Tool
}

// New returns the tools.
func New(d Deps) (*Set, error) {
	if d.Workspace == nil || d.Runner == nil || d.Asker == nil {
		return nil, errors.New("tools: Workspace, Runner and Asker are required")
	}
	set := &Set{tools: map[string]Tool{}}
	var errs []error
	add := func(t Tool, err error) {
		errs = append(errs, err)
		set.tools[t.Name] = t
	}
	add(askClarifyingQuestion(d.Asker))
	add(saveRequirement(d.Workspace))
	add(completeRequirementsAnalysis())
	add(writeFile(d.Workspace))
	add(readFile(d.Workspace))
	add(executeCode(d.Workspace, d.Runner))
	add(submitForReview(d.Workspace))
	add(runLinter(d.Workspace, d.Runner))
	add(runTests(d.Workspace, d.Runner))
	add(analyzeComplexity(d.Workspace, d.Runner))
	add(requestRevision())
	add(approveCode(d.Workspace))
	return set, errors.Join(errs...)
}

// Find returns the tool of that name.
func (s *Set) Find(name string) (Tool, bool) {
	t, ok := s.tools[name]
	return t, ok
}

// Call answers one call of an existing tool.
func (s *Set) Call(ctx context.Context, name, arguments string, scene Scene) (Result, error) {
	t, ok := s.tools[name]
	if !ok {
		return refuse("there is no tool %q", name), nil
	}
	return t.call(ctx, arguments, scene)
}

// say chooses a text by the run's language.
func (s Scene) say(en, zh string) string {
	if s.Lang == "zh" {
		return zh
	}
	return en
}

// refused turns an error of the workspace into a result if the model can mend
// it. Any other ends the run.
func refused(err error, hint string) (Result, error) {
	if workspace.IsRefusal(err) {
		return refuse("%v%s", err, hint), nil
	}
	return Result{}, err
}

func refuse(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Status: Refused}
}
