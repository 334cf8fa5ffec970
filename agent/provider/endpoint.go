package provider

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// An Endpoint is where requests go, and what is asked for there. However it is
// printed, its key is not.
type Endpoint struct {
	BaseURL     string   // such as https://api.openai.com/v1, without /chat/completions
	BaseURLFrom string   // the variable that BaseURL came from; "" for one that is built in
	Key         string   // "": requests go out without an Authorization header
	KeyFrom     string   // the variable that Key came from; "" for none
	Model       string   // as it goes over the wire
	Asked       string   // the model the user named or got by default; differs from Model where OpenRouter needs another name
	Temperature *float64 // 0 to 2; nil: not sent
}

// Renamed reports whether the endpoint is asked for another model than the user named.
func (e Endpoint) Renamed() bool {
	return e.Asked != "" && e.Asked != e.Model
}

// String names the model and the address, and the variable that the key came from.
func (e Endpoint) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s", e.Model, shownURL(e.BaseURL))
	if e.Renamed() {
		fmt.Fprintf(&b, " (asked for as %s)", e.Asked)
	}
	switch {
	case e.KeyFrom != "":
		fmt.Fprintf(&b, ", key from %s", e.KeyFrom)
	case e.Key == "":
		b.WriteString(", no key")
	}
	return e.redact(b.String())
}

// Format prints String for every verb, so that no verb prints the key.
func (e Endpoint) Format(s fmt.State, verb rune) {
	text := e.String()
	if verb == 'q' {
		text = fmt.Sprintf("%q", text)
	}
	_, _ = io.WriteString(s, text) // fmt reports its own writer's errors
}

// MarshalJSON gives everything but the key.
func (e Endpoint) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		BaseURL     string   `json:"base_url"`
		Model       string   `json:"model"`
		Asked       string   `json:"asked,omitempty"`
		KeyFrom     string   `json:"key_from,omitempty"`
		Temperature *float64 `json:"temperature,omitempty"`
	}{shownURL(e.BaseURL), e.Model, e.Asked, e.KeyFrom, e.Temperature})
}

// redact takes the key out of a text that came from elsewhere. Keys of less
// than four characters are no secrets (local servers take any), and taking
// them out would only garble the text.
func (e Endpoint) redact(text string) string {
	if len(e.Key) < 4 {
		return text
	}
	text = strings.ReplaceAll(text, e.Key, "[key]")
	if escaped := url.QueryEscape(e.Key); escaped != e.Key {
		text = strings.ReplaceAll(text, escaped, "[key]")
	}
	return text
}

// shownURL is an address without its user name, password and query.
func shownURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
