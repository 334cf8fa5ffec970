package agent

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/staged-agent/staged-agent/stages"
	"github.com/staged-agent/staged-agent/tools"
)

// play drives a machine with generated replies and generated results, checks
// every rule after every event, and returns the events.
func play(t *rapid.T, table []stages.Stage) ([]Event, *Machine) {
	maxSteps := rapid.IntRange(1, 12).Draw(t, "max steps")
	maxRevisions := rapid.IntRange(0, 2).Draw(t, "max revisions")
	start := rapid.SampledFrom([]stages.ID{stages.Requirements, stages.Implementation}).Draw(t, "start")
	m := NewMachine(table)
	var events []Event
	apply := func(e Event) {
		before := append([]Message{}, m.History()...)
		m.Apply(e)
		events = append(events, e)
		if diff := cmp.Diff(before, append([]Message{}, m.History()[:len(before)]...)); diff != "" {
			t.Fatalf("%T changed the history:\n%s", e, diff)
		}
	}
	apply(RunStarted{Settings: Settings{Task: "task", Start: start, MaxSteps: &maxSteps, MaxRevisions: &maxRevisions}, Message: "task"})
	for i := 0; ; i++ {
		if i > 2000 {
			t.Fatal("the run does not end")
		}
		switch cmd := m.Next().(type) {
		case nil:
			checkPairs(t, m.History())
			if m.Summary().Steps > maxSteps {
				t.Fatalf("%d steps, limit %d", m.Summary().Steps, maxSteps)
			}
			if m.Summary().Revisions > maxRevisions {
				t.Fatalf("%d revisions, limit %d", m.Summary().Revisions, maxRevisions)
			}
			return events, m
		case EnterStage:
			apply(StageEntered{Stage: cmd.Stage.ID, By: cmd.By, Signal: cmd.Signal, Revision: cmd.Handoff.Revision, Message: "handoff"})
		case CallModel:
			apply(reply(t, cmd))
		case AnswerCall:
			apply(result(t, cmd))
		case Remind:
			apply(Nudged{Reason: cmd.Reason, Text: "nudge"})
		case End:
			apply(Ended{Outcome: cmd.Outcome, Reason: cmd.Reason})
		}
	}
}

func reply(t *rapid.T, cmd CallModel) Event {
	switch rapid.IntRange(0, 19).Draw(t, "fault") {
	case 0:
		return Faulted{Reason: "fault"}
	case 1:
		return Interrupted{Reason: "ctrl-c"}
	}
	names := append(cmd.Stage.Offered(), "no_such_tool", "write_file", "approve_code", "")
	msg := Message{Role: RoleAssistant, Content: "text"}
	for i := range rapid.IntRange(0, 4).Draw(t, "calls") {
		msg.Calls = append(msg.Calls, Call{ID: fmt.Sprintf("c%d_%d", cmd.Step, i), Name: rapid.SampledFrom(names).Draw(t, "name"), Arguments: "{}"})
	}
	return ModelReplied{Step: cmd.Step, Message: msg}
}

func result(t *rapid.T, cmd AnswerCall) Event {
	e := ToolAnswered{CallID: cmd.Call.ID, Tool: cmd.Call.Name, Text: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "text"), Status: tools.OK}
	_, signal := cmd.Stage.Signal(cmd.Call.Name)
	if signal && cmd.Taken == "" && cmd.Cancelled == "" && rapid.Bool().Draw(t, "accepted") {
		e.Signal = &tools.Signal{File: "a.py", Issues: []string{"x"}}
	}
	return e
}

// checkPairs fails unless every call has one result, in order, with nothing between.
func checkPairs(t *rapid.T, history []Message) {
	var open []Call
	for i, m := range history {
		if m.Role != RoleTool && len(open) > 0 {
			t.Fatalf("message %d comes before the result of %s", i, open[0].ID)
		}
		switch m.Role {
		case RoleAssistant:
			open = m.Calls
		case RoleTool:
			if len(open) == 0 || open[0].ID != m.CallID {
				t.Fatalf("message %d is a result without its call", i)
			}
			open = open[1:]
		}
	}
	if len(open) > 0 {
		t.Fatalf("call %s has no result", open[0].ID)
	}
}

// Whatever a model says, the history only grows, calls and results pair up in
// order, the limits hold, the run ends, and the same events make the same machine.
func TestRandomRuns(t *testing.T) {
	table := stages.All()
	rapid.Check(t, func(t *rapid.T) {
		events, m := play(t, table)
		again := NewMachine(table)
		for _, e := range events {
			again.Apply(e)
		}
		if diff := cmp.Diff(m.History(), again.History()); diff != "" {
			t.Fatalf("a second fold differs:\n%s", diff)
		}
		if diff := cmp.Diff(m.Summary(), again.Summary(), cmp.AllowUnexported(Summary{})); diff != "" {
			t.Fatalf("a second fold counts differently:\n%s", diff)
		}
	})
}

// A model that asks for ever is handed on by the program (fault 4: nineteen
// rephrasings of one question burned all the steps).
func TestEndlessQuestionsAreHandedOn(t *testing.T) {
	steps := 10
	m := NewMachine(stages.All())
	m.Apply(RunStarted{Settings: Settings{Task: "t", MaxSteps: &steps}, Message: "t"})
	for i := 0; i < 100; i++ {
		switch cmd := m.Next().(type) {
		case EnterStage:
			if cmd.Stage.ID == stages.Implementation {
				if cmd.By != "program" || !cmd.Handoff.Forced || m.Summary().Steps != 5 {
					t.Fatalf("got %+v after %d steps, want a handover by the program after 5", cmd, m.Summary().Steps)
				}
				return
			}
			m.Apply(StageEntered{Stage: cmd.Stage.ID, By: cmd.By})
		case CallModel:
			call := Call{ID: fmt.Sprint(i), Name: "ask_clarifying_question", Arguments: fmt.Sprintf(`{"question":"%d?"}`, i)}
			m.Apply(ModelReplied{Message: Message{Role: RoleAssistant, Calls: []Call{call}}})
		case AnswerCall:
			m.Apply(ToolAnswered{CallID: cmd.Call.ID, Tool: cmd.Call.Name, Text: fmt.Sprint(i)})
		default:
			t.Fatalf("unexpected %T", cmd)
		}
	}
	t.Fatal("the run never left the requirements")
}
