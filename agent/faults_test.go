package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/staged-agent/staged-agent/agent"
	"github.com/staged-agent/staged-agent/agent/provider/scripted"
	"github.com/staged-agent/staged-agent/stages"
	"github.com/staged-agent/staged-agent/tools"
)

// The seven faults of the first program that was built on this idea. Each test
// is about the whole kind.

func call(id, tool string, args ...string) scripted.Call {
	c := scripted.Call{ID: id, Tool: tool, Args: map[string]any{}}
	for i := 0; i+1 < len(args); i += 2 {
		c.Args[args[i]] = args[i+1]
	}
	return c
}

func replies(calls ...scripted.Call) []scripted.Reply {
	var all []scripted.Reply
	for _, c := range calls {
		all = append(all, scripted.Reply{Calls: []scripted.Call{c}})
	}
	return all
}

// build runs implementation and review only.
func build(t *testing.T, calls ...scripted.Call) trial {
	t.Helper()
	return try(t, scripted.Script{Model: "m", Replies: replies(calls...)}, nil,
		agent.Settings{Task: "x", Lang: stages.EN, Start: stages.Implementation})
}

// results are the answers to the calls of one tool.
func (d trial) results(tool string) []agent.ToolAnswered {
	var all []agent.ToolAnswered
	for _, r := range d.records {
		if e, ok := r.Event.(agent.ToolAnswered); ok && e.Tool == tool {
			all = append(all, e)
		}
	}
	return all
}

func (d trial) wantStatus(t *testing.T, tool string, want ...tools.Status) {
	t.Helper()
	var got []tools.Status
	for _, r := range d.results(tool) {
		got = append(got, r.Status)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v\n%v", tool, got, want, d.results(tool))
	}
}

// 1. A checker put lines in front of the script, so that its first statement was
// no longer first. What must be first: __future__, a coding cookie, a docstring.
func TestFault1CheckersDoNotChangeTheFile(t *testing.T) {
	for name, source := range map[string]string{
		"future":    "\"\"\"Doc.\"\"\"\n\nfrom __future__ import annotations\n\nX: Undefined = 1\n",
		"cookie":    "# -*- coding: latin-1 -*-\n\"\"\"Doc.\"\"\"\n\nassert \"\xe9\" == \"\\xe9\"\n",
		"docstring": "\"\"\"Doc.\"\"\"\n\nassert __doc__ == \"Doc.\"\n",
		"main":      "\"\"\"Doc.\"\"\"\n\nif __name__ == \"__main__\":\n    raise SystemExit(\"run as a program\")\n",
		"help":      "\"\"\"Doc.\"\"\"\n\nimport argparse\n\nif __name__ == \"__main__\":\n    argparse.ArgumentParser().parse_args()\n    raise SystemExit(9)\n",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(source, "\xe9", "é") // what JSON can carry
			if name == "cookie" {
				text = strings.Replace(strings.ReplaceAll(text, "latin-1", "utf-8"), `"\xe9"`, `"\u00e9"`, 1)
			}
			d := build(t, call("w", "write_file", "path", "tool.py", "content", text),
				call("s", "submit_for_review", "file", "tool.py"),
				call("t", "run_tests", "file", "tool.py"), call("c", "analyze_complexity", "file", "tool.py"))
			d.wantStatus(t, "run_tests", tools.OK)
			d.wantStatus(t, "analyze_complexity", tools.OK)
			if got, err := d.ws.Read("tool.py"); err != nil || string(got) != text {
				t.Errorf("the file is now %q (%v), want %q", got, err, text)
			}
			if files, _ := d.ws.Files(); len(files) != 1 {
				t.Errorf("the checks left something behind: %v", files)
			}
		})
	}
}

// 2. Any output with the word Error failed. Exit status and assertions decide.
func TestFault2WordsDecideNothing(t *testing.T) {
	const loud = "\"\"\"Doc.\"\"\"\n\nimport sys\n\nprint(\"Traceback (most recent call last):\\nError: FAILED\")\nprint(\"error: No solution found\", file=sys.stderr)\n"
	d := build(t, call("x1", "execute_code", "code", loud),
		call("x2", "execute_code", "code", "print('all tests passed, 0 errors')\nraise SystemExit(3)\n"),
		call("w", "write_file", "path", "tool.py", "content", loud),
		call("s", "submit_for_review", "file", "tool.py"), call("t", "run_tests", "file", "tool.py"))
	d.wantStatus(t, "execute_code", tools.OK, tools.Failed)
	d.wantStatus(t, "run_tests", tools.OK)
	if text := d.results("execute_code")[1].Text; !strings.HasPrefix(text, "exit status 3") {
		t.Errorf("got %q, want the exit status first", text)
	}
}

