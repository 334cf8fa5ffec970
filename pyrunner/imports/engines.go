package imports

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// engines are the paragraphs of data/engines.txt.
type engines struct {
	paragraphs []*paragraph
	words      map[string][]*paragraph // by the last word of a use pattern
	texts      []*paragraph            // those about strings
	fixtures   []*paragraph            // those about fixtures
}

// A paragraph's rules are parsed when they are first needed. The first rule
// that fits a use counts.
type paragraph struct {
	lines []string
	once  sync.Once
	rules []rule
}

// A rule is one line: a pattern, tests, and what the use needs.
type rule struct {
	pattern string // use pattern, text:START*, fixture:NAME
	tests   []argTest
	with    []string // one of these must be imported somewhere
	without []string // none of these may be
	unless  []string // no string of the module may start so
	call    bool     // it must be a call
	when    []condition
	specs   []spec
}

// An argTest compares literal arguments: any of the places (positions or keywords) must fit any of
// the globs. A glob "!" means that none of the places is given.
type argTest struct {
	places []string
	globs  []string
}

// ourEngines splits the file into its paragraphs, once.
var ourEngines = sync.OnceValue(func() *engines {
	e := &engines{words: map[string][]*paragraph{}}
	current := &paragraph{}
	for line := range strings.Lines(enginesText + "\n\n") {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) != "":
			current.lines = append(current.lines, line)
		case len(current.lines) > 0:
			e.add(current)
			current = &paragraph{}
		}
	}
	return e
})

func (e *engines) add(p *paragraph) {
	e.paragraphs = append(e.paragraphs, p)
	seen := map[string]bool{}
	for i, line := range p.lines {
		pattern, _, _ := strings.Cut(line, " ")
		word := lastWord(pattern)
		switch {
		case i == 0 && strings.HasPrefix(pattern, "text:"):
			e.texts = append(e.texts, p)
		case i == 0 && strings.HasPrefix(pattern, "fixture:"):
			e.fixtures = append(e.fixtures, p)
		case word != "" && !seen[word]:
			seen[word] = true
			e.words[word] = append(e.words[word], p)
		}
	}
}

// parsed returns the paragraph's rules.
func (p *paragraph) parsed() []rule {
	p.once.Do(func() {
		for _, line := range p.lines {
			r, err := parseRule(fieldsOf(line))
			if err != nil {
				panic("imports: data/engines.txt: " + err.Error())
			}
			p.rules = append(p.rules, r)
		}
	})
	return p.rules
}

// wanted is what the helper must look for: last words of use patterns, and starts of texts.
func (e *engines) wanted() (words, prefixes []string) {
	words = slices.Sorted(maps.Keys(e.words))
	for _, p := range e.paragraphs {
		for _, line := range p.lines {
			pattern, _, _ := strings.Cut(line, " ")
			if text, ok := strings.CutPrefix(pattern, "text:"); ok {
				start, _, _ := strings.Cut(text, "*")
				prefixes = append(prefixes, start)
			}
		}
	}
	slices.Sort(prefixes)
	return words, prefixes
}

// lastWord is what the helper looks for; empty for patterns that are no use patterns.
func lastWord(pattern string) string {
	if strings.HasPrefix(pattern, "text:") || strings.HasPrefix(pattern, "fixture:") {
		return ""
	}
	prefix := ""
	if rest, ok := strings.CutPrefix(pattern, "async:"); ok {
		prefix, pattern = "async ", rest
	}
	return prefix + pattern[strings.LastIndexAny(pattern, ".?")+1:]
}

func parseRule(fields []string) (rule, error) {
	r := rule{pattern: fields[0]}
	i := 1
	for ; i < len(fields) && fields[i] != ":"; i++ {
		if err := r.addTest(fields[i]); err != nil {
			return r, err
		}
	}
	if i >= len(fields)-1 {
		return r, fmt.Errorf("%s: want \": SPEC …\" at the end", r.pattern)
	}
	if fields[i+1] == "-" {
		return r, nil
	}
	for _, field := range fields[i+1:] {
		s, err := parseSpec(field)
		if err != nil {
			return r, err
		}
		r.specs = append(r.specs, s)
	}
	return r, nil
}

func (r *rule) addTest(field string) error {
	if list, ok := strings.CutPrefix(field, "with:"); ok {
		r.with = strings.Split(list, ",")
		return nil
	}
	if list, ok := strings.CutPrefix(field, "not:"); ok {
		r.without = strings.Split(list, ",")
		return nil
	}
	if word, ok := strings.CutPrefix(field, "@"); ok {
		c, err := parseCondition(word)
		r.when = append(r.when, c)
		return err
	}
	if list, ok := strings.CutPrefix(field, "unless:"); ok {
		r.unless = strings.Split(list, ",")
		return nil
	}
	if field == "call" {
		r.call = true
		return nil
	}
	places, globs, ok := strings.Cut(field, "=")
	if !ok {
		return fmt.Errorf("%s: no test is called %q", r.pattern, field)
	}
	r.tests = append(r.tests, argTest{strings.Split(places, "|"), strings.Split(globs, ",")})
	return nil
}

// fits tests everything but the pattern's kind of name.
func (r *rule) fits(use useFact, p *program, texts []string) bool {
	if r.call && !use.Call || !p.target.holds(r.when) {
		return false
	}
	if len(r.with) > 0 && !p.importsAny(r.with) || p.importsAny(r.without) {
		return false
	}
	for _, t := range r.tests {
		if !t.fits(use) {
			return false
		}
	}
	for _, start := range r.unless {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, start) }) {
			return false
		}
	}
	return true
}

func (t argTest) fits(use useFact) bool {
	given := false
	for _, place := range t.places {
		value, ok := argument(use, place)
		if !ok {
			continue
		}
		given = true
		for _, g := range t.globs {
			if value != nil && glob(strings.ToLower(g), strings.ToLower(*value)) {
				return true
			}
		}
	}
	return !given && t.globs[0] == "!"
}

func argument(use useFact, place string) (*string, bool) {
	if n, err := strconv.Atoi(place); err == nil {
		if n < len(use.Args) {
			return use.Args[n], true
		}
		return nil, false
	}
	value, ok := use.Keys[place]
	return value, ok
}

// glob matches text against a pattern in which * stands for any run of characters.
func glob(pattern, text string) bool {
	start, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	if !strings.HasPrefix(text, start) {
		return false
	}
	text = text[len(start):]
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(text, rest)
		}
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(part):], more
	}
}
