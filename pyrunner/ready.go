package pyrunner

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// readiness remembers which environments uv can make without going to an
// index, in this process and, in a folder, for the next. It is a hint that
// saves a question: when it is wrong the run fails before Python starts, and
// the environment is made then.
type readiness struct {
	dir   string // "" for none
	mu    sync.Mutex
	known map[string]bool
	locks map[string]*sync.Mutex
}

func newReadiness(dir string) *readiness {
	return &readiness{dir: dir, known: map[string]bool{}, locks: map[string]*sync.Mutex{}}
}

// lock makes all others who want this environment wait until unlock is called.
func (r *readiness) lock(key string) (unlock func()) {
	r.mu.Lock()
	l := r.locks[key]
	if l == nil {
		l = &sync.Mutex{}
		r.locks[key] = l
	}
	r.mu.Unlock()
	l.Lock()
	return l.Unlock
}

func (r *readiness) has(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[key] {
		return true
	}
	if r.dir == "" || key == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(r.dir, key))
	return err == nil
}

// add remembers key, unless it is "". That the folder can't be written costs time only.
func (r *readiness) add(key string) {
	if key == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[key] = true
	if r.dir != "" && os.MkdirAll(r.dir, 0o700) == nil {
		_ = os.WriteFile(filepath.Join(r.dir, key), nil, 0o600)
	}
}

func (r *readiness) forget(key string) {
	if key == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, key)
	if r.dir != "" {
		_ = os.Remove(filepath.Join(r.dir, key))
	}
}

// environmentKey names an environment by all that uv makes it from.
func environmentKey(parts ...[]string) string {
	h := sha256.New()
	for _, part := range parts {
		sorted := slices.Sorted(slices.Values(part))
		h.Write([]byte(strings.Join(sorted, "\x00") + "\x01"))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