const clean = "\"\"\"Doc.\"\"\"\n\n\ndef two():\n    \"\"\"Return 2.\"\"\"\n    return 2\n"

// 3. The reviewer could approve without a check, or after the file had changed.
func TestFault3NoApprovalWithoutEvidence(t *testing.T) {
	write := func(id, text string) scripted.Call {
		return call(id, "write_file", "path", "tool.py", "content", text)
	}
	submit := func(id string) scripted.Call { return call(id, "submit_for_review", "file", "tool.py") }
	checks := func(id string) []scripted.Call {
		return []scripted.Call{call(id+"l", "run_linter", "file", "tool.py"), call(id+"t", "run_tests", "file", "tool.py"),
			call(id+"c", "analyze_complexity", "file", "tool.py")}
	}
	approve := func(id string) scripted.Call { return call(id, "approve_code", "comment", "fine") }
	revise := scripted.Call{ID: "r", Tool: "request_revision", Args: map[string]any{"issues": []string{"again"}}}

	t.Run("no check", func(t *testing.T) {
		d := build(t, write("w", clean), submit("s"), approve("a"))
		d.wantStatus(t, "approve_code", tools.Refused)
	})
	t.Run("one is missing", func(t *testing.T) {
		for i := range 3 {
			some := slices.Delete(checks("c"), i, i+1)
			d := build(t, slices.Concat([]scripted.Call{write("w", clean), submit("s")}, some, []scripted.Call{approve("a")})...)
			d.wantStatus(t, "approve_code", tools.Refused)
		}
	})
	t.Run("one has failed", func(t *testing.T) {
		d := build(t, slices.Concat([]scripted.Call{write("w", "import os\n"), submit("s")}, checks("c"), []scripted.Call{approve("a")})...)
		d.wantStatus(t, "approve_code", tools.Refused)
	})
	t.Run("the file has changed since", func(t *testing.T) {
		d := build(t, slices.Concat([]scripted.Call{write("w", clean), submit("s")}, checks("c"),
			[]scripted.Call{revise, write("w2", clean+"\n\nX = 1\n"), submit("s2"), approve("a")}, checks("d"), []scripted.Call{approve("b")})...)
		d.wantStatus(t, "approve_code", tools.Refused, tools.OK)
		if d.end.Outcome != agent.Approved {
			t.Errorf("got %s, want an approval once every check was made again", d.end.Outcome)
		}
	})
	t.Run("another file has changed since", func(t *testing.T) {
		d := build(t, slices.Concat([]scripted.Call{write("w", clean), submit("s")}, checks("c"),
			[]scripted.Call{revise, call("w2", "write_file", "path", "test_tool.py", "content", "def test_no():\n    assert False\n"), submit("s2"), approve("a")})...)
		d.wantStatus(t, "approve_code", tools.Refused)
	})
	t.Run("checks and approval in one message", func(t *testing.T) {
		script := replies(write("w", clean), submit("s"))
		script = append(script, scripted.Reply{Calls: append([]scripted.Call{approve("a")}, checks("c")...)},
			scripted.Reply{Calls: append(checks("d"), approve("b"))})
		d := try(t, scripted.Script{Model: "m", Replies: script}, nil, agent.Settings{Task: "x", Lang: stages.EN, Start: stages.Implementation})
		d.wantStatus(t, "approve_code", tools.Refused, tools.OK)
	})
}

