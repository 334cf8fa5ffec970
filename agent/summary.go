package agent

import (
	"maps"
	"slices"

	"github.com/staged-agent/staged-agent/stages"
	"github.com/staged-agent/staged-agent/tools"
)

// An Outcome says how a run ended.
type Outcome string

// The outcomes.
const (
	Approved           Outcome = "approved"
	RevisionLimit      Outcome = "revision_limit"
	StepLimit          Outcome = "step_limit"
	Stalled            Outcome = "stalled"
	Failed             Outcome = "failed"
	InterruptedOutcome Outcome = "interrupted"
)

// A Summary is what the events of a run add up to.
type Summary struct {
	Steps        int                          `json:"steps"`
	Revisions    int                          `json:"revisions"`
	Actions      map[stages.ID]map[string]int `json:"actions"` // per stage: calls of each tool that were carried out, "message" for replies without a call
	Requirements []stages.Requirement         `json:"requirements"`
	Files        []string                     `json:"files"`  // written, in order of first writing
	Tokens       *Usage                       `json:"tokens"` // null: not every reply came with a count
	Folder       string                       `json:"folder"`

	counted int // replies that came with a count
}

func (s Summary) clone() Summary {
	c := s
	c.Actions = map[stages.ID]map[string]int{}
	for id, counts := range s.Actions {
		c.Actions[id] = maps.Clone(counts)
	}
	c.Requirements = append([]stages.Requirement{}, s.Requirements...)
	c.Files = append([]string{}, s.Files...)
	if c.Steps == 0 || s.counted < s.Steps {
		c.Tokens = nil
	}
	return c
}

// apply adds one event, which happened in a stage.
func (s *Summary) apply(stage stages.ID, e Event) {
	switch e := e.(type) {
	case RunStarted:
		s.Folder = e.Folder
	case StageEntered:
		s.Revisions = e.Revision
	case ModelReplied:
		s.Steps++
		s.count(e.Usage)
		if len(e.Message.Calls) == 0 {
			s.action(stage, "message")
		}
	case ToolAnswered:
		if e.Status != tools.Refused { // what was refused did not happen
			s.action(stage, e.Tool)
		}
	case RequirementSaved:
		s.require(stages.Requirement{Key: e.Key, Value: e.Value})
	case FileWritten:
		if !slices.Contains(s.Files, e.Path) {
			s.Files = append(s.Files, e.Path)
		}
	}
}

func (s *Summary) action(stage stages.ID, name string) {
	if s.Actions == nil {
		s.Actions = map[stages.ID]map[string]int{}
	}
	if s.Actions[stage] == nil {
		s.Actions[stage] = map[string]int{}
	}
	s.Actions[stage][name]++
}

func (s *Summary) count(u *Usage) {
	if u == nil {
		return
	}
	s.counted++
	total := Usage{}
	if s.Tokens != nil {
		total = *s.Tokens
	}
	s.Tokens = &Usage{Prompt: total.Prompt + u.Prompt, Completion: total.Completion + u.Completion}
}

func (s *Summary) require(r stages.Requirement) {
	for i, old := range s.Requirements {
		if old.Key == r.Key {
			s.Requirements[i] = r
			return
		}
	}
	s.Requirements = append(s.Requirements, r)
}
