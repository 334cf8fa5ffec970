package stages

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/template"
)

//go:embed prompts/*.md
var prompts embed.FS

// A Handoff is what the text that opens a stage may mention.
type Handoff struct {
	Task         string        // as the user gave it
	Requirements []Requirement // confirmed so far, in order
	Summary      string        // the model's own words, with its signal
	File         string        // that was submitted
	Files        []string      // of the workspace
	Issues       []string      // of a review
	Revision     int           // from 1; 0 before the first
	MaxRevisions int
	Seeded       bool // the run starts in this stage
	Forced       bool // the program made the transition, not the model
}

// A Requirement is one confirmed requirement.
type Requirement struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Prompt returns the system prompt of a stage.
func Prompt(id ID, lang Lang) (string, error) {
	text, err := fs.ReadFile(prompts, fmt.Sprintf("prompts/%s.%s.md", id, lang))
	if err != nil {
		return "", fmt.Errorf("stage %s has no prompt in %s: %w", id, lang, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// HandoffText returns the message that opens a stage.
func HandoffText(name string, lang Lang, h Handoff) (string, error) {
	file := fmt.Sprintf("prompts/handoff_%s.%s.md", name, lang)
	t, err := template.New(file[len("prompts/"):]).Option("missingkey=error").ParseFS(prompts, file)
	if err != nil {
		return "", fmt.Errorf("handoff %s has no text in %s: %w", name, lang, err)
	}
	var b strings.Builder
	if err := t.Execute(&b, h); err != nil {
		return "", fmt.Errorf("handoff %s in %s: %w", name, lang, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// Nudge returns the message for a reply that called no tool (A6), or, if last,
// the final warning before the run ends as stalled.
func Nudge(s Stage, lang Lang, last bool) string {
	tools := strings.Join(s.Offered(), ", ")
	text := Text{
		EN: fmt.Sprintf("That reply called no tool, so nothing happened. As %s you act through your tools: %s. Call one of them now.", s.Role.EN, tools),
		ZH: fmt.Sprintf("刚才的回复没有调用任何工具，所以什么都没有发生。你现在的角色是%s，请通过工具来工作：%s。请立即调用其中一个。", s.Role.ZH, tools),
	}
	if last {
		text.EN += " This is the last reminder: one more reply without a tool call ends the run."
		text.ZH += " 这是最后一次提醒：再有一次不调用工具的回复，运行就会结束。"
	}
	return text.In(lang)
}

// NudgeRepeat returns the message for a call that was made again and again with
// the same result.
func NudgeRepeat(tool string, lang Lang) string {
	return Text{
		EN: fmt.Sprintf("The same call of %s gave the same result three times. Doing it again will change nothing: take another way, or finish this stage. One more repetition ends the run.", tool),
		ZH: fmt.Sprintf("同样的 %s 调用已经连续三次得到同样的结果，再来一次也不会有变化：请换一种做法，或者结束当前阶段。再重复一次，运行就会结束。", tool),
	}.In(lang)
}

// Check reports every fault of a table at once: names twice, transitions to
// nowhere, texts that lack a language or do not execute. isTool says whether a
// tool of that name exists.
func Check(table []Stage, isTool func(string) bool) error {
	var errs []error
	if len(table) == 0 {
		return errors.New("stages: the table is empty")
	}
	seen := map[ID]bool{Done: true}
	for _, s := range table {
		if seen[s.ID] {
			errs = append(errs, fmt.Errorf("stage %s: named twice, or named as the end is", s.ID))
		}
		seen[s.ID] = true
	}
	for _, s := range table {
		errs = append(errs, s.check(seen, isTool)...)
	}
	return errors.Join(errs...)
}

func (s Stage) check(known map[ID]bool, isTool func(string) bool) []error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("stage %s: "+format, append([]any{s.ID}, args...)...))
	}
	if len(s.On) == 0 {
		bad("has no transition")
	}
	if s.Share < 0 || s.Share > 100 {
		bad("share is %d, want 0 to 100", s.Share)
	}
	names := s.Offered()
	for i, name := range names {
		if !isTool(name) {
			bad("there is no tool %q", name)
		}
		if slices.Contains(names[:i], name) {
			bad("tool %q stands there twice", name)
		}
	}
	for _, t := range s.On {
		if !known[t.To] {
			bad("%s leads to %q, which is no stage", t.Signal, t.To)
		}
	}
	for _, lang := range Langs() {
		if s.Role.In(lang) == "" {
			bad("has no role in %s", lang)
		}
		if text, err := Prompt(s.ID, lang); err != nil {
			bad("%v", err)
		} else if text == "" {
			bad("has an empty prompt in %s", lang)
		}
		for _, t := range s.On {
			if t.To == Done {
				continue
			}
			if _, err := HandoffText(t.Handoff, lang, Handoff{}); err != nil {
				bad("%v", err)
			}
		}
	}
	return errs
}

// List writes the whole table for a person: each stage's role, prompt, tools
// and transitions (--list-stages).
func List(w io.Writer, lang Lang) error {
	label := func(en, zh string) string { return Text{EN: en, ZH: zh}.In(lang) }
	for _, s := range All() {
		prompt, err := Prompt(s.ID, lang)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s — %s\n", s.ID, s.Role.In(lang))
		fmt.Fprintf(w, "  %s: %s\n", label("tools", "工具"), strings.Join(s.Tools, ", "))
		for _, t := range s.On {
			fmt.Fprintf(w, "  %s: %s → %s\n", label("signal tool", "信号工具"), t.Signal, t.To)
		}
		if refused := s.EntryRefused.In(lang); refused != "" {
			fmt.Fprintf(w, "  %s: %s\n", label("cannot start here", "不能从这里开始"), refused)
		}
		fmt.Fprintf(w, "  %s:\n    %s\n\n", label("prompt", "提示词"), strings.ReplaceAll(prompt, "\n", "\n    "))
	}
	return nil
}
