package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/staged-agent/staged-agent/agent"
	"github.com/staged-agent/staged-agent/agent/provider/scripted"
	"github.com/staged-agent/staged-agent/stages"
	"github.com/staged-agent/staged-agent/tools"
)

func raw(id, tool, arguments string) scripted.Call {
	return scripted.Call{ID: id, Tool: tool, Arguments: &arguments}
}

// statuses lists the results in order: tool and status.
func (d trial) statuses() []string {
	var all []string
	for _, r := range d.records {
		if e, ok := r.Event.(agent.ToolAnswered); ok {
			all = append(all, e.Tool+" "+string(e.Status))
		}
	}
	return all
}

// One message, many calls: each gets one result, in order, before the switch;
// the first signal counts (A3), what comes after it is still carried out.
func TestFirstSignalCounts(t *testing.T) {
	script := []scripted.Reply{
		{Calls: []scripted.Call{
			call("1", "write_file", "path", "a.py", "content", "\"\"\"A.\"\"\"\n"),
			call("2", "submit_for_review", "file", "a.py"),
			call("3", "submit_for_review", "file", "b.py"),
			call("4", "write_file", "path", "b.py", "content", "\"\"\"B.\"\"\"\n"),
		}},
		{Calls: []scripted.Call{
			{ID: "5", Tool: "request_revision", Args: map[string]any{"issues": []string{"one"}}},
			call("6", "approve_code", "comment", "x"),
		}},
		{Content: "done"},
	}
	d := try(t, scripted.Script{Model: "m", Replies: script}, nil, agent.Settings{Task: "x", Lang: stages.EN, Start: stages.Implementation})
	want := []string{"write_file ok", "submit_for_review ok", "submit_for_review refused", "write_file ok", "request_revision ok", "approve_code refused"}
	if got := d.statuses(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	second := readRequest(t, d.requests[1])
	var roles []string
	for _, m := range second.Messages {
		var head struct {
			Role string `json:"role"`
			ID   string `json:"tool_call_id"`
		}
		if err := json.Unmarshal(m, &head); err != nil {
			t.Fatal(err)
		}
		roles = append(roles, head.Role+head.ID)
	}
	if got, want := strings.Join(roles[len(roles)-6:], " "), "assistant tool1 tool2 tool3 tool4 user"; got != want {
		t.Errorf("the switch came as %s, want %s", got, want)
	}
	if last := string(second.Messages[len(second.Messages)-1]); !strings.Contains(last, "a.py") {
		t.Errorf("the handoff does not name the submitted file: %s", last)
	}
}

// Whatever a reply holds, the next request is one that a strict endpoint takes (A7).
func TestOddCallsDoNotPoisonTheHistory(t *testing.T) {
	for name, calls := range map[string][]scripted.Call{
		"a tool of another stage":         {call("1", "approve_code", "comment", "x")},
		"a tool nobody has":               {call("1", "rm_rf", "path", "/")},
		"a name no tool can have":         {call("1", "write file!", "path", "x")},
		"broken JSON":                     {raw("1", "write_file", `{"path":`)},
		"null":                            {raw("1", "write_file", `null`)},
		"a list":                          {raw("1", "write_file", `[]`)},
		"nothing":                         {raw("1", "write_file", ``)},
		"null in a field":                 {raw("1", "write_file", `{"path":null,"content":null}`)},
		"no id":                           {call("", "read_file", "path", "x.py"), call("", "read_file", "path", "y.py")},
		"the same id twice":               {call("1", "read_file", "path", "x.py"), call("1", "read_file", "path", "y.py")},
		"a signal of this stage, refused": {call("1", "submit_for_review", "file", "nothing.py")},
	} {
		t.Run(name, func(t *testing.T) {
			two := 2
			script := []scripted.Reply{{Calls: calls, Stray: true}, {Calls: []scripted.Call{call("9", "write_file", "path", "a.py", "content", "x = 1\n")}}}
			d := try(t, scripted.Script{Model: "m", Replies: script}, nil,
				agent.Settings{Task: "x", Lang: stages.EN, Start: stages.Implementation, MaxSteps: &two})
			if d.end.Outcome != agent.StepLimit {
				t.Errorf("got %s (%s), want a run that went on", d.end.Outcome, d.end.Reason)
			}
			got := d.statuses()
			if len(got) != len(calls)+1 || got[len(got)-1] != "write_file ok" {
				t.Fatalf("got %v, want a result for each of %d calls and the next one carried out", got, len(calls))
			}
			for _, status := range got[:len(calls)] {
				if !strings.HasSuffix(status, string(tools.Refused)) {
					t.Errorf("got %s, want it refused", status)
				}
			}
		})
	}
}

// A reply without a call gets a nudge that names the stage's tools (A6).
func TestNudge(t *testing.T) {
	script := []scripted.Reply{{Content: "All done, approved!"}, {Calls: []scripted.Call{call("1", "write_file", "path", "a.py", "content", "x = 1\n")}}}
	two := 2
	d := try(t, scripted.Script{Model: "m", Replies: script}, nil, agent.Settings{Task: "x", Lang: stages.ZH, Start: stages.Implementation, MaxSteps: &two})
	second := readRequest(t, d.requests[1])
	if last := string(second.Messages[len(second.Messages)-1]); !strings.Contains(last, `"role":"user"`) || !strings.Contains(last, "submit_for_review") {
		t.Errorf("got %s, want a nudge with the stage's tools", last)
	}
	if d.end.Outcome != agent.StepLimit {
		t.Errorf("got %s: a word in a reply has ended the run", d.end.Outcome)
	}
}

// Random replies, against the strict endpoint: it takes every request, each
// begins with the messages of the one before, limits hold, nothing panics.
func TestRandomReplies(t *testing.T) {
	names := []string{"ask_clarifying_question", "save_requirement", "complete_requirements_analysis", "write_file", "read_file",
		"submit_for_review", "request_revision", "approve_code", "nobody_has_this"}
	argument := rapid.SampledFrom([]string{`{}`, `null`, `[]`, `{"`, ``, `{"path":"a.py","content":"x = 1\n"}`, `{"path":"../a.py","content":null}`, `{"file":"a.py"}`,
		`{"question":"same name?"}`, `{"key":"k","value":"v"}`, `{"summary":"s"}`, `{"issues":["i"]}`, `{"issues":"i"}`, `{"comment":"c"}`})
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		var script []scripted.Reply
		for range rapid.IntRange(1, 25).Draw(rt, "replies") {
			reply := scripted.Reply{Stray: true, Content: rapid.SampledFrom([]string{"", "text", "\x00\u202e"}).Draw(rt, "content")}
			for range rapid.IntRange(0, 4).Draw(rt, "calls") {
				id := rapid.SampledFrom([]string{"", "same", "a", "b"}).Draw(rt, "id")
				reply.Calls = append(reply.Calls, raw(id, rapid.SampledFrom(names).Draw(rt, "tool"), argument.Draw(rt, "arguments")))
			}
			script = append(script, reply)
		}
		steps, revisions := rapid.IntRange(1, 12).Draw(rt, "steps"), rapid.IntRange(0, 2).Draw(rt, "revisions")
		start := rapid.SampledFrom([]stages.ID{stages.Requirements, stages.Implementation}).Draw(rt, "start")
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			d := try(t, scripted.Script{Model: "m", Replies: script}, nil,
				agent.Settings{Task: "x", Lang: stages.EN, Start: start, MaxSteps: &steps, MaxRevisions: &revisions})
			if d.end.Outcome == agent.Approved || d.end.Steps > steps || d.end.Revisions > revisions {
				t.Errorf("got %s after %d steps and %d revisions", d.end.Outcome, d.end.Steps, d.end.Revisions)
			}
			if d.end.Outcome == agent.Failed && !strings.Contains(d.end.Reason, "no reply is left") {
				t.Errorf("the endpoint refused a request: %s", d.end.Reason)
			}
			var before [][]byte
			for i, body := range d.requests {
				now := rawMessages(readRequest(t, body))
				if len(now) <= len(before) || i > 0 && !bytes.Equal(bytes.Join(before[1:], nil), bytes.Join(now[1:len(before)], nil)) {
					t.Errorf("request %d does not extend the one before", i+1)
				}
				before = now
			}
		})
	})
}
