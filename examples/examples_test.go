package examples_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/staged-agent/staged-agent/examples"
)

const folder = "downloads"

// langs are the languages every text of an example stands in.
var langs = []string{"en", "zh"}

type example struct {
	Schema string            `json:"schema"`
	Task   map[string]string `json:"task"`
}

type playbook struct {
	Schema  string            `json:"schema"`
	Entries []entry           `json:"entries"`
	Default map[string]string `json:"default"`
}

type entry struct {
	ID       string              `json:"id"`
	Key      map[string]string   `json:"key"`
	Keywords map[string][]string `json:"keywords"`
	Answer   map[string]string   `json:"answer"`
}

type script struct {
	Schema string  `json:"schema"`
	Model  string  `json:"model"`
	EN     []reply `json:"en"`
	ZH     []reply `json:"zh"`
}

type reply struct {
	Content string `json:"content"`
	Calls   []call `json:"calls"`
}

type call struct {
	ID   string         `json:"id"`
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

func (s script) replies(lang string) []reply {
	return map[string][]reply{"en": s.EN, "zh": s.ZH}[lang]
}

// calls returns the script's calls in one language, in order.
func (s script) calls(lang string) []call {
	var calls []call
	for _, r := range s.replies(lang) {
		calls = append(calls, r.Calls...)
	}
	return calls
}

// load decodes one file of the example; a field that the format lacks fails the test.
func load[T any](t *testing.T, name string) T {
	t.Helper()
	data, err := examples.Files.ReadFile(path.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var v T
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func checkTexts(t *testing.T, what string, texts map[string]string) {
	t.Helper()
	for _, lang := range langs {
		if strings.TrimSpace(texts[lang]) == "" {
			t.Errorf("%s: no text in %s", what, lang)
		}
	}
}

func TestTask(t *testing.T) {
	got := load[example](t, "task.json")
	if got.Schema != "staged-agent/example@1" {
		t.Errorf("schema %q", got.Schema)
	}
	checkTexts(t, "task", got.Task)
}

func TestPlaybook(t *testing.T) {
	got := load[playbook](t, "playbook.json")
	if got.Schema != "staged-agent/playbook@1" {
		t.Errorf("schema %q", got.Schema)
	}
	checkTexts(t, "default", got.Default)

	ids := map[string]bool{}
	for _, e := range got.Entries {
		if e.ID == "" || ids[e.ID] {
			t.Errorf("id %q is empty or used twice", e.ID)
		}
		ids[e.ID] = true
		checkTexts(t, e.ID+": key", e.Key)
		checkTexts(t, e.ID+": answer", e.Answer)
	}
	if len(got.Entries) != 7 {
		t.Errorf("got %d entries, want one for each of the 7 confirmed requirements", len(got.Entries))
	}
}

// A keyword of two entries could not tell them apart, and would only blur the match.
func TestKeywordsBelongToOneEntry(t *testing.T) {
	for _, lang := range langs {
		owner := map[string]string{}
		for _, e := range load[playbook](t, "playbook.json").Entries {
			if len(e.Keywords[lang]) == 0 {
				t.Errorf("%s %s: no keywords", lang, e.ID)
			}
			for _, word := range e.Keywords[lang] {
				if word == "" || word != strings.ToLower(strings.TrimSpace(word)) {
					t.Errorf("%s %s: keyword %q is empty, not trimmed or not lower case", lang, e.ID, word)
				}
				if other, taken := owner[word]; taken {
					t.Errorf("%s: keyword %q stands in %s and in %s", lang, word, other, e.ID)
				}
				owner[word] = e.ID
			}
		}
	}
}

func TestScriptIsTheSameStoryInBothLanguages(t *testing.T) {
	s := load[script](t, "script.json")
	if s.Schema != "staged-agent/script@1" || s.Model == "" {
		t.Errorf("schema %q, model %q", s.Schema, s.Model)
	}
	outline := func(lang string) [][]string {
		var steps [][]string
		for _, r := range s.replies(lang) {
			var step []string
			for _, c := range r.Calls {
				step = append(step, c.ID+" "+c.Tool)
			}
			steps = append(steps, step)
		}
		return steps
	}
	if diff := cmp.Diff(outline("en"), outline("zh")); diff != "" {
		t.Errorf("en and zh differ (-en +zh):\n%s", diff)
	}
	if n := len(s.EN); n == 0 || n >= 30 {
		t.Errorf("%d replies, want 1 to 29", n)
	}
}

// argNames are the arguments of each tool that the script may call (rule A2's table in the specification).
var argNames = map[string][]string{
	"ask_clarifying_question":        {"question"},
	"save_requirement":               {"key", "value"},
	"complete_requirements_analysis": {"summary"},
	"write_file":                     {"content", "path"},
	"read_file":                      {"path"},
	"execute_code":                   {"code"},
	"submit_for_review":              {"file"},
	"run_linter":                     {"file"},
	"run_tests":                      {"file"},
	"analyze_complexity":             {"file"},
	"request_revision":               {"issues"},
	"approve_code":                   {"comment"},
}

func TestScriptCalls(t *testing.T) {
	s := load[script](t, "script.json")
	for _, lang := range langs {
		earlier := map[string]bool{}
		for i, r := range s.replies(lang) {
			if len(r.Calls) == 0 {
				t.Errorf("%s reply %d: no call", lang, i)
			}
			for _, c := range r.Calls {
				checkCall(t, lang, c, earlier)
			}
			// Only now: a result of this very reply is not known when the reply is made.
			for _, c := range r.Calls {
				if c.ID == "" || earlier[c.ID] {
					t.Errorf("%s reply %d: id %q is empty or used twice", lang, i, c.ID)
				}
				earlier[c.ID] = true
			}
		}
	}
}

// checkCall checks the call's tool and arguments. A reference must name a file, or one of the earlier calls.
func checkCall(t *testing.T, lang string, c call, earlier map[string]bool) {
	t.Helper()
	var names []string
	for name, value := range c.Args {
		names = append(names, name)
		ref, ok := value.(map[string]any)
		if !ok {
			continue
		}
		file, isFile := ref["$file"].(string)
		id, isResult := ref["$result"].(string)
		switch {
		case len(ref) != 1 || isFile == isResult:
			t.Errorf("%s %s: argument %s: %v is neither a $file nor a $result", lang, c.ID, name, ref)
		case isFile && !strings.HasPrefix(file, lang+"/"):
			t.Errorf("%s %s: %s is of another language", lang, c.ID, file)
		case isFile:
			if _, err := fs.Stat(examples.Files, path.Join(folder, file)); err != nil {
				t.Errorf("%s %s: %v", lang, c.ID, err)
			}
		case !earlier[id]:
			t.Errorf("%s %s: $result names %q, which no earlier reply calls", lang, c.ID, id)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff(argNames[c.Tool], names); diff != "" {
		t.Errorf("%s %s: arguments of %s (-want +got):\n%s", lang, c.ID, c.Tool, diff)
	}
}

// A run that starts at implementation is seeded from the playbook, so both must speak of the same requirements.
func TestScriptSavesRequirementsOfThePlaybook(t *testing.T) {
	s, book := load[script](t, "script.json"), load[playbook](t, "playbook.json")
	for _, lang := range langs {
		var keys []string
		for _, e := range book.Entries {
			keys = append(keys, e.Key[lang])
		}
		saved := 0
		for _, c := range s.calls(lang) {
			if c.Tool != "save_requirement" {
				continue
			}
			saved++
			if key, _ := c.Args["key"].(string); !slices.Contains(keys, key) {
				t.Errorf("%s %s: key %q is not in the playbook", lang, c.ID, key)
			}
			if _, isText := c.Args["value"].(string); isText {
				t.Errorf("%s %s: the value is fixed; it must be what the user answered", lang, c.ID)
			}
		}
		if saved != 5 {
			t.Errorf("%s: %d requirements saved, want 5", lang, saved)
		}
	}
}

func TestEveryFileIsThereInBothLanguagesAndUsed(t *testing.T) {
	s := load[script](t, "script.json")
	files := map[string][]string{}
	for _, lang := range langs {
		used := map[string]bool{}
		for _, c := range s.calls(lang) {
			for _, value := range c.Args {
				if ref, ok := value.(map[string]any); ok {
					file, _ := ref["$file"].(string)
					used[file] = true
				}
			}
		}
		entries, err := fs.ReadDir(examples.Files, path.Join(folder, lang))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			files[lang] = append(files[lang], e.Name())
			if !used[lang+"/"+e.Name()] {
				t.Errorf("%s/%s: the script never writes it", lang, e.Name())
			}
		}
	}
	if diff := cmp.Diff(files["en"], files["zh"]); diff != "" {
		t.Errorf("en and zh hold different files (-en +zh):\n%s", diff)
	}
}
