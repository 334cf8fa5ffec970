package scripted

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
)

const (
	system = `{"role":"system","content":"s"}`
	hello  = `{"role":"user","content":"u"}`
	tools  = `,"tools":[{"type":"function","function":{"name":"t","description":"d","parameters":{"type":"object"}}}]`
)

func calls(ids ...string) string {
	var all []string
	for _, id := range ids {
		all = append(all, `{"id":"`+id+`","type":"function","function":{"name":"t","arguments":"{}"}}`)
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(all, ",") + `]}`
}

func result(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"r"}` }

func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func post(t *testing.T, s *Server, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(s.URL()+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func chat(messages ...string) string {
	return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]` + tools + `}`
}

func TestStrictness(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"fine", chat(system, hello), ""},
		{"calls and results in order", chat(system, hello, calls("1", "2"), result("1"), result("2")), ""},
		{"no JSON", `{`, "could not parse"},
		{"unknown member", `{"model":"m","messages":[` + system + `,` + hello + `],"stream":false}`, "Unrecognized request argument supplied: stream"},
		{"another model", strings.Replace(chat(system, hello), `"m"`, `"n"`, 1), "does not exist"},
		{"no message", chat(), "too short"},
		{"unknown role", chat(system, `{"role":"developper","content":"x"}`), "is not one of"},
		{"no system message", chat(hello), "system message first"},
		{"a second system message", chat(system, hello, system, hello), "after the first"},
		{"empty text", chat(system, `{"role":"user","content":""}`), "missing or empty"},
		{"no text", chat(system, `{"role":"user"}`), "missing or empty"},
		{"a call without its result", chat(system, hello, calls("1", "2"), result("1")), "did not have response messages"},
		{"a call without its result, then more", chat(system, hello, calls("1"), hello), "did not have response messages"},
		{"a result without its call", chat(system, hello, result("1")), "must be a response"},
		{"results out of order", chat(system, hello, calls("1", "2"), result("2"), result("1")), "must be a response"},
		{"a result twice", chat(system, hello, calls("1"), result("1"), result("1")), "must be a response"},
		{"an id twice", chat(system, hello, calls("1", "1"), result("1"), result("1")), "duplicate"},
		{"a result without text", chat(system, hello, calls("1"), `{"role":"tool","tool_call_id":"1"}`), "missing or empty"},
		{"a tool that was not offered", chat(system, hello, strings.Replace(calls("1"), `"t"`, `"other"`, 1), result("1")), "was not offered"},
		{"arguments that are no object", chat(system, hello, strings.Replace(calls("1"), `"{}"`, `"[]"`, 1), result("1")), "not a JSON object"},
		{"a call without an id", chat(system, hello, calls(""), result("")), "id: missing"},
		{"an empty list of calls", chat(system, hello, `{"role":"assistant","content":"x","tool_calls":[]}`, hello), "too short"},
		{"an empty reply", chat(system, hello, `{"role":"assistant","content":""}`, hello), "missing or empty"},
		{"nothing asked", chat(system, hello, `{"role":"assistant","content":"x"}`), "asks for nothing"},
		{"a tool without a schema", strings.Replace(chat(system, hello), `{"type":"object"}`, `null`, 1), "not a schema"},
		{"a tool with an odd name", strings.Replace(chat(system, hello), `"name":"t"`, `"name":"t t"`, 1), "does not match"},
		{"temperature 3", strings.Replace(chat(system, hello), `"model"`, `"temperature":3,"model"`, 1), "from 0 to 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, Config{Script: Script{Model: "m", Replies: []Reply{{Content: "hi"}}}})
			status, body := post(t, s, c.body)
			if c.want == "" && status != 200 || c.want != "" && (status < 400 || status > 499 || !strings.Contains(body, c.want)) {
				t.Errorf("got %d %s, want %q", status, body, c.want)
			}
		})
	}
}

func TestReplies(t *testing.T) {
	files := fstest.MapFS{"a.py": {Data: []byte("x = '<&>'\n")}}
	s := start(t, Config{Files: files, Script: Script{Model: "m", Replies: []Reply{
		{Calls: []Call{{ID: "0", Tool: "of_another_stage"}}},
		{Calls: []Call{{ID: "1", Tool: "t", Args: map[string]any{"text": map[string]any{"$file": "a.py"}}}}},
		{Refuse: &Refuse{Status: 503, Body: "busy", Header: map[string]string{"Retry-After": "1"}}},
		{Calls: []Call{{ID: "2", Tool: "t", Args: map[string]any{"text": map[string]any{"$result": "1"}}}}, Usage: &Usage{3, 4}},
	}}})
	if _, body := post(t, s, chat(system, hello)); !strings.Contains(body, `"arguments":"{\"text\":\"x = '<&>'\\n\"}"`) || strings.Contains(body, "usage") {
		t.Errorf("got %s, want the file's text, and no usage", body)
	}
	next := chat(system, hello, calls("1"), result("1"))
	if status, body := post(t, s, next); status != 503 || body != "busy" {
		t.Errorf("got %d %s", status, body)
	}
	if _, body := post(t, s, next); !strings.Contains(body, `{\"text\":\"r\"}`) || !strings.Contains(body, `"prompt_tokens":3`) {
		t.Errorf("got %s, want the result's text", body)
	}
	if status, body := post(t, s, next); status != 400 || !strings.Contains(body, "no reply is left") {
		t.Errorf("got %d %s", status, body)
	}
	if got := len(s.Requests()); got != 4 {
		t.Errorf("%d requests are kept, want 4", got)
	}
}

func TestKeys(t *testing.T) {
	s := start(t, Config{Key: "k", Script: Script{Model: "m", Replies: []Reply{{Content: "hi"}}}})
	if status, _ := post(t, s, chat(system, hello)); status != 401 {
		t.Errorf("without the key: %d", status)
	}
}

func TestBrokenScripts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{`, "unexpected EOF"},
		{`{"schema":"x"}`, "schema: got"},
		{`{"schema":"staged-agent/script@1","model":"m","en":[{"text":"x"}]}`, `unknown field "text"`},
		{`{"schema":"staged-agent/script@1","en":[{"content":"x"}]}`, "model: it has no name"},
		{`{"schema":"staged-agent/script@1","model":"m","zh":[{"content":"x"}]}`, "there is no reply"},
		{`{"schema":"staged-agent/script@1","model":"m","en":[{"calls":[{"id":"1"}]}]}`, "a call without a tool"},
	} {
		_, err := Load(fstest.MapFS{"s.json": {Data: []byte(c.text)}}, "s.json", "en")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.text, err, c.want)
		}
	}
}
