package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// CheckExport reports why files could not be copied to a folder, before there are any.
func CheckExport(dst string) error {
	info, err := os.Stat(dst)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, want a folder", dst)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Export copies the files into a folder, which is made if it is missing, and
// returns their names. If one would replace a file that differs, none is
// copied, unless force.
func (w *Workspace) Export(dst string, force bool) ([]string, error) {
	files, err := w.Files()
	if err != nil {
		return nil, err
	}
	if err := CheckExport(dst); err != nil {
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
		if _, err := to.root.Lstat(f.Path); errors.Is(err, fs.ErrNotExist) {
			continue
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
