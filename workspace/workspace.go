// Package workspace owns what a run works on: the files below one root that no
// path leaves, the confirmed requirements, and the evidence of checks.
//
//	ws, err := workspace.Open(dir)
//	defer ws.Close()
//	version, err := ws.Write("tool.py", source)
package workspace

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// MaxFile is the largest file that is read or written, in bytes.
const MaxFile = 2 << 20

// maxFiles is how many files a listing holds at most.
const maxFiles = 1000

// A Workspace is one folder. It may be used by many goroutines at once.
type Workspace struct {
	dir  string
	root *os.Root

	mu           sync.Mutex
	requirements []Requirement
	evidence     map[string]Evidence
}

// A File is a regular file of the workspace.
type File struct {
	Path string
	Hash string // SHA-256, hexadecimal
	Size int    // bytes
}

// A Version is a file as it was written.
type Version struct {
	File
	New bool // there was none of that name
}

// Open makes the folder if it is missing, and opens it.
func Open(dir string) (*Workspace, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(full, 0o700); err != nil {
		return nil, fmt.Errorf("making the workspace: %w", err)
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, fmt.Errorf("opening the workspace: %w", err)
	}
	return &Workspace{dir: full, root: root, evidence: map[string]Evidence{}}, nil
}

// Dir returns the folder's full path.
func (w *Workspace) Dir() string { return w.dir }

// Close gives the folder up.
func (w *Workspace) Close() error { return w.root.Close() }

// regular returns the path, cleaned, if it names a regular file. Symbolic links
// are refused, wherever they stand in the path.
func (w *Workspace) regular(name string) (string, fs.FileInfo, error) {
	clean, err := CleanPath(name)
	if err != nil {
		return "", nil, err
	}
	for dir := path.Dir(clean); dir != "."; dir = path.Dir(dir) {
		info, err := w.root.Lstat(dir)
		if err == nil && !info.IsDir() {
			return clean, nil, &PathError{name, dir + " is not a folder"}
		}
	}
	info, err := w.root.Lstat(clean)
	if err != nil {
		return clean, nil, err
	}
	if info.IsDir() {
		return clean, nil, &PathError{name, "it names a folder"}
	}
	if !info.Mode().IsRegular() {
		return clean, nil, &PathError{name, "it is not a regular file"}
	}
	return clean, info, nil
}

// Write writes a file whole, through a temporary file, and makes its folders.
// The error is a *PathError, one about the size, or the file system's.
func (w *Workspace) Write(name string, content []byte) (Version, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(content) > MaxFile {
		return Version{}, &SizeError{fmt.Sprintf("content: %d bytes, at most %d are allowed; write it in smaller files", len(content), MaxFile)}
	}
	clean, _, err := w.regular(name)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return Version{}, err
	}
	if err := w.replace(clean, content); err != nil {
		return Version{}, fmt.Errorf("writing %s: %w", clean, err)
	}
	return Version{File{clean, hash(content), len(content)}, isNew}, nil
}

func (w *Workspace) replace(clean string, content []byte) error {
	if err := w.root.MkdirAll(path.Dir(clean), 0o755); err != nil {
		return err
	}
	temp := path.Join(path.Dir(clean), ".write-"+rand.Text())
	f, err := w.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = w.root.Rename(temp, clean)
	}
	if err != nil {
		_ = w.root.Remove(temp)
		return err
	}
	return w.syncFolder(path.Dir(clean))
}

// Read returns a file's bytes, at most MaxFile of them.
func (w *Workspace) Read(name string) ([]byte, error) {
	clean, info, err := w.regular(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, w.absent(clean)
	}
	if err != nil {
		return nil, err
	}
	if info.Size() > MaxFile {
		return nil, &SizeError{fmt.Sprintf("%s: %d bytes, at most %d can be read", clean, info.Size(), MaxFile)}
	}
	f, err := w.open(clean)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

// open opens a regular file, and anything else not: what stood there may have
// become a pipe since it was looked at, which must not block.
func (w *Workspace) open(clean string) (*os.File, error) {
	f, err := w.root.OpenFile(clean, os.O_RDONLY|noBlock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &PathError{clean, "it is not a regular file"}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (w *Workspace) absent(clean string) error {
	files, err := w.Files()
	if err != nil {
		return err
	}
	var names []string
	for _, f := range files[:min(len(files), 20)] {
		names = append(names, f.Path)
	}
	if len(names) == 0 {
		return &absentError{fmt.Sprintf("%s: there is no such file; the workspace is empty", clean)}
	}
	return &absentError{fmt.Sprintf("%s: there is no such file; the workspace holds %s", clean, strings.Join(names, ", "))}
}

// An absentError is fs.ErrNotExist in words that help.
type absentError struct{ message string }

func (e *absentError) Error() string { return e.message }

func (e *absentError) Is(target error) bool { return target == fs.ErrNotExist }

// caches are folders that tools make; they are no part of the work.
var caches = []string{"__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache", ".venv", ".git"}

// Files returns the regular files, sorted. Caches, links, special files and
// names that are no path of a workspace are left out.
func (w *Workspace) Files() ([]File, error) {
	var files []File
	err := fs.WalkDir(w.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(caches, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || path.Ext(name) == ".pyc":
			return nil
		}
		if clean, err := CleanPath(name); err != nil || clean != name {
			return nil
		}
		if len(files) == maxFiles {
			return &SizeError{fmt.Sprintf("the workspace holds more than %d files", maxFiles)}
		}
		f, err := w.file(name)
		files = append(files, f)
		return err
	})
	return files, err
}

func (w *Workspace) file(name string) (File, error) {
	f, err := w.open(name)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return File{name, hex.EncodeToString(h.Sum(nil)), int(n)}, err
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Hash returns the SHA-256 of a file's bytes, hexadecimal.
func (w *Workspace) Hash(name string) (string, error) {
	content, err := w.Read(name)
	if err != nil {
		return "", err
	}
	return hash(content), nil
}

// Fingerprint returns one hash over the names and bytes of all files.
func (w *Workspace) Fingerprint() (string, error) {
	files, err := w.Files()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s %s\n", f.Hash, f.Path)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
