package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/staged-agent/staged-agent/agent"
)

// A jsonLines prints each event as one JSON object on one line: type, seq and
// time first, then the event's own fields.
type jsonLines struct{ w io.Writer }

// Write prints one event.
func (j jsonLines) Write(r agent.Record) error {
	var fields bytes.Buffer
	enc := json.NewEncoder(&fields)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r.Event); err != nil {
		return err
	}
	body := bytes.TrimPrefix(bytes.TrimSpace(escapeControls(fields.Bytes())), []byte("{"))
	comma := ","
	if bytes.Equal(body, []byte("}")) {
		comma = ""
	}
	_, err := fmt.Fprintf(j.w, `{"type":%q,"seq":%d,"time":%q%s%s`+"\n", r.Event.Type(), r.Seq, r.Time.UTC().Format(time.RFC3339Nano), comma, body)
	return err
}

// escapeControls writes the control and format characters that JSON admits as
// they are (DEL, C1, the marks that turn the direction of text) as \u escapes:
// the lines may be shown on a terminal.
func escapeControls(text []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case r < 0x7f || !unicode.Is(unicode.C, r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}
