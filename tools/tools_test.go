package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/workspace"
)

type echo struct{}

func (echo) Ask(_ context.Context, question string) (string, string, bool, error) {
	return "answer to " + question, "", false, nil
}

type bench struct {
	set *Set
	ws  *workspace.Workspace
}

func newBench(t testing.TB) bench {
	t.Helper()
	ws, err := workspace.Open(filepath.Join(t.TempDir(), "a space 与中文"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	runner, err := pyrunner.New(pyrunner.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	set, err := New(Deps{Workspace: ws, Runner: runner, Asker: echo{}})
	if err != nil {
		t.Fatal(err)
	}
	return bench{set, ws}
}

func (b bench) write(t testing.TB, name, content string) {
	t.Helper()
	if _, err := b.ws.Write(name, []byte(content)); err != nil {
		t.Fatal(err)
	}
}

func (b bench) call(t testing.TB, tool, arguments string) Result {
	t.Helper()
	r, err := b.set.Call(context.Background(), tool, arguments, Scene{Submitted: "tool.py"})
	if err != nil {
		t.Fatalf("%s(%s): %v", tool, arguments, err)
	}
	if strings.TrimSpace(r.Text) == "" {
		t.Errorf("%s(%s): an empty result", tool, arguments)
	}
	return r
}

// the fields of every tool, each with its type.
var fields = map[string]map[string]string{
	"ask_clarifying_question":        {"question": "a string"},
	"save_requirement":               {"key": "a string", "value": "a string"},
	"complete_requirements_analysis": {"summary": "a string"},
	"write_file":                     {"path": "a string", "content": "a string"},
	"read_file":                      {"path": "a string"},
	"execute_code":                   {"code": "a string"},
	"submit_for_review":              {"file": "a string"},
	"run_linter":                     {"file": "a string"},
	"run_tests":                      {"file": "a string"},
	"analyze_complexity":             {"file": "a string"},
	"request_revision":               {"issues": "a list of strings"},
	"approve_code":                   {"comment": "a string"},
}

// Whatever a model writes gets a result that names the field, what came, what
// was wanted, and the next move (A7).
func TestOddArguments(t *testing.T) {
	b := newBench(t)
	if len(b.set.tools) != len(fields) {
		t.Errorf("there are %d tools, and %d in this test", len(b.set.tools), len(fields))
	}
	for tool, types := range fields {
		for _, c := range []struct{ arguments, want string }{
			{`{"`, "arguments: not valid JSON"}, {`[]`, "arguments: got a list, want a JSON object"}, {`7`, "arguments: got a number"},
			{`"text"`, "arguments: not valid JSON"}, {`true`, "arguments: got"},
		} {
			if r := b.call(t, tool, c.arguments); r.Status != Refused || !strings.Contains(r.Text, c.want) || !strings.Contains(r.Text, "call "+tool+" again") {
				t.Errorf("%s(%s): got %s %q, want %q", tool, c.arguments, r.Status, r.Text, c.want)
			}
		}
		for field, kind := range types {
			for value, got := range map[string]string{`null`: "null", `7`: "a number", `true`: "", `{}`: "an object", `[null]`: "", `[7]`: "", `"text"`: "a string", `["x"]`: "a list"} {
				if kind == "a string" && value == `"text"` || kind == "a list of strings" && value == `["x"]` {
					continue
				}
				args := map[string]json.RawMessage{}
				for name, kind := range types {
					args[name] = json.RawMessage(map[string]string{"a string": `"tool.py"`, "a list of strings": `["x"]`}[kind])
				}
				args[field] = json.RawMessage(value)
				text, _ := json.Marshal(args)
				r := b.call(t, tool, string(text))
				if r.Status != Refused || !strings.HasPrefix(r.Text, field+": got "+got) || !strings.Contains(r.Text, "want "+kind) {
					t.Errorf("%s(%s): got %s %q, want %s: got %s…, want %s", tool, text, r.Status, r.Text, field, got, kind)
				}
			}
			for _, none := range []string{``, `null`, `{}`} {
				if r := b.call(t, tool, none); r.Status != Refused || !strings.Contains(r.Text, ": missing, want a ") {
					t.Errorf("%s(%s): got %s %q, want what is missing", tool, none, r.Status, r.Text)
				}
			}
		}
	}
	if files, _ := b.ws.Files(); len(files) > 0 {
		t.Errorf("a refused call has written %v", files)
	}
}

func FuzzArguments(f *testing.F) {
	b := newBench(f)
	for tool := range fields {
		f.Add(tool, `{"file":null,"issues":"x"}`)
	}
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		switch tool {
		case "execute_code", "run_linter", "run_tests", "analyze_complexity":
			return // these start Python
		}
		r, err := b.set.Call(context.Background(), tool, arguments, Scene{})
		if err != nil || strings.TrimSpace(r.Text) == "" {
			t.Errorf("%s(%q): got %q, %v", tool, arguments, r.Text, err)
		}
	})
}

func TestUnknownAndSurplus(t *testing.T) {
	b := newBench(t)
	if r := b.call(t, "rm_rf", `{}`); r.Status != Refused {
		t.Errorf("got %+v", r)
	}
	r := b.call(t, "write_file", `{"path":"a.py","content":"x = 1\n","mode":"w","encoding":null}`)
	if r.Status != OK || !strings.Contains(r.Text, `unknown arguments were passed over: "encoding", "mode"`) {
		t.Errorf("got %s %q", r.Status, r.Text)
	}
	if r := b.call(t, "read_file", `"{\"path\": \"a.py\"}"`); r.Status != OK || r.Text != "x = 1\n" {
		t.Errorf("arguments in a string: got %s %q", r.Status, r.Text)
	}
	if r := b.call(t, "request_revision", `{"issues":[" ",""]}`); r.Status != Refused {
		t.Errorf("issues without a word: got %+v", r)
	}
	if r := b.call(t, "write_file", `{"path":"../x","content":""}`); r.Status != Refused || !strings.Contains(r.Text, "want a relative path inside the workspace") {
		t.Errorf("a path that leaves: got %s %q", r.Status, r.Text)
	}
}

// What the linter of the first program caught, and what it need not say.
func TestLinterFindings(t *testing.T) {
	b := newBench(t)
	doc := "\"\"\"Doc.\"\"\"\n\n"
	for _, c := range []struct{ name, source, want string }{
		{"clean", doc + "X = 1\n", ""},
		{"syntax", doc + "def f(:\n", "tool.py:3:"},
		{"unused import", doc + "import os\n", "F401"},
		{"undefined name", doc + "print(nothing)\n", "F821"},
		{"unused variable", doc + "\ndef f():\n    x = 1\n", "F841"},
		{"bare except", doc + "try:\n    pass\nexcept:\n    pass\n", "E722"},
		{"no docstring", "X = 1\n", "D100"},
		{"a line of 121", doc + "X = \"" + strings.Repeat("x", 115) + "\"\n", "E501"},
		{"a line of 120", doc + "X = \"" + strings.Repeat("x", 114) + "\"\n", ""},
		{"trailing space", doc + "X = 1 \n", "W291"},
		{"tab", doc + "if True:\n\tX = 1\n", "W191"},
		{"noqa does not hide", doc + "import os  # noqa\n", "F401"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.write(t, "tool.py", c.source)
			b.write(t, "ruff.toml", "[lint]\nselect = []\n") // a model's own settings count for nothing
			r := b.call(t, "run_linter", `{"file":"tool.py"}`)
			if c.want == "" && r.Status != OK || c.want != "" && (r.Status != Failed || !strings.Contains(r.Text, c.want)) {
				t.Errorf("got %s %q, want %q", r.Status, r.Text, c.want)
			}
		})
	}
}

