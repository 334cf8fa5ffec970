package workspace

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Requirement is one confirmed requirement.
type Requirement struct{ Key, Value string }

// Limits of a requirement, in characters.
const (
	maxKey   = 200
	maxValue = 4000
)

// SaveRequirement records a requirement. A key that is there already, whatever
// its case, gets the new value and keeps its place.
func (w *Workspace) SaveRequirement(key, value string) (Requirement, error) {
	r := Requirement{strings.TrimSpace(key), strings.TrimSpace(value)}
	switch {
	case r.Key == "":
		return r, errors.New("key: it is empty, want a few words")
	case r.Value == "":
		return r, errors.New("value: it is empty, want what was settled")
	case utf8.RuneCountInString(r.Key) > maxKey:
		return r, fmt.Errorf("key: longer than %d characters", maxKey)
	case utf8.RuneCountInString(r.Value) > maxValue:
		return r, fmt.Errorf("value: longer than %d characters", maxValue)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, old := range w.requirements {
		if strings.EqualFold(old.Key, r.Key) {
			r.Key = old.Key
			w.requirements[i] = r
			return r, nil
		}
	}
	w.requirements = append(w.requirements, r)
	return r, nil
}

// Requirements returns what is confirmed, in order.
func (w *Workspace) Requirements() []Requirement {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Requirement{}, w.requirements...)
}

// Evidence is the outcome of one check, tied to the bytes it was made on.
type Evidence struct {
	Check       string // linter, tests or complexity
	File        string
	Hash        string // of File
	Fingerprint string // of all files; for tests, which any file may change
	Passed      bool
	Summary     string
}

// A Gap is why a check does not count for an approval.
type Gap struct {
	Check  string
	Reason string
}

// The reasons of a Gap.
const (
	NeverRan = "it has not been run"
	Stale    = "it was run before the files changed"
	NotPast  = "it did not pass"
)

// Record files the outcome of a check; the latest counts.
func (w *Workspace) Record(e Evidence) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.evidence[e.Check+"\x00"+e.File] = e
}

// Missing returns what an approval of a file lacks: each of the three checks
// must have been made on the bytes as they are now; the linter and the tests
// must have passed.
func (w *Workspace) Missing(file string) ([]Gap, error) {
	now, err := w.Hash(file)
	if err != nil {
		return nil, err
	}
	print, err := w.Fingerprint()
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var gaps []Gap
	for _, check := range []string{"linter", "tests", "complexity"} {
		e, ok := w.evidence[check+"\x00"+file]
		switch {
		case !ok:
			gaps = append(gaps, Gap{check, NeverRan})
		case e.Hash != now || e.Fingerprint != "" && e.Fingerprint != print:
			gaps = append(gaps, Gap{check, Stale})
		case !e.Passed && check != "complexity":
			gaps = append(gaps, Gap{check, NotPast})
		}
	}
	return gaps, nil
}
