package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/staged-agent/staged-agent/agent"
	"github.com/staged-agent/staged-agent/agent/provider"
	"github.com/staged-agent/staged-agent/agent/provider/scripted"
	"github.com/staged-agent/staged-agent/examples"
	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/simuser"
	"github.com/staged-agent/staged-agent/stages"
	"github.com/staged-agent/staged-agent/tools"
	"github.com/staged-agent/staged-agent/workspace"
)

var update = flag.Bool("update", false, "rewrite the golden transcripts")

// An asker fits a playbook to the tools.
type asker struct{ book *simuser.Playbook }

func (a asker) Ask(ctx context.Context, question string) (string, string, bool, error) {
	answer, err := a.book.Ask(ctx, question)
	return answer.Text, answer.FactID, answer.Repeat, err
}

type recorder struct{ records []agent.Record }

func (r *recorder) Write(rec agent.Record) error {
	r.records = append(r.records, rec)
	return nil
}

// A trial is a finished run against a strict endpoint.
type trial struct {
	end      agent.Ended
	records  []agent.Record
	requests [][]byte
	ws       *workspace.Workspace
}

// try runs a script through the real client, real files, and the real uv.
func try(t *testing.T, script scripted.Script, files fs.FS, settings agent.Settings) trial {
	t.Helper()
	server, err := scripted.New(scripted.Config{Script: script, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	temperature := 0.3
	client, err := provider.New(provider.Config{Endpoint: provider.Endpoint{BaseURL: server.URL(), Model: script.Model, Temperature: &temperature}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	runner, err := pyrunner.New(pyrunner.Config{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	ws, err := workspace.Open(filepath.Join(t.TempDir(), "a space 与中文"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	set, err := tools.New(tools.Deps{Workspace: ws, Runner: runner, Asker: asker{book(t, settings.Lang)}})
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorder{}
	a, err := agent.New(agent.Config{Settings: settings, Model: client, Tools: set, Workspace: ws, Sinks: []agent.Sink{rec}})
	if err != nil {
		t.Fatal(err)
	}
	end, err := a.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return trial{end, rec.records, server.Requests(), ws}
}

func book(t *testing.T, lang stages.Lang) *simuser.Playbook {
	t.Helper()
	data, err := examples.Files.ReadFile("downloads/playbook.json")
	if err != nil {
		t.Fatal(err)
	}
	b, err := simuser.LoadPlaybook(data, string(lang))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func demo(t *testing.T, lang stages.Lang) trial {
	t.Helper()
	files, err := examples.Downloads()
	if err != nil {
		t.Fatal(err)
	}
	script, err := scripted.Load(files, "script.json", string(lang))
	if err != nil {
		t.Fatal(err)
	}
	return try(t, script, files, agent.Settings{Task: "tidy / 整理", Lang: lang, Start: stages.Requirements, Model: script.Model, Scripted: true})
}

// A wireRequest is a request's body, its messages byte by byte.
type wireRequest struct {
	Messages    []json.RawMessage `json:"messages"`
	Tools       json.RawMessage   `json:"tools"`
	Temperature json.RawMessage   `json:"temperature"`
}

func readRequest(t *testing.T, body []byte) wireRequest {
	t.Helper()
	var r wireRequest
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	joined := bytes.Join(rawMessages(r), []byte(","))
	if !bytes.Contains(body, append([]byte(`"messages":[`), joined...)) {
		t.Error("the messages are not the bytes that were taken apart")
	}
	return r
}

func rawMessages(r wireRequest) [][]byte {
	var all [][]byte
	for _, m := range r.Messages {
		all = append(all, m)
	}
	return all
}

func TestDemoTranscript(t *testing.T) { // A1 to A4, A9, A10 on the wire
	for _, lang := range stages.Langs() {
		t.Run(string(lang), func(t *testing.T) {
			d := demo(t, lang)
			if d.end.Outcome != agent.Approved || d.end.Revisions != 1 {
				t.Errorf("got %s after %d revisions (%s), want an approval after 1", d.end.Outcome, d.end.Revisions, d.end.Reason)
			}
			got := transcript(t, d.requests)
			golden := filepath.Join("testdata", "demo."+string(lang)+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the transcript has changed; if it should, run with -update\n%s", diff)
			}
		})
	}
}

// Within a stage each request's messages begin with the very bytes of the one
// before; across a switch all but the system prompt does.
func TestRequestsExtendEachOther(t *testing.T) { // A1
	d := demo(t, stages.EN)
	var before wireRequest
	for i, body := range d.requests {
		now := readRequest(t, body)
		if i > 0 {
			old, all := rawMessages(before), rawMessages(now)
			if len(all) <= len(old) {
				t.Fatalf("request %d: %d messages after %d", i+1, len(all), len(old))
			}
			from := 0
			if !bytes.Equal(before.Tools, now.Tools) {
				from = 1 // another stage: another system prompt
				if bytes.Equal(old[0], all[0]) {
					t.Errorf("request %d: another stage's tools with the same system prompt", i+1)
				}
			}
			if !bytes.Equal(bytes.Join(old[from:], nil), bytes.Join(all[from:len(old)], nil)) {
				t.Errorf("request %d: its messages do not begin with those of the request before", i+1)
			}
			if from == 0 {
				prefix := body[:bytes.Index(body, []byte(`],"tools":`))]
				last := d.requests[i-1]
				if !bytes.HasPrefix(prefix, last[:bytes.Index(last, []byte(`],"tools":`))]) {
					t.Errorf("request %d: its bytes do not extend those of the request before", i+1)
				}
			}
		}
		before = now
	}
}

// A recorded run, folded again, comes to the same state, however often.
func TestRecordedRunFoldsTheSame(t *testing.T) {
	d := demo(t, stages.ZH)
	fold := func() (*agent.Machine, string) {
		m := agent.NewMachine(stages.All())
		for _, r := range d.records {
			m.Apply(r.Event)
		}
		state, err := json.Marshal([]any{m.History(), m.Summary(), m.Stage().ID, m.Settings()})
		if err != nil {
			t.Fatal(err)
		}
		return m, string(state)
	}
	m, first := fold()
	if _, second := fold(); first != second {
		t.Error(cmp.Diff(first, second))
	}
	if diff := cmp.Diff(d.end.Summary.Actions, m.Summary().Actions); diff != "" {
		t.Error(diff)
	}
	if got := len(m.History()); got < 40 {
		t.Errorf("the folded history has %d messages", got)
	}
}

// transcript writes out what was sent: of each request what is new in it.
func transcript(t *testing.T, requests [][]byte) string {
	t.Helper()
	var b strings.Builder
	var before wireRequest
	for i, body := range requests {
		r := readRequest(t, body)
		fmt.Fprintf(&b, "== request %d, %d messages, temperature %s\n", i+1, len(r.Messages), r.Temperature)
		from := len(before.Messages)
		if !bytes.Equal(before.Tools, r.Tools) {
			fmt.Fprintf(&b, "%s\n%s\n", r.Messages[0], r.Tools)
			from = max(from, 1)
		}
		for _, m := range r.Messages[from:] {
			fmt.Fprintf(&b, "%s\n", m)
		}
		before = r
	}
	return normalise(b.String())
}

// normalise takes out of a transcript what differs from run to run, or from
// Python to Python: pytest's times and its account of each failure, and the
// folders that a run and its tests made up.
func normalise(text string) string {
	for _, r := range []struct{ pattern, with string }{
		{`(={3,} FAILURES ={3,}).*?(={3,} short test summary)`, "$1 … $2"},
		{`in \d+\.\d\ds`, "in TIMEs"},
		{`(/[^\s"'\\,:]*)?/pytest-of-[^\s"'\\,:)]*`, "PYTEST"},
		{`(/|[A-Za-z]:\\)[^"'\n]*?a space 与中文`, "WORKSPACE"},
		{`0x[0-9a-f]{6,}`, "0xADDRESS"},
	} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.with)
	}
	return text
}
