package provider

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/staged-agent/staged-agent/agent"
)

// What stands for an empty text, which strict endpoints refuse (and an empty
// tool result loses its content member in the typed client).
const (
	emptyPrompt = "(no text)"
	emptyResult = "(no output)"
	emptyReply  = "(empty reply)"
)

// requestBody writes the whole body of a request. The temperature is left out
// if it is nil.
func requestBody(model string, r agent.Request, temperature *float64) ([]byte, error) {
	body := object{{"model", quote(model)}, {"messages", requestMessages(r)}}
	if len(r.Tools) > 0 {
		tools := make([]json.RawMessage, 0, len(r.Tools))
		for _, spec := range r.Tools {
			tool, err := encodeTool(spec)
			if err != nil {
				return nil, err
			}
			tools = append(tools, tool)
		}
		body.set("tools", encodeArray(tools))
	}
	if temperature != nil {
		body.set("temperature", []byte(strconv.FormatFloat(*temperature, 'f', -1, 64)))
	}
	return body.encode(), nil
}

func requestMessages(r agent.Request) json.RawMessage {
	messages := make([]json.RawMessage, 0, len(r.History)+1)
	messages = append(messages, object{{"role", quote("system")}, {"content", textOr(r.System, emptyPrompt)}}.encode())
	for _, m := range r.History {
		messages = append(messages, encodeMessage(m))
	}
	return encodeArray(messages)
}

func encodeMessage(m agent.Message) json.RawMessage {
	switch m.Role {
	case agent.RoleAssistant:
		if _, ok := parseObject(m.Raw); ok {
			return compact(m.Raw)
		}
		return buildAssistant(m)
	case agent.RoleTool:
		return object{
			{"role", quote("tool")},
			{"tool_call_id", quote(m.CallID)},
			{"content", textOr(m.Content, emptyResult)},
		}.encode()
	default:
		return object{{"role", quote(string(m.Role))}, {"content", textOr(m.Content, emptyPrompt)}}.encode()
	}
}

// buildAssistant writes an assistant message that did not come from an endpoint.
func buildAssistant(m agent.Message) json.RawMessage {
	o := object{{"role", quote("assistant")}}
	if len(m.Calls) == 0 {
		o.set("content", textOr(m.Content, emptyReply))
		return o.encode()
	}
	o.set("content", []byte("null"))
	if m.Content != "" {
		o.set("content", quote(m.Content))
	}
	calls := make([]json.RawMessage, 0, len(m.Calls))
	for _, call := range m.Calls {
		calls = append(calls, encodeCall(call))
	}
	o.set("tool_calls", encodeArray(calls))
	return o.encode()
}

func encodeCall(call agent.Call) json.RawMessage {
	function := object{
		{"name", quote(sendableName(call.Name))},
		{"arguments", quote(sendableArguments(call.Arguments))},
	}
	return object{
		{"id", quote(call.ID)},
		{"type", quote("function")},
		{"function", function.encode()},
	}.encode()
}

func encodeTool(spec agent.ToolSpec) (json.RawMessage, error) {
	schema := spec.Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if _, ok := parseObject(schema); !ok {
		return nil, fmt.Errorf("tool %s: its schema is not a JSON object", spec.Name)
	}
	function := object{{"name", quote(spec.Name)}}
	if spec.Description != "" {
		function.set("description", quote(spec.Description))
	}
	function.set("parameters", schema)
	return object{{"type", quote("function")}, {"function", function.encode()}}.encode(), nil
}

// textOr is text as a JSON string, or placeholder if there is nothing to see in it.
func textOr(text, placeholder string) json.RawMessage {
	if strings.TrimSpace(text) == "" {
		text = placeholder
	}
	return quote(text)
}

// sendableArguments are arguments that every endpoint takes back. One that
// reads them refuses what is not a JSON object, and would do so in every later
// request (crush#3408).
func sendableArguments(arguments string) string {
	if isObjectText(arguments) {
		return arguments
	}
	return "{}"
}

// maxName is the longest tool name that OpenAI takes.
const maxName = 64

// sendableName is a tool name that every endpoint takes back. A name that is
// changed here belongs to no tool, since none has such a name.
func sendableName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unnamed"
	}
	return clean[:min(len(clean), maxName)]
}
