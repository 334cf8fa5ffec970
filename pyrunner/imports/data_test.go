package imports

import (
	"sort"
	"strings"
	"testing"
)

// TestData keeps the files of data readable: groups under headings, each sorted and without doubles.
func TestData(t *testing.T) {
	text, err := dataFiles.ReadFile("data/map.txt")
	if err != nil {
		t.Fatal(err)
	}
	k, err := load("")
	if err != nil {
		t.Fatal(err)
	}
	var group []string
	seen := map[string]bool{}
	for line := range strings.Lines(string(text) + "\n") {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			if !sort.StringsAreSorted(group) {
				t.Errorf("the group of %s is not sorted", group[0])
			}
			group = nil
			continue
		}
		if seen[line] {
			t.Errorf("%s: twice", line)
		}
		seen[line] = true
		name, _, _ := strings.Cut(line, " ")
		group = append(group, strings.ToLower(name))
	}
	for prefix, entries := range k.entries {
		for _, e := range entries {
			for _, s := range e.specs {
				if name := normal(s.name); !strings.Contains(name, "{}") && !k.vouched[name] {
					t.Errorf("%s: %s is not in vouched.txt", prefix, s.name)
				}
			}
		}
	}
	if len(k.entries) < 1000 || len(k.vouched) < 5000 || len(k.chains) < 100 {
		t.Errorf("only %d imports, %d distributions, %d rules", len(k.entries), len(k.vouched), len(k.chains))
	}
	t.Logf("%d imports, %d distributions, %d paragraphs of engines", len(k.entries), len(k.vouched), len(k.chains))
}
