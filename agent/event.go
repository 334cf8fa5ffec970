package agent

import (
	"time"

	"github.com/staged-agent/staged-agent/stages"
	"github.com/staged-agent/staged-agent/tools"
)

// An Event is one thing that happened: one of the types of this file. A run is
// the list of its events, and whoever wants to know something reads them.
type Event interface {
	// Type is the event's name on the wire, such as "model_replied".
	Type() string
}

// A Record is an event with its place in the run.
type Record struct {
	Seq   int // from 1, without gaps
	Time  time.Time
	Event Event
}

// RunStarted is the first event. The task's message opens the history.
type RunStarted struct {
	Settings Settings `json:"settings"`
	Folder   string   `json:"folder"`  // of the run
	Message  string   `json:"message"` // the task, as the history holds it
}

// StageEntered opens a stage: at the start, after a signal, or because the
// program made the transition itself.
type StageEntered struct {
	Stage    stages.ID `json:"stage"`
	Role     string    `json:"role"`
	By       string    `json:"by"` // start, signal or program
	Signal   string    `json:"signal,omitempty"`
	Revision int       `json:"revision"`          // revisions so far
	Message  string    `json:"message,omitempty"` // the handoff, as the history holds it
}

// ModelRequested says that a request is on its way.
type ModelRequested struct {
	Step  int       `json:"step"` // from 1
	Stage stages.ID `json:"stage"`
}

// ModelNoticed is something to know while a request is under way.
type ModelNoticed struct {
	Kind string `json:"kind"` // learned or retry
	Text string `json:"text"`
}

// ModelReplied is a reply, as it joined the history. It counts as a step.
type ModelReplied struct {
	Step         int     `json:"step"`
	Message      Message `json:"message"`
	FinishReason string  `json:"finish_reason"`
	Usage        *Usage  `json:"usage"` // null: the endpoint reported none
}

// ToolStarted says that a call is being answered.
type ToolStarted struct {
	CallID    string `json:"call_id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

// QuestionAnswered is a question and its answer.
type QuestionAnswered struct{ tools.QuestionAnswered }

// RequirementSaved is a requirement that was recorded.
type RequirementSaved struct{ tools.RequirementSaved }

// FileWritten is a file that a tool wrote.
type FileWritten struct{ tools.FileWritten }

// CheckRan is a check, and the bytes it was made on.
type CheckRan struct{ tools.CheckRan }

// ToolAnswered is the one answer to a call, as it joined the history.
type ToolAnswered struct {
	CallID string        `json:"call_id"`
	Tool   string        `json:"tool"`
	Text   string        `json:"text"`
	Status tools.Status  `json:"status"`
	Signal *tools.Signal `json:"signal,omitempty"` // of an accepted signal
}

// Nudged is a reminder that joined the history.
type Nudged struct {
	Reason string `json:"reason"` // no_call or repeat
	Text   string `json:"text"`
}

// FilesCopied says that the final files were copied to where the user wants them.
type FilesCopied struct {
	Dir   string   `json:"dir"`
	Files []string `json:"files"`
}

// Faulted says that something ended the run which the model cannot mend.
type Faulted struct {
	Reason string `json:"reason"`
}

// Interrupted says that the user ended the run.
type Interrupted struct {
	Reason string `json:"reason"`
}

// Ended is the last event.
type Ended struct {
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason"` // one sentence
	Summary
}

// The types of the events, as the journal and --json write them.
func (RunStarted) Type() string       { return "run_started" }
func (StageEntered) Type() string     { return "stage_entered" }
func (ModelRequested) Type() string   { return "model_requested" }
func (ModelNoticed) Type() string     { return "model_notice" }
func (ModelReplied) Type() string     { return "model_replied" }
func (ToolStarted) Type() string      { return "tool_started" }
func (QuestionAnswered) Type() string { return "question_answered" }
func (RequirementSaved) Type() string { return "requirement_saved" }
func (FileWritten) Type() string      { return "file_written" }
func (CheckRan) Type() string         { return "check_ran" }
func (ToolAnswered) Type() string     { return "tool_answered" }
func (Nudged) Type() string           { return "nudged" }
func (FilesCopied) Type() string      { return "files_copied" }
func (Faulted) Type() string          { return "faulted" }
func (Interrupted) Type() string      { return "interrupted" }
func (Ended) Type() string            { return "end" }

// eventOf wraps what a tool learned.
func eventOf(f tools.Fact) Event {
	switch f := f.(type) {
	case tools.QuestionAnswered:
		return QuestionAnswered{f}
	case tools.RequirementSaved:
		return RequirementSaved{f}
	case tools.FileWritten:
		return FileWritten{f}
	case tools.CheckRan:
		return CheckRan{f}
	}
	panic("agent: a tool reported a fact that has no event")
}
