// Package simuser answers the questions of a requirements analyst: from a
// playbook, as a user without preferences, or by asking a person.
//
//	book, err := simuser.LoadPlaybook(data, "en")
//	answer, err := book.Ask(ctx, "Should sub-folders be tidied too?")
//
// A playbook is a JSON file, described at Playbook.
package simuser

import (
	"errors"
	"strings"
	"unicode"
)

// An Answer is what a user says to one question.
type Answer struct {
	Text   string // never empty
	FactID string // the playbook entry it came from; "" for any other answer
	Repeat bool   // the same was asked before, in whatever words
}

// ErrNobody reports that nobody is there to answer: the input has ended.
var ErrNobody = errors.New("nobody is there to answer")

// Languages of the answers.
const (
	english = "en"
	chinese = "zh"
)

// say chooses a text by language; English is for all but Chinese.
func say(lang, en, zh string) string {
	if lang == chinese {
		return zh
	}
	return en
}

// again is an answer that was given before (A10): the user says so, and the
// answer stands there once more, since it may have been overlooked.
func again(lang, text string) string {
	return say(lang, "You have asked this already. My answer is still: ", "这个问题你已经问过了，我的回答还是：") + text
}

// asked remembers questions by what is left of them without width, case,
// punctuation and space.
type asked map[string]bool

// add notes a question and reports whether it was there already.
func (a asked) add(question string) bool {
	key := normal(question)
	was := a[key]
	a[key] = true
	return was
}

// normal reduces a text to its letters and digits: full-width forms narrow,
// upper case low.
func normal(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r >= '！' && r <= '～' { // the full-width forms of ! to ~
			r -= '！' - '!'
		}
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
