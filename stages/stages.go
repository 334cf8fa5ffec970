// Package stages is the agent's stages as data: roles, prompts, tools,
// transitions, and the texts that hand one role's work to the next (A2).
//
//	for _, s := range stages.All() {
//		fmt.Println(s.ID, s.Role.In(stages.EN), s.Tools, s.On)
//	}
//
// A stage is one literal in this folder, with its texts in the folder prompts:
// review.en.md and review.zh.md for the stage named review, and
// handoff_NAME.LANG.md for each handoff that a transition names. The texts of
// handoffs are text/template; they are executed with a Handoff.
package stages

// A Lang is the language of a run.
type Lang string

// The languages every text stands in.
const (
	EN Lang = "en"
	ZH Lang = "zh"
)

// Langs returns the languages, the default first.
func Langs() []Lang { return []Lang{EN, ZH} }

// A Text is one short text in every language.
type Text struct{ EN, ZH string }

// In returns the text in one language.
func (t Text) In(lang Lang) string {
	if lang == ZH {
		return t.ZH
	}
	return t.EN
}

// An ID names a stage.
type ID string

// The stages. Done is the end: no stage, but what an approval leads to.
const (
	Requirements   ID = "requirements"
	Implementation ID = "implementation"
	Review         ID = "review"
	Done           ID = "done"
)

// A Stage is one role at work.
type Stage struct {
	ID    ID
	Role  Text
	Tools []string     // work tools, by name
	On    []Transition // signal tools and where they lead

	// EntryRefused says why a run cannot start here; empty where it can.
	EntryRefused Text
	// Seeded stages start, when a run starts in them, with the confirmed
	// requirements that the simulated user would have given.
	Seeded bool
	// Share is the part of the steps left that a turn in this stage may use,
	// in per cent, before the program itself takes the stage's first
	// transition; 0: no such limit. It ends a clarification that would not end.
	Share int
}

// A Transition is a signal tool and where it leads.
type Transition struct {
	Signal   string // name of the tool
	To       ID
	Handoff  string // name of the handoff's text; empty where To is Done
	Revision bool   // it counts as a revision (A5)
}

// Signal returns the transition that a tool makes.
func (s Stage) Signal(tool string) (Transition, bool) {
	for _, t := range s.On {
		if t.Signal == tool {
			return t, true
		}
	}
	return Transition{}, false
}

// Offered returns the names of all tools of the stage: work tools, then signals.
func (s Stage) Offered() []string {
	names := append([]string{}, s.Tools...)
	for _, t := range s.On {
		names = append(names, t.Signal)
	}
	return names
}

// All returns the stages in their order. The first is where a run starts.
func All() []Stage {
	return []Stage{requirements, implementation, review}
}

// Find returns the stage of that name in a table.
func Find(table []Stage, id ID) (Stage, bool) {
	for _, s := range table {
		if s.ID == id {
			return s, true
		}
	}
	return Stage{}, false
}
