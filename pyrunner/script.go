package pyrunner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// maxSource bounds a program's text, in bytes: whatever is longer, such as a
// device without an end, is no program.
const maxSource = 64 << 20

// readScript reads a program, and reports whether the file can be read again:
// a pipe can't, and may keep us waiting until ctx ends.
func readScript(ctx context.Context, path string) (source []byte, again bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if info.Mode().IsRegular() {
		source, err = readLimited(path)
		return source, true, err
	}
	type result struct {
		source []byte
		err    error
	}
	read := make(chan result, 1)
	go func() {
		source, err := readLimited(path)
		read <- result{source, err}
	}()
	select {
	case r := <-read:
		return r.source, false, r.err
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	source, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err == nil && len(source) > maxSource {
		err = fmt.Errorf("%s holds more than %d MiB", path, maxSource>>20)
	}
	return source, err
}

// isThere reports whether the script is a file that the caller has made.
func (p *plan) isThere() bool { return p.Source == "" && p.Path != "" }

// place puts source where it will run. It is called once the source is known
// to compile, so that a syntax error leaves no file.
func (p *plan) place() error {
	switch {
	case p.Source == "" && !p.passing:
		return nil
	case p.Path == "":
		return p.placeTemporary()
	default:
		return p.placeKept()
	}
}

// placeTemporary uses a folder of the script's own: the folder becomes
// sys.path[0], and a module that a stranger left in the shared temporary
// folder must not be importable.
func (p *plan) placeTemporary() error {
	temp, err := os.MkdirTemp("", "pyrunner-")
	if err != nil {
		return fmt.Errorf("making a temporary script: %w", err)
	}
	p.temp = temp
	p.script = filepath.Join(temp, "script.py")
	if err := os.WriteFile(p.script, p.source, 0o600); err != nil {
		return fmt.Errorf("making a temporary script: %w", err)
	}
	return nil
}

func (p *plan) placeKept() error { return save(p.script, p.source, p.Force) }

// save writes a new file, or with force any; its folder must exist. A file that
// is there already is ErrExists.
func save(path string, content []byte, force bool) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return &JobError{Message: "saving " + path, Err: ErrExists}
	}
	if err != nil {
		return &JobError{Message: "saving the script", Err: err}
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("saving the script: %w", err)
	}
	return nil
}

// alias gives a script whose path is not UTF-8 a second name, since uv takes no
// such argument. Python follows the link, so that the script's folder is still
// the first on sys.path.
func (p *plan) alias() (remove func(), err error) {
	if utf8.ValidString(p.script) {
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "pyrunner-")
	if err != nil {
		return nil, fmt.Errorf("naming the script in UTF-8: %w", err)
	}
	p.linked = filepath.Join(folder, "script.py")
	if err := os.Symlink(p.script, p.linked); err != nil {
		os.RemoveAll(folder)
		return nil, fmt.Errorf("naming the script in UTF-8: %w", err)
	}
	return func() { os.RemoveAll(folder) }, nil
}

// removeTemporary is for success; after a failure the script stays.
func (p *plan) removeTemporary() {
	if p.temp != "" {
		os.RemoveAll(p.temp)
		p.temp, p.script = "", ""
	}
}
