package imports

import (
	"bufio"
	"embed"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
)

//go:embed data/map.txt data/vouched.txt data/engines.txt
var dataFiles embed.FS

// knowledge is all that is known of distributions, read once.
type knowledge struct {
	entries map[string][]entry // by import prefix
	vouched map[string]bool    // normalised distribution names
	chains  []chain
	words   map[string][]int // last word of a use pattern -> numbers of chains
}

// An entry is one line of the map: on this target, this import needs these specs.
type entry struct {
	conditions []condition
	specs      []spec
}

// A spec is a distribution with extras and a version limit.
type spec struct {
	name    string // as uv gets it: lower case, dots kept
	extras  []string
	version string
}

var specPattern = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[([a-z0-9,._-]+)\])?((?:(?:[<>=!~]=|[<>])[0-9A-Za-z.*+!]+,?)*)$`)

func parseSpec(text string) (spec, error) {
	m := specPattern.FindStringSubmatch(text)
	if m == nil {
		return spec{}, fmt.Errorf("%q is not a requirement such as name, name[extra] or name<2", text)
	}
	s := spec{name: strings.ToLower(m[1]), version: m[3]}
	if m[2] != "" {
		s.extras = strings.Split(m[2], ",")
	}
	return s, nil
}

func (s spec) String() string {
	if len(s.extras) == 0 {
		return s.name + s.version
	}
	return s.name + "[" + strings.Join(s.extras, ",") + "]" + s.version
}

// normal is a name as PEP 503 compares it.
func normal(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(name) {
		if r == '-' || r == '_' || r == '.' {
			dash = true
			continue
		}
		if dash {
			b.WriteByte('-')
			dash = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

func load(userFile string) (*knowledge, error) {
	k := &knowledge{entries: map[string][]entry{}, vouched: map[string]bool{}, words: map[string][]int{}}
	for _, file := range []struct {
		name string
		read func(name, text string) error
	}{{"data/map.txt", k.readMap}, {"data/vouched.txt", k.readVouched}, {"data/engines.txt", k.readEngines}} {
		text, err := dataFiles.ReadFile(file.name)
		if err != nil {
			return nil, err
		}
		if err := file.read(file.name, string(text)); err != nil {
			return nil, err
		}
	}
	if userFile == "" {
		return k, nil
	}
	text, err := os.ReadFile(userFile)
	if err != nil {
		return nil, fmt.Errorf("imports: reading the map: %w", err)
	}
	user := &knowledge{entries: map[string][]entry{}}
	if err := user.readMap(userFile, string(text)); err != nil {
		return nil, err
	}
	for prefix, entries := range user.entries {
		k.entries[prefix] = entries
	}
	return k, nil
}

// eachLine calls f with the fields of each line that has any; a blank line gives none at all.
func eachLine(name, text string, f func(fields []string) error) error {
	lines := bufio.NewScanner(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if i := strings.Index(line, "#"); i == 0 || i > 0 && (line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
			if strings.TrimSpace(line) == "" {
				continue
			}
		}
		if err := f(strings.Fields(line)); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	return lines.Err()
}

func (k *knowledge) readMap(name, text string) error {
	return eachLine(name, text, func(fields []string) error {
		if len(fields) == 0 {
			return nil
		}
		if len(fields) < 2 {
			return fmt.Errorf("%q: want an import name and at least one distribution, or -", fields[0])
		}
		var e entry
		for _, field := range fields[1:] {
			if err := e.add(field); err != nil {
				return err
			}
		}
		k.entries[fields[0]] = append(k.entries[fields[0]], e)
		return nil
	})
}

func (e *entry) add(field string) error {
	switch {
	case field == "-":
		return nil
	case strings.HasPrefix(field, "@"):
		c, err := parseCondition(field[1:])
		e.conditions = append(e.conditions, c)
		return err
	case strings.Contains(field, "{}"):
		e.specs = append(e.specs, spec{name: field})
		return nil
	}
	s, err := parseSpec(field)
	e.specs = append(e.specs, s)
	return err
}

func (k *knowledge) readVouched(name, text string) error {
	return eachLine(name, text, func(fields []string) error {
		for _, field := range fields {
			k.vouched[normal(field)] = true
		}
		return nil
	})
}

// wanted is what the helper must look for: last words of use patterns, and starts of texts.
func (k *knowledge) wanted() (words, prefixes []string) {
	for word := range k.words {
		words = append(words, word)
	}
	for _, c := range k.chains {
		for _, r := range c {
			if text, ok := strings.CutPrefix(r.pattern, "text:"); ok {
				start, _, _ := strings.Cut(text, "*")
				prefixes = append(prefixes, start)
			}
			prefixes = append(prefixes, r.unless...)
		}
	}
	sort.Strings(words)
	sort.Strings(prefixes)
	return words, prefixes
}
