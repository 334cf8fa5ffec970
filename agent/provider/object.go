package provider

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// An object is a JSON object whose members keep their order and their bytes.
type object []member

type member struct {
	key   string
	value json.RawMessage
}

// parseObject reads a JSON object, and reports whether raw is one. Of members
// with the same key the last counts, as it does for nearly every reader.
func parseObject(raw []byte) (object, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, false
	}
	var o object
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, false
		}
		o.set(tok.(string), value) // in an object, the decoder lets only strings through here
	}
	if _, err := dec.Token(); err != nil {
		return nil, false
	}
	_, err := dec.Token()
	return o, err == io.EOF
}

// get returns the member's value, and nil if there is none or it is null.
func (o object) get(key string) json.RawMessage {
	for _, m := range o {
		if m.key == key && string(m.value) != "null" {
			return m.value
		}
	}
	return nil
}

// has reports whether there is such a member, be it null.
func (o object) has(key string) bool {
	return slices.ContainsFunc(o, func(m member) bool { return m.key == key })
}

// text returns the member's string, and "" if it is not a string.
func (o object) text(key string) string {
	return stringOf(o.get(key))
}

// set gives a member a new value in its old place, or appends it.
func (o *object) set(key string, value json.RawMessage) {
	for i := range *o {
		if (*o)[i].key == key {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{key, value})
}

func (o *object) drop(key string) {
	*o = slices.DeleteFunc(*o, func(m member) bool { return m.key == key })
}

// dropLookalikes takes out members that differ from one of these only in case:
// readers written in Go, Ollama for one, would take them for it.
func (o *object) dropLookalikes(keys ...string) (dropped bool) {
	before := len(*o)
	*o = slices.DeleteFunc(*o, func(m member) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return m.key != key && strings.EqualFold(m.key, key) })
	})
	return len(*o) < before
}

// encode writes the object without white space.
func (o object) encode() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(m.key))
		b.WriteByte(':')
		b.Write(compact(m.value))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encodeArray writes a JSON array of values.
func encodeArray(values []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, value := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(value)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// compact takes the white space out of valid JSON.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw
	}
	return b.Bytes()
}

// quote writes a JSON string. Unlike json.Marshal it leaves <, > and & alone,
// which models and people read more easily in code.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("provider: a string that cannot be encoded: " + err.Error()) // encoding/json has none
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// stringOf decodes a JSON string, and gives "" for anything else.
func stringOf(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// isString reports whether a valid JSON value is a string.
func isString(raw json.RawMessage) bool {
	return len(raw) > 0 && raw[0] == '"'
}

// isObjectText reports whether a text is one JSON object.
func isObjectText(text string) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &o) == nil && o != nil
}