func TestComplexity(t *testing.T) {
	b := newBench(t)
	branches := "\"\"\"Doc.\"\"\"\n\n\ndef f(x):\n    \"\"\"Doc.\"\"\"\n"
	for i := range 10 {
		branches += fmt.Sprintf("    if x == %d:\n        return %d\n", i, i)
	}
	b.write(t, "tool.py", branches)
	r := b.call(t, "analyze_complexity", `{"file":"tool.py"}`)
	if r.Status != Failed || !strings.Contains(r.Text, "highest 11, limit 10") || !strings.Contains(r.Text, "tool.py:4 f: cyclomatic 11, nesting 1") {
		t.Errorf("got %s %q", r.Status, r.Text)
	}
	b.write(t, "tool.py", "\"\"\"Doc.\"\"\"\n\nX = [a for a in range(3) if a]\n")
	if r := b.call(t, "analyze_complexity", `{"file":"tool.py"}`); r.Status != OK {
		t.Errorf("got %s %q", r.Status, r.Text)
	}
	b.write(t, "tool.py", "def f(:\n")
	if r := b.call(t, "analyze_complexity", `{"file":"tool.py"}`); r.Status != Failed {
		t.Errorf("a syntax error: got %s %q", r.Status, r.Text)
	}
}

func TestTestRuns(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  map[string]string
		status Status
		want   string
	}{
		{"passing", map[string]string{"test_a.py": "from tool import X\n\n\ndef test_x():\n    assert X == 1\n"}, OK, "1 passed"},
		{"failing", map[string]string{"test_a.py": "def test_x():\n    assert False\n"}, Failed, "1 failed"},
		{"no test in the file", map[string]string{"test_a.py": "X = 1\n"}, Failed, "exit status 5"},
		{"a test that cannot be imported", map[string]string{"test_a.py": "import nothing_of_this_kind_at_all\n"}, Failed, ""},
		{"in a folder", map[string]string{"tests/test_a.py": "from tool import X\n\n\ndef test_x():\n    assert X == 1\n"}, OK, "1 passed"},
		{"a hostile conftest", map[string]string{"test_a.py": "def test_x():\n    assert False\n", "pytest.ini": "[pytest]\naddopts = --collect-only\n"}, Failed, ""},
		{"a test that ends Python", map[string]string{"test_a.py": "import os\n\n\ndef test_x():\n    os._exit(0)\n"}, Failed, "no test was reported"},
		{"only skipped tests", map[string]string{"test_a.py": "import pytest\n\n\n@pytest.mark.skip\ndef test_x():\n    assert False\n"}, Failed, "1 skipped"},
		{"smoke", nil, OK, "smoke run of tool.py"},
		{"smoke, a broken import", map[string]string{"tool.py": "\"\"\"Doc.\"\"\"\n\nraise ValueError(1)\n"}, Failed, "ValueError"},
		{"smoke, broken --help", map[string]string{"tool.py": "import argparse\n\nif __name__ == '__main__':\n    p = argparse.ArgumentParser()\n    p.add_argument('x', help='100%')\n    p.parse_args()\n"}, Failed, "--help"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.write(t, "tool.py", "\"\"\"Doc.\"\"\"\n\nX = 1\n")
			for name, content := range c.files {
				b.write(t, name, content)
			}
			before, _ := b.ws.Fingerprint()
			r := b.call(t, "run_tests", `{"file":"tool.py"}`)
			if r.Status != c.status || !strings.Contains(r.Text, c.want) {
				t.Errorf("got %s %q, want %s with %q", r.Status, r.Text, c.status, c.want)
			}
			if after, _ := b.ws.Fingerprint(); after != before {
				t.Error("the test run has changed the workspace")
			}
		})
	}
}

