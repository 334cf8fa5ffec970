package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/staged-agent/staged-agent/agent"
	"github.com/staged-agent/staged-agent/examples"
	"github.com/staged-agent/staged-agent/simuser"
	"github.com/staged-agent/staged-agent/stages"
)

// A user fits a simulated or real user to the tools.
type user struct {
	ask  func(ctx context.Context, question string) (simuser.Answer, error)
	seed []stages.Requirement
	note stages.Text // which user answers, where that may surprise
}

// Ask implements tools.Asker.
func (u user) Ask(ctx context.Context, question string) (string, string, bool, error) {
	a, err := u.ask(ctx, question)
	if errors.Is(err, simuser.ErrNobody) {
		err = fmt.Errorf("%w: the input ended", agent.ErrInterrupted)
	}
	return a.Text, a.FactID, a.Repeat, err
}

// user is who answers: the person, a playbook for the task, or nobody with a
// preference. Another task never gets the example's answers.
func (o options) user(lang stages.Lang, stdin io.Reader, stdout, stderr io.Writer) (user, error) {
	out := stdout
	if o.json {
		out = stderr
	}
	if o.task != "" && o.userFile == "" {
		silent := &simuser.Silent{Lang: string(lang)}
		u := user{ask: silent.Ask}
		u.note = stages.Text{
			EN: "No playbook for this task: the simulated user has no preference. --interactive lets you answer.",
			ZH: "这个任务没有配套的问答文件：模拟用户一律回答“没有偏好”。用 --interactive 可以亲自回答。",
		}
		if o.interactive {
			u = user{ask: simuser.NewTerminal(stdin, out, string(lang), printable, !isTerminal(stdin)).Ask}
		}
		return u, nil
	}
	book, err := o.playbook(lang)
	if err != nil {
		return user{}, err
	}
	u := user{ask: book.Ask}
	for _, e := range book.Entries() {
		u.seed = append(u.seed, stages.Requirement{Key: e.Key, Value: e.Answer})
	}
	if o.interactive {
		u.ask = simuser.NewTerminal(stdin, out, string(lang), printable, !isTerminal(stdin)).Ask
	}
	return u, nil
}

// maxPlaybook is how many bytes a playbook may have.
const maxPlaybook = 4 << 20

// playbook is the user's, or the example's. That the user's cannot be read is
// wrong use.
func (o options) playbook(lang stages.Lang) (*simuser.Playbook, error) {
	if o.userFile == "" {
		data, err := examples.Files.ReadFile("downloads/playbook.json")
		if err != nil {
			return nil, err
		}
		return simuser.LoadPlaybook(data, string(lang))
	}
	wrong := func(err error) error { return usageError{fmt.Errorf("--user-file %s: %w", o.userFile, err)} }
	info, err := os.Stat(o.userFile)
	switch {
	case err != nil:
		return nil, wrong(err)
	case !info.Mode().IsRegular() || info.Size() > maxPlaybook:
		return nil, wrong(fmt.Errorf("want a file of at most %d MiB", maxPlaybook>>20))
	}
	data, err := os.ReadFile(o.userFile)
	if err != nil {
		return nil, wrong(err)
	}
	book, err := simuser.LoadPlaybook(data, string(lang))
	if err != nil {
		return nil, wrong(err)
	}
	return book, nil
}
