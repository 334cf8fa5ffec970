package pyrunner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// shadowHint names modules beside a failed script that hide one of the standard
// library or of a dependency: their names are seldom in the traceback. "" where
// there is none.
func (r *Runner) shadowHint(ctx context.Context, p *plan) string {
	if p.script == "" || p.temp != "" {
		return ""
	}
	var hints []string
	local := localModules(realFolder(p.script))
	for _, name := range standardModules(ctx, p.python) {
		if path, found := local[name]; found {
			hints = append(hints, fmt.Sprintf("%s hides the standard library's module %s", path, name))
			delete(local, name)
		}
	}
	for _, path := range p.report.Shadows {
		if _, left := local[moduleName(path)]; left {
			hints = append(hints, fmt.Sprintf("%s hides an installable module of that name", path))
		}
	}
	slices.Sort(hints)
	return strings.Join(hints, "; ")
}

// localModules lists the modules in a folder, name to path.
func localModules(dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	found := map[string]string{}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if name, isPython := strings.CutSuffix(entry.Name(), ".py"); isPython {
			found[name] = path
		} else if _, err := os.Stat(filepath.Join(path, "__init__.py")); err == nil {
			found[entry.Name()] = path
		}
	}
	return found
}

// moduleName is the name that a module's file, or the __init__.py of a
// package, is imported by.
func moduleName(path string) string {
	if filepath.Base(path) == "__init__.py" {
		return filepath.Base(filepath.Dir(path))
	}
	return strings.TrimSuffix(filepath.Base(path), ".py")
}

// standardModules asks an interpreter for its standard library; nil if it does
// not say.
func standardModules(ctx context.Context, python string) []string {
	cmd := exec.CommandContext(ctx, python, "-I", "-S", "-c", "import sys; print(*sys.stdlib_module_names)")
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}
