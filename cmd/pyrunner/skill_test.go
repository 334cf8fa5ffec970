package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// skill is the skill file that coding agents load, with all that it refers to.
const skill = "../../examples/skill"

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

var (
	frontMatter = regexp.MustCompile(`\A---\nname: ([a-z0-9-]{1,64})\ndescription: (.+)\n---\n`)
	link        = regexp.MustCompile(`\]\(([^)]+)\)`)
	snippet     = regexp.MustCompile("(?s)```python\n(.*?)```\n\n```text\n(.*?)```\n")
)

// A loader wants a name, and a description in which it sees when to load.
func TestSkillFiles(t *testing.T) { // R9, issue 4 point 17
	for file, suffix := range map[string]string{"SKILL.md": ".md", "SKILL.zh.md": ".zh.md"} {
		text := read(t, filepath.Join(skill, file))
		head := frontMatter.FindStringSubmatch(text)
		if head == nil || head[1] != "run-python" || len(head[2]) > 1024 {
			t.Errorf("%s: front matter: got %q", file, head)
		}
		links := link.FindAllStringSubmatch(text, -1)
		if len(links) != 5 {
			t.Errorf("%s: got %d guides, want 5", file, len(links))
		}
		for _, l := range links {
			if _, err := os.Stat(filepath.Join(skill, l[1])); err != nil || !strings.HasSuffix(l[1], suffix) {
				t.Errorf("%s: %s: %v", file, l[1], err)
			}
		}
		for _, status := range []int{exitUsage, exitNoUV, exitSyntax, exitDependency, exitTimeout} {
			if !strings.Contains(text, fmt.Sprintf("| %d |", status)) {
				t.Errorf("%s: exit status %d is not explained", file, status)
			}
		}
		if _, err := parse(strings.Fields("--timeout 10m --env GITHUB_TOKEN --with pandas>=2 --json job.py")); err != nil {
			t.Errorf("a command line of the skill: %v", err)
		}
	}
}

// Each snippet of the guides really runs, with what it imports found by reading
// it, and prints what stands below it.
func TestGuides(t *testing.T) {
	guides, _ := filepath.Glob(filepath.Join(skill, "guides", "*.md"))
	if len(guides) != 10 {
		t.Fatalf("got %d guides, want 10", len(guides))
	}
	uses := map[string][]string{
		"data": {"pandas", "numpy"}, "http": {"requests", "httpx"}, "files": {"pathlib", "shutil"},
		"science": {"scipy", "sympy"}, "conversion": {"json", "yaml", "csv"},
	}
	command := build(t)
	for _, guide := range guides {
		t.Run(filepath.Base(guide), func(t *testing.T) {
			text := read(t, guide)
			found := snippet.FindAllStringSubmatch(text, -1)
			if len(found) != strings.Count(text, "```python") || len(found) < 2 {
				t.Fatalf("got %d snippets with output, of %d", len(found), strings.Count(text, "```python"))
			}
			name, _, _ := strings.Cut(filepath.Base(guide), ".")
			for _, module := range uses[name] {
				if !regexp.MustCompile(`(?m)^(import|from) ` + module + `\b`).MatchString(text) {
					t.Errorf("%s is not shown", module)
				}
			}
			for i, s := range found {
				wantRun(t, exec.Command(command, "--timeout", "10m", "-c", s[1]), fmt.Sprint("snippet ", i+1), s[2])
			}
		})
	}
}

// wantRun runs a command in a folder of its own, on the user's uv cache.
func wantRun(t *testing.T, cmd *exec.Cmd, what, want string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &errs
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "TMP="+t.TempDir(), "TEMP="+t.TempDir())
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v: %s", what, err, errs.String())
	}
	if got := out.String(); strings.ReplaceAll(got, "\r\n", "\n") != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
