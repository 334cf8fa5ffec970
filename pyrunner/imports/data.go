package imports

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// The files of data are used as they are: a script needs a few of their lines,
// and to parse all of them would take longer than to read the script. TestData
// parses them whole.
var (
	//go:embed data/map.txt
	mapText string
	//go:embed data/vouched.txt
	vouchedText string
	//go:embed data/engines.txt
	enginesText string
)

// knowledge is what is known of distributions: our files, and the user's map.
type knowledge struct {
	*engines
	user map[string][]entry // by import prefix; wins over ours
}

// entries returns the lines of the map for an import prefix, in order.
func (k *knowledge) entries(prefix string) []entry {
	if entries := k.user[prefix]; entries != nil {
		return entries
	}
	if strings.ContainsAny(prefix, blanks+"#") {
		return nil // import_module takes any text
	}
	var entries []entry
	for rest := mapText; ; {
		i := strings.Index(rest, "\n"+prefix+" ")
		if i < 0 {
			return entries
		}
		line, after, _ := strings.Cut(rest[i+1:], "\n")
		e, err := parseEntry(fieldsOf(line))
		if err != nil {
			panic("imports: data/map.txt: " + err.Error())
		}
		entries = append(entries, e)
		rest = "\n" + after
	}
}

// vouched reports whether a normalised distribution name is in the vouched list.
func (k *knowledge) vouched(name string) bool {
	if name == "" || strings.ContainsAny(name, blanks) {
		return false
	}
	for at := 0; ; {
		i := strings.Index(vouchedText[at:], name)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(name)
		at = end
		if (start == 0 || isBlank(vouchedText[start-1])) && (end == len(vouchedText) || isBlank(vouchedText[end])) &&
			!strings.HasPrefix(vouchedText[1+strings.LastIndexByte(vouchedText[:start], '\n'):], "#") {
			return true
		}
	}
}

// blanks separate the words of the files.
const blanks = " \t\r\n"

func isBlank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

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
	k := &knowledge{engines: ourEngines(), user: map[string][]entry{}}
	if userFile == "" {
		return k, nil
	}
	text, err := os.ReadFile(userFile)
	if err != nil {
		return nil, fmt.Errorf("imports: reading the map: %w", err)
	}
	return k, readMap(userFile, string(text), k.user)
}

// eachLine calls f with the fields of each line that has any; a blank line gives none at all.
func eachLine(name, text string, f func(fields []string) error) error {
	lines := bufio.NewScanner(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		if err := f(fieldsOf(line)); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	return lines.Err()
}

// fieldsOf splits a line at blanks, less what a # behind a blank begins.
func fieldsOf(line string) []string {
	for i := 1; i < len(line); i++ {
		if line[i] == '#' && (line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
			break
		}
	}
	return strings.Fields(line)
}

// readMap reads a whole file of the map's format.
func readMap(name, text string, into map[string][]entry) error {
	return eachLine(name, text, func(fields []string) error {
		if len(fields) == 0 {
			return nil
		}
		e, err := parseEntry(fields)
		into[fields[0]] = append(into[fields[0]], e)
		return err
	})
}

func parseEntry(fields []string) (entry, error) {
	var e entry
	if len(fields) < 2 {
		return e, fmt.Errorf("%q: want an import name and at least one distribution, or -", fields[0])
	}
	for _, field := range fields[1:] {
		if err := e.add(field); err != nil {
			return e, err
		}
	}
	return e, nil
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
