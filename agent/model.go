package agent

import (
	"context"
	"encoding/json"
)

// A Model answers requests: an endpoint on the network, or a scripted one.
type Model interface {
	// Complete returns the model's reply to one request. It tells notify, which
	// is never nil, of what a person should know meanwhile: a retry, something
	// that was learned about the endpoint. The error is final: the Model has
	// made its own retries, and its text says what to do.
	Complete(ctx context.Context, r Request, notify func(Notice)) (Reply, error)
}

// A Request is what one step sends: the stage's system prompt, the history, and
// the stage's tools (A1).
type Request struct {
	System  string
	History []Message
	Tools   []ToolSpec
}

// A ToolSpec is a tool as the model sees it.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments
}

// A Role says who speaks in a Message.
type Role string

// The roles of the history. The system prompt is not part of it.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// A Message is one entry of the history.
type Message struct {
	Role    Role            `json:"role"`
	Content string          `json:"content"`
	CallID  string          `json:"call_id,omitempty"` // of a tool result: the call that it answers
	Calls   []Call          `json:"calls,omitempty"`   // of an assistant message
	Raw     json.RawMessage `json:"raw,omitempty"`     // of an assistant message: as the endpoint sent it, fields we do not know included; nil where there is no such thing
}

// A Call is one tool call of a reply. Nothing in it is trusted.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON, if the model kept to the rules
}

// A Reply is a model's answer to a Request.
type Reply struct {
	Message      Message
	FinishReason string // as the endpoint put it: stop, tool_calls, length
	Usage        *Usage // nil: the endpoint reported none
}

// Usage counts tokens as the endpoint reported them.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
}

// A Notice is something a person should know while a request is under way.
type Notice struct {
	Kind string // NoticeLearned or NoticeRetry
	Text string // one sentence
}

// The kinds of Notice.
const (
	NoticeLearned = "learned" // the endpoint wants requests to be different; remembered for the run
	NoticeRetry   = "retry"   // the request will be sent again
)
