package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/staged-agent/staged-agent/agent"
)

// readMessage turns an endpoint's assistant message into ours. The message's
// bytes are kept; they are mended only where sending them back would be
// refused (see the package comment). It reports whether raw is a JSON object.
func readMessage(raw json.RawMessage, ids *callIDs) (agent.Message, bool) {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\ufffd"))
	}
	o, ok := parseObject(raw)
	if !ok {
		return agent.Message{}, false
	}
	m := agent.Message{Role: agent.RoleAssistant, Content: contentText(o.get("content"))}
	mended := o.dropLookalikes("role", "content", "tool_calls", "function_call", "refusal")
	if mendRole(&o) {
		mended = true
	}

	calls, sendable, callsMended := readCalls(o.get("tool_calls"), ids)
	m.Calls = calls
	switch {
	case len(calls) == 0 && o.has("tool_calls"):
		o.drop("tool_calls")
		mended = true
	case callsMended:
		o.set("tool_calls", encodeArray(sendable))
		mended = true
	}
	if mendContent(&o, &m) {
		mended = true
	}
	if mended {
		m.Raw = o.encode()
	} else {
		m.Raw = compact(raw)
	}
	return m, true
}

// mendRole gives the message its role, and takes out a call of the old kind,
// which nobody will answer.
func mendRole(o *object) (mended bool) {
	if o.text("role") != "assistant" {
		o.set("role", quote("assistant"))
		mended = true
	}
	if o.get("function_call") != nil {
		o.drop("function_call")
		mended = true
	}
	return mended
}

// mendContent makes the content one that can be sent back. A refusal, which
// has a member of its own, becomes the content of a message without any.
func mendContent(o *object, m *agent.Message) (mended bool) {
	if len(m.Calls) > 0 {
		content := o.get("content")
		if content == nil || isString(content) || content[0] == '[' {
			return false
		}
		o.set("content", []byte("null"))
		return true
	}
	if strings.TrimSpace(m.Content) != "" {
		return false
	}
	if refusal := o.text("refusal"); strings.TrimSpace(refusal) != "" {
		m.Content = refusal
	}
	o.set("content", textOr(m.Content, emptyReply))
	return true
}

// contentText is the text of a content: a string, or a list of parts, of which
// those with a text count. Everything else is no text.
func contentText(content json.RawMessage) string {
	if isString(content) {
		return stringOf(content)
	}
	var parts []json.RawMessage
	if len(content) == 0 || json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, part := range parts {
		if isString(part) {
			b.WriteString(stringOf(part))
			continue
		}
		if o, ok := parseObject(part); ok {
			switch o.text("type") {
			case "text", "output_text", "":
				b.WriteString(o.text("text"))
			}
		}
	}
	return b.String()
}

// readCalls turns tool_calls into ours, and into what can be sent back for
// them. Elements that are no objects say nothing and are left out.
func readCalls(raw json.RawMessage, ids *callIDs) (calls []agent.Call, sendable []json.RawMessage, mended bool) {
	var elements []json.RawMessage
	if len(raw) == 0 {
		return nil, nil, false
	}
	if json.Unmarshal(raw, &elements) != nil {
		elements, mended = []json.RawMessage{raw}, true // one call without its list
	}
	objects := make([]object, 0, len(elements))
	for _, element := range elements {
		o, ok := parseObject(element)
		if !ok {
			mended = true
			continue
		}
		ids.reserve(o.text("id"))
		objects = append(objects, o)
	}
	for _, o := range objects {
		call, callMended := readCall(&o, ids)
		calls = append(calls, call)
		sendable = append(sendable, o.encode())
		mended = mended || callMended
	}
	return calls, sendable, mended
}

// readCall reads one call, and mends its object.
func readCall(o *object, ids *callIDs) (call agent.Call, mended bool) {
	set := func(in *object, key, value string) {
		if in.text(key) != value || !isString(in.get(key)) {
			in.set(key, quote(value))
			mended = true
		}
	}
	function, ok := parseObject(o.get("function"))
	mended = o.dropLookalikes("id", "type", "function")
	if function.dropLookalikes("name", "arguments") || !ok {
		mended = true
	}
	call = agent.Call{Name: function.text("name"), Arguments: argumentsText(function.get("arguments"))}
	call.ID = ids.take(o.text("id"))

	set(o, "id", call.ID)
	set(o, "type", "function")
	set(&function, "name", sendableName(call.Name))
	set(&function, "arguments", sendableArguments(call.Arguments))
	if mended {
		o.set("function", function.encode())
	}
	return call, mended
}

// argumentsText is the text of arguments: the string that belongs there, or
// the JSON that an endpoint put there unquoted. Absent arguments are "".
func argumentsText(raw json.RawMessage) string {
	if isString(raw) {
		return stringOf(raw)
	}
	return string(compact(raw))
}

// callIDs hands out ids that a conversation does not have yet.
type callIDs struct {
	taken    map[string]bool // by calls of the history, or handed out
	reserved map[string]bool // by calls of the message at hand
	message  int             // the message's place in the history
	next     int
}

// newCallIDs knows the ids of a history. Its own ids depend on nothing but the
// history's length and the order in which they are asked for.
func newCallIDs(history []agent.Message) *callIDs {
	ids := &callIDs{taken: map[string]bool{}, reserved: map[string]bool{}, message: len(history)}
	for _, m := range history {
		for _, call := range m.Calls {
			ids.taken[call.ID] = true
		}
	}
	return ids
}

// reserve keeps an id of the message from being made up for another call.
func (c *callIDs) reserve(id string) {
	c.reserved[id] = true
}

// take returns id, or one of our own if it is missing or taken. Ours have nine
// letters and digits, since Mistral takes no others.
func (c *callIDs) take(id string) string {
	if id == "" || c.taken[id] {
		for id == "" || c.taken[id] || c.reserved[id] {
			c.next++
			id = fmt.Sprintf("c%04dx%03d", c.message, c.next)
		}
	}
	c.taken[id] = true
	return id
}
