package imports

import (
	"regexp"
	"strings"
)

type kind int

const (
	unknown  kind = iota // nobody vouches for it
	known                // needs specs; with none, it can't be had on this target
	standard             // comes with Python
	nothing              // no distribution can have this name
)

// An answer says what an import name needs.
type answer struct {
	kind  kind
	specs []spec
}

// fullNames are the dotted names that an import may mean: each name of a from-import may be a
// module of its own (from google.cloud import storage).
func fullNames(fact *importFact) []string {
	if fact.Level > 0 {
		return nil
	}
	if len(fact.Names) == 0 {
		return []string{fact.Module}
	}
	names := make([]string, 0, len(fact.Names))
	for _, name := range fact.Names {
		if name == "*" {
			names = append(names, fact.Module)
			continue
		}
		names = append(names, fact.Module+"."+name)
	}
	return names
}

// importable are the names that could be a distribution's: PEP 508, and no Python keyword game.
var importable = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// resolve looks an import name up: the map's longest prefix first, then the standard library, then
// the vouched list.
func (f *Finder) resolve(name string) answer {
	top, _, _ := strings.Cut(name, ".")
	entries, rest := f.known.longest(name)
	for _, e := range entries {
		if f.target.holds(e.conditions) {
			return f.known.fill(e, rest)
		}
	}
	if f.target.stdlib[top] {
		return answer{kind: standard}
	}
	if entries != nil {
		return answer{kind: known}
	}
	if !importable.MatchString(top) || strings.HasSuffix(top, "_") {
		return answer{kind: nothing}
	}
	s := spec{name: normal(top)}
	if f.known.vouched(s.name) {
		return answer{kind: known, specs: []spec{s}}
	}
	return answer{kind: unknown, specs: []spec{s}}
}

// knows tells whether a top-level import name belongs to a known distribution.
func (k *knowledge) knows(top string) bool {
	return k.entries(top) != nil || k.entries(top+".*") != nil || k.vouched(normal(top))
}

// longest finds the entries of the longest prefix. An entry "a.b.*" takes the next part as rest.
func (k *knowledge) longest(name string) ([]entry, string) {
	end := len(name)
	after := ""
	for {
		prefix := name[:end]
		if after != "" {
			if entries := k.entries(prefix + ".*"); entries != nil {
				next, _, _ := strings.Cut(after, ".")
				return entries, next
			}
		}
		if entries := k.entries(prefix); entries != nil {
			return entries, ""
		}
		i := strings.LastIndexByte(prefix, '.')
		if i < 0 {
			return nil, ""
		}
		end, after = i, name[i+1:]
	}
}

// fill puts the part that a "*" matched into an entry's specs. Such a name is vouched for only
// when the vouched list has it: from zope import invented gives a name that nobody owns.
func (k *knowledge) fill(e entry, rest string) answer {
	a := answer{kind: known}
	for _, s := range e.specs {
		if strings.Contains(s.name, "{}") {
			filled, err := parseSpec(strings.ReplaceAll(s.name, "{}", strings.ToLower(strings.ReplaceAll(rest, "_", "-"))))
			if err != nil {
				return answer{kind: nothing}
			}
			s = filled
			if !k.vouched(normal(s.name)) {
				a.kind = unknown
			}
		}
		a.specs = append(a.specs, s)
	}
	return a
}

// local tells whether an import means a file beside the script. A folder without __init__.py is a
// namespace, which anything installed wins over.
func (p *program) local(fact *importFact) bool {
	switch fact.Kind {
	case "local":
		return true
	case "folder", "self":
		top, _, _ := strings.Cut(fact.Module, ".")
		return !p.target.stdlib[top] && !p.known.knows(top)
	}
	return fact.Level > 0
}

// can tells whether an import can be had on the target.
func (p *program) can(fact *importFact) bool {
	if p.local(fact) {
		return true
	}
	for _, name := range fullNames(fact) {
		top, _, _ := strings.Cut(name, ".")
		switch a := p.resolve(name); a.kind {
		case standard:
			if !p.target.hasStandard(top) {
				return false
			}
		case known:
			if len(a.specs) == 0 && !p.known.free(name) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// free tells whether the map says outright that an import needs nothing.
func (k *knowledge) free(name string) bool {
	entries, _ := k.longest(name)
	for _, e := range entries {
		if len(e.specs) == 0 && len(e.conditions) == 0 {
			return true
		}
	}
	return false
}
