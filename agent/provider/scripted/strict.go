package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// A request is the body of a chat completion request, as strict endpoints read it.
type request struct {
	Model       string          `json:"model"`
	Messages    []message       `json:"messages"`
	Tools       []tool          `json:"tools"`
	Temperature json.RawMessage `json:"temperature"`
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []toolCall      `json:"tool_calls"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// notNamed is what no tool's name may hold. A client has to change a name that
// holds it before the call can go back.
var notNamed = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// A refusal is an answer with an error in it, in OpenAI's form.
type refusal struct {
	status         int
	message, param string
}

func (r *refusal) Error() string { return r.message }

func bad(param, format string, args ...any) error {
	return &refusal{status: 400, message: fmt.Sprintf(format, args...), param: param}
}

// parse reads a request and refuses members that no chat request has.
func parse(body []byte) (request, error) {
	var r request
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(&r); err != nil {
		return r, bad("", "We could not parse the JSON body of your request: %v", err)
	}
	if dec.More() {
		return r, bad("", "there is something after the JSON body of your request")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return r, bad("", "the body is no JSON object: %v", err)
	}
	for name := range members {
		if !slices.Contains([]string{"model", "messages", "tools", "temperature"}, name) {
			return r, bad(name, "Unrecognized request argument supplied: %s", name)
		}
	}
	return r, nil
}

// checkTools refuses a tool that no endpoint would take.
func (r request) checkTools() error {
	if r.Tools != nil && len(r.Tools) == 0 {
		return bad("tools", "[] is too short - 'tools'")
	}
	seen := map[string]bool{}
	for i, t := range r.Tools {
		name := t.Function.Name
		var parameters struct {
			Type string `json:"type"`
		}
		switch {
		case t.Type != "function":
			return bad("tools", "tools[%d].type: %q is not 'function'", i, t.Type)
		case !toolName.MatchString(name):
			return bad("tools", "tools[%d].function.name: %q does not match %s", i, name, toolName)
		case seen[name]:
			return bad("tools", "tools[%d].function.name: %q is there twice", i, name)
		case json.Unmarshal(t.Function.Parameters, &parameters) != nil || parameters.Type != "object":
			return bad("tools", "tools[%d].function.parameters: not a schema of an object", i)
		}
		seen[name] = true
	}
	return nil
}

func (r request) offers(name string) bool {
	return slices.ContainsFunc(r.Tools, func(t tool) bool { return t.Function.Name == name })
}

// checkMessages refuses a conversation that does not hold together. known
// reports whether a call is of a tool that was ever offered, or was made here.
func (r request) checkMessages(known func(toolCall) bool) error {
	if len(r.Messages) == 0 {
		return bad("messages", "[] is too short - 'messages'")
	}
	var open []string // calls that wait for their results
	ids := map[string]bool{}
	for i, m := range r.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return bad("messages", "messages[%d]: tool_call_ids did not have response messages: %v", i, open)
		}
		if err := m.check(i); err != nil {
			return err
		}
		switch m.Role {
		case "tool":
			if len(open) == 0 || open[0] != m.ToolCallID {
				return bad("messages", "messages[%d]: role 'tool' must be a response to the next preceding tool call; got %q, want one of %v", i, m.ToolCallID, open)
			}
			open = open[1:]
		case "assistant":
			for _, c := range m.ToolCalls {
				if ids[c.ID] {
					return bad("messages", "messages[%d]: duplicate tool call id %q", i, c.ID)
				}
				if !known(c) {
					return bad("messages", "messages[%d]: tool %q was not offered", i, c.Function.Name)
				}
				ids[c.ID] = true
				open = append(open, c.ID)
			}
		}
	}
	if len(open) > 0 {
		return bad("messages", "tool_call_ids did not have response messages: %v", open)
	}
	if last := r.Messages[len(r.Messages)-1].Role; last == "assistant" || last == "system" {
		return bad("messages", "the last message is of role %q, which asks for nothing", last)
	}
	return nil
}

// check refuses a message that is wrong whatever stands around it.
func (m message) check(i int) error {
	var text string
	isText := json.Unmarshal(m.Content, &text) == nil && string(m.Content) != "null"
	switch m.Role {
	case "system":
		if i > 0 {
			return bad("messages", "messages[%d]: a system message after the first", i)
		}
	case "user", "tool":
		if i == 0 {
			return bad("messages", "messages[0]: want a system message first")
		}
	case "assistant":
		return m.checkAssistant(i, isText, text)
	default:
		return bad("messages", "messages[%d].role: %q is not one of 'system', 'assistant', 'user', 'tool'", i, m.Role)
	}
	switch {
	case !isText || text == "":
		return bad("messages", "messages[%d].content: missing or empty", i)
	case m.ToolCalls != nil:
		return bad("messages", "messages[%d]: tool_calls in a message of role %q", i, m.Role)
	case (m.Role == "tool") != (m.ToolCallID != ""):
		return bad("messages", "messages[%d].tool_call_id: %q in a message of role %q", i, m.ToolCallID, m.Role)
	}
	return nil
}

func (m message) checkAssistant(i int, isText bool, text string) error {
	switch {
	case m.ToolCalls != nil && len(m.ToolCalls) == 0:
		return bad("messages", "messages[%d].tool_calls: [] is too short", i)
	case len(m.ToolCalls) == 0 && (!isText || text == ""):
		return bad("messages", "messages[%d].content: missing or empty, and no tool_calls", i)
	case !isText && len(m.Content) > 0 && string(m.Content) != "null":
		return bad("messages", "messages[%d].content: not a string", i)
	}
	for j, c := range m.ToolCalls {
		var object map[string]json.RawMessage
		switch {
		case c.ID == "":
			return bad("messages", "messages[%d].tool_calls[%d].id: missing", i, j)
		case c.Type != "function":
			return bad("messages", "messages[%d].tool_calls[%d].type: %q is not 'function'", i, j, c.Type)
		case !toolName.MatchString(c.Function.Name):
			return bad("messages", "messages[%d].tool_calls[%d].function.name: %q does not match %s", i, j, c.Function.Name, toolName)
		case json.Unmarshal([]byte(c.Function.Arguments), &object) != nil || object == nil:
			return bad("messages", "messages[%d].tool_calls[%d].function.arguments: not a JSON object", i, j)
		}
	}
	return nil
}
