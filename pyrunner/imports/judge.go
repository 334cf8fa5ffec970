package imports

import (
	"fmt"
	"slices"
	"strings"
)

// A program is one script being judged, with the local modules that it reaches.
type program struct {
	*Finder
	facts    *facts
	visited  map[string]bool
	order    []string
	imported map[string]bool // dotted names of everything imported, prefixes too
	found    map[string]*Dependency
	specs    map[string]spec
	shadows  []string
}

// judge turns facts into a report.
func (f *Finder) judge(found *facts) *Report {
	p := &program{
		Finder: f, facts: found,
		visited:  map[string]bool{"": true},
		imported: map[string]bool{},
		found:    map[string]*Dependency{},
		specs:    map[string]spec{},
	}
	queue := []string{""}
	for len(queue) > 0 {
		key := queue[0]
		queue = queue[1:]
		p.order = append(p.order, key)
		if module := p.facts.Modules[key]; module != nil {
			queue = append(queue, p.readModule(module)...)
		}
	}
	for _, key := range p.order {
		if module := p.facts.Modules[key]; module != nil {
			p.readUses(module)
		}
	}
	return p.report()
}

// readModule takes a module's imports in and returns the local files to read next.
func (p *program) readModule(module *moduleFact) []string {
	var next []string
	for _, c := range choose(module, p.can) {
		p.note(c.fact)
		p.require(c)
		if !p.local(c.fact) {
			continue
		}
		p.shadow(c.fact)
		for _, file := range c.fact.Files {
			if !p.visited[file] {
				p.visited[file] = true
				next = append(next, file)
			}
		}
	}
	return next
}

// note remembers all dotted prefixes of what is imported, for the rules' with: and not:.
func (p *program) note(fact *importFact) {
	for _, name := range fullNames(fact) {
		for {
			p.imported[name] = true
			i := strings.LastIndexByte(name, '.')
			if i < 0 {
				break
			}
			name = name[:i]
		}
	}
}

func (p *program) importsAny(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return p.imported[name] })
}

// shadow notes a local module that hides a standard or a known one: the usual cause when a script
// with such a neighbour fails.
func (p *program) shadow(fact *importFact) {
	if fact.Level > 0 || len(fact.Files) == 0 {
		return
	}
	top, _, _ := strings.Cut(fact.Module, ".")
	if p.target.stdlib[top] || p.known.knows(top) {
		if !slices.Contains(p.shadows, fact.Files[0]) {
			p.shadows = append(p.shadows, fact.Files[0])
		}
	}
}

// require adds what an import needs.
func (p *program) require(c choice) {
	if p.local(c.fact) {
		return
	}
	for _, name := range fullNames(c.fact) {
		a := p.resolve(name)
		if a.kind == unknown && c.guarded {
			continue // the script says what to do without it; an invented name must not be installed
		}
		for _, s := range a.specs {
			p.need(s, name, fmt.Sprintf("%s, line %d", describe(c.fact, name), c.fact.Line), a.kind == known)
		}
	}
}

func describe(fact *importFact, name string) string {
	if fact.How == "import" || fact.How == "from" {
		return "import " + name
	}
	return fact.How + "(" + name + ")"
}

// need adds a distribution, joining extras and limits with what is already there.
func (p *program) need(s spec, importName, why string, vouched bool) {
	key := normal(s.name)
	old, ok := p.specs[key]
	if !ok {
		p.specs[key] = s
		p.found[key] = &Dependency{Import: importName, Distribution: s.name, Why: why, Vouched: vouched}
		return
	}
	joined := spec{name: old.name, version: old.version}
	joined.extras = append(append(joined.extras, old.extras...), s.extras...)
	slices.Sort(joined.extras)
	joined.extras = slices.Compact(joined.extras)
	if joined.version == "" {
		joined.version = s.version
	}
	p.specs[key] = joined
	p.found[key].Vouched = p.found[key].Vouched || vouched
}

// readUses applies the rules of engines.txt.
func (p *program) readUses(module *moduleFact) {
	for _, use := range module.Uses {
		word := use.Name[strings.LastIndexAny(use.Name, ".?")+1:]
		if strings.HasPrefix(use.Name, "async ") {
			word = "async " + word
		}
		for _, paragraph := range p.known.words[word] {
			p.apply(paragraph, strings.Replace(use.Name, "async ", "async:", 1), use, module.Texts)
		}
	}
	for _, paragraph := range p.known.texts {
		for _, text := range module.Texts {
			p.apply(paragraph, "text:"+text, useFact{Name: "\"" + text + "\""}, module.Texts)
		}
	}
	for _, paragraph := range p.known.fixtures {
		for _, name := range module.Fixtures {
			p.apply(paragraph, "fixture:"+name, useFact{Name: "fixture " + name}, module.Texts)
		}
	}
}

func (p *program) apply(paragraph *paragraph, name string, use useFact, texts []string) {
	rules := paragraph.parsed()
	for i := range rules {
		r := &rules[i]
		if !glob(r.pattern, name) || !r.fits(use, p, texts) {
			continue
		}
		for _, s := range r.specs {
			used := strings.TrimPrefix(use.Name, "?")
			why := "needed by " + used
			if use.Line > 0 {
				why = fmt.Sprintf("%s, line %d", why, use.Line)
			}
			p.need(s, used, why, true)
		}
		return
	}
}

func (p *program) report() *Report {
	r := &Report{Shadows: p.shadows}
	for key, d := range p.found {
		d.Spec = p.specs[key].String()
		r.Dependencies = append(r.Dependencies, *d)
	}
	slices.SortFunc(r.Dependencies, func(a, b Dependency) int { return strings.Compare(a.Distribution, b.Distribution) })
	for _, key := range p.order {
		if key != "" {
			r.Local = append(r.Local, key)
		}
	}
	return r
}
