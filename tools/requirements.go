package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/staged-agent/staged-agent/workspace"
)

type askArgs struct {
	Question string `json:"question" jsonschema:"one question to the user, about one point"`
}

func askClarifyingQuestion(user Asker) (Tool, error) {
	return define("ask_clarifying_question", "Ask the user one question. The result is the answer.",
		func(ctx context.Context, a askArgs, _ Scene) (Result, error) {
			question := strings.TrimSpace(a.Question)
			if question == "" {
				return refuse("question: it is empty, want one question; call ask_clarifying_question again"), nil
			}
			answer, id, repeat, err := user.Ask(ctx, question)
			if err != nil {
				return Result{}, err
			}
			fact := QuestionAnswered{Question: question, Answer: answer, Fact: id, Repeat: repeat}
			return Result{Text: answer, Status: OK, Facts: []Fact{fact}}, nil
		})
}

type saveArgs struct {
	Key   string `json:"key" jsonschema:"what it is about, in a few words"`
	Value string `json:"value" jsonschema:"what was settled, so that it can be built and tested"`
}

func saveRequirement(ws *workspace.Workspace) (Tool, error) {
	return define("save_requirement", "Record one confirmed requirement. The same key again replaces its value.",
		func(_ context.Context, a saveArgs, s Scene) (Result, error) {
			r, err := ws.SaveRequirement(a.Key, a.Value)
			if err != nil {
				return refuse("%v; call save_requirement again", err), nil
			}
			text := fmt.Sprintf(s.say("recorded %q; %d in all", "已记录 %q，共 %d 条"), r.Key, len(ws.Requirements()))
			return Result{Text: text, Status: OK, Facts: []Fact{RequirementSaved{Key: r.Key, Value: r.Value}}}, nil
		})
}

type completeArgs struct {
	Summary string `json:"summary" jsonschema:"what was agreed, in a few sentences"`
}

func completeRequirementsAnalysis() (Tool, error) {
	return define("complete_requirements_analysis", "End the analysis and hand the recorded requirements to the software engineer.",
		func(_ context.Context, a completeArgs, s Scene) (Result, error) {
			signal := &Signal{Summary: strings.TrimSpace(a.Summary)}
			return Result{Text: s.say("handed over to the software engineer", "已交给软件工程师"), Status: OK, Signal: signal}, nil
		})
}
