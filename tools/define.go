package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// define makes a tool whose schema and whose decoding come from one type, so
// that they cannot drift apart. A's fields are strings and lists of strings.
func define[A any](name, description string, handle func(context.Context, A, Scene) (Result, error)) (Tool, error) {
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		return Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	narrow(schema)
	text, err := json.Marshal(schema)
	if err != nil {
		return Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	call := func(ctx context.Context, arguments string, s Scene) (Result, error) {
		var args A
		note, err := decode(schema, arguments, &args)
		if err != nil {
			return refuse("%v; call %s again", err, name), nil
		}
		result, err := handle(ctx, args, s)
		if note != "" && err == nil {
			result.Text += "\n(" + note + ")"
		}
		return result, err
	}
	return Tool{Name: name, Description: description, Schema: text, call: call}, nil
}

// narrow takes null from the types of lists: the generator lets every slice be null.
func narrow(s *jsonschema.Schema) {
	for _, p := range s.Properties {
		if slices.Contains(p.Types, "array") {
			p.Types, p.Type = nil, "array"
		}
	}
}

// decode reads a model's arguments into args. The error names the field, what
// came, and what was wanted; the note says what was passed over.
func decode(schema *jsonschema.Schema, arguments string, args any) (note string, err error) {
	fields, err := object(arguments)
	if err != nil {
		return "", err
	}
	for _, name := range schema.Required {
		if _, ok := fields[name]; !ok {
			return "", fmt.Errorf("%s: missing, want %s", name, want(schema.Properties[name]))
		}
	}
	var unknown []string
	for name, value := range fields {
		p, ok := schema.Properties[name]
		if !ok {
			unknown = append(unknown, name)
			delete(fields, name)
			continue
		}
		if got := mismatch(p, value); got != "" {
			return "", fmt.Errorf("%s: got %s, want %s", name, got, want(p))
		}
	}
	clean, err := json.Marshal(fields)
	if err != nil {
		return "", fmt.Errorf("arguments: %w", err)
	}
	if err := json.Unmarshal(clean, args); err != nil {
		return "", fmt.Errorf("arguments: %w", err)
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		for i, name := range unknown {
			unknown[i] = fmt.Sprintf("%q", clip(name, 40))
		}
		note = "unknown arguments were passed over: " + clip(strings.Join(unknown, ", "), 300)
	}
	return note, nil
}

// object reads arguments as a JSON object. Empty text and null are an object
// without fields; a JSON string that holds an object is unwrapped once.
func object(arguments string) (map[string]json.RawMessage, error) {
	text := strings.TrimSpace(arguments)
	if text == "" || text == "null" {
		return map[string]json.RawMessage{}, nil
	}
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil {
		text = strings.TrimSpace(inner)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		if json.Valid([]byte(text)) {
			return nil, fmt.Errorf("arguments: got %s, want a JSON object", kind(json.RawMessage(text)))
		}
		return nil, fmt.Errorf("arguments: not valid JSON (%v), want a JSON object", err)
	}
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	return fields, nil
}

// mismatch says what a value is if it does not fit a property; "" if it fits.
func mismatch(p *jsonschema.Schema, value json.RawMessage) string {
	if p.Type != "array" {
		if got := kind(value); got != want(p) {
			return got
		}
		return ""
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil || items == nil {
		return kind(value)
	}
	for i, item := range items {
		if got := kind(item); got != want(p.Items) {
			return fmt.Sprintf("a list whose entry %d is %s", i+1, got)
		}
	}
	return ""
}

func want(p *jsonschema.Schema) string {
	switch p.Type {
	case "array":
		return "a list of strings"
	case "boolean":
		return "true or false"
	case "string":
		return "a string"
	}
	return "a value of type " + p.Type
}

// kind names what a JSON value is, in the words of want.
func kind(value json.RawMessage) string {
	text := strings.TrimSpace(string(value))
	if text == "" {
		return "nothing"
	}
	switch text[0] {
	case '"':
		return "a string"
	case '[':
		return "a list"
	case '{':
		return "an object"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// clip shortens text to n characters, and says so.
func clip(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:n]) + "…"
}
