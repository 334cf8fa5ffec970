//go:build unix

package workspace

import "syscall"

// noBlock keeps the opening of a pipe from waiting for its other end.
const noBlock = syscall.O_NONBLOCK

// syncFolder makes the entries of a folder lasting: a renamed file may be gone
// after a crash otherwise.
func (w *Workspace) syncFolder(dir string) error {
	f, err := w.root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
