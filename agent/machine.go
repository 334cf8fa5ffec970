package agent

import (
	"fmt"
	"slices"

	"github.com/staged-agent/staged-agent/stages"
	"github.com/staged-agent/staged-agent/tools"
)

// A Machine is a run as a fold over its events: Apply takes what happened, Next
// says what to do now. It has no clock, no randomness and no I/O, so the same
// events make the same machine, whoever feeds them.
type Machine struct {
	table    []stages.Stage
	settings Settings

	stage    stages.Stage
	history  []Message
	pending  []Call    // calls of the last reply without an answer, in order
	accepted *accepted // the first signal of the last reply that was accepted
	end      *Ended    // the last event
	halt     *End      // why the run must stop, once no call is open

	budget int // steps at which the stage's share is used up; 0: no such limit
	silent int // replies in a row without a call
	same   int // how often in a row the last call was made with the same result
	last   string
	warned bool // of the repetition
	asked  bool // the last message is the model's turn to answer

	submitted string
	summary   Summary
}

// accepted is a signal that waits for the other calls of its message.
type accepted struct {
	transition stages.Transition
	signal     tools.Signal
}

// NewMachine returns the machine of a run that has not begun.
func NewMachine(table []stages.Stage) *Machine {
	return &Machine{table: table}
}

// A Command is what to do next: one of the types below.
type Command interface{ command() }

// EnterStage opens a stage with the message that Handoff makes.
type EnterStage struct {
	Stage   stages.Stage
	By      string // start, signal or program
	Signal  string
	Text    string // name of the handoff's text; empty: none
	Handoff stages.Handoff
}

// CallModel sends the stage's prompt and tools with the history (A1).
type CallModel struct {
	Step    int
	Stage   stages.Stage
	History []Message
}

// AnswerCall answers one call. Cancelled is why it must not be carried out.
type AnswerCall struct {
	Call      Call
	Stage     stages.Stage
	Scene     tools.Scene
	Taken     string // name of a signal of this message that was accepted before
	Cancelled string
}

// Remind appends a reminder to the history.
type Remind struct {
	Stage  stages.Stage
	Reason string // no_call or repeat
	Tool   string
	Last   bool
}

// End ends the run.
type End struct {
	Outcome Outcome
	Reason  string
}

func (EnterStage) command() {}
func (CallModel) command()  {}
func (AnswerCall) command() {}
func (Remind) command()     {}
func (End) command()        {}

// Next says what to do now. It is nil once the run has ended.
func (m *Machine) Next() Command {
	switch {
	case m.end != nil:
		return nil
	case len(m.pending) > 0:
		return m.answer()
	case m.halt != nil:
		return *m.halt
	case m.stage.ID == "":
		return m.open()
	case m.accepted != nil:
		return m.follow()
	case m.summary.Steps >= *m.settings.MaxSteps:
		return End{StepLimit, m.reason("the limit of %d steps was reached before an approval", "达到 %d 步的上限时仍未通过审查", *m.settings.MaxSteps)}
	case m.silent > maxSilent:
		return End{Stalled, m.reason("%d replies in a row called no tool", "连续 %d 次回复都没有调用工具", m.silent)}
	case m.same > maxSame:
		return End{Stalled, m.reason("the same call was made again and again with the same result", "同一个调用反复执行，结果始终相同")}
	case m.silent > 0 && !m.asked:
		return Remind{Stage: m.stage, Reason: "no_call", Last: m.silent == maxSilent}
	case m.same == maxSame && !m.warned:
		return Remind{Stage: m.stage, Reason: "repeat", Tool: m.lastTool()}
	case m.budget > 0 && m.summary.Steps >= m.budget:
		return m.enter(m.stage.On[0], tools.Signal{}, "program")
	}
	return CallModel{Step: m.summary.Steps + 1, Stage: m.stage, History: slices.Clip(m.history)}
}

func (m *Machine) answer() Command {
	cmd := AnswerCall{Call: m.pending[0], Stage: m.stage, Scene: tools.Scene{Lang: string(m.settings.Lang), Submitted: m.submitted}}
	if m.accepted != nil {
		cmd.Taken = m.accepted.transition.Signal
	}
	if m.halt != nil {
		cmd.Cancelled = m.halt.Reason
	}
	return cmd
}

// reason says why a run ends, in its language.
func (m *Machine) reason(en, zh string, args ...any) string {
	return fmt.Sprintf(stages.Text{EN: en, ZH: zh}.In(m.settings.Lang), args...)
}

// open enters the stage where the run starts.
func (m *Machine) open() Command {
	start, _ := stages.Find(m.table, m.settings.Start)
	cmd := EnterStage{Stage: start, By: "start"}
	if start.Seeded {
		cmd.Text = m.handoffTo(start.ID)
		cmd.Handoff = m.facts(tools.Signal{})
		cmd.Handoff.Seeded = true
	}
	return cmd
}

// handoffTo returns the name of the text of the first transition to a stage.
func (m *Machine) handoffTo(id stages.ID) string {
	for _, s := range m.table {
		for _, t := range s.On {
			if t.To == id {
				return t.Handoff
			}
		}
	}
	return ""
}

// follow takes the accepted signal (A3): all calls are answered.
func (m *Machine) follow() Command {
	t := m.accepted.transition
	if t.To == stages.Done {
		reason := m.reason("the reviewer approved %s on passed checks", "检查全部通过，审查员批准了 %s", m.submitted)
		return End{Approved, reason}
	}
	if t.Revision && m.summary.Revisions >= *m.settings.MaxRevisions {
		return End{RevisionLimit, m.reason("the review asked for more than %d revisions", "审查要求的修改超过了 %d 次", *m.settings.MaxRevisions)}
	}
	return m.enter(t, m.accepted.signal, "signal")
}

func (m *Machine) enter(t stages.Transition, s tools.Signal, by string) Command {
	to, _ := stages.Find(m.table, t.To)
	h := m.facts(s)
	h.Forced = by == "program"
	if t.Revision {
		h.Revision++
	}
	return EnterStage{Stage: to, By: by, Signal: t.Signal, Text: t.Handoff, Handoff: h}
}

func (m *Machine) facts(s tools.Signal) stages.Handoff {
	return stages.Handoff{
		Task: m.settings.Task, Requirements: slices.Clone(m.summary.Requirements),
		Summary: s.Summary, File: s.File, Issues: s.Issues,
		Revision: m.summary.Revisions, MaxRevisions: *m.settings.MaxRevisions,
	}
}

func (m *Machine) lastTool() string {
	for _, msg := range slices.Backward(m.history) {
		if len(msg.Calls) > 0 {
			return msg.Calls[len(msg.Calls)-1].Name
		}
	}
	return ""
}

// History returns the messages so far. The caller must not change them.
func (m *Machine) History() []Message { return m.history }

// Summary returns what the events so far add up to.
func (m *Machine) Summary() Summary { return m.summary.clone() }

// Stage returns the stage the run is in; its ID is empty before the first.
func (m *Machine) Stage() stages.Stage { return m.stage }

// Settings returns the run's settings, defaults filled in.
func (m *Machine) Settings() Settings { return m.settings }
