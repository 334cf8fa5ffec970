package simuser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// PlaybookSchema is the schema member of a playbook file:
//
//	{"schema": "staged-agent/playbook@1",
//	 "entries": [{
//	   "id": "depth",
//	   "key": {"en": "depth", "zh": "范围"},
//	   "keywords": {"en": ["sub-folder"], "zh": ["子文件夹"]},
//	   "answer": {"en": "This level only.", "zh": "只整理这一层。"}}],
//	 "default": {"en": "No special wish.", "zh": "没有特别要求。"}}
//
// An entry needs its texts in the language that is read; the other may be absent.
const PlaybookSchema = "staged-agent/playbook@1"

// A Playbook is a simulated user with prepared answers (A10). A question gets
// the answer of the entry with the most keywords in it, the longer keywords
// deciding a tie, and the default answer if it holds no keyword. It is safe for
// concurrent use.
type Playbook struct {
	lang    string
	entries []Entry
	none    string

	mu    sync.Mutex
	given map[string]bool
	asked asked
}

// An Entry is one thing that a playbook's user knows.
type Entry struct {
	ID       string
	Key      string   // the requirement's name
	Keywords []string // in lower case
	Answer   string
}

type playbookFile struct {
	Schema  string         `json:"schema"`
	Entries []playbookItem `json:"entries"`
	Default texts          `json:"default"`
}

type playbookItem struct {
	ID       string              `json:"id"`
	Key      texts               `json:"key"`
	Keywords map[string][]string `json:"keywords"`
	Answer   texts               `json:"answer"`
}

type texts map[string]string

// LoadPlaybook reads a playbook in one language, en or zh. Its error names
// every fault at once, each with its place in the JSON.
func LoadPlaybook(data []byte, lang string) (*Playbook, error) {
	if lang != english && lang != chinese {
		return nil, fmt.Errorf("language %q: want en or zh", lang)
	}
	var file playbookFile
	if err := decodeStrict(data, &file); err != nil {
		return nil, err
	}
	p := &Playbook{lang: lang, given: map[string]bool{}, asked: asked{}}
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if file.Schema != PlaybookSchema {
		bad("schema: got %q, want %q", file.Schema, PlaybookSchema)
	}
	if p.none = strings.TrimSpace(file.Default[lang]); p.none == "" {
		bad("default.%s: there is no text", lang)
	}
	seen := map[string]bool{}
	for i, item := range file.Entries {
		entry, err := item.entry(lang)
		if err != nil {
			errs = append(errs, prefixed(fmt.Sprintf("entries[%d]", i), err))
		}
		if seen[entry.ID] {
			bad("entries[%d].id: %q is there twice", i, entry.ID)
		}
		seen[entry.ID] = true
		p.entries = append(p.entries, entry)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return p, nil
}

// entry is an item in one language.
func (i playbookItem) entry(lang string) (Entry, error) {
	e := Entry{ID: strings.TrimSpace(i.ID), Key: strings.TrimSpace(i.Key[lang]), Answer: strings.TrimSpace(i.Answer[lang])}
	var errs []error
	for _, field := range []struct{ name, value string }{{"id", e.ID}, {"key." + lang, e.Key}, {"answer." + lang, e.Answer}} {
		if field.value == "" {
			errs = append(errs, fmt.Errorf("%s: there is no text", field.name))
		}
	}
	for n, word := range i.Keywords[lang] {
		if word = strings.ToLower(strings.TrimSpace(word)); word == "" {
			errs = append(errs, fmt.Errorf("keywords.%s[%d]: it is empty, and would match every question", lang, n))
		}
		e.Keywords = append(e.Keywords, word)
	}
	if len(e.Keywords) == 0 {
		errs = append(errs, fmt.Errorf("keywords.%s: there is none", lang))
	}
	return e, errors.Join(errs...)
}

// prefixed puts a place in front of each of several errors.
func prefixed(place string, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("%s.%w", place, err)
	}
	var errs []error
	for _, e := range joined.Unwrap() {
		errs = append(errs, fmt.Errorf("%s.%w", place, e))
	}
	return errors.Join(errs...)
}

// decodeStrict reads one JSON value and admits no member that it does not know:
// a misspelt one would otherwise be silently without effect.
func decodeStrict(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return located(data, err, dec.InputOffset())
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is something after the end of the JSON object")
	}
	return nil
}

// located says where in the file a JSON error is.
func located(data []byte, err error, offset int64) error {
	var (
		syntax *json.SyntaxError
		wrong  *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &wrong):
		offset = wrong.Offset
		err = fmt.Errorf("%s: got a %s, want another type", wrong.Field, wrong.Value)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		offset = int64(len(data))
		err = errors.New("the file ends too early")
	}
	before := data[:min(max(offset, 0), int64(len(data)))]
	return fmt.Errorf("line %d: %w", 1+bytes.Count(before, []byte("\n")), err)
}

// Entries returns what the user knows, in the file's order.
func (p *Playbook) Entries() []Entry { return append([]Entry(nil), p.entries...) }

// Ask answers a question. It returns no error.
func (p *Playbook) Ask(_ context.Context, question string) (Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	same := p.asked.add(question)
	entry, ok := p.match(question)
	if !ok {
		if same {
			return Answer{Text: again(p.lang, p.none), Repeat: true}, nil
		}
		return Answer{Text: p.none}, nil
	}
	if p.given[entry.ID] {
		return Answer{Text: again(p.lang, entry.Answer), FactID: entry.ID, Repeat: true}, nil
	}
	p.given[entry.ID] = true
	return Answer{Text: entry.Answer, FactID: entry.ID}, nil
}

// match finds the entry that a question is about.
func (p *Playbook) match(question string) (best Entry, ok bool) {
	question = strings.ToLower(question)
	hits, length := 0, 0
	for _, e := range p.entries {
		h, l := 0, 0
		for _, word := range e.Keywords {
			if strings.Contains(question, word) {
				h++
				l += len([]rune(word))
			}
		}
		if h > hits || h > 0 && h == hits && l > length {
			best, hits, length = e, h, l
		}
	}
	return best, hits > 0
}

// A Silent user has no preference in anything.
type Silent struct {
	Lang string // en or zh

	mu    sync.Mutex
	asked asked
}

// Ask answers that there is no special wish. It returns no error.
func (s *Silent) Ask(_ context.Context, question string) (Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = asked{}
	}
	text := noWish(s.Lang)
	if s.asked.add(question) {
		return Answer{Text: again(s.Lang, text), Repeat: true}, nil
	}
	return Answer{Text: text}, nil
}

// noWish is the answer of someone who has no preference. It consents to nothing.
func noWish(lang string) string {
	return say(lang, "No special wish about this.", "对此没有特别要求。")
}
