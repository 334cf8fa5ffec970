package simuser

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const book = `{"schema": "staged-agent/playbook@1",
 "entries": [
  {"id": "depth", "key": {"en": "depth", "zh": "范围"}, "keywords": {"en": ["sub-folder", "level"], "zh": ["子文件夹"]},
   "answer": {"en": "This level only.", "zh": "只整理这一层。"}},
  {"id": "clash", "key": {"en": "names", "zh": "文件名"}, "keywords": {"en": ["same name", "overwrite"], "zh": ["同名", "覆盖"]},
   "answer": {"en": "Number it.", "zh": "加编号。"}}],
 "default": {"en": "No wish.", "zh": "没有要求。"}}`

func load(t *testing.T, lang string) *Playbook {
	t.Helper()
	p, err := LoadPlaybook([]byte(book), lang)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ask(t *testing.T, u interface {
	Ask(context.Context, string) (Answer, error)
}, question string) Answer {
	t.Helper()
	a, err := u.Ask(context.Background(), question)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestPlaybookAnswers(t *testing.T) { // A10
	for _, c := range []struct {
		name, lang, question string
		want                 Answer
	}{
		{"keyword", "en", "Are Sub-Folders included?", Answer{Text: "This level only.", FactID: "depth"}},
		{"Chinese", "zh", "遇到同名文件怎么办？", Answer{Text: "加编号。", FactID: "clash"}},
		{"more hits win", "en", "On this level, if there is the same name, overwrite it?", Answer{Text: "Number it.", FactID: "clash"}},
		{"longer words decide", "en", "level same name", Answer{Text: "Number it.", FactID: "clash"}},
		{"no keyword", "en", "Which colour?", Answer{Text: "No wish."}},
		{"the other language's keyword", "en", "子文件夹呢？", Answer{Text: "No wish."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, ask(t, load(t, c.lang), c.question)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Fault 4 of the specification: a model rephrased one question until its steps
// were used up. The answer's entry tells, not the words of the question.
func TestRephrasedQuestionIsARepeat(t *testing.T) {
	p := load(t, "en")
	if a := ask(t, p, "Which level?"); a.Repeat {
		t.Error("the first question counts as a repeat")
	}
	for _, q := range []string{"Which level?", "Shall I go into a sub-folder?", "SUB-FOLDER: yes or no"} {
		a := ask(t, p, q)
		if !a.Repeat || a.FactID != "depth" || !strings.Contains(a.Text, "This level only.") {
			t.Errorf("%q: got %+v, want the same answer as a repeat", q, a)
		}
	}
}

func TestSameQuestionWithoutAnEntryIsARepeat(t *testing.T) {
	for _, u := range []interface {
		Ask(context.Context, string) (Answer, error)
	}{load(t, "zh"), &Silent{Lang: "zh"}} {
		if a := ask(t, u, "要什么颜色？ABC"); a.Repeat {
			t.Errorf("%T: the first question counts as a repeat", u)
		}
		if a := ask(t, u, " 要什么颜色? ａｂｃ!"); !a.Repeat || a.FactID != "" {
			t.Errorf("%T: got %+v, want a repeat", u, a)
		}
		if a := ask(t, u, "要多大？"); a.Repeat {
			t.Errorf("%T: another question counts as a repeat", u)
		}
	}
}

func TestBrokenPlaybooks(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"no JSON", "{\n\"schema\": }", "line 2"},
		{"empty", "", "line 1"},
		{"another schema", `{"schema": "x@1", "default": {"en": "n"}}`, `schema: got "x@1"`},
		{"no default", `{"schema": "staged-agent/playbook@1"}`, "default.en: there is no text"},
		{"misspelt member", `{"schemas": 1}`, `unknown field "schemas"`},
		{"more after it", book + "{}", "after the end"},
		{"id twice", strings.Replace(book, `"id": "clash"`, `"id": "depth"`, 1), `entries[1].id: "depth" is there twice`},
		{"empty keyword", strings.Replace(book, `"sub-folder", "level"`, `"level", " "`, 1), "entries[0].keywords.en[1]"},
		{"no answer", strings.Replace(book, "Number it.", " ", 1), "entries[1].answer.en: there is no text"},
		{"wrong type", strings.Replace(book, `"depth"`, "7", 1), "line 3: entries.id: got a number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := LoadPlaybook([]byte(c.data), "en")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
	if _, err := LoadPlaybook([]byte(book), "fr"); err == nil {
		t.Error("fr: got no error")
	}
}

func FuzzPlaybook(f *testing.F) {
	f.Add([]byte(book), "which sub-folder?")
	f.Add([]byte(`{"entries":[null]}`), "")
	f.Fuzz(func(t *testing.T, data []byte, question string) {
		p, err := LoadPlaybook(data, "en")
		if err != nil {
			return
		}
		for range 2 {
			if a := ask(t, p, question); a.Text == "" {
				t.Errorf("%q: an empty answer", question)
			}
		}
		if a := ask(t, p, question); !a.Repeat {
			t.Errorf("%q: the third time is no repeat", question)
		}
	})
}

func same(s string) string { return s }

func TestTerminalAnswers(t *testing.T) {
	var out bytes.Buffer
	term := NewTerminal(strings.NewReader("  yes \n\n\t\nbad \xff\nab\x1b[D\x1bOHc\x1b[1~\x07\x7f\nlast"), &out, "en", strings.ToUpper, false)
	for i, want := range []string{"yes", "No special wish about this.", "No special wish about this.", "bad \ufffd", "abc", "last"} {
		if got := ask(t, term, "which?").Text; got != want {
			t.Errorf("answer %d: got %q, want %q", i, got, want)
		}
	}
	for range 2 { // an ended input stays ended
		if _, err := term.Ask(context.Background(), "more?"); !errors.Is(err, ErrNobody) {
			t.Errorf("got %v, want ErrNobody", err)
		}
	}
	if !strings.Contains(out.String(), "WHICH?") || strings.Contains(out.String(), "which?") {
		t.Errorf("got %q, want the question as show gives it", out.String())
	}
}

func TestTerminalStopsWithItsContext(t *testing.T) {
	in, _ := io.Pipe()
	term := NewTerminal(in, io.Discard, "zh", same, false)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := term.Ask(ctx, "?"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestTerminalLongAnswers(t *testing.T) {
	long := strings.Repeat("长", 100_000/3)
	term := NewTerminal(strings.NewReader(long+"\n"+strings.Repeat("x", maxAnswer+1)), io.Discard, "en", same, false)
	if got := ask(t, term, "?").Text; got != long {
		t.Errorf("got %d bytes, want %d", len(got), len(long))
	}
	if _, err := term.Ask(context.Background(), "?"); err == nil || errors.Is(err, ErrNobody) {
		t.Errorf("got %v, want an error that tells the limit", err)
	}
}

func TestTerminalEchoesAPipe(t *testing.T) {
	var out bytes.Buffer
	term := NewTerminal(strings.NewReader("yes\n"), &out, "en", same, true)
	ask(t, term, "which?")
	_, _ = term.Ask(context.Background(), "more?")
	if want := "\nwhich?\nyour answer (empty: no special wish)> yes\n\nmore?\nyour answer (empty: no special wish)> \n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
