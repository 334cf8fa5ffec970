package imports

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A scriptCase is one script of testdata/scripts with the answer that its first lines state:
//
//	# want: a, b[extra]   the list of specs; a? is a name that nobody vouches for
//	# want@<3.11: a       the same on some Pythons only; the first line that holds counts
//	# meta: a, b          the dependencies of its PEP 723 block
//	# metaerror: 4        the line of the block's fault
//	# syntax: 3           the line of its syntax error
//
// A case NAME/main.py has neighbours NAME/….
type scriptCase struct {
	name   string
	files  map[string]string
	source string
}

func scriptCases(t testing.TB) []scriptCase {
	t.Helper()
	archives, err := filepath.Glob("testdata/scripts/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var cases []scriptCase
	for _, path := range archives {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, readCases(txtar.Parse(data))...)
	}
	return cases
}

func readCases(archive *txtar.Archive) []scriptCase {
	byName := map[string]*scriptCase{}
	var order []string
	for _, file := range archive.Files {
		name, inside, ok := strings.Cut(file.Name, "/")
		if !ok {
			inside = name
		}
		c := byName[name]
		if c == nil {
			c = &scriptCase{name: name, files: map[string]string{}}
			byName[name] = c
			order = append(order, name)
		}
		c.files[inside] = string(file.Data)
		if !ok || inside == "main.py" {
			c.source = string(file.Data)
		}
	}
	var cases []scriptCase
	for _, name := range order {
		cases = append(cases, *byName[name])
	}
	return cases
}

// want is the answer stated, in the words of got.
func (c scriptCase) want(t testing.TB, on target) string {
	t.Helper()
	for line := range strings.Lines(c.source) {
		key, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "#")), ":")
		value = strings.TrimSpace(value)
		key, when, conditional := strings.Cut(key, "@")
		if conditional {
			held, err := parseCondition(when)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if !on.holds([]condition{held}) {
				continue
			}
		}
		list := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
		switch key {
		case "want":
			slices.Sort(list)
			return "want " + strings.Join(list, " ")
		case "meta":
			return "meta " + strings.Join(list, " ")
		case "metaerror", "syntax":
			return key + " " + value
		}
		break
	}
	t.Fatalf("%s: the first line does not say what is wanted", c.name)
	return ""
}

func (c scriptCase) got(t testing.TB, f *Finder) (string, *Report) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range c.files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	name := c.name
	if !strings.HasSuffix(name, ".py") {
		name = "main.py"
	}
	report, err := f.Find(context.Background(), Input{Source: []byte(c.source), Name: name, Dirs: []string{dir}})
	var broken *MetadataError
	switch {
	case errors.As(err, &broken):
		return "metaerror " + strconv.Itoa(broken.Line), nil
	case err != nil:
		t.Fatalf("%s: %v", c.name, err)
	case report.Syntax != nil:
		return "syntax " + strconv.Itoa(report.Syntax.Line), report
	case report.Metadata != nil:
		return "meta " + strings.Join(report.Metadata.Dependencies, " "), report
	}
	var list []string
	for _, d := range report.Dependencies {
		if !d.Vouched {
			d.Spec += "?"
		}
		list = append(list, d.Spec)
	}
	slices.Sort(list)
	return "want " + strings.Join(list, " "), report
}

// A score counts one half of the table.
type score struct{ all, exact, unrelated int }

func (s score) percent() float64 { return 100 * float64(s.exact) / float64(max(s.all, 1)) }

func (s score) String() string {
	return fmt.Sprintf("%d of %d exact (%.1f %%), %d unrelated distributions", s.exact, s.all, s.percent(), s.unrelated)
}

// TestTable scores the finder on scripts that were written before it was tuned. Only the first
// half may be tuned to; the second shows how it does on scripts that nobody looked at.
func TestTable(t *testing.T) {
	f := newFinder(t)
	var halves [2]score
	for _, c := range scriptCases(t) {
		hash := fnv.New32a()
		hash.Write([]byte(c.name))
		half := hash.Sum32() % 2
		want := c.want(t, f.target)
		got, report := c.got(t, f)
		s := &halves[half]
		s.all++
		if got == want {
			s.exact++
			continue
		}
		s.unrelated += unrelated(want, report)
		if half == 0 || os.Getenv("SHOW_SECOND_HALF") != "" {
			t.Logf("half %d, %s:\n  got  %s\n  want %s", half+1, c.name, got, want)
		}
	}
	t.Logf("first half: %v", halves[0])
	t.Logf("second half: %v", halves[1])
	if halves[0].percent() < 95 {
		t.Errorf("the first half scores %.1f %%, want 95", halves[0].percent())
	}
}

// unrelated counts the vouched distributions that are not in the answer.
func unrelated(want string, report *Report) int {
	if report == nil {
		return 0
	}
	wanted := map[string]bool{}
	for _, word := range strings.Fields(want)[1:] {
		name, _, _ := strings.Cut(word, "[")
		name, _, _ = strings.Cut(name, "<")
		wanted[normal(strings.TrimSuffix(name, "?"))] = true
	}
	count := 0
	for _, d := range report.Dependencies {
		if d.Vouched && !wanted[normal(d.Distribution)] {
			count++
		}
	}
	return count
}
