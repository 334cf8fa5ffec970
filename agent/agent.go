// Package agent runs one task through its stages: a pure machine that folds
// events, and a driver that carries out what the machine says.
//
//	a, err := agent.New(agent.Config{Settings: settings, Model: model, Tools: set, Workspace: ws})
//	…
//	end, err := a.Run(ctx)
//
// Everything that happens is an Event; screen, journal and summary are Sinks
// that read them.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/staged-agent/staged-agent/stages"
	"github.com/staged-agent/staged-agent/tools"
	"github.com/staged-agent/staged-agent/workspace"
)

// A Sink reads the events of a run as they happen. An error of it ends the run.
type Sink interface {
	Write(Record) error
}

// Config is what a run works with.
type Config struct {
	Settings  Settings
	Model     Model
	Tools     *tools.Set
	Workspace *workspace.Workspace
	Folder    string                                         // of the run, for people
	Seed      []stages.Requirement                           // confirmed already, for a run that starts in a seeded stage
	Sinks     []Sink                                         // each gets every event, in order
	Table     []stages.Stage                                 // nil: stages.All()
	HandOut   func() (dir string, files []string, err error) // copies the final files for the user, before the run ends; nil: they stay where they are
	Now       func() time.Time                               // nil: time.Now
	Logger    *slog.Logger                                   // nil: nothing is logged
}

// A StagedAgent is one run.
type StagedAgent struct {
	cfg     Config
	machine *Machine
	prompts map[stages.ID]string
	specs   map[stages.ID][]ToolSpec
	seq     int
	handed  bool // the final files were handed out, or could not be
}

// New checks a Config and returns the run. Every fault is reported at once.
func New(cfg Config) (*StagedAgent, error) {
	if cfg.Table == nil {
		cfg.Table = stages.All()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Model == nil || cfg.Tools == nil || cfg.Workspace == nil {
		return nil, errors.New("agent: Model, Tools and Workspace are required")
	}
	cfg.Settings = cfg.Settings.withDefaults()
	isTool := func(name string) bool { _, ok := cfg.Tools.Find(name); return ok }
	if err := errors.Join(stages.Check(cfg.Table, isTool), cfg.Settings.check(cfg.Table)); err != nil {
		return nil, err
	}
	a := &StagedAgent{cfg: cfg, machine: NewMachine(cfg.Table), prompts: map[stages.ID]string{}, specs: map[stages.ID][]ToolSpec{}}
	for _, s := range cfg.Table {
		prompt, err := stages.Prompt(s.ID, cfg.Settings.Lang)
		if err != nil {
			return nil, err
		}
		a.prompts[s.ID] = prompt
		for _, name := range s.Offered() {
			t, _ := cfg.Tools.Find(name)
			a.specs[s.ID] = append(a.specs[s.ID], ToolSpec{Name: t.Name, Description: t.Description, Schema: json.RawMessage(t.Schema)})
		}
	}
	return a, nil
}

// Run carries the run to its end, which it returns. The error is a sink's: the
// run could not be written down. However else it ends is an outcome.
func (a *StagedAgent) Run(ctx context.Context) (Ended, error) {
	if err := a.begin(); err != nil {
		return Ended{}, err
	}
	for {
		cmd := a.machine.Next()
		if ctx.Err() != nil {
			cmd = a.interrupt(cmd)
		}
		for _, e := range a.execute(ctx, cmd) {
			if err := a.emit(e); err != nil {
				return Ended{}, err
			}
			if end, ok := e.(Ended); ok {
				return end, nil
			}
		}
	}
}

// interruption is the command that no machine gives: the user wants the end.
type interruption struct{}

func (interruption) command() {}

// interrupt lets a stopping run finish and stops any other.
func (a *StagedAgent) interrupt(cmd Command) Command {
	if a.machine.halt != nil {
		return cmd
	}
	if _, ending := cmd.(End); ending {
		return cmd
	}
	return interruption{}
}

// begin writes the first events: the task, and what is confirmed already.
func (a *StagedAgent) begin() error {
	if err := a.emit(RunStarted{Settings: a.cfg.Settings, Folder: a.cfg.Folder, Message: a.cfg.Settings.Task}); err != nil {
		return err
	}
	start, _ := stages.Find(a.cfg.Table, a.cfg.Settings.Start)
	if !start.Seeded {
		return nil
	}
	for _, r := range a.cfg.Seed {
		saved, err := a.cfg.Workspace.SaveRequirement(r.Key, r.Value)
		if err != nil {
			return fmt.Errorf("confirmed requirement %q: %w", r.Key, err)
		}
		if err := a.emit(RequirementSaved{tools.RequirementSaved{Key: saved.Key, Value: saved.Value}}); err != nil {
			return err
		}
	}
	return nil
}

// emit puts an event into the machine and before every reader.
func (a *StagedAgent) emit(e Event) error {
	a.seq++
	r := Record{Seq: a.seq, Time: a.cfg.Now(), Event: e}
	for _, s := range a.cfg.Sinks {
		if err := s.Write(r); err != nil {
			return fmt.Errorf("writing event %d: %w", r.Seq, err)
		}
	}
	a.machine.Apply(e)
	return nil
}
