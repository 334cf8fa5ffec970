// Package pyrunner runs Python scripts through uv: it finds the distributions a
// script needs by reading it, runs it in an environment of its own, and leaves
// nothing behind.
//
//	r, err := pyrunner.New(pyrunner.Config{})
//	…
//	defer r.Close()
//	result, err := r.Run(ctx, pyrunner.Job{Source: "import requests; print(requests.__version__)"})
//
// A failure is one of *SyntaxError, *DependencyError, *ScriptError,
// *TimeoutError and *JobError, ErrNoUV, or the context's own error. The kinds are told apart
// by what happened, never by words in the output.
//
// On disk the package keeps one folder, Config.StateDir: an empty file for each
// environment that uv is known to have ready, named by a hash of what is in it,
// for each interpreter the compiled code of the program that reads scripts, and
// the imports of scripts that were read (the last 1000; none of their literals).
// It may be removed at any time.
package pyrunner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/staged-agent/staged-agent/pyrunner/imports"
)

// Limits that hold where a Config or a Job sets none.
const (
	DefaultTimeout        = 60 * time.Second // of a run
	DefaultInstallTimeout = 15 * time.Minute // of fetching distributions
	DefaultMaxOutput      = 1 << 20          // bytes kept of each stream
)

// A Config is what all jobs of a Runner share. The zero value works.
type Config struct {
	UV       string // path of uv; "": looked for on PATH
	Python   string // interpreter: a full path, or a version or name that uv understands; "": the machine's python3. A project chooses its own
	StateDir string // where ready environments and the reader's compiled code are kept; "": a folder in the user's cache; "-": nowhere

	// PassEnv names environment variables that reach a script in addition to
	// the harmless ones (PATH, HOME, LANG, and so on).
	PassEnv   []string
	LookupEnv func(string) (string, bool) // the environment; nil: os.LookupEnv

	Offline     bool    // never go to an index: what the cache lacks is a *DependencyError
	UseUVConfig bool    // honour the user's uv.toml; index settings in environment variables always are
	MapFile     string  // adds to and overrides the map from import to distribution; its format is that of imports/data/map.txt
	Unknown     Unknown // what to do about imports that nobody vouches for

	Timeout        time.Duration // of a run; 0: DefaultTimeout; negative: none
	InstallTimeout time.Duration // of an installation; 0: DefaultInstallTimeout; negative: none
	MaxOutput      int64         // bytes kept of each stream; 0: DefaultMaxOutput
}

// Unknown says what becomes of an import that is neither in the map nor among
// the vouched names.
type Unknown string

// The policies for unknown imports. The zero value is UnknownCheck.
const (
	UnknownCheck   Unknown = "check"   // installed if a distribution of that name is older than 90 days and does provide the module
	UnknownInstall Unknown = "install" // installed, whatever it is
	UnknownRefuse  Unknown = "refuse"  // a *DependencyError
)

// A Runner runs jobs. It may be used by many goroutines at once.
type Runner struct {
	cfg    Config
	uv     string // full path
	lookup lookupEnv

	pythonMu sync.Mutex
	python   string // full path, once found

	mu        sync.Mutex
	closed    bool
	finders   map[string]*imports.Finder // by interpreter
	processes *launcher                  // nil until the interpreter is known
	ready     *readiness
}

// New returns a Runner. Without uv the error is ErrNoUV; a Config that makes no
// sense is an error too.
func New(cfg Config) (*Runner, error) {
	r := &Runner{cfg: cfg, lookup: cfg.LookupEnv}
	if r.lookup == nil {
		r.lookup = os.LookupEnv
	}
	if err := r.findUV(); err != nil {
		return nil, err
	}
	switch cfg.Unknown {
	case "":
		r.cfg.Unknown = UnknownCheck
	case UnknownCheck, UnknownInstall, UnknownRefuse:
	default:
		return nil, fmt.Errorf("Config.Unknown: got %q, want check, install or refuse", cfg.Unknown)
	}
	if cfg.MapFile != "" {
		if _, err := os.Stat(cfg.MapFile); err != nil {
			return nil, &JobError{Message: "Config.MapFile", Err: err}
		}
	}
	r.finders = map[string]*imports.Finder{}
	r.ready = newReadiness(r.stateDir())
	return r, nil
}

func (r *Runner) findUV() error {
	path := r.cfg.UV
	if path == "" {
		path = "uv"
		if found, err := r.lookPath("uv"); err == nil {
			path = found
		}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return ErrNoUV
	}
	r.uv = path
	return nil
}

// stateDir returns "" where nothing is to be remembered on disk.
func (r *Runner) stateDir() string {
	if r.cfg.StateDir == "-" {
		return ""
	}
	if r.cfg.StateDir != "" {
		return r.cfg.StateDir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "pyrunner", "ready")
}

// Close ends the helper processes. Jobs still running are not waited for.
func (r *Runner) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var errs []error
	for _, f := range r.finders {
		errs = append(errs, f.Close())
	}
	if r.processes != nil {
		r.processes.close()
	}
	r.finders = nil
	return errors.Join(errs...)
}

var errClosed = errors.New("the runner is closed")

// finder returns the reader of scripts for an interpreter.
func (r *Runner) finder(python string) (*imports.Finder, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	f := r.finders[python]
	if f == nil {
		var err error
		if f, err = r.newFinder(python); err != nil {
			return nil, err
		}
		r.finders[python] = f
	}
	return f, nil
}

// launcher returns the starter of processes.
func (r *Runner) launcher(ctx context.Context) (*launcher, error) {
	python, err := r.interpreter(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	if r.processes == nil {
		r.processes = newLauncher(python)
	}
	return r.processes, nil
}
