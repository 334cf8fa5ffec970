package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A ClashError reports files that are there already and differ. Nothing was written.
type ClashError struct {
	Dir   string
	Paths []string
}

func (e *ClashError) Error() string {
	return fmt.Sprintf("nothing was copied to %s: other files of these names are there: %s", e.Dir, strings.Join(e.Paths, ", "))
}

// CheckExport reports why files could not be copied to a folder, before there
// are any: it is a file, or neither it nor the closest folder above it that is
// there can be written to.
func CheckExport(dst string) error {
	dir, err := filepath.Abs(dst)
	if err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, want a folder", dst)
	}
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
		info, err = os.Stat(dir)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is a file, want a folder", dir)
	}
	probe, err := os.CreateTemp(dir, ".staged-agent-")
	if err != nil {
		return fmt.Errorf("%s cannot be written to: %w", dst, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Export copies the files into a folder, which is made if it is missing, and
// returns their names. If one would replace a file that differs, none is
// copied, unless force.
func (w *Workspace) Export(dst string, force bool) ([]string, error) {
	files, err := w.Files()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dst, 0o755); err != nil { // unlike a run's own folder, for others to read
		return nil, err
	}
	to, err := Open(dst)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	var names, clashes []string
	contents := map[string][]byte{}
	for _, f := range files {
		content, err := w.Read(f.Path)
		if err != nil {
			return nil, err
		}
		contents[f.Path] = content
		names = append(names, f.Path)
		_, _, err = to.regular(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil { // a folder or a link, which force does not overwrite either
			return nil, fmt.Errorf("nothing was copied to %s: %s is there, and no file", to.dir, f.Path)
		}
		if there, err := to.Read(f.Path); err != nil || !bytes.Equal(there, content) {
			clashes = append(clashes, f.Path)
		}
	}
	if len(clashes) > 0 && !force {
		return nil, &ClashError{to.dir, clashes}
	}
	for _, name := range names {
		if _, err := to.Write(name, contents[name]); err != nil {
			return nil, err
		}
	}
	return names, nil
}
