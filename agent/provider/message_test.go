package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/staged-agent/staged-agent/agent"
)

func TestMessages(t *testing.T) {
	earlier := []agent.Message{{Role: agent.RoleAssistant, Calls: []agent.Call{{ID: "used"}}}}
	for _, c := range []struct {
		name, in string
		content  string
		calls    []agent.Call
		raw      string // "": as it came
	}{
		{name: "kept as it came, members that nobody knows included",
			in:      `{"role":"assistant","content":"a","reasoning_content":"why","extra_content":{"google":{"thought_signature":"s=="}},"zeta":1}`,
			content: "a"},
		{name: "a call", in: `{"role":"assistant","content":null,"tool_calls":[{"id":"functions.x:0","type":"function","index":0,"function":{"name":"x","arguments":"{\"a\":1}"},"extra_content":{"s":1}}]}`,
			calls: []agent.Call{{ID: "functions.x:0", Name: "x", Arguments: `{"a":1}`}}},
		{name: "no id", in: `{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"x","arguments":"{}"}}]}`,
			calls: []agent.Call{{ID: "c0001x001", Name: "x", Arguments: "{}"}},
			raw:   `{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"x","arguments":"{}"},"id":"c0001x001"}]}`},
		{name: "an id that is taken, one that is there twice", in: `{"role":"assistant","content":null,"tool_calls":[{"id":"used","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"x","arguments":"{}"}}]}`,
			calls: []agent.Call{{ID: "c0001x001", Name: "x", Arguments: "{}"}, {ID: "b", Name: "x", Arguments: "{}"}, {ID: "c0001x002", Name: "x", Arguments: "{}"}},
			raw:   `{"role":"assistant","content":null,"tool_calls":[{"id":"c0001x001","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"c0001x002","type":"function","function":{"name":"x","arguments":"{}"}}]}`},
		{name: "broken arguments are told, and never sent back", in: `{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{\"a\":"}}]}`,
			calls: []agent.Call{{ID: "a", Name: "x", Arguments: `{"a":`}},
			raw:   `{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]}`},
		{name: "arguments that are null, a list, an object", in: `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":null}},{"id":"b","type":"function","function":{"name":"x","arguments":"[]"}},{"id":"c","type":"function","function":{"name":"x","arguments":{"k":2}}}]}`,
			calls: []agent.Call{{ID: "a", Name: "x"}, {ID: "b", Name: "x", Arguments: "[]"}, {ID: "c", Name: "x", Arguments: `{"k":2}`}},
			raw:   `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"c","type":"function","function":{"name":"x","arguments":"{\"k\":2}"}}]}`},
		{name: "a name that no tool has", in: `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"写 file\u0000","arguments":"{}"}}]}`,
			calls: []agent.Call{{ID: "a", Name: "写 file\x00", Arguments: "{}"}},
			raw:   `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"__file_","arguments":"{}"}}]}`},
		{name: "nothing at all", in: `{"role":"assistant","content":null}`, raw: `{"role":"assistant","content":"(empty reply)"}`},
		{name: "an empty list of calls", in: `{"role":"assistant","content":"x","tool_calls":[]}`, content: "x", raw: `{"role":"assistant","content":"x"}`},
		{name: "no role", in: `{"content":"x"}`, content: "x", raw: `{"content":"x","role":"assistant"}`},
		{name: "parts", in: `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`, content: "ab"},
		{name: "a refusal", in: `{"role":"assistant","content":null,"refusal":"No."}`, content: "No.", raw: `{"role":"assistant","content":"No.","refusal":"No."}`},
		{name: "the old kind of call", in: `{"role":"assistant","content":"x","function_call":{"name":"f"}}`, content: "x", raw: `{"role":"assistant","content":"x"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, ok := readMessage(json.RawMessage(c.in), newCallIDs(earlier))
			if !ok {
				t.Fatal("not a message")
			}
			if c.raw == "" {
				c.raw = c.in
			}
			if d := cmp.Diff(agent.Message{Role: agent.RoleAssistant, Content: c.content, Calls: c.calls, Raw: json.RawMessage(c.raw)}, m); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzReadReply(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{"}}]}}]}`))
	f.Add([]byte(`{"error":{"message":"x","code":5}}`))
	f.Add([]byte(`[{"error":"x"}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		reply, refusal := readReply(body, nil)
		if refusal != nil {
			if strings.TrimSpace(refusal.message) == "" {
				t.Errorf("%q: a refusal without a word", body)
			}
			return
		}
		sent, err := requestBody("m", agent.Request{System: "s", History: []agent.Message{reply.Message}}, nil)
		if err != nil || !json.Valid(sent) {
			t.Fatalf("%q: what goes back is not JSON: %s (%v)", body, sent, err)
		}
		var back struct {
			Messages []struct {
				Role      string          `json:"role"`
				Content   json.RawMessage `json:"content"`
				ToolCalls []struct {
					ID       string `json:"id"`
					Function struct {
						Arguments string `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(sent, &back); err != nil {
			t.Fatalf("%q: %v\n%s", body, err, sent)
		}
		m := back.Messages[1]
		if m.Role != "assistant" || len(m.ToolCalls) != len(reply.Message.Calls) {
			t.Errorf("%q: goes back as %s", body, sent)
		}
		seen := map[string]bool{}
		for i, c := range m.ToolCalls {
			if c.ID == "" || seen[c.ID] || c.ID != reply.Message.Calls[i].ID || !isObjectText(c.Function.Arguments) {
				t.Errorf("%q: call %d goes back as %+v", body, i, c)
			}
			seen[c.ID] = true
		}
	})
}
