package stages

import (
	"bytes"
	"strings"
	"testing"
)

func anyTool(string) bool { return true }

func TestTableIsSound(t *testing.T) {
	if err := Check(All(), anyTool); err != nil {
		t.Fatal(err)
	}
}

func TestCheckReportsEveryFault(t *testing.T) {
	table := []Stage{
		{ID: Requirements, Role: Text{EN: "x", ZH: "x"}, On: []Transition{{Signal: "go", To: "nowhere", Handoff: "none"}}, Share: 101},
		{ID: "unwritten", Tools: []string{"a", "a"}},
		{ID: Requirements, Role: Text{EN: "x", ZH: "x"}, On: []Transition{{Signal: "missing", To: Done}}},
	}
	err := Check(table, func(name string) bool { return name != "missing" })
	if err == nil {
		t.Fatal("a broken table passed")
	}
	for _, want := range []string{"named twice", `"nowhere"`, "handoff none", "share is 101", "has no transition", `"a" stands there twice`, "no role in zh", "no prompt in en", `no tool "missing"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
}

func TestHandoffsNameWhatTheyHandOver(t *testing.T) {
	h := Handoff{
		Task: "THETASK", Requirements: []Requirement{{"KEY", "VALUE <&>"}}, Summary: "SUMMARY",
		File: "FILE.py", Files: []string{"FILE.py", "test_FILE.py"}, Issues: []string{"ISSUE {{one}}", "ISSUE two"},
		Revision: 2, MaxRevisions: 3, Seeded: true,
	}
	wants := map[string][]string{
		"requirements": {"THETASK", "KEY", "VALUE <&>", "SUMMARY"},
		"submission":   {"FILE.py", "test_FILE.py", "KEY", "VALUE <&>", "2"},
		"issues":       {"ISSUE {{one}}", "ISSUE two", "2", "3"},
	}
	for name, texts := range wants {
		for _, lang := range Langs() {
			got, err := HandoffText(name, lang, h)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range texts {
				if !strings.Contains(got, want) {
					t.Errorf("%s.%s lacks %q:\n%s", name, lang, want, got)
				}
			}
		}
	}
}

func TestListShowsEveryPartOfEveryStage(t *testing.T) {
	for _, lang := range Langs() {
		var b bytes.Buffer
		if err := List(&b, lang); err != nil {
			t.Fatal(err)
		}
		for _, s := range All() {
			prompt, _ := Prompt(s.ID, lang)
			wants := append(s.Offered(), string(s.ID), s.Role.In(lang))
			wants = append(wants, strings.Split(prompt, "\n")...)
			for _, want := range wants {
				if !strings.Contains(b.String(), want) {
					t.Errorf("%s: the list lacks %q", lang, want)
				}
			}
		}
	}
}
