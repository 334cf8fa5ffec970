package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/staged-agent/staged-agent/agent"
	"github.com/staged-agent/staged-agent/agent/provider"
	"github.com/staged-agent/staged-agent/agent/provider/scripted"
	"github.com/staged-agent/staged-agent/examples"
	"github.com/staged-agent/staged-agent/pyrunner"
	"github.com/staged-agent/staged-agent/stages"
	"github.com/staged-agent/staged-agent/tools"
	"github.com/staged-agent/staged-agent/workspace"
)

// work makes the parts of a run and runs it. Once started is set, whatever
// happens is told by events.
func work(ctx context.Context, o options, lookup func(string) (string, bool), stdin io.Reader, stdout, stderr io.Writer, started *bool) (agent.Ended, error) {
	none := agent.Ended{}
	lang := o.language(lookup)
	if err := checkOut(o); err != nil {
		return none, err
	}
	runner, err := pyrunner.New(pyrunner.Config{LookupEnv: lookup})
	if err != nil {
		return none, err
	}
	defer runner.Close()
	endpoint, closeModel, err := o.endpoint(lookup, lang)
	if err != nil {
		return none, err
	}
	defer closeModel()
	client, err := provider.New(provider.Config{Endpoint: endpoint})
	if err != nil {
		return none, err
	}
	user, err := o.user(lang, stdin, stdout, stderr)
	if err != nil {
		return none, err
	}
	folder, err := newRunFolder(o.runsDir, lookup)
	if err != nil {
		return none, err
	}
	ws, err := workspace.Open(filepath.Join(folder, "files"))
	if err != nil {
		return none, err
	}
	defer ws.Close()
	set, err := tools.New(tools.Deps{Workspace: ws, Runner: runner, Asker: user})
	if err != nil {
		return none, err
	}
	task, err := o.taskText(lang)
	if err != nil {
		return none, err
	}
	settings := agent.Settings{Task: task, Lang: lang, Start: stages.ID(o.start), MaxRevisions: &o.maxRevisions,
		MaxSteps: &o.maxSteps, Model: endpoint.Model, Endpoint: endpoint.BaseURL, Scripted: o.demo}
	o.greet(stdout, stderr, settings, user.note)
	cfg := agent.Config{Settings: settings, Model: client, Tools: set, Workspace: ws,
		Folder: folder, Seed: user.seed, Sinks: []agent.Sink{o.sink(stdout, lang, lookup, ws)}}
	if o.out != "" {
		cfg.HandOut = func() (string, []string, error) { return handOut(ws, o) }
	}
	a, err := agent.New(cfg)
	if err != nil {
		return none, err
	}
	warm, stop := context.WithCancel(ctx)
	defer stop()
	go tools.Warm(warm, runner)
	*started = true
	return a.Run(ctx)
}

// checkOut finds a hopeless --out before the run spends anything.
func checkOut(o options) error {
	if o.out == "" {
		return nil
	}
	return workspace.CheckExport(o.out)
}

func handOut(ws *workspace.Workspace, o options) (dir string, files []string, err error) {
	if dir, err = filepath.Abs(o.out); err != nil {
		return "", nil, err
	}
	files, err = ws.Export(dir, o.force)
	var clash *workspace.ClashError
	if errors.As(err, &clash) {
		err = fmt.Errorf("%w\n--force overwrites them", err)
	}
	return dir, files, err
}

// taskText is the task: the user's, or the example's.
func (o options) taskText(lang stages.Lang) (string, error) {
	if o.task != "" {
		return o.task, nil
	}
	data, err := examples.Files.ReadFile("downloads/task.json")
	if err != nil {
		return "", err
	}
	var example struct {
		Task map[string]string `json:"task"`
	}
	if err := json.Unmarshal(data, &example); err != nil {
		return "", fmt.Errorf("reading the example task: %w", err)
	}
	return example.Task[string(lang)], nil
}

// endpoint is where the model is: on the network, or scripted in this process.
func (o options) endpoint(lookup func(string) (string, bool), lang stages.Lang) (provider.Endpoint, func() error, error) {
	if !o.demo {
		e, err := provider.Resolve(lookup, o.model)
		return e, func() error { return nil }, err
	}
	files, err := examples.Downloads()
	if err != nil {
		return provider.Endpoint{}, nil, err
	}
	script, err := scripted.Load(files, "script.json", string(lang))
	if err != nil {
		return provider.Endpoint{}, nil, err
	}
	server, err := scripted.New(scripted.Config{Script: script, Files: files})
	if err != nil {
		return provider.Endpoint{}, nil, err
	}
	if err := server.Start(); err != nil {
		return provider.Endpoint{}, nil, err
	}
	return provider.Endpoint{BaseURL: server.URL(), Model: script.Model}, server.Close, nil
}

// greet says what is real before anything else is printed. With --json it goes
// to standard error: standard output holds events and nothing else.
func (o options) greet(stdout, stderr io.Writer, s agent.Settings, userNote stages.Text) {
	w := stdout
	if o.json {
		w = stderr
	}
	if o.demo {
		fmt.Fprintln(w, stages.Text{
			EN: "Demo: the model is scripted (its replies stand in a file); all else is real: the HTTP, the files, uv, Python, the checks.",
			ZH: "演示：模型的回复是预先写好的脚本，其余都是真的：HTTP、文件、uv、Python 和各项检查。",
		}.In(s.Lang))
	} else {
		fmt.Fprintf(w, "%s @ %s\n", visible(s.Model, false), visible(s.Endpoint, false))
	}
	if note := userNote.In(s.Lang); note != "" {
		fmt.Fprintln(w, note)
	}
}

func (o options) sink(stdout io.Writer, lang stages.Lang, lookup func(string) (string, bool), ws *workspace.Workspace) agent.Sink {
	if o.json {
		return jsonLines{stdout}
	}
	return &screen{w: stdout, lang: lang, color: hasColor(stdout, lookup), asked: o.interactive, files: ws.Read}
}

// hasColor reports whether colours are wanted: on a terminal, without NO_COLOR, that shows them.
func hasColor(w io.Writer, lookup func(string) (string, bool)) bool {
	if v, _ := lookup("NO_COLOR"); v != "" {
		return false
	}
	if v, _ := lookup("TERM"); v == "dumb" {
		return false
	}
	return isTerminal(w)
}

// isTerminal reports whether a stream is one, or at least a device.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// newRunFolder makes the run's own folder.
func newRunFolder(dir string, lookup func(string) (string, bool)) (string, error) {
	if dir == "" {
		var err error
		if dir, err = stateDir(lookup); err != nil {
			return "", err
		}
	}
	var id [4]byte
	if _, err := rand.Read(id[:]); err != nil {
		return "", err
	}
	dir, err := filepath.Abs(filepath.Join(dir, time.Now().Format("20060102-150405-")+hex.EncodeToString(id[:])))
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// stateDir is where runs are kept: the platform's place for what a program
// remembers.
func stateDir(lookup func(string) (string, bool)) (string, error) {
	if dir, _ := lookup("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "staged-agent", "runs"), nil
	}
	if runtime.GOOS == "windows" {
		if dir, _ := lookup("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "staged-agent", "runs"), nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("there is no home folder to keep runs in; set --runs-dir")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "staged-agent", "runs"), nil
	}
	return filepath.Join(home, ".local", "state", "staged-agent", "runs"), nil
}
