package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/staged-agent/staged-agent/stages"
	"github.com/staged-agent/staged-agent/tools"
)

// Reasons of reminders.
const (
	remindSilent = "no_call"
	remindRepeat = "repeat"
)

// execute carries out one command. It is total: whatever goes wrong is an event.
func (a *StagedAgent) execute(ctx context.Context, cmd Command) []Event {
	switch cmd := cmd.(type) {
	case interruption:
		return []Event{a.interrupted()}
	case EnterStage:
		return []Event{a.enter(cmd)}
	case CallModel:
		return a.call(ctx, cmd)
	case AnswerCall:
		return a.answer(ctx, cmd)
	case Remind:
		return []Event{remind(cmd, a.cfg.Settings.Lang)}
	case End:
		return a.end(cmd)
	}
	return []Event{Faulted{Reason: fmt.Sprintf("the machine gave a command that nobody knows: %T", cmd)}}
}

// end hands out the files, once, and ends the run. That they cannot be copied
// is a fault, and the machine then gives another end.
func (a *StagedAgent) end(cmd End) []Event {
	ended := Ended{Outcome: cmd.Outcome, Reason: cmd.Reason, Summary: a.machine.Summary()}
	if a.cfg.HandOut == nil || a.handed {
		return []Event{ended}
	}
	a.handed = true
	dir, files, err := a.cfg.HandOut()
	if err != nil {
		return []Event{Faulted{Reason: err.Error()}}
	}
	return []Event{FilesCopied{Dir: dir, Files: files}, ended}
}

func (a *StagedAgent) enter(cmd EnterStage) Event {
	h := cmd.Handoff
	files, err := a.cfg.Workspace.Files()
	if err != nil {
		return Faulted{Reason: "listing the workspace: " + err.Error()}
	}
	for _, f := range files {
		h.Files = append(h.Files, f.Path)
	}
	e := StageEntered{Stage: cmd.Stage.ID, Role: cmd.Stage.Role.In(a.cfg.Settings.Lang), By: cmd.By, Signal: cmd.Signal, Revision: h.Revision}
	if cmd.Text == "" {
		return e
	}
	if e.Message, err = stages.HandoffText(cmd.Text, a.cfg.Settings.Lang, h); err != nil {
		return Faulted{Reason: err.Error()}
	}
	return e
}

func remind(cmd Remind, lang stages.Lang) Event {
	if cmd.Reason == remindRepeat {
		return Nudged{Reason: remindRepeat, Text: stages.NudgeRepeat(cmd.Tool, lang)}
	}
	return Nudged{Reason: remindSilent, Text: stages.Nudge(cmd.Stage, lang, cmd.Last)}
}

// call makes one request. What a person should see meanwhile is written at once.
func (a *StagedAgent) call(ctx context.Context, cmd CallModel) []Event {
	if err := a.emit(ModelRequested{Step: cmd.Step, Stage: cmd.Stage.ID}); err != nil {
		return []Event{Faulted{Reason: err.Error()}}
	}
	request := Request{System: a.prompts[cmd.Stage.ID], History: cmd.History, Tools: a.specs[cmd.Stage.ID]}
	notify := func(n Notice) {
		if err := a.emit(ModelNoticed(n)); err != nil {
			a.cfg.Logger.Error("a notice was lost", "error", err)
		}
	}
	reply, err := a.cfg.Model.Complete(ctx, request, notify)
	if ctx.Err() != nil {
		return []Event{a.interrupted()}
	}
	if err != nil {
		return []Event{Faulted{Reason: err.Error()}}
	}
	reply.Message.Role = RoleAssistant
	return []Event{ModelReplied{Step: cmd.Step, Message: reply.Message, FinishReason: reply.FinishReason, Usage: reply.Usage}}
}

// answer gives a call its one result. Nothing that a model writes is an error:
// only what ends the run is, and the call still gets its result.
func (a *StagedAgent) answer(ctx context.Context, cmd AnswerCall) []Event {
	if cmd.Cancelled != "" {
		return []Event{answered(cmd.Call, tools.Result{Text: "not carried out: the run is ending", Status: tools.Refused})}
	}
	if text := misplaced(cmd); text != "" {
		return []Event{answered(cmd.Call, tools.Result{Text: text, Status: tools.Refused})}
	}
	if err := a.emit(ToolStarted{CallID: cmd.Call.ID, Tool: cmd.Call.Name, Arguments: cmd.Call.Arguments}); err != nil {
		return []Event{Faulted{Reason: err.Error()}}
	}
	result, err := a.cfg.Tools.Call(ctx, cmd.Call.Name, cmd.Call.Arguments, cmd.Scene)
	if err != nil {
		return []Event{answered(cmd.Call, tools.Result{Text: "not finished: the run is ending", Status: tools.Refused}), a.stopped(err)}
	}
	var events []Event
	for _, f := range result.Facts {
		events = append(events, eventOf(f))
	}
	return append(events, answered(cmd.Call, result))
}

// stopped says why a tool ended the run.
func (a *StagedAgent) stopped(err error) Event {
	if errors.Is(err, context.Canceled) || errors.Is(err, ErrInterrupted) {
		return a.interrupted()
	}
	return Faulted{Reason: err.Error()}
}

func (a *StagedAgent) interrupted() Event {
	return Interrupted{Reason: a.machine.reason("the user interrupted the run", "用户中断了运行")}
}

// ErrInterrupted may be wrapped by a tool's or an asker's error to say that the
// user wants the end of the run.
var ErrInterrupted = errors.New("interrupted")

func answered(c Call, r tools.Result) Event {
	text := r.Text
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	return ToolAnswered{CallID: c.ID, Tool: c.Name, Text: text, Status: r.Status, Signal: r.Signal}
}

// misplaced says why a call cannot be carried out here; "" if it can.
func misplaced(cmd AnswerCall) string {
	offered := cmd.Stage.Offered()
	for _, name := range offered {
		if name != cmd.Call.Name {
			continue
		}
		if _, signal := cmd.Stage.Signal(name); signal && cmd.Taken != "" {
			return fmt.Sprintf("not carried out: %s in the same message was accepted first, and ends this stage", cmd.Taken)
		}
		return ""
	}
	return fmt.Sprintf("there is no tool %q in this stage; the tools of the stage %s are: %s", clip(cmd.Call.Name, 64), cmd.Stage.ID, strings.Join(offered, ", "))
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
