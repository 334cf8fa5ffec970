package provider

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/staged-agent/staged-agent/agent"
)

// readReply reads the body of a successful answer. If it holds an error in
// place of a reply, or nothing that we can use, fault says what.
func readReply(body []byte, history []agent.Message) (reply agent.Reply, fault *refusal) {
	top, ok := parseObject(body)
	if !ok {
		return agent.Reply{}, unreadable(body)
	}
	if top.get("error") != nil {
		return agent.Reply{}, readRefusal(body)
	}
	var choices []json.RawMessage
	if raw := top.get("choices"); raw != nil {
		_ = json.Unmarshal(raw, &choices) // what is no list holds no choice
	}
	if len(choices) == 0 {
		f := readRefusal(body)
		f.message = "the answer holds no choices: " + f.message
		return agent.Reply{}, f
	}
	choice, _ := parseObject(choices[0])
	if raw := choice.get("error"); raw != nil {
		return agent.Reply{}, readRefusal(object{{"error", raw}}.encode())
	}
	message, ok := readMessage(choice.get("message"), newCallIDs(history))
	if !ok {
		return agent.Reply{}, &refusal{message: "the answer's first choice holds no message: " + excerpt(string(choices[0]))}
	}
	return agent.Reply{
		Message:      message,
		FinishReason: choice.text("finish_reason"),
		Usage:        readUsage(top.get("usage")),
	}, nil
}

// unreadable describes an answer that is not a JSON object.
func unreadable(body []byte) *refusal {
	f := readRefusal(body)
	switch trimmed := bytes.TrimSpace(body); {
	case len(trimmed) == 0:
		f.message = "the answer is empty"
	case bytes.HasPrefix(trimmed, []byte("data:")):
		f.message = "the answer is a stream of events, which was not asked for"
	default:
		f.message = "the answer is not a JSON object: " + f.message
	}
	return f
}

// readUsage reads the token counts; nil if they are not reported as numbers.
func readUsage(raw json.RawMessage) *agent.Usage {
	o, ok := parseObject(raw)
	if !ok {
		return nil
	}
	prompt, promptOK := count(o.get("prompt_tokens"))
	completion, completionOK := count(o.get("completion_tokens"))
	if !promptOK && !completionOK {
		return nil
	}
	return &agent.Usage{Prompt: prompt, Completion: completion}
}

// count reads a number of things, as an integer or as 12.0.
func count(raw json.RawMessage) (int, bool) {
	var n float64
	if len(raw) == 0 || json.Unmarshal(raw, &n) != nil || n < 0 || n > math.MaxInt32 || n != math.Trunc(n) {
		return 0, false
	}
	return int(n), true
}
