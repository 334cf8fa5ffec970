// Package scripted is an OpenAI-compatible server whose model is a script: the
// demo's model, and the strict endpoint of the tests.
//
//	script, err := scripted.Load(files, "script.json", "en")
//	server, err := scripted.New(scripted.Config{Script: script, Files: files})
//	err = server.Start()
//	… server.URL() …
//
// It shares no type with the client that it serves, so that both cannot make
// the same mistake, and it refuses what a strict endpoint refuses.
//
// # The script
//
// A script is a JSON file, schema "staged-agent/script@1", with the model's
// name and one list of replies for each language. A reply has these members,
// all of them optional:
//
//	content   the text
//	calls     a list of {"id", "tool", "args"}; "arguments", a string, in place of args is sent as it stands
//	usage     {"prompt": n, "completion": n}; absent: none is reported
//	stray     true: sent although its calls are of tools that are not offered
//	refuse    {"status", "body", "header"}: this answer in place of a reply
//
// In args, {"$file": "name"} stands for the text of a file beside the script,
// and {"$result": "id"} for the result of that earlier call. A request gets the
// next reply whose calls are all of tools that it offers; the replies before
// that one are passed over.
package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// Schema is the schema member of a script.
const Schema = "staged-agent/script@1"

// A Script is what a scripted model says.
type Script struct {
	Model              string // its name; requests for another are refused
	RefusesTemperature bool   // requests with a temperature are refused, as some models do
	Replies            []Reply
}

// A Reply answers one request.
type Reply struct {
	Content string  `json:"content,omitempty"`
	Calls   []Call  `json:"calls,omitempty"`
	Usage   *Usage  `json:"usage,omitempty"`
	Stray   bool    `json:"stray,omitempty"`
	Refuse  *Refuse `json:"refuse,omitempty"`
}

// A Call is one tool call of a Reply.
type Call struct {
	ID        string         `json:"id"`
	Tool      string         `json:"tool"`
	Args      map[string]any `json:"args,omitempty"`
	Arguments *string        `json:"arguments,omitempty"`
}

// Usage is the number of tokens that a Reply reports.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
}

// A Refuse is an HTTP answer that is no reply.
type Refuse struct {
	Status int               `json:"status"`
	Body   string            `json:"body"`
	Header map[string]string `json:"header,omitempty"`
}

// Load reads a script's replies in one language.
func Load(files fs.FS, name, lang string) (Script, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return Script{}, err
	}
	var file struct {
		Schema             string  `json:"schema"`
		Model              string  `json:"model"`
		RefusesTemperature bool    `json:"refuses_temperature"`
		EN                 []Reply `json:"en"`
		ZH                 []Reply `json:"zh"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return Script{}, fmt.Errorf("%s: %w", name, err)
	}
	if file.Schema != Schema {
		return Script{}, fmt.Errorf("%s: schema: got %q, want %q", name, file.Schema, Schema)
	}
	s := Script{Model: file.Model, RefusesTemperature: file.RefusesTemperature, Replies: file.EN}
	if lang == "zh" {
		s.Replies = file.ZH
	}
	if err := s.check(); err != nil {
		return Script{}, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func (s Script) check() error {
	var errs []error
	if s.Model == "" {
		errs = append(errs, errors.New("model: it has no name"))
	}
	if len(s.Replies) == 0 {
		errs = append(errs, errors.New("there is no reply"))
	}
	for i, r := range s.Replies {
		for _, c := range r.Calls {
			if c.Tool == "" {
				errs = append(errs, fmt.Errorf("reply %d: a call without a tool", i+1))
			}
			if c.Args != nil && c.Arguments != nil {
				errs = append(errs, fmt.Errorf("reply %d: call %s has both args and arguments", i+1, c.ID))
			}
		}
	}
	return errors.Join(errs...)
}

// arguments are what a call sends, its placeholders filled in.
func (c Call) arguments(files fs.FS, results map[string]string) (string, error) {
	if c.Arguments != nil {
		return *c.Arguments, nil
	}
	args := map[string]any{}
	for key, value := range c.Args {
		filled, err := fill(value, files, results)
		if err != nil {
			return "", fmt.Errorf("call %s, argument %s: %w", c.ID, key, err)
		}
		args[key] = filled
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(args)
	return string(bytes.TrimSpace(b.Bytes())), err
}

// fill puts a file's or a result's text in a placeholder's place.
func fill(value any, files fs.FS, results map[string]string) (any, error) {
	placeholder, ok := value.(map[string]any)
	if !ok {
		return value, nil
	}
	if name, ok := placeholder["$file"].(string); ok {
		if files == nil {
			return nil, fmt.Errorf("file %s: there are no files", name)
		}
		text, err := fs.ReadFile(files, name)
		return string(text), err
	}
	if id, ok := placeholder["$result"].(string); ok {
		text, ok := results[id]
		if !ok {
			return nil, fmt.Errorf("there is no result of call %s", id)
		}
		return text, nil
	}
	return value, nil
}
