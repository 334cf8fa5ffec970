package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/staged-agent/staged-agent/agent"
	"github.com/staged-agent/staged-agent/stages"
)

// options is the command line, read but not yet judged against the world.
type options struct {
	task         string
	start        string
	interactive  bool
	maxRevisions int
	maxSteps     int
	model        string
	lang         string
	listStages   bool
	demo         bool
	out          string
	force        bool
	json         bool
	runsDir      string
	userFile     string
	help         bool
	usage        string
}

// parse reads the command line. It looks at nothing else.
func parse(args []string) (options, error) {
	var o options
	f := pflag.NewFlagSet("staged-agent", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.SortFlags = false
	f.StringVar(&o.task, "task", "", "`TEXT` of what to build; default: a script that tidies a downloads folder")
	f.BoolVar(&o.demo, "demo", false, "run the example with a scripted model: no key, all else real")
	f.StringVar(&o.start, "start-stage", string(stages.Requirements), "`STAGE` to start at: requirements or implementation")
	f.BoolVar(&o.interactive, "interactive", false, "answer the questions yourself, on the terminal")
	f.StringVar(&o.userFile, "user-file", "", "playbook `FILE` (JSON) that answers the questions")
	f.IntVar(&o.maxRevisions, "max-revisions", agent.DefaultMaxRevisions, "`N`: how often a review may send the work back")
	f.IntVar(&o.maxSteps, "max-steps", agent.DefaultMaxSteps, "`N`: how many replies of the model a run may take")
	f.StringVar(&o.model, "model", "", "`NAME` of the model to ask; default: OPENAI_MODEL, or gpt-5.6-luna")
	f.StringVar(&o.lang, "lang", "auto", "`LANG`: zh, en, or auto (the task's script, then the locale)")
	f.StringVar(&o.out, "out", "", "`DIR` for the final files; default: they stay in the run's folder")
	f.BoolVar(&o.force, "force", false, "with --out: overwrite files that differ")
	f.BoolVar(&o.json, "json", false, "print the events as JSON lines instead")
	f.StringVar(&o.runsDir, "runs-dir", "", "`DIR` that holds the runs' folders; default: the platform's place for a program's state")
	f.BoolVar(&o.listStages, "list-stages", false, "print each stage's role, prompt, tools and transitions")
	f.BoolVarP(&o.help, "help", "h", false, "print this")
	flags := strings.ReplaceAll(f.FlagUsages(), boolHint, strings.Repeat(" ", len(boolHint)))
	o.usage = "Usage: staged-agent [flags]\n\n" + flags + exitCodes
	if err := f.Parse(args); err != nil {
		return o, err
	}
	return o, o.check(f)
}

// boolHint is what pflag prints behind every flag without a value.
const boolHint = "[=true|false]"

const exitCodes = `
Exit status: 0 approved; 1 a fault; 2 usage; 3 ended without approval; 130 interrupted.
Environment, or a file .env: OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL,
OPENAI_TEMPERATURE, OPENROUTER_API_KEY. A base URL alone is enough.
`

func (o options) check(f *pflag.FlagSet) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if f.NArg() > 0 {
		bad("unexpected argument %q; the task goes after --task, in quotes", f.Arg(0))
	}
	if o.lang != "auto" && o.lang != string(stages.EN) && o.lang != string(stages.ZH) {
		bad("--lang: got %q, want zh, en or auto", o.lang)
	}
	if f.Changed("task") && strings.TrimSpace(o.task) == "" {
		bad("--task: it is empty")
	}
	for name, value := range map[string]string{"out": o.out, "runs-dir": o.runsDir, "user-file": o.userFile, "model": o.model} {
		if f.Changed(name) && strings.TrimSpace(value) == "" {
			bad("--%s: it is empty", name)
		}
	}
	if o.demo && f.Changed("task") {
		bad("--demo runs its own task; leave out --task")
	}
	if o.demo && f.Changed("model") {
		bad("--demo uses its scripted model; leave out --model")
	}
	if o.maxRevisions < 0 {
		bad("--max-revisions: got %d, want 0 or more", o.maxRevisions)
	}
	if o.maxSteps < 1 {
		bad("--max-steps: got %d, want 1 or more", o.maxSteps)
	}
	if o.interactive && o.userFile != "" {
		bad("--interactive and --user-file: one of them can answer, not both")
	}
	if o.force && o.out == "" {
		bad("--force goes with --out")
	}
	stage, ok := stages.Find(stages.All(), stages.ID(o.start))
	if !ok {
		bad("--start-stage: there is no stage %q; want requirements or implementation", o.start)
	} else if why := stage.EntryRefused.EN; why != "" {
		bad("--start-stage %s: %s", o.start, why)
	}
	return errors.Join(errs...)
}

// language decides the run's language: what was asked for, then the task's
// script, then the locale.
func (o options) language(lookup func(string) (string, bool)) stages.Lang {
	if o.lang != "auto" {
		return stages.Lang(o.lang)
	}
	if o.task != "" {
		return languageOf(o.task)
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v, _ := lookup(name); v != "" {
			if strings.HasPrefix(strings.ToLower(v), "zh") {
				return stages.ZH
			}
			return stages.EN
		}
	}
	return stages.EN
}

// languageOf is the language that a text is written in: Chinese if it has more
// Chinese characters than words in letters, and no kana, as Japanese has.
func languageOf(text string) stages.Lang {
	han, words, inWord := 0, 0, false
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			return stages.EN
		case unicode.Is(unicode.Han, r):
			han++
			inWord = false
		case unicode.IsLetter(r):
			if !inWord {
				words++
			}
			inWord = true
		default:
			inWord = false
		}
	}
	if han > words {
		return stages.ZH
	}
	return stages.EN
}
