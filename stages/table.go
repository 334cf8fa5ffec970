package stages

// requirements asks and records, and never writes code. It is the one stage
// that could talk for ever, so it has a share of the steps and no more.
var requirements = Stage{
	ID:    Requirements,
	Role:  Text{EN: "requirements analyst", ZH: "需求分析师"},
	Tools: []string{"ask_clarifying_question", "save_requirement"},
	On: []Transition{
		{Signal: "complete_requirements_analysis", To: Implementation, Handoff: "requirements"},
	},
	Share: 50,
}

// implementation writes Python to the confirmed requirements, and tries it.
var implementation = Stage{
	ID:    Implementation,
	Role:  Text{EN: "software engineer", ZH: "软件工程师"},
	Tools: []string{"write_file", "read_file", "execute_code"},
	On: []Transition{
		{Signal: "submit_for_review", To: Review, Handoff: "submission"},
	},
	Seeded: true,
}

// review checks with tools, and sends back whatever fails.
var review = Stage{
	ID:    Review,
	Role:  Text{EN: "code reviewer", ZH: "代码审查员"},
	Tools: []string{"run_linter", "run_tests", "analyze_complexity"},
	On: []Transition{
		{Signal: "request_revision", To: Implementation, Handoff: "issues", Revision: true},
		{Signal: "approve_code", To: Done},
	},
	EntryRefused: Text{
		EN: "a review needs a file that was submitted, and a new run has none; start at implementation",
		ZH: "审查需要已提交的文件，而新的运行里还没有；请从 implementation 开始",
	},
}
