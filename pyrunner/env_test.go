package pyrunner

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// withEnv is our environment with some variables set.
func withEnv(set map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if value, ok := set[name]; ok {
			return value, true
		}
		return os.LookupEnv(name)
	}
}

func TestEnvironmentIsAllowed(t *testing.T) { // issue 4 point 12
	secrets := map[string]string{
		"OPENAI_API_KEY": "sk-1", "OPENROUTER_API_KEY": "sk-2", "AWS_SECRET_ACCESS_KEY": "sk-3", "HTTPS_PROXY_TOKEN": "sk-4",
		"VIRTUAL_ENV": "/sk-5", "PYTHONPATH": "/sk-6", "UV_PUBLISH_TOKEN": "sk-7", "PYTHONSTARTUP": "/sk-8", "WANTED": "this",
	}
	for name, value := range secrets {
		t.Setenv(name, value)
	}
	r := newRunner(t, Config{PassEnv: []string{"WANTED"}})
	res := mustRun(t, r, Job{
		Source: "import os\nfor k, v in os.environ.items(): print(k + '=' + v)\nprint(open('/proc/%d/environ' % os.getppid()).read() if os.path.exists('/proc') else '')\n",
		Env:    []string{"MINE=1"},
	})
	wantPart(t, "environment", res.Stdout, "WANTED=this")
	wantPart(t, "environment", res.Stdout, "MINE=1")
	wantPart(t, "environment", res.Stdout, "PYTHONIOENCODING=utf-8")
	for name, value := range secrets {
		if name != "WANTED" && (strings.Contains(res.Stdout, name+"=") && name != "VIRTUAL_ENV" || strings.Contains(res.Stdout, value)) {
			t.Errorf("%s reached the script", name)
		}
	}
}

func TestProxiesAndPasswordsStayInTheInstall(t *testing.T) {
	set := map[string]string{
		"HTTPS_PROXY":                     "http://me:secret@127.0.0.1:9",
		"UV_INDEX":                        "corp=https://me:secret@127.0.0.1/simple",
		"UV_INDEX_CORP_PASSWORD":          "secret",
		"UV_EXTRA_INDEX_URL":              "https://me:secret@127.0.0.1/x https://127.0.0.2/y",
		"UV_KEYRING_PROVIDER":             "subprocess",
		"UV_SOMETHING_ELSE_WITH_A_SECRET": "secret",
	}
	lookup := func(name string) (string, bool) { value, ok := set[name]; return value, ok }
	r := &Runner{lookup: lookup}
	script := strings.Join(r.scriptEnv(nil), "\n")
	if strings.Contains(script, "secret") || strings.Contains(script, "PROXY") {
		t.Errorf("for the script: %s", script)
	}
	wantPart(t, "for the script", script, "UV_INDEX=corp=https://127.0.0.1/simple")
	wantPart(t, "for the script", script, "UV_EXTRA_INDEX_URL=https://127.0.0.1/x https://127.0.0.2/y")
	install := r.installEnv()
	for name, value := range set {
		if slices.Contains(install, name+"="+value) == (name == "UV_SOMETHING_ELSE_WITH_A_SECRET") {
			t.Errorf("for the install: %s: got %v", name, install)
		}
	}
}

func TestLastOfEach(t *testing.T) {
	env := []string{"A=1", "Path=x", "B=2", "PATH=y", "A=3", "junk"}
	if got := lastOfEach(env, "linux"); !slices.Equal(got, []string{"Path=x", "B=2", "PATH=y", "A=3"}) {
		t.Errorf("linux: got %v", got)
	}
	if got := lastOfEach(env, "windows"); !slices.Equal(got, []string{"B=2", "PATH=y", "A=3"}) {
		t.Errorf("windows: got %v", got)
	}
}

func TestAllowedNames(t *testing.T) {
	for goos, want := range map[string]bool{"linux": false, "darwin": false, "windows": true} {
		if got := slices.Contains(allowedNames(goos), "SYSTEMROOT"); got != want {
			t.Errorf("%s: got %v", goos, got)
		}
	}
	if slices.Contains(scriptNames, "SYSTEMROOT") {
		t.Error("the list itself has grown")
	}
}
