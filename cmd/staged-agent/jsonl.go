package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

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
	body := bytes.TrimPrefix(bytes.TrimSpace(fields.Bytes()), []byte("{"))
	comma := ","
	if bytes.Equal(body, []byte("}")) {
		comma = ""
	}
	_, err := fmt.Fprintf(j.w, `{"type":%q,"seq":%d,"time":%q%s%s`+"\n", r.Event.Type(), r.Seq, r.Time.UTC().Format(time.RFC3339Nano), comma, body)
	return err
}
