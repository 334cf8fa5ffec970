package provider

import (
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// A refusal is what an endpoint said in place of a reply.
type refusal struct {
	message string // for a person; not yet cleaned of keys
	param   string // the request's member at fault, if it was named
	code    string // as the endpoint put it: a word or a number
}

// status is the HTTP status that a refusal names in its code, as OpenRouter
// does when the answer itself has status 200; 0 for none.
func (f *refusal) status() int {
	n, err := strconv.Atoi(f.code)
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// refusesTemperature reports whether the temperature is what was refused (A8).
// Few endpoints name the member at fault, so that the text must do.
func (f *refusal) refusesTemperature() bool {
	return f.param == "temperature" || strings.Contains(strings.ToLower(f.message), "temperature")
}

// readRefusal finds the message in the body of an error, whichever of the
// usual forms it has: an object, a string, a list, {"detail": …}, HTML, text.
func readRefusal(body []byte) *refusal {
	f := &refusal{}
	var value any
	if json.Unmarshal(body, &value) == nil {
		f.read(value, 0)
	} else {
		f.message = plainText(string(body))
	}
	if strings.TrimSpace(f.message) == "" {
		f.message = plainText(string(body))
	}
	if f.message == "" {
		f.message = "no explanation was given"
	}
	return f
}

// maxNesting is how deep the message of an error is looked for.
const maxNesting = 6

// read collects from a JSON value what it says about the error.
func (f *refusal) read(value any, depth int) {
	if depth > maxNesting {
		return
	}
	switch v := value.(type) {
	case string:
		f.add(v)
	case []any:
		for _, element := range v {
			f.read(element, depth+1)
		}
	case map[string]any:
		f.readMap(v, depth)
	}
}

func (f *refusal) readMap(v map[string]any, depth int) {
	if f.param == "" {
		f.param, _ = v["param"].(string)
	}
	if f.code == "" {
		f.code = word(v["code"])
	}
	if f.code == "" {
		f.code = word(v["type"])
	}
	for _, key := range []string{"error", "errors", "message", "detail", "msg"} {
		f.read(v[key], depth+1)
	}
	// OpenRouter says "Provider returned error", and here what the provider said.
	if metadata, ok := v["metadata"].(map[string]any); ok {
		raw, _ := metadata["raw"].(string)
		var nested any
		if json.Unmarshal([]byte(raw), &nested) == nil {
			f.read(nested, depth+1)
		} else {
			f.add(raw)
		}
	}
}

// add appends a sentence to the message, unless it is there already.
func (f *refusal) add(text string) {
	text = plainText(text)
	switch {
	case text == "" || strings.Contains(f.message, text):
	case f.message == "":
		f.message = text
	default:
		f.message += "; " + text
	}
}

// word is a code as text: codes are strings or whole numbers.
func word(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

var (
	hiddenHTML = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)\s*>|<!--.*?-->`)
	titleHTML  = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	tagHTML    = regexp.MustCompile(`(?s)<[/!a-zA-Z][^>]*>`)
	pageHTML   = regexp.MustCompile(`(?is)^\s*(<\?xml[^>]*>\s*)?<(!doctype|html|head|body|title|h1|center)\b`)
	masked     = regexp.MustCompile(`\S*\*{3,}\S*`) // a key that the endpoint itself has half hidden
)

// plainText is a text without markup, on one line.
func plainText(text string) string {
	if pageHTML.MatchString(text) {
		title := ""
		if m := titleHTML.FindStringSubmatch(text); m != nil {
			title = m[1] + " "
		}
		text = html.UnescapeString(tagHTML.ReplaceAllString(title+hiddenHTML.ReplaceAllString(text, " "), " "))
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.Join(strings.Fields(text), " ")
}

// maxExcerpt is how many characters of an endpoint's text a person is shown.
const maxExcerpt = 600

// excerpt is the beginning of a text, without markup and on one line.
func excerpt(text string) string {
	runes := []rune(plainText(text))
	if len(runes) <= maxExcerpt {
		return string(runes)
	}
	return string(runes[:maxExcerpt]) + " …"
}

// shown is an endpoint's text as a person may see it: on one line, without the
// key, and not too long.
func (e Endpoint) shown(text string) string {
	return excerpt(masked.ReplaceAllString(e.redact(plainText(text)), "[key]"))
}
