package imports

// A choice is an import that counts.
type choice struct {
	fact    *importFact
	guarded bool // the script goes on without it
}

// A group is one try statement that catches failing imports.
type group struct {
	sure     bool            // it names ImportError, or holds little beside the imports
	branches map[int]*branch // 0 the body, then the handlers that have imports
	last     int
}

type branch struct {
	facts  []*importFact
	groups []int // numbers of try statements inside, in order
}

// choose picks the imports that count: all outside of try statements, and of each try statement
// the first branch whose imports can all be had.
func choose(module *moduleFact, can func(*importFact) bool) []choice {
	c := chooser{can: can, groups: map[int]*group{}}
	root := &branch{}
	for i := range module.Imports {
		fact := &module.Imports[i]
		at := root
		for _, step := range fact.Path {
			at = c.enter(at, step, module.Groups)
		}
		at.facts = append(at.facts, fact)
	}
	c.take(root, false)
	return c.taken
}

type chooser struct {
	can    func(*importFact) bool
	groups map[int]*group
	taken  []choice
}

func (c *chooser) enter(parent *branch, step [2]int, sure []bool) *branch {
	number, index := step[0], step[1]
	g := c.groups[number]
	if g == nil {
		g = &group{branches: map[int]*branch{}, sure: number >= 0 && number < len(sure) && sure[number]}
		c.groups[number] = g
		parent.groups = append(parent.groups, number)
	}
	if g.branches[index] == nil {
		g.branches[index] = &branch{}
		g.last = max(g.last, index)
	}
	return g.branches[index]
}

func (c *chooser) take(b *branch, guarded bool) {
	for _, fact := range b.facts {
		c.taken = append(c.taken, choice{fact, guarded})
	}
	for _, number := range b.groups {
		g := c.groups[number]
		index := c.pick(g)
		if g.branches[index] == nil {
			continue
		}
		// Without another branch that imports something, the handler copes.
		c.take(g.branches[index], guarded || g.sure && g.last == 0)
	}
}

// pick returns the first branch that can be had, else the body.
func (c *chooser) pick(g *group) int {
	for index := 0; index <= g.last; index++ {
		if b := g.branches[index]; b != nil && c.has(b) {
			return index
		}
	}
	return 0
}

func (c *chooser) has(b *branch) bool {
	for _, fact := range b.facts {
		if !c.can(fact) {
			return false
		}
	}
	for _, number := range b.groups {
		g := c.groups[number]
		if b := g.branches[c.pick(g)]; b != nil && g.last > 0 && !c.has(b) {
			return false
		}
	}
	return true
}
