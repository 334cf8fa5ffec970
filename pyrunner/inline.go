package pyrunner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// removeInlineEnvironment takes away what uv keeps for a temporary script with
// metadata: an environment that belongs to the script's path, which no other
// run will ever have. Without this each run would leave one in uv's cache.
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
	}
}

// isScriptEnvironment reports whether a folder is one of uv's for a single
// script named script.py, such as …/environments-v2/script-0123456789abcdef.
func isScriptEnvironment(dir string) bool {
	parent := filepath.Base(filepath.Dir(dir))
	return strings.HasPrefix(parent, "environments-v") && strings.HasPrefix(filepath.Base(dir), "script-")
}
