package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/staged-agent/staged-agent/agent"
)

const key = "sk-secret-0123456789"

// An answer is what a server gives to one request.
type answer struct {
	status int
	header map[string]string
	body   string
}

func ok(message string) answer {
	return answer{status: 200, body: `{"choices":[{"message":` + message + `,"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`}
}

// serve answers with each of the answers in turn, and keeps what it was sent.
// The client's waits are noted and not waited.
func serve(t *testing.T, answers ...answer) (c *Client, sent *[]*http.Request, bodies *[]string, waits *[]time.Duration) {
	t.Helper()
	sent, bodies, waits = &[]*http.Request{}, &[]string{}, &[]time.Duration{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*sent, *bodies = append(*sent, r), append(*bodies, string(body))
		if len(answers) == 0 {
			t.Error("a request too many")
			return
		}
		a := answers[0]
		answers = answers[1:]
		for name, value := range a.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	}))
	t.Cleanup(server.Close)
	temperature := 0.0
	c, err := New(Config{Endpoint: Endpoint{BaseURL: server.URL + "/v1", Key: key, KeyFrom: "OPENAI_API_KEY", Model: "gpt-5.6-luna", Temperature: &temperature}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.jitter = func() float64 { return 0 }
	c.now = func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
	c.sleep = func(ctx context.Context, d time.Duration) error { *waits = append(*waits, d); return ctx.Err() }
	return c, sent, bodies, waits
}

var question = agent.Request{
	System:  "Be <brief> & true.",
	History: []agent.Message{{Role: agent.RoleUser, Content: "Hi"}},
	Tools:   []agent.ToolSpec{{Name: "t", Description: "d", Schema: json.RawMessage(`{"type":"object"}`)}},
}

func ask(t *testing.T, c *Client, r agent.Request) (agent.Reply, []agent.Notice, error) {
	t.Helper()
	var notices []agent.Notice
	reply, err := c.Complete(t.Context(), r, func(n agent.Notice) { notices = append(notices, n) })
	return reply, notices, err
}

// The typed client refuses this model with a temperature by itself, drops a
// temperature of 0 and empty results; on the wire everything stands.
func TestRequestOnTheWire(t *testing.T) {
	c, sent, bodies, _ := serve(t, ok(`{"role":"assistant","content":"Hello"}`))
	r := question
	r.History = append(r.History,
		agent.Message{Role: agent.RoleAssistant, Calls: []agent.Call{{ID: "1", Name: "t", Arguments: ""}}},
		agent.Message{Role: agent.RoleTool, CallID: "1", Content: ""})
	reply, _, err := ask(t, c, r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"gpt-5.6-luna","messages":[{"role":"system","content":"Be <brief> & true."},{"role":"user","content":"Hi"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"t","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"1","content":"(no output)"}],` +
		`"tools":[{"type":"function","function":{"name":"t","description":"d","parameters":{"type":"object"}}}],"temperature":0}`
	if d := cmp.Diff(want, (*bodies)[0]); d != "" {
		t.Error(d)
	}
	h := (*sent)[0].Header
	if got := h.Get("Authorization"); got != "Bearer "+key {
		t.Errorf("Authorization: %q", got)
	}
	if reply.Message.Content != "Hello" || *reply.Usage != (agent.Usage{Prompt: 7, Completion: 3}) || reply.FinishReason != "stop" {
		t.Errorf("got %+v", reply)
	}
}

func TestNoKeyNoAuthorization(t *testing.T) {
	c, sent, _, _ := serve(t, ok(`{"content":"x"}`))
	c, err := New(Config{Endpoint: Endpoint{BaseURL: c.endpoint.BaseURL, Model: "m"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ask(t, c, question); err != nil {
		t.Fatal(err)
	}
	if got := (*sent)[0].Header.Values("Authorization"); len(got) > 0 {
		t.Errorf("Authorization: %q, want none", got)
	}
}

func TestTemperatureRefused(t *testing.T) { // A8
	refusal := answer{status: 400, body: `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model.","param":"temperature"}}`}
	c, _, bodies, _ := serve(t, refusal, ok(`{"content":"a"}`), ok(`{"content":"b"}`))
	_, notices, err := ask(t, c, question)
	if err != nil {
		t.Fatal(err)
	}
	if len(notices) != 1 || notices[0].Kind != agent.NoticeLearned {
		t.Errorf("got %v, want one notice", notices)
	}
	if _, notices, err = ask(t, c, question); err != nil || len(notices) > 0 {
		t.Errorf("the second request: %v, %v", notices, err)
	}
	for i, want := range []bool{true, false, false} {
		if got := strings.Contains((*bodies)[i], `"temperature"`); got != want {
			t.Errorf("request %d: a temperature is %t, want %t", i+1, got, want)
		}
	}
	if with, without := strings.Replace((*bodies)[0], `,"temperature":0`, "", 1), (*bodies)[1]; with != without {
		t.Errorf("the request was changed otherwise:\n%s", cmp.Diff(with, without))
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer answer
		status int
		want   []string
	}{
		{"object", answer{400, nil, `{"error":{"message":"bad tools","code":"x"}}`}, 400, []string{"400 Bad Request: bad tools"}},
		{"string", answer{400, nil, `{"error":"model is required"}`}, 400, []string{"model is required"}},
		{"array", answer{400, nil, `[{"error":{"code":400,"message":"API key not valid","status":"INVALID"}}]`}, 400, []string{"API key not valid"}},
		{"detail", answer{422, nil, `{"detail":[{"loc":["body"],"msg":"field required"}]}`}, 422, []string{"field required"}},
		{"detail text", answer{404, nil, `{"detail":"Not Found"}`}, 404, []string{"Not Found", "--model"}},
		{"HTML", answer{404, nil, "<html><head><title>404 Not Found</title><script>x()</script></head><body><h1>nginx</h1></body></html>"}, 404, []string{"nginx"}},
		{"nothing", answer{418, nil, ""}, 418, []string{"no explanation was given"}},
		{"200 with an error", answer{200, nil, `{"error":{"message":"Provider returned error","code":402,"metadata":{"raw":"{\"error\":{\"message\":\"out of credit\"}}"}}}`}, 402, []string{"402 Payment Required", "out of credit", "credit"}},
		{"200 without choices", answer{200, nil, `{"choices":[]}`}, 200, []string{"holds no choices"}},
		{"200, an error in the choice", answer{200, nil, `{"choices":[{"error":{"message":"overloaded","code":400}}]}`}, 400, []string{"overloaded"}},
		{"200, HTML", answer{200, nil, "<!doctype html><body>Log in</body>"}, 200, []string{"not a JSON object: Log in"}},
		{"200, nothing", answer{200, nil, ""}, 200, []string{"the answer is empty"}},
		{"401", answer{401, nil, `{"error":{"message":"Incorrect API key provided: ` + key + `. Find yours."}}`}, 401, []string{"OPENAI_API_KEY", "[key]"}},
		{"401, half hidden", answer{401, nil, `{"error":{"message":"bad key sk-s*****6789 here"}}`}, 401, []string{"bad key [key] here"}},
		{"403", answer{403, nil, `{"error":{"message":"no access"}}`}, 403, []string{"OPENAI_API_KEY", "may use this model"}},
		{"escape sequences", answer{400, nil, `{"error":{"message":"\u001b[2Jwiped\u202e"}}`}, 400, []string{"[2Jwiped"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, _, _, _ := serve(t, c.answer)
			_, _, err := ask(t, client, question)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if e.Status != c.status {
				t.Errorf("status %d, want %d", e.Status, c.status)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
			for _, text := range []string{err.Error(), fmt.Sprintf("%+v", client), fmt.Sprintf("%#v", client)} {
				if strings.Contains(text, key) || strings.ContainsAny(text, "\x1b\u202e") {
					t.Errorf("got %q, want neither key nor escape sequence in it", text)
				}
			}
		})
	}
}

func TestRetries(t *testing.T) {
	busy := func(header string) answer {
		a := answer{status: 429, body: `{"error":{"message":"slow down"}}`}
		if header != "" {
			a.header = map[string]string{"Retry-After": header}
		}
		return a
	}
	for _, c := range []struct {
		name    string
		answers []answer
		waits   []time.Duration
		fails   bool
	}{
		{"then it works", []answer{busy(""), {status: 500}, ok(`{"content":"x"}`)}, []time.Duration{500 * time.Millisecond, time.Second}, false},
		{"seconds", []answer{busy("7"), ok(`{"content":"x"}`)}, []time.Duration{7 * time.Second}, false},
		{"a date", []answer{busy("Thu, 01 Jan 2026 00:00:30 GMT"), ok(`{"content":"x"}`)}, []time.Duration{30 * time.Second}, false},
		{"408", []answer{{status: 408}, ok(`{"content":"x"}`)}, []time.Duration{500 * time.Millisecond}, false},
		{"too long", []answer{busy("3600")}, nil, true},
		{"never", []answer{busy(""), busy(""), busy(""), busy("")}, []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}, true},
		{"no quota", []answer{{status: 429, body: `{"error":{"message":"m","code":"insufficient_quota"}}`}}, nil, true},
		{"not worth it", []answer{{status: 400}}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, _, bodies, waits := serve(t, c.answers...)
			_, notices, err := ask(t, client, question)
			if (err != nil) != c.fails {
				t.Errorf("got %v", err)
			}
			if d := cmp.Diff(c.waits, *waits, cmp.Transformer("", func(d []time.Duration) []string { return strings.Fields(fmt.Sprint(d)) })); d != "" {
				t.Error(d)
			}
			if len(notices) != len(c.waits) {
				t.Errorf("%d notices, want one for each of %d waits", len(notices), len(c.waits))
			}
			for _, b := range *bodies {
				if b != (*bodies)[0] {
					t.Error("a retry sent another request")
				}
			}
		})
	}
}

func TestComplete_stopsWithItsContext(t *testing.T) {
	client, _, _, _ := serve(t, answer{status: 503})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := client.Complete(ctx, question, func(agent.Notice) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestRedirects(t *testing.T) {
	client, _, _, _ := serve(t, answer{status: 307, header: map[string]string{"Location": "http://127.0.0.1:1/steal"}})
	_, _, err := ask(t, client, question)
	if err == nil || !strings.Contains(err.Error(), "redirect was not followed") {
		t.Errorf("got %v, want a redirect to another origin not followed", err)
	}
}