// 4. A strong model rephrased one question until its steps were used up. The
// stage has a share of the steps; then the program hands over what there is.
func TestFault4EndlessQuestionsStillDeliver(t *testing.T) {
	for _, lang := range stages.Langs() {
		var calls []scripted.Call
		for i := range 60 {
			question := fmt.Sprintf("Variant %d: what about files of the same name?", i)
			if lang == stages.ZH {
				question = fmt.Sprintf("换个说法（%d）：同名的文件怎么处理？", i)
			}
			calls = append(calls, call(fmt.Sprintf("q%d", i), "ask_clarifying_question", "question", question))
		}
		calls = append(calls, call("w", "write_file", "path", "tool.py", "content", clean), call("s", "submit_for_review", "file", "tool.py"),
			call("l", "run_linter", "file", "tool.py"), call("t", "run_tests", "file", "tool.py"),
			call("c", "analyze_complexity", "file", "tool.py"), call("a", "approve_code", "comment", "fine"))
		d := try(t, scripted.Script{Model: "m", Replies: replies(calls...)}, nil, agent.Settings{Task: "x", Lang: lang, Start: stages.Requirements})
		if d.end.Outcome != agent.Approved || d.end.Steps > agent.DefaultMaxSteps {
			t.Errorf("%s: got %s after %d steps, want an approval", lang, d.end.Outcome, d.end.Steps)
		}
		asked := len(d.results("ask_clarifying_question"))
		if asked > agent.DefaultMaxSteps/2 {
			t.Errorf("%s: %d questions", lang, asked)
		}
		repeats := 0
		for _, r := range d.records {
			if q, ok := r.Event.(agent.QuestionAnswered); ok && q.Repeat {
				repeats++
			}
		}
		if repeats != asked-1 {
			t.Errorf("%s: %d of %d questions count as repeats, want all but the first", lang, repeats, asked)
		}
	}
}

// 5. Code that the model wrote ran with the keys in its environment.
func TestFault5NoKeyReachesCode(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_PASSWORD"} {
		t.Setenv(name, "secret-in-the-environment")
	}
	const spy = `import os, subprocess, sys
seen = repr(dict(os.environ)) + subprocess.run([sys.executable, "-c", "import os; print(dict(os.environ))"], capture_output=True, text=True).stdout
for pid in [os.getpid(), os.getppid()]:
    try:
        seen += open(f"/proc/{pid}/environ").read()
    except OSError:
        pass
print("found" if "secret-in-the-environment" in seen else "clean")
`
	d := build(t, call("x", "execute_code", "code", spy),
		call("w", "write_file", "path", "tool.py", "content", "\"\"\"Doc.\"\"\"\n"+spy),
		call("w2", "write_file", "path", "test_tool.py", "content", "import os\n\n\ndef test_env():\n    assert \"secret-in-the-environment\" not in repr(dict(os.environ))\n"),
		call("s", "submit_for_review", "file", "tool.py"), call("t", "run_tests", "file", "tool.py"))
	if text := d.results("execute_code")[0].Text; !strings.Contains(text, "clean") || strings.Contains(text, "found") {
		t.Errorf("got %q", text)
	}
	d.wantStatus(t, "run_tests", tools.OK)
}

// 6. Files lived in memory, and nothing was counted.
func TestFault6FilesAreOnDiskAndTokensAreCounted(t *testing.T) {
	script := replies(call("w", "write_file", "path", "pkg/tool.py", "content", clean), call("s", "submit_for_review", "file", "pkg/tool.py"))
	script[0].Usage, script[1].Usage = &scripted.Usage{Prompt: 100, Completion: 10}, &scripted.Usage{Prompt: 200, Completion: 20}
	two := 2
	settings := agent.Settings{Task: "x", Lang: stages.EN, Start: stages.Implementation, MaxSteps: &two}
	d := try(t, scripted.Script{Model: "m", Replies: script}, nil, settings)
	got, err := os.ReadFile(filepath.Join(d.ws.Dir(), "pkg", "tool.py"))
	if err != nil || string(got) != clean {
		t.Errorf("got %q (%v), want the file on disk", got, err)
	}
	if d.end.Tokens == nil || *d.end.Tokens != (agent.Usage{Prompt: 300, Completion: 30}) {
		t.Errorf("got %v tokens, want 300 and 30", d.end.Tokens)
	}
	script[1].Usage = nil
	if d := try(t, scripted.Script{Model: "m", Replies: script}, nil, settings); d.end.Tokens != nil {
		t.Errorf("got %v tokens, want unknown where a reply came without a count", d.end.Tokens)
	}
}
