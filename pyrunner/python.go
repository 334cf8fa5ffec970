package pyrunner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// interpreter returns the full path of the Python for jobs outside a project,
// found once.
func (r *Runner) interpreter(ctx context.Context) (string, error) {
	r.pythonMu.Lock()
	defer r.pythonMu.Unlock()
	if r.python != "" {
		return r.python, nil
	}
	path, err := r.findPython(ctx)
	if err == nil {
		r.python = path
	}
	return path, err
}

func (r *Runner) findPython(ctx context.Context) (string, error) {
	request := r.cfg.Python
	if filepath.IsAbs(request) {
		return r.realPython(ctx, request)
	}
	if request == "" {
		if path, err := r.lookPath(defaultPythonName(runtime.GOOS)); err == nil {
			if real, err := r.realPython(ctx, path); err == nil {
				return real, nil
			} // a shim without a version, or the stub that Windows has for a shop
		}
	}
	args := []string{"--no-project", "--no-config"}
	if request != "" {
		args = append(args, request)
	}
	python, err := r.askUV(ctx, os.TempDir(), args...)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(python)
}

func defaultPythonName(goos string) string {
	if goos == "windows" {
		return "python.exe"
	}
	return "python3"
}

// realPython follows links to the interpreter itself, so that it brings nothing
// of a virtual environment along. A script in its place (pyenv and others put
// such shims on PATH) is asked what it would start.
func (r *Runner) realPython(ctx context.Context, path string) (string, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil && isProgram(real) {
		return real, nil
	}
	// From a neutral folder: a shim may obey a file in the current one.
	cmd := exec.CommandContext(ctx, path, "-I", "-S", "-c", "import sys; print(sys.executable)")
	cmd.Dir = os.TempDir()
	cmd.Env = r.shimEnv()
	out, err := cmd.Output()
	if err != nil {
		return "", noPython(path, err)
	}
	real, err := filepath.EvalSymlinks(string(bytes.TrimSpace(out)))
	if err != nil {
		return "", noPython(path, err)
	}
	return real, nil
}

func noPython(path string, err error) error {
	return &DependencyError{Names: []string{"python"}, Output: fmt.Sprintf("%s is no Python interpreter: %v", path, err)}
}

// shimEnv adds to the allowed variables those that choose a shim's version.
func (r *Runner) shimEnv() []string {
	names := []string{"PYENV_VERSION", "PYENV_ROOT", "ASDF_DIR", "ASDF_DATA_DIR", "ASDF_PYTHON_VERSION"}
	return append(r.scriptEnv(nil), pick(r.lookup, names)...)
}

// isProgram reports whether the file is a native program rather than a script.
func isProgram(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2)
	n, _ := f.Read(head)
	return n == 2 && string(head) != "#!"
}

// askUV has uv find an interpreter, from dir and with these further arguments:
// a version such as "3.12", a name, a script, or nothing for any.
func (r *Runner) askUV(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, r.uv, append([]string{"python", "find"}, args...)...)
	cmd.Env = r.installEnv()
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", &DependencyError{Names: []string{"python"}, Output: string(exit.Stderr)}
	}
	if err != nil {
		return "", fmt.Errorf("asking uv for an interpreter: %w", err)
	}
	return string(bytes.TrimSpace(out)), nil
}

// projectPython returns the interpreter that a project's scripts run on, as far
// as uv can tell before it makes the project's environment; otherwise ours.
func (r *Runner) projectPython(ctx context.Context, dir string) (string, error) {
	if python, err := r.askUV(ctx, dir); err == nil {
		return python, nil
	}
	return r.interpreter(ctx)
}

// lookPath finds a program on the PATH of the runner's environment.
func (r *Runner) lookPath(name string) (string, error) {
	list, _ := r.lookup("PATH")
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue // a program of the current folder is nobody's default
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}
