package imports

import (
	"fmt"
	"sort"
	"strings"
	"testing"
)

// TestData keeps the files of data readable: groups under headings, each sorted and without doubles.
func TestData(t *testing.T) {
	k, err := load("")
	if err != nil {
		t.Fatal(err)
	}
	var group []string
	seen := map[string]bool{}
	for line := range strings.Lines(mapText + "\n") {
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
	whole := map[string][]entry{}
	if err := readMap("map.txt", mapText, whole); err != nil {
		t.Fatal(err)
	}
	for prefix, entries := range whole {
		if got := fmt.Sprint(k.entries(prefix)); got != fmt.Sprint(entries) {
			t.Errorf("%s: looked up it is %s, read whole %v", prefix, got, entries)
		}
		for _, e := range entries {
			for _, s := range e.specs {
				if name := normal(s.name); !strings.Contains(name, "{}") && !k.vouched(name) {
					t.Errorf("%s: %s is not in vouched.txt", prefix, s.name)
				}
			}
		}
	}
	vouched := 0
	for line := range strings.Lines(vouchedText) {
		for _, name := range strings.Fields(line) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			if vouched++; name != normal(name) || !k.vouched(name) {
				t.Errorf("%s: it cannot be looked up", name)
			}
		}
	}
	for _, p := range k.paragraphs {
		p.parsed() // panics where it cannot be read
	}
	if len(whole) < 1000 || vouched < 5000 || len(k.paragraphs) < 100 {
		t.Errorf("only %d imports, %d distributions, %d rules", len(whole), vouched, len(k.paragraphs))
	}
	t.Logf("%d imports, %d distributions, %d paragraphs of engines", len(whole), vouched, len(k.paragraphs))
}

// An import can be any text; none of it reaches into the files.
func TestOddNamesAreUnknown(t *testing.T) {
	k, err := load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", " ", "\n", "cv2 opencv-python", "#", "# Which", "Distributions", "imp zombie-imp @3.12+\nmailcap", "numpy\nnump"} {
		if k.entries(name) != nil || k.vouched(name) {
			t.Errorf("%q is known", name)
		}
	}
}