func TestExecuteCode(t *testing.T) {
	b := newBench(t)
	b.write(t, "mod.py", "WORD = 'imported'\n")
	for _, c := range []struct {
		name, code string
		status     Status
		want       string
	}{
		{"imports the workspace's files", "from mod import WORD\nprint(WORD)\n", OK, "imported"},
		{"runs in its folder", "print(open('mod.py').read())\n", OK, "WORD = "},
		{"no input", "input()\n", Failed, "EOFError"},
		{"exit status", "raise SystemExit(7)\n", Failed, "exit status 7"},
		{"syntax", "def f(:\n", Failed, "line 1"},
		{"nothing printed", "x = 1\n", OK, "(no output)"},
		{"a lot printed", "print('x' * 100000)\n", OK, "characters left out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args, _ := json.Marshal(map[string]string{"code": c.code})
			if r := b.call(t, "execute_code", string(args)); r.Status != c.status || !strings.Contains(r.Text, c.want) || len(r.Text) > 3*outputLimit {
				t.Errorf("got %s %q, want %s with %q", r.Status, r.Text, c.status, c.want)
			}
		})
	}
	if entries, _ := os.ReadDir(b.ws.Dir()); len(entries) != 1 {
		t.Errorf("the workspace now holds %v", entries)
	}
}

// What lies above the workspace has no say in its tests.
func TestNothingAboveTheWorkspaceCounts(t *testing.T) {
	b := newBench(t)
	above := filepath.Dir(b.ws.Dir())
	for name, text := range map[string]string{
		"conftest.py": "raise SystemExit('conftest!')\n", "pytest.ini": "[pytest]\naddopts = --collect-only\n",
		"ruff.toml": "[lint]\nselect = []\n", "pyproject.toml": "broken",
	} {
		if err := os.WriteFile(filepath.Join(above, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.write(t, "tool.py", "\"\"\"Doc.\"\"\"\n\nX = 1\n")
	b.write(t, "test_tool.py", "from tool import X\n\n\ndef test_x():\n    assert X == 1\n")
	for _, check := range []string{"run_linter", "run_tests", "analyze_complexity"} {
		if r := b.call(t, check, `{"file":"tool.py"}`); r.Status != OK {
			t.Errorf("%s: got %s %q", check, r.Status, r.Text)
		}
	}
}

// A checker that cannot be had says nothing of the code: the run ends with that.
func TestMissingCheckersAreFaults(t *testing.T) {
	b := newBench(t)
	runner, err := pyrunner.New(pyrunner.Config{Offline: true, StateDir: t.TempDir(), LookupEnv: func(name string) (string, bool) {
		if name == "UV_CACHE_DIR" {
			return filepath.Join(b.ws.Dir(), "..", "empty cache"), true
		}
		return os.LookupEnv(name)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	set, err := New(Deps{Workspace: b.ws, Runner: runner, Asker: echo{}})
	if err != nil {
		t.Fatal(err)
	}
	b.write(t, "tool.py", "X = 1\n")
	b.write(t, "test_tool.py", "def test_x():\n    pass\n")
	for _, check := range []string{"run_linter", "run_tests"} {
		if r, err := set.Call(t.Context(), check, `{"file":"tool.py"}`, Scene{}); err == nil {
			t.Errorf("%s: got %+v, want an error", check, r)
		}
	}
}
