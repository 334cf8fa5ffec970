package pyrunner

import (
	"net/url"
	"runtime"
	"strings"
)

// What a script may see of our environment. Everything else stays behind, so a
// key can only reach a script when somebody names it.
var (
	scriptNames = []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "TERM",
		"LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES",
		"XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "LD_LIBRARY_PATH",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
		"UV_CACHE_DIR", "UV_LINK_MODE", "UV_PYTHON_INSTALL_DIR",
		// Some processors need these for a right result from numpy.
		"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS",
	}
	windowsNames = []string{
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "OS",
		"USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA",
		"PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "COMMONPROGRAMFILES",
		"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
	}
	// What uv needs to reach an index. No script sees these.
	networkNames = []string{
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"UV_KEYRING_PROVIDER", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_INSECURE_HOST", "UV_HTTP_TIMEOUT", "NETRC",
	}
	// Where distributions come from. uv's cache is divided by these, so they
	// are set for a run too, though without the passwords in them.
	indexNames = []string{
		"UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_INDEX_STRATEGY",
	}
)

// Variables of ours. Output is text in UTF-8 and comes as it is written; uv
// asks for no Python beyond what the machine has.
var ourVariables = []string{"PYTHONIOENCODING=utf-8", "PYTHONUNBUFFERED=1"}

type lookupEnv func(string) (string, bool)

// scriptEnv returns the environment of a run.
func (r *Runner) scriptEnv(extra []string) []string {
	env := pick(r.lookup, allowedNames(runtime.GOOS))
	for _, name := range indexNames {
		if value, ok := r.lookup(name); ok {
			env = append(env, name+"="+stripPasswords(value))
		}
	}
	env = append(env, r.pythonDownloads())
	env = append(env, ourVariables...)
	env = append(env, pick(r.lookup, r.cfg.PassEnv)...)
	return lastOfEach(append(env, extra...), runtime.GOOS)
}

// installEnv returns the environment in which uv fetches distributions; no
// code of the script sees it.
func (r *Runner) installEnv() []string {
	names := append(allowedNames(runtime.GOOS), networkNames...)
	names = append(append(names, indexNames...), indexCredentials(r.lookup)...)
	return lastOfEach(append(pick(r.lookup, names), r.pythonDownloads()), runtime.GOOS)
}

// pythonDownloads is the policy that uv fetches no interpreter unless the user
// has said otherwise.
func (r *Runner) pythonDownloads() string {
	if value, ok := r.lookup("UV_PYTHON_DOWNLOADS"); ok {
		return "UV_PYTHON_DOWNLOADS=" + value
	}
	return "UV_PYTHON_DOWNLOADS=never"
}

func allowedNames(goos string) []string {
	names := append([]string(nil), scriptNames...)
	if goos == "windows" {
		names = append(names, windowsNames...)
	}
	return names
}

func pick(lookup lookupEnv, names []string) []string {
	var env []string
	for _, name := range names {
		if value, ok := lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// indexCredentials names the variables that hold user and password for the
// named indexes of UV_INDEX and UV_DEFAULT_INDEX ("name=https://…").
func indexCredentials(lookup lookupEnv) []string {
	var names []string
	for _, variable := range []string{"UV_INDEX", "UV_DEFAULT_INDEX"} {
		value, _ := lookup(variable)
		for _, entry := range strings.Fields(value) {
			name, _, found := strings.Cut(entry, "=")
			if !found || strings.Contains(name, ":") {
				continue
			}
			stem := "UV_INDEX_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
			names = append(names, stem+"_USERNAME", stem+"_PASSWORD")
		}
	}
	return names
}

// stripPasswords takes user and password out of each address in a list.
func stripPasswords(list string) string {
	entries := strings.Fields(list)
	for i, entry := range entries {
		prefix, address := "", entry
		if name, rest, found := strings.Cut(entry, "="); found && !strings.Contains(name, ":") {
			prefix, address = name+"=", rest
		}
		if u, err := url.Parse(address); err == nil && u.User != nil {
			u.User = nil
			entries[i] = prefix + u.String()
		}
	}
	return strings.Join(entries, " ")
}

// lastOfEach keeps the last setting of each name, as names compare on goos.
func lastOfEach(env []string, goos string) []string {
	key := func(s string) string {
		name, _, _ := strings.Cut(s, "=")
		if goos == "windows" {
			return strings.ToUpper(name)
		}
		return name
	}
	last := map[string]int{}
	for i, s := range env {
		last[key(s)] = i
	}
	var kept []string
	for i, s := range env {
		if last[key(s)] == i && strings.Contains(s, "=") {
			kept = append(kept, s)
		}
	}
	return kept
}
