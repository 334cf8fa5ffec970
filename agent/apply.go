package agent

import (
	"slices"
	"strings"

	"github.com/staged-agent/staged-agent/stages"
)

// Apply folds one event into the state. It is the one place that appends to the
// history, and the one that switches stages.
func (m *Machine) Apply(e Event) {
	m.summary.apply(m.stage.ID, e)
	switch e := e.(type) {
	case RunStarted:
		m.settings = e.Settings.withDefaults()
		m.say(e.Message)
	case StageEntered:
		m.applyStage(e)
	case ModelReplied:
		m.applyReply(e)
	case ToolAnswered:
		m.applyAnswer(e)
	case Nudged:
		m.say(e.Text)
		m.asked = true
		m.warned = m.warned || e.Reason == remindRepeat
	case Faulted:
		reason, _, _ := strings.Cut(e.Reason, "\n") // what may mend it follows, for people
		m.stop(End{Failed, reason})
	case Interrupted:
		m.stop(End{InterruptedOutcome, e.Reason})
	case Ended:
		m.end = &e
	}
}

// stop keeps the first reason to stop.
func (m *Machine) stop(end End) {
	if m.halt == nil {
		m.halt = &end
	}
}

func (m *Machine) say(text string) {
	if text != "" {
		m.history = append(m.history, Message{Role: RoleUser, Content: text})
	}
}

func (m *Machine) applyStage(e StageEntered) {
	m.stage, _ = stages.Find(m.table, e.Stage)
	m.accepted = nil
	m.silent, m.same, m.last, m.warned = 0, 0, "", false
	m.say(e.Message)
	m.budget = 0
	if share := m.stage.Share; share > 0 {
		left := *m.settings.MaxSteps - m.summary.Steps
		m.budget = m.summary.Steps + max(1, left*share/100)
	}
}

func (m *Machine) applyReply(e ModelReplied) {
	m.history = append(m.history, e.Message)
	m.pending = slices.Clone(e.Message.Calls)
	m.asked = false
	if len(m.pending) == 0 {
		m.silent++
	} else {
		m.silent = 0
	}
}

func (m *Machine) applyAnswer(e ToolAnswered) {
	if len(m.pending) == 0 {
		return
	}
	call := m.pending[0]
	m.pending = m.pending[1:]
	m.history = append(m.history, Message{Role: RoleTool, Content: e.Text, CallID: e.CallID})
	m.countSame(call, e.Text)
	if e.Signal == nil || m.accepted != nil {
		return
	}
	if t, ok := m.stage.Signal(e.Tool); ok {
		m.accepted = &accepted{transition: t, signal: *e.Signal}
		if e.Signal.File != "" {
			m.submitted = e.Signal.File
		}
	}
}

// countSame counts how often in a row one call was made with one result.
func (m *Machine) countSame(call Call, text string) {
	key := call.Name + "\x00" + call.Arguments + "\x00" + text
	if key == m.last {
		m.same++
		return
	}
	m.last, m.same, m.warned = key, 1, false
}
