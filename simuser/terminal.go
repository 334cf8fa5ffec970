package simuser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// maxAnswer is how many bytes one line of answer may have.
const maxAnswer = 1 << 20

// A Terminal asks a person, one line an answer.
type Terminal struct {
	in   io.Reader
	out  io.Writer
	lang string
	show func(string) string

	start sync.Once
	lines chan line
}

type line struct {
	text string
	err  error // of the end of the input
}

// NewTerminal asks on out and reads answers from in, which it reads to its end
// in the background from the first question on. show makes a question fit to be
// printed: a model wrote it, and it may hold escape sequences.
func NewTerminal(in io.Reader, out io.Writer, lang string, show func(string) string) *Terminal {
	return &Terminal{in: in, out: out, lang: lang, show: show, lines: make(chan line)}
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
		return Answer{}, ctx.Err()
	case l := <-t.lines:
		if l.err != nil {
			return Answer{}, l.err
		}
		text := strings.TrimSpace(strings.ToValidUTF8(l.text, "\ufffd"))
		if text == "" {
			text = noWish(t.lang)
		}
		return Answer{Text: text}, nil
	}
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
