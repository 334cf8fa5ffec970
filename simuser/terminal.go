package simuser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// maxAnswer is how many bytes one line of answer may have.
const maxAnswer = 1 << 20

// A Terminal asks a person, one line an answer.
type Terminal struct {
	in   io.Reader
	out  io.Writer
	lang string
	show func(string) string
	echo bool // nobody sees what is typed: it comes from a pipe

	start sync.Once
	lines chan line
}

type line struct {
	text string
	err  error // of the end of the input
}

// NewTerminal asks on out and reads answers from in, which it reads to its end
// in the background from the first question on. show makes a question fit to be
// printed: a model wrote it, and it may hold escape sequences. With echo the
// answers are printed, too: they come from a pipe, and nobody has seen them.
func NewTerminal(in io.Reader, out io.Writer, lang string, show func(string) string, echo bool) *Terminal {
	return &Terminal{in: in, out: out, lang: lang, show: show, echo: echo, lines: make(chan line)}
}

// Ask prints a question and waits for a line. An empty line means "no special
// wish". The error is ErrNobody if the input has ended, the context's if that
// ended first, or what went wrong on reading.
func (t *Terminal) Ask(ctx context.Context, question string) (Answer, error) {
	t.start.Do(func() { go t.read() })
	prompt := say(t.lang, "your answer (empty: no special wish)> ", "你的回答（直接回车：没有特别要求）> ")
	if _, err := fmt.Fprintf(t.out, "\n%s\n%s", t.show(question), prompt); err != nil {
		return Answer{}, err
	}
	select {
	case <-ctx.Done():
		return Answer{}, errors.Join(ctx.Err(), t.endLine(""))
	case l := <-t.lines:
		if l.err != nil {
			return Answer{}, errors.Join(l.err, t.endLine(""))
		}
		text := typed(l.text)
		if t.echo {
			if err := t.endLine(text); err != nil {
				return Answer{}, err
			}
		}
		if text == "" {
			text = noWish(t.lang)
		}
		return Answer{Text: text}, nil
	}
}

// endLine ends the line that the prompt has begun.
func (t *Terminal) endLine(text string) error {
	_, err := fmt.Fprintln(t.out, t.show(text))
	return err
}

// keys are what a terminal sends for arrows, Home, End and the like.
var keys = regexp.MustCompile("\x1b(\\[[0-9;?]*[ -/]*[@-~]|O[@-~]|.)?")

// typed is a line without the keys that are no text.
func typed(text string) string {
	text = keys.ReplaceAllString(strings.ToValidUTF8(text, "\ufffd"), "")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return -1
		}
		return r
	}, text)
	return strings.TrimSpace(text)
}

// read sends every line, and from the end of the input on its error. It lives
// as long as the program: a read of a terminal cannot be called off.
func (t *Terminal) read() {
	scanner := bufio.NewScanner(t.in)
	scanner.Buffer(nil, maxAnswer)
	for scanner.Scan() {
		t.lines <- line{text: scanner.Text()}
	}
	err := scanner.Err()
	switch {
	case err == nil:
		err = ErrNobody
	case errors.Is(err, bufio.ErrTooLong):
		err = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	default:
		err = fmt.Errorf("reading the answer: %w", err)
	}
	for {
		t.lines <- line{err: err}
	}
}
