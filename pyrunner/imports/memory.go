package imports

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A memory keeps in Config.CacheDir what the interpreter has said, of itself and
// of scripts: a program that runs one script then need not start Python twice.
// An entry is a file named by a hash of all that the answer depends on: the
// script's bytes and name, the interpreter, the helper, and what it looks for.
// Scripts with modules beside them are always read anew, and so are those whose
// literals matter: an address may hold a password, which is not to be kept.
type memory struct {
	dir  string // "": nothing is kept
	base string // hash of interpreter and helper
}

// maxMemories is how many scripts are remembered; beyond it the older half goes.
const maxMemories = 1000

func newMemory(dir, python, program string) memory {
	path := bytecodePath(dir, python, program)
	if path == "" {
		return memory{}
	}
	return memory{dir: filepath.Join(dir, "scans"), base: fmt.Sprintf("%s %x", path, sha256.Sum256([]byte(enginesText)))}
}

func (m memory) path(parts ...string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q", append([]string{m.base}, parts...))
	return filepath.Join(m.dir, hex.EncodeToString(h.Sum(nil)[:16]))
}

// recallHello is what the interpreter said of itself.
func (m memory) recallHello() (h hello, ok bool) {
	return h, m.dir != "" && m.load(m.path("hello"), &h) && h.Version != ""
}

func (m memory) keepHello(h hello) {
	h.Code = ""
	m.save(m.path("hello"), h)
}

// recall is what the helper said of this script; nil if it must be asked.
func (m memory) recall(in Input) *facts {
	found := new(facts)
	if m.dir == "" || !m.load(m.path("script", in.Name, string(in.Source)), found) || !found.isAlone() {
		return nil
	}
	for _, dir := range in.Dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil
		}
		for _, e := range entries {
			if found.mayImport(e.Name()) {
				return nil
			}
		}
	}
	return found
}

func (m memory) keep(in Input, found *facts) {
	if m.dir == "" || !found.isAlone() {
		return
	}
	m.save(m.path("script", in.Name, string(in.Source)), found)
	m.prune()
}

// isAlone reports whether what was said comes from no other file and holds no literal.
func (f *facts) isAlone() bool {
	if f.Syntax != nil || f.Failed != "" || f.Places || len(f.Modules) != 1 || f.Modules[""] == nil {
		return false
	}
	if len(f.Modules[""].Uses) > 0 || len(f.Modules[""].Texts) > 0 {
		return false
	}
	return !slices.ContainsFunc(f.Modules[""].Imports, func(i importFact) bool { return i.Kind != "" || i.Level > 0 })
}

// mayImport reports whether a name in a folder could be a module that is imported.
func (f *facts) mayImport(entry string) bool {
	stem, _, _ := strings.Cut(entry, ".")
	return slices.ContainsFunc(f.Modules[""].Imports, func(i importFact) bool {
		top, _, _ := strings.Cut(i.Module, ".")
		return strings.EqualFold(top, stem)
	})
}

func (m memory) load(path string, into any) bool {
	content, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(content, into) == nil
}

// save keeps a value. That it cannot be kept costs time only.
func (m memory) save(path string, value any) {
	content, err := json.Marshal(value)
	if err != nil || m.dir == "" || os.MkdirAll(m.dir, 0o700) != nil {
		return
	}
	temp, err := os.CreateTemp(m.dir, "new-*")
	if err != nil {
		return
	}
	_, err = temp.Write(content)
	if closeErr := temp.Close(); err == nil && closeErr == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
}

// prune forgets the older half when there is too much.
func (m memory) prune() {
	entries, err := os.ReadDir(m.dir)
	if err != nil || len(entries) <= maxMemories {
		return
	}
	age := func(e os.DirEntry) int64 {
		info, err := e.Info()
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return int(min(max(age(a)-age(b), -1), 1)) })
	for _, e := range entries[:len(entries)/2] {
		_ = os.Remove(filepath.Join(m.dir, e.Name()))
	}
}
