package imports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A chain is one paragraph of data/engines.txt: the first rule in it that fits a use counts.
type chain []rule

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

func (k *knowledge) readEngines(name, text string) error {
	var current chain
	flush := func() {
		if len(current) > 0 {
			k.addChain(current)
			current = nil
		}
	}
	err := eachLine(name, text, func(fields []string) error {
		if len(fields) == 0 {
			flush()
			return nil
		}
		r, err := parseRule(fields)
		current = append(current, r)
		return err
	})
	flush()
	return err
}

func (k *knowledge) addChain(c chain) {
	k.chains = append(k.chains, c)
	seen := map[string]bool{}
	for _, r := range c {
		word := lastWord(r.pattern)
		if word != "" && !seen[word] {
			seen[word] = true
			k.words[word] = append(k.words[word], len(k.chains)-1)
		}
	}
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
