package pyrunner

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// removeInlineEnvironment takes away what uv keeps for a temporary script with
// metadata: an environment that belongs to the script's path, which no other
// run will ever have, and the lock for it. Without this each run would leave
// both, in uv's cache and in the temporary folder.
func (r *Runner) removeInlineEnvironment(ctx context.Context, p *plan) {
	if !p.inline() || p.temp == "" || p.project {
		return
	}
	python, err := r.askUV(ctx, p.dir, "--no-config", "--script", p.script)
	if err != nil {
		return
	}
	environment := filepath.Dir(filepath.Dir(python))
	if isScriptEnvironment(environment) {
		_ = os.RemoveAll(environment)
		_ = os.Remove(r.scriptLock(environment))
	}
}

// scriptLock is the file by which uv keeps others from a script's environment
// while it makes it. Both bear the same hash of the script's path.
func (r *Runner) scriptLock(environment string) string {
	name := filepath.Base(environment)
	dir := os.TempDir()
	if value, ok := r.lookup("TMPDIR"); ok && runtime.GOOS != "windows" && value != "" {
		dir = value
	}
	return filepath.Join(dir, "uv-"+name[strings.LastIndexByte(name, '-')+1:]+".lock")
}

// isScriptEnvironment reports whether a folder is one of uv's for a single
// script named script.py, such as …/environments-v2/script-0123456789abcdef.
func isScriptEnvironment(dir string) bool {
	parent := filepath.Base(filepath.Dir(dir))
	return strings.HasPrefix(parent, "environments-v") && strings.HasPrefix(filepath.Base(dir), "script-")
}
