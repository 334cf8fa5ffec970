package pyrunner

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// blocks are what people and models write, right and wrong.
var blocks = []string{
	"", "# /// script\n# dependencies = []\n# ///\n", "# /// script\n# dependencies = ['six']\n# ///\n", "# /// script\n# ///\n",
	"# /// script\n# dependencies = [\n# ///\n", "# /// script\n#dependencies = []\n# ///\n", "# /// script\n# dependencies = []\n#///\n",
	"# /// script \n# dependencies = []\n# ///\n", "#/// script\n# dependencies = []\n# ///\n", "  # /// script\n# dependencies = []\n# ///\n",
	"x = \"\"\"\n# /// script\n# dependencies = []\n# ///\n\"\"\"\n", "# /// script\n# dependencies = []\n# ///\n# ///\n",
	"# /// script\n# dependencies = []\n# ///\n\n# /// script\n# dependencies = []\n# ///\n", "# /// script\n# dependencies = []\n",
	"# /// script\n# dependencies = 'six'\n# ///\n", "# /// script\n# dependencies = [1]\n# ///\n", "# /// script\n# dependencies = ['six =']\n# ///\n",
	"# /// script\n# requires-python = 3\n# ///\n", "# /// script\n# requires-python = 'three'\n# ///\n", "# /// script\n# requires-python = '>=3.8'\n# ///\n",
	"# /// script\n# dependencies = []\n# dependencies = []\n# ///\n", "# /// script\n# extra = {a = 1}\n# ///\n",
	"# /// script\r\n# dependencies = []\r\n# ///\r\n", "# /// script\r# dependencies = ['six']\r# ///\r", "\xef\xbb\xbf# /// script\n# dependencies = []\n# ///\n",
	"# /// script\n#\n# dependencies = []\n#\n# ///", "# /// script\n# dependencies = []\n# ///x\n", "# /// script\n# dependencies = []\n\n# ///\n",
	"# /// other\n# x = [\n# ///\n", "# /// script\n# dependencies = ['--index-url=x']\n# ///\n",
}

// Whatever the block, a job succeeds exactly where uv alone would have run the
// script, and what stops it is its dependencies, with a line of the script or
// uv's own words.
func FuzzMetadata(f *testing.F) { // issue 4 point 5, uv#12499
	for _, block := range blocks {
		f.Add(block)
	}
	r := newRunner(f, Config{Offline: true})
	if err := newRunner(f, Config{}).Warm(f.Context(), []string{"six"}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, block string) {
		for line := range strings.FieldsFuncSeq(block, func(c rune) bool { return c == '\n' || c == '\r' }) {
			if !strings.HasPrefix(strings.TrimLeft(line, " \xef\xbb\xbf"), "#") && !strings.Contains(block, `"""`) {
				return // a program of its own
			}
		}
		path := write(t, filepath.Join(t.TempDir(), "s.py"), block)
		res, err := r.Run(t.Context(), Job{Path: path})
		var syntax *SyntaxError
		if strings.Contains(block, "\x00") || asError(err, &syntax) {
			return // not for the metadata to judge
		}
		if !uvSeesMetadata([]byte(block)) && strings.Contains(block, "# /// script") {
			return // we read a block where uv overlooks one
		}
		alone := exec.Command(r.uv, "run", "-q", "--no-project", "--isolated", "--no-config", "--offline", "--python", res.Python, path).Run()
		if (err == nil) != (alone == nil) {
			t.Errorf("%q: got %v, while uv says %v", block, err, alone)
		}
		var dep *DependencyError
		if err != nil && (!asError(err, &dep) || dep.Line == 0 && dep.Output == "" || dep.Line > strings.Count(block, "\n")+strings.Count(block, "\r")+1) {
			t.Errorf("%q: got %#v", block, err)
		}
	})
}
