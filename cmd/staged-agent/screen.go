package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/staged-agent/staged-agent/agent"
	"github.com/staged-agent/staged-agent/stages"
)

// A screen shows a run to a person, as it happens.
type screen struct {
	w       io.Writer
	lang    stages.Lang
	color   bool
	asked   bool // the person has seen question and answer already
	started time.Time
	files   func(name string) ([]byte, error) // contents, for the end
}

// lineLimit is how many characters of a long text one line shows.
const lineLimit = 160

func (s *screen) say(en, zh string) string { return stages.Text{EN: en, ZH: zh}.In(s.lang) }

func (s *screen) paint(code, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s *screen) line(mark, format string, args ...any) error {
	_, err := fmt.Fprintf(s.w, "  %s %s\n", mark, short(fmt.Sprintf(format, args...)))
	return err
}

// Write shows one event.
func (s *screen) Write(r agent.Record) error {
	switch e := r.Event.(type) {
	case agent.RunStarted:
		s.started = r.Time
		_, err := fmt.Fprintf(s.w, "%s: %s\n", s.say("task", "任务"), short(e.Settings.Task))
		return err
	case agent.StageEntered:
		return s.banner(e)
	case agent.ModelNoticed:
		return s.line("!", "%s", e.Text)
	case agent.ModelReplied:
		if e.Message.Content == "" {
			return nil
		}
		return s.line("·", "%s", e.Message.Content)
	case agent.QuestionAnswered:
		if s.asked {
			return nil
		}
		if err := s.line("?", "%s", e.Question); err != nil {
			return err
		}
		return s.line("=", "%s", e.Answer)
	case agent.RequirementSaved:
		return s.line("+", "%s: %s", e.Key, e.Value)
	case agent.ToolAnswered:
		return s.answered(e)
	case agent.Nudged:
		return s.line("!", "%s", e.Text)
	case agent.FilesCopied:
		_, err := fmt.Fprintf(s.w, "\n%s: %s\n", s.say("files copied to", "文件已复制到"), visible(e.Dir, false))
		return err
	case agent.Faulted:
		_, err := fmt.Fprintf(s.w, "\n%s: %s\n", s.paint("31", s.say("fault", "故障")), visible(e.Reason, true))
		return err
	case agent.Ended:
		return s.end(e, r.Time)
	}
	return nil
}

func (s *screen) banner(e agent.StageEntered) error {
	text := fmt.Sprintf("━━ %s · %s ━━", e.Stage, e.Role)
	if e.By == "program" {
		text += " " + s.say("(the program handed over: the steps for this stage were used up)", "（该阶段的步数已用完，由程序交接）")
	}
	if e.Revision > 0 {
		text += fmt.Sprintf(s.say(" revision %d", " 第 %d 次修改"), e.Revision)
	}
	_, err := fmt.Fprintf(s.w, "\n%s\n", s.paint("1;36", text))
	return err
}

// quiet tools are shown by the facts they bring.
var quiet = []string{"ask_clarifying_question", "save_requirement"}

func (s *screen) answered(e agent.ToolAnswered) error {
	if e.Status == "ok" && slices.Contains(quiet, e.Tool) {
		return nil
	}
	mark := map[string]string{"ok": s.paint("32", "✓"), "failed": s.paint("31", "✗"), "refused": s.paint("33", "!")}[string(e.Status)]
	text := e.Text
	if e.Signal != nil && len(e.Signal.Issues) > 0 {
		text += ": " + strings.Join(e.Signal.Issues, "; ")
	}
	return s.line(mark, "%s: %s", e.Tool, text)
}

func (s *screen) end(e agent.Ended, at time.Time) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", s.paint("1", s.say("━━ summary ━━", "━━ 总结 ━━")))
	for _, stage := range stages.All() {
		if counts := e.Actions[stage.ID]; len(counts) > 0 {
			var parts []string
			for _, tool := range slices.Sorted(maps.Keys(counts)) {
				parts = append(parts, fmt.Sprintf("%s %d", visible(tool, false), counts[tool]))
			}
			fmt.Fprintf(&b, "%s: %s\n", stage.Role.In(s.lang), strings.Join(parts, ", "))
		}
	}
	fmt.Fprintf(&b, "%s: %d\n", s.say("requirements confirmed", "已确认的需求"), len(e.Requirements))
	fmt.Fprintf(&b, "%s: %d\n", s.say("files", "文件"), len(e.Files))
	fmt.Fprintf(&b, "%s: %d\n", s.say("revisions", "修改次数"), e.Revisions)
	fmt.Fprintf(&b, "%s: %d\n", s.say("steps", "步数"), e.Steps)
	tokens := s.say("unknown (the endpoint reported none)", "未知（端点没有报告）")
	if e.Tokens != nil {
		tokens = fmt.Sprintf("%d + %d", e.Tokens.Prompt, e.Tokens.Completion)
	}
	fmt.Fprintf(&b, "%s: %s\n", s.say("tokens", "令牌"), tokens)
	fmt.Fprintf(&b, "%s: %s\n", s.say("time", "用时"), at.Sub(s.started).Round(100*time.Millisecond))
	for _, name := range e.Files {
		fmt.Fprintf(&b, "\n── %s ──\n", visible(name, false))
		if content, err := s.files(name); err != nil {
			fmt.Fprintf(&b, "(%s)\n", visible(err.Error(), false))
		} else {
			fmt.Fprintf(&b, "%s\n", visible(strings.TrimRight(string(content), "\n"), true))
		}
	}
	fmt.Fprintf(&b, "\n%s: %s — %s\n", s.say("outcome", "结果"), s.paint("1", s.say(string(e.Outcome), outcomesZH[e.Outcome])), short(e.Reason))
	fmt.Fprintf(&b, "%s: %s\n", s.say("folder", "文件夹"), visible(e.Folder, false))
	_, err := io.WriteString(s.w, b.String())
	return err
}

// outcomesZH are the outcomes for a Chinese screen; the name that scripts look
// for stands in front.
var outcomesZH = map[agent.Outcome]string{
	agent.Approved:           "approved（审查通过）",
	agent.RevisionLimit:      "revision_limit（达到修改次数上限，未通过）",
	agent.StepLimit:          "step_limit（达到步数上限，未通过）",
	agent.Stalled:            "stalled（没有进展，未通过）",
	agent.Failed:             "failed（出现故障）",
	agent.InterruptedOutcome: "interrupted（被中断）",
}

// short puts a text on one line and shortens it.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > lineLimit {
		text = string(r[:lineLimit]) + "…"
	}
	return visible(text, false)
}

// visible shows control characters, escape sequences and the marks that turn
// the direction of text as what they are, so that none reaches the terminal.
func visible(text string, lines bool) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "�") {
		switch {
		case lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.Is(unicode.C, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// printable is a text of several lines that may go to the terminal.
func printable(text string) string { return visible(text, true) }
