package postcheck

import (
	"slices"
	"strings"

	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

// role is what a clause of an item is there for.
type role int

const (
	wanted    role = iota
	unwanted       // what is not to be done beside it: "not the tag", "말고"
	remark         // why or where: "the default client waits forever", "(status chips, charts)"
	forbidden      // until it is known whether the item also wants something
)

var (
	clauseEnd = lazyregexp.New(`;\s+|\s+[—–-]\s+|[.?!]\s+`)
	// bracketed matches brackets with more than another word for what stands before them.
	bracketed = lazyregexp.New(`\([^()]*[\s,/][^()]*\)`)
	// whichTail matches what only says which or when.
	whichTail = lazyregexp.New(`(?i)\b(?:if|when|whenever|where|which|what|who|so that)\s[^,;]*`)
	// bareDo matches what asks for nothing but what stands before it: "않게 한다".
	bareDo = lazyregexp.New(`^\s*(?:한다|하기|할 것|하자|해야 한다|만든다)?[.\s]*$`)
	// insteadTail matches, up to the clause's end, what is only named to be left.
	insteadTail = lazyregexp.New(`(?i)(?:,\s*(?:and\s+)?(?:never|not|no)|\binstead of|\brather than|\bas opposed to)\s[^,]*`)
	// besides matches such a tail that tells what is not enough.
	besides = lazyregexp.New(`(?i)^,\s*(?:and\s+)?not\s+(?:only|just|merely)\b`)
	// koreanInstead matches the word behind what is not to be done but something else.
	koreanInstead = lazyregexp.New(`지\s?말고,?\s|(?:이|가)\s?아니라,?\s|\s대신에?,?\s`)
	// koreanKept matches what an item keeps from happening by what it asks for.
	koreanKept = lazyregexp.New(`(?:지\s?(?:않도록|않게|못하도록|못하게)|없도록|없게),?\s`)
	// topicEnd matches where the topic of a Korean clause ends.
	topicEnd = lazyregexp.New(`[가-힣a-zA-Z)](?:은|는|에는|에서는)\s|[,:]\s`)
	// koreanOrder matches how a further Korean sentence ends that asks for something.
	koreanOrder = lazyregexp.New(`(?:것|기|자|[한쓴둔든]다|는다|함|허용|사용|필수)[.)\s]*$`)
	englishMust = lazyregexp.New(`(?i)\b(?:must|should|has to|have to)\b|\bonly[.\s]*$`)
)

// orders are words that a further clause of an item begins with if it asks for something.
var orders = wordsOf(`use bind keep add write ask check convert run store return wrap put make set find fix prefer pass let show tell say log
test pin load read call escape validate verify report mark move send close restore create split name document link record quote
explain give take limit cap treat require retry fail stop start build generate import inject assert compare update bump always list
include handle serve render cache lock hash encrypt mask rotate reuse reject allow normalize state cite open leave do try measure
release drop delete remove wait sort group throw catch expose hide focus announce translate format parse deploy merge commit push review tag
sign enable disable switch turn mock seed reset clean count guard abort cancel flush encode decode quit follow keep raise lower`)

func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(text) {
		out[w] = true
	}
	return out
}

// clausesOf says of each byte of an item what its clause is there for. Of an item that only
// forbids, the prohibition is what is wanted, and forbids is true.
func clausesOf(item string) (roles []role, forbids bool) {
	c := cutter{item: []byte(unquoted(item)), roles: make([]role, len(item))}
	brackets := bracketed.FindAllStringIndex(string(c.item), -1)
	said := map[int]bool{} // whether a bracket forbids something
	for i, b := range brackets {
		said[i] = forbidsSomething(strings.Trim(string(c.item[b[0]:b[1]]), "()"))
		copy(c.item[b[0]:b[1]], strings.Repeat(" ", b[1]-b[0]))
	}
	for _, e := range clauseEnd.FindAllStringIndex(string(c.item), -1) {
		c.clause(e[1])
	}
	c.clause(len(item))
	for i, b := range brackets {
		c.paint(b[0], b[1], remark)
		if said[i] {
			c.paint(b[0], b[1], forbidden)
		}
	}
	forbids = c.wants == 0
	for i, r := range c.roles {
		switch {
		case r != forbidden:
		case forbids:
			c.roles[i] = wanted
		default:
			c.roles[i] = unwanted
		}
	}
	return c.roles, forbids
}

