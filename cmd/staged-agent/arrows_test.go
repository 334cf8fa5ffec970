package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/staged-agent/staged-agent/"

// arrows is the table of imports: what each package may import beyond the
// standard library. Control goes down it; an arrow it lacks is a design change.
var arrows = map[string][]string{
	"cmd/staged-agent": {"agent", "agent/provider", "agent/provider/scripted", "examples", "pyrunner", "simuser", "stages", "tools", "workspace",
		"github.com/spf13/pflag", "github.com/joho/godotenv"},
	"cmd/pyrunner":            {"pyrunner", "pyrunner/imports", "github.com/spf13/pflag", "github.com/modelcontextprotocol/go-sdk/mcp"},
	"agent":                   {"stages", "tools", "workspace"},
	"agent/provider":          {"agent", "github.com/sashabaranov/go-openai"},
	"agent/provider/scripted": {},
	"stages":                  {},
	"tools":                   {"workspace", "pyrunner", "github.com/google/jsonschema-go/jsonschema"},
	"simuser":                 {},
	"workspace":               {},
	"pyrunner":                {"pyrunner/imports", "golang.org/x/sys/unix", "golang.org/x/sys/windows"},
	"pyrunner/imports":        {"github.com/BurntSushi/toml"},
	"examples":                {},
}

// topFolders are the folders that the owner has fixed.
var topFolders = []string{"cmd", "agent", "stages", "tools", "simuser", "workspace", "pyrunner", "examples"}

func TestImportArrows(t *testing.T) {
	for _, goos := range []string{"linux", "windows", "darwin"} {
		for pkg, imports := range importGraph(t, goos) {
			allowed, ok := arrows[pkg]
			if !ok {
				t.Errorf("%s: package %s is not in the table of imports", goos, pkg)
			}
			if top, _, _ := strings.Cut(pkg, "/"); !slices.Contains(topFolders, top) {
				t.Errorf("package %s: there is no top-level folder %s", pkg, top)
			}
			for _, path := range imports {
				if !slices.Contains(allowed, path) {
					t.Errorf("%s: %s imports %s, which is not in the table of imports", goos, pkg, path)
				}
			}
		}
	}
}

// importGraph lists each package's imports beyond the standard library, those
// of this module by their folder.
func importGraph(t *testing.T, goos string) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	graph := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[0], module)
		graph[pkg] = nil
		for _, path := range fields[1:] {
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
				graph[pkg] = append(graph[pkg], strings.TrimPrefix(path, module))
			}
		}
	}
	if len(graph) < len(arrows) {
		t.Errorf("%s: the graph has %d packages, the table %d", goos, len(graph), len(arrows))
	}
	return graph
}
