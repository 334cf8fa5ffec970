package agent

import (
	"errors"
	"fmt"
	"strings"

	"github.com/staged-agent/staged-agent/stages"
)

// Settings is what shapes a run. No key is among them; they are printed,
// compared and written at the head of a journal.
type Settings struct {
	Task         string      `json:"task"`
	Lang         stages.Lang `json:"lang"`
	Start        stages.ID   `json:"start_stage"`
	MaxRevisions *int        `json:"max_revisions"` // 0 or more; nil: DefaultMaxRevisions
	MaxSteps     *int        `json:"max_steps"`     // 1 or more; nil: DefaultMaxSteps
	Model        string      `json:"model"`         // for people: what the endpoint is asked for
	Endpoint     string      `json:"endpoint"`      // for people: its address
	Scripted     bool        `json:"scripted"`      // the model's replies stand in a file
}

// Limits that hold where Settings names none (A5).
const (
	DefaultMaxRevisions = 3
	DefaultMaxSteps     = 40
)

// Replies without a call, and calls with the same result, that are borne before
// a run is stalled.
const (
	maxSilent = 3
	maxSame   = 3
)

// withDefaults fills in what is not set.
func (s Settings) withDefaults() Settings {
	if s.Lang == "" {
		s.Lang = stages.EN
	}
	if s.Start == "" {
		s.Start = stages.All()[0].ID
	}
	if s.MaxRevisions == nil {
		n := DefaultMaxRevisions
		s.MaxRevisions = &n
	}
	if s.MaxSteps == nil {
		n := DefaultMaxSteps
		s.MaxSteps = &n
	}
	return s
}

// check reports every field that makes no sense.
func (s Settings) check(table []stages.Stage) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if strings.TrimSpace(s.Task) == "" {
		bad("task: it is empty")
	}
	if s.Lang != stages.EN && s.Lang != stages.ZH {
		bad("lang: got %q, want en or zh", s.Lang)
	}
	if start, ok := stages.Find(table, s.Start); !ok {
		bad("start stage: there is no stage %q", s.Start)
	} else if why := start.EntryRefused.In(s.Lang); why != "" {
		bad("start stage: %s: %s", s.Start, why)
	}
	if *s.MaxRevisions < 0 {
		bad("max revisions: got %d, want 0 or more", *s.MaxRevisions)
	}
	if *s.MaxSteps < 1 {
		bad("max steps: got %d, want 1 or more", *s.MaxSteps)
	}
	return errors.Join(errs...)
}
