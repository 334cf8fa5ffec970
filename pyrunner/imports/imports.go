// Package imports finds the distributions that a Python script needs, by reading it.
//
//	finder, err := imports.New(imports.Config{Python: "/usr/bin/python3"})
//	defer finder.Close()
//	report, err := finder.Find(ctx, imports.Input{Source: source, Name: "job.py", Dirs: []string{dir}})
//
// The Python that will run the script does the reading: a small helper program (folder helper),
// kept alive between scripts, compiles the source and answers with facts. This package turns the
// facts into distributions. What it knows of distributions is data, in three files of the folder
// data, each of which explains its own format: map.txt (import name to distribution), vouched.txt
// (distributions whose import name is their own) and engines.txt (what a call needs beside the
// import). A user's file of map.txt's format adds to them and overrides them.
package imports

import (
	"context"
	"fmt"
	"runtime"
)

// Config says how a Finder works.
type Config struct {
	Python   string // full path of the interpreter that will run the scripts; required
	CacheDir string // where the helper's compiled code, and what it said of scripts, is kept between programs; "": nowhere
	MapFile  string // the user's additions and overrides, in the format of data/map.txt; optional
}

// Input is one script.
type Input struct {
	Source []byte   // as it stands in the file: encoding cookies and byte order marks are Python's to read
	Name   string   // file name, for messages and to tell the script from its neighbours; optional
	Dirs   []string // folders whose modules are local, the script's own first; optional
}

// Report is what reading a script found. It never holds a nil error's worth of guesses: with a
// Syntax or a Metadata, Dependencies is empty.
type Report struct {
	Syntax       *Syntax      `json:"syntax,omitempty"`       // nil: it compiles
	Dependencies []Dependency `json:"dependencies,omitempty"` // sorted by distribution, unique
	Metadata     *Metadata    `json:"metadata,omitempty"`     // the script's PEP 723 block, nil when it has none
	Local        []string     `json:"local,omitempty"`        // files of local modules that the script imports
	Shadows      []string     `json:"shadows,omitempty"`      // those that hide a standard or a known module
}

// Dependency is one distribution to install.
type Dependency struct {
	Import       string `json:"import"`       // the name in the script: cv2
	Distribution string `json:"distribution"` // opencv-python
	Spec         string `json:"spec"`         // what uv gets: setuptools<82, requests[socks]
	Why          string `json:"why"`          // for a person: "import cv2, line 3"
	Vouched      bool   `json:"-"`            // the map or the vouched list knows it; false: nobody does
}

// Syntax is Python's verdict on a script that does not compile.
type Syntax struct {
	Line    int    `json:"line"`    // from 1
	Column  int    `json:"column"`  // from 1; 0 when Python gives none
	Text    string `json:"text"`    // the line
	Message string `json:"message"` // Python's own words
}

// New makes a Finder, which starts its helper when it has to. It must be closed.
func New(cfg Config) (*Finder, error) {
	if cfg.Python == "" {
		return nil, fmt.Errorf("imports: Config.Python is empty: want the interpreter that will run the scripts")
	}
	known, err := load(cfg.MapFile)
	if err != nil {
		return nil, err
	}
	program, err := helperProgram()
	if err != nil {
		return nil, err
	}
	f := &Finder{known: known, idle: make(chan *helper, runtime.NumCPU()), python: cfg.Python, cache: cfg.CacheDir,
		memory: newMemory(cfg.CacheDir, cfg.Python, program)}
	said, ok := f.memory.recallHello()
	if !ok {
		first, err := f.start()
		if err != nil {
			return nil, err
		}
		said = first.hello
		f.memory.keepHello(said)
		f.release(first)
	}
	f.hello, f.target = said, newTarget(said)
	return f, nil
}

// Find reads one script. It is safe for concurrent use. The error is a *MetadataError, the
// context's, or a fault of the helper.
func (f *Finder) Find(ctx context.Context, in Input) (*Report, error) {
	facts := f.memory.recall(in)
	if facts == nil {
		var err error
		if facts, err = f.scan(ctx, in); err != nil {
			return nil, err
		}
		f.memory.keep(in, facts)
	}
	if facts.Syntax != nil {
		return &Report{Syntax: facts.Syntax}, nil
	}
	block, err := parseMetadata(in.Source, f.target.version)
	if err != nil {
		return nil, err
	}
	if block != nil {
		return &Report{Metadata: block}, nil
	}
	return f.judge(facts), nil
}