// cutter cuts an item.
type cutter struct {
	item  []byte
	roles []role
	from  int // what is before it is cut
	wants int // clauses that ask for something
}

func (c *cutter) paint(from, to int, r role) {
	for i := from; i < to; i++ {
		c.roles[i] = r
	}
	if r == wanted && len(strings.TrimSpace(string(c.item[from:to]))) > 0 {
		c.wants++
	}
}

// clause paints a clause, which may have up to three parts.
func (c *cutter) clause(to int) {
	from, text := c.from, string(c.item[c.from:to])
	c.from = to
	if strings.TrimSpace(text) == "" {
		return
	}
	rest, first := 0, from == 0
	begin := func(r role, m []int) {
		topic := 0
		if t := topicEnd.FindAllStringIndex(text[:m[0]], -1); t != nil {
			topic = t[len(t)-1][1]
		}
		c.paint(from+topic, from+m[1], r)
		rest, first = m[1], true
	}
	if m := koreanInstead.FindStringIndex(text); m != nil {
		begin(unwanted, m)
	} else if m := koreanKept.FindStringIndex(text); m != nil && !bareDo.MatchString(text[m[1]:]) {
		begin(remark, m)
	}
	end := len(text)
	if m := insteadTail.FindStringIndex(text[rest:]); m != nil && m[0] > 0 {
		end = rest + m[0]
		r := unwanted
		if besides.MatchString(text[end:]) {
			r = remark
		}
		c.paint(from+end, from+rest+m[1], r)
		c.paint(from+rest+m[1], to, remark)
	}
	c.paint(from+rest, from+end, roleOf(text[rest:end], first))
}

// roleOf says what a clause is there for. leading tells that it is the first, or the other
// thing that is wanted instead.
func roleOf(text string, leading bool) role {
	switch text = strings.TrimSpace(text); {
	case forbidsSomething(text):
		return forbidden
	case leading, englishMust.MatchString(text):
		return wanted
	case hasHangul(text):
		if koreanOrder.MatchString(text) {
			return wanted
		}
	default:
		if first, _, _ := strings.Cut(strings.ToLower(text), " "); orders[first] {
			return wanted
		}
	}
	return remark
}

// forbidsSomething reports whether a clause says what is not to be done, and not merely of
// what it speaks: "which parts you could not check".
func forbidsSomething(text string) bool {
	return forbidding.MatchString(whichTail.ReplaceAllString(relativeTail.ReplaceAllString(text, ""), ""))
}

// only blanks out the clauses of an item but those of some roles.
func only(item string, is []role, roles ...role) string {
	out := []byte(item)
	for i := range out {
		if !slices.Contains(roles, is[i]) {
			out[i] = ' '
		}
	}
	return string(out)
}

// englishPart matches where another clause of a sentence begins, and koreanPart where one ends.
var (
	englishPart = lazyregexp.New(`(?i)[,;:]\s+|\s[—–]\s|\s(?:so|but|because|since|until|then|rather than|instead of|in place of)\s|\sand\s(?:i|we|it|(?:\w+ed|ran|put|set|made|took|left|sent|went|did|gave|wrote|kept|built)\b)`)
	koreanPart  = lazyregexp.New(`,\s+|(?:지만|으나|는데|으며|[가-힣]고|므로|니까|어서|아서)\s+`)
)

// overs notes the clauses of a sentence at an offset that deny something, or tell that it is
// gone: what another clause does is done all the same.
func (p *page) overs(s string, words []terms.Term, kept bool, at int) {
	neg := negators(words)
	if !kept && !slices.Contains(neg, true) {
		return
	}
	cuts := englishPart.FindAllStringIndex(s, -1)
	if hasHangul(s) {
		cuts = koreanPart.FindAllStringIndex(s, -1)
	}
	from := 0
	for _, c := range append(cuts, []int{len(s), len(s)}) {
		is := kept && over.MatchString(s[from:c[1]])
		for i, w := range words {
			is = is || neg[i] && w.Start >= from && w.Start < c[1]
		}
		if is {
			p.over = append(p.over, span{at + from, at + c[1]})
		}
		from = c[1]
	}
}

// overAt reports whether a clause is over that holds an offset of the text.
func (a *reading) overAt(offset int) bool {
	i, _ := slices.BinarySearchFunc(a.over, offset, func(s span, at int) int { return s.to - at - 1 })
	return i < len(a.over) && a.over[i].from <= offset
}
