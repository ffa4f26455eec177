package postcheck

import (
	"slices"
	"strings"

	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

const (
	// generalMass is what a verb weighs that says that something was done ("check",
	// "add"), not what.
	generalMass = 0.35
	// contextMass is what the words weigh that say when an item holds ("before any command
	// runs"): an answer that only repeats those has not addressed it.
	contextMass = 0.4
	// codeMass is what an identifier weighs against a plain word of the same rarity.
	codeMass = 1.5
)

// unit is one significant word of an item, or one of several that it offers ("bcrypt or
// argon2").
type unit struct {
	surface string
	start   int      // in the item
	names   []string // of the word, then of its pieces, which will do if all are there
	or      []string // names of the alternatives
	themes  []string // names of what the item asks for with it
	mass    float64
	general bool
	context bool
	core    bool // what is to be done, when it is said by a word of its own: "mask", "expires"
	hangul  bool
	bridged bool // the glossary or its script carries it into the other language
	native  bool // an identifier
}

// has reports whether the unit stands among places from … to.
func (u unit) has(at map[string][]int, from, to int) bool {
	for _, n := range append(u.or, u.names[0]) {
		if within(at[n], from, to) {
			return true
		}
	}
	for _, n := range u.names[1:] {
		if !within(at[n], from, to) {
			return false
		}
	}
	return len(u.names) > 1
}

// themed reports whether a theme of the unit is shown among places from … to.
func (u unit) themed(at map[string][]int, from, to int) bool {
	for _, n := range u.themes {
		if within(at[n], from, to) {
			return true
		}
	}
	return false
}

// starts calls yield with the places where the unit may begin to stand.
func (u unit) starts(at map[string][]int, byTheme bool, yield func(int)) {
	lists := [][]string{u.names, u.or}
	if byTheme {
		lists = append(lists, u.themes)
	}
	for _, list := range lists {
		for _, n := range list {
			for _, p := range at[n] {
				yield(p)
			}
		}
	}
}

// wish is what an item asks for.
type wish struct {
	units    []unit
	against  []unit  // of what it does not want
	verifies bool    // it asks for something to be tried out
	switched [2]bool // it says that something is to be off, or on
	forbids  bool    // it asks for something not to be done
	removes  bool    // it asks for something to be taken away
	only     bool    // it says who alone may do something: "others cannot" says the same
	whole    bool    // it says that all are meant
	hangul   bool
	parts    [][]int // the units of what it asks for together
	several  bool    // it asks for more than one thing: all of them count
	key      string
	themes   []int // what it asks for as a whole, rising
}

var (
	// forbidding matches items that ask for something not to be done; in Korean they end so.
	forbidding = lazyregexp.New(`(?i)\b(?:never|not|no|don't|do not|avoid|must not|cannot|can't|nothing|none|forbid\w*|isn't|aren't|doesn't)\b|(?:않[^\s]*|금지[^\s]*|말\s?[것기]|마라|말아[^\s]*|없[^\s]*|안\s?(?:[된한]다|[됨함돼])|지\s?말[^\s]*)[.\s]*$`)
	// relativeTail matches what only describes a thing of an item: "a chat that is not on the list".
	relativeTail = lazyregexp.New(`(?i)\b(?:an?|the|every|each|any|all)\s+(?:[\w-]+\s+)?[\w-]+\s+(?:that|who|which)\s.*$`)
	restricting  = lazyregexp.New(`(?i)\bonly\b|[가-힣]만(?:\s|$)`)
	joining      = lazyregexp.New(`(?i)\b(?:and|both|all|every|each)\b|[가-힣](?:와|과|하고) |및|모든|모두`)
	all          = lazyregexp.New(`(?i)\b(?:both|all|every|each|any|everywhere)\b|모든|모두|전부|전체|각각|마다|일괄`)
	joints       = lazyregexp.New(`(?i),\s+(?:and\s+)?|\s(?:and|as well as)\s|[가-힣a-z](?:와|과|하고|고)\s|\s(?:및|그리고)\s`)
	choosing     = lazyregexp.New(`(?i)^\s*,?\s*(?:or|또는|혹은|/)\s*$`)
)

// understand says what an item asks for.
func understand(item string, rarity func(string) float64) wish {
	whole := terms.Normalize(item)
	w := wish{key: key(terms.Words(whole))}
	clauses, forbids := clausesOf(whole)
	norm := only(whole, clauses, wanted, remark)
	w.forbids, w.only, w.several = forbids, restricting.MatchString(norm), joining.MatchString(norm)
	w.whole = all.MatchString(norm)
	words := terms.Words(norm)
	when := contextual(words)
	for i, t := range words {
		when[i] = when[i] || clauses[t.Start] == remark
	}
	w.units = unitsOf(norm, words, when, rarity)
	w.markCore(norm, words)
	w.hangul = hasHangul(norm)
	w.divide(norm)
	w.markThemes(strings.ToLower(whole)) // "rather than float" tells what is wanted, too
	for _, u := range w.units {
		w.removes = w.removes || u.names[0] == concept+"remove"
	}
	w.verifies = slices.ContainsFunc(w.units, func(u unit) bool { return !u.context && slices.Contains(verifying, u.names[0]) })
	w.switching(norm, words, when)
	if forbids {
		w.against = slices.DeleteFunc(slices.Clone(w.units), func(u unit) bool { return u.context })
	} else {
		not := only(whole, clauses, unwanted)
		w.against = unitsOf(not, terms.Words(not), nil, rarity)
	}
	return w
}

// unitsOf returns the significant words of an item. when marks those that only tell when it
// holds.
func unitsOf(norm string, words []terms.Term, when []bool, rarity func(string) float64) []unit {
	var units []unit
	if when == nil {
		when = make([]bool, len(words))
	}
	skipped := negators(words)
	seen := map[string]bool{}
	end := 0 // of the last significant word
	for i := 0; i < len(words); i++ {
		t := words[i]
		if t.Stop || skipped[i] || t.Class == terms.Hangul && koreanWhen.MatchString(t.Text) {
			continue
		}
		u := unit{surface: norm[t.Start:t.End], start: t.Start, hangul: t.Class == terms.Hangul, native: t.Class == terms.Code, core: t.Class == terms.Code && !when[i], context: when[i]}
		u.names = dictionary().names(t, u.surface)
		u.mass = massOf(t, rarity)
		if u.hangul {
			u.surface = t.Text
		}
		if i+1 < len(words) {
			if c, ok := dictionary().joined(t, words[i+1]); ok {
				u.names, u.surface = []string{c}, norm[t.Start:words[i+1].End]
				i++
			}
		}
		if seen[u.names[0]] {
			continue
		}
		seen[u.names[0]] = true
		u.bridged = strings.HasPrefix(u.names[0], concept)
		u.general = dictionary().general[u.names[0]]
		switch {
		case u.general:
			u.mass *= generalMass
		case u.native:
			u.mass *= codeMass
		}
		if u.context {
			u.mass *= contextMass
		}
		between := norm[end:t.Start]
		end = words[i].End
		if n := len(units); n > 0 && !u.general && choosing.MatchString(between) {
			units[n-1].or = append(units[n-1].or, u.names[0])
			continue
		}
		units = append(units, u)
	}
	return units
}

// divide cuts an item into what it asks for together: "the docs, the code and the chart".
func (w *wish) divide(norm string) {
	cuts := joints.FindAllStringIndex(norm, -1)
	if cuts == nil {
		return
	}
	parts := make([][]int, len(cuts)+1)
	for i, u := range w.units {
		n := 0
		for n < len(cuts) && cuts[n][1] <= u.start {
			n++
		}
		if !u.context {
			parts[n] = append(parts[n], i)
		}
	}
	for _, p := range parts {
		if p != nil {
			w.parts = append(w.parts, p)
		}
	}
}

// themesOf returns the names of the themes that a part asks for.
func (w *wish) themesOf(part []int) map[string]bool {
	out := map[string]bool{}
	for _, i := range part {
		for _, n := range w.units[i].themes {
			out[n] = true
		}
	}
	return out
}

// markThemes lets the words that ask for a theme be shown by what shows the theme.
func (w *wish) markThemes(norm string) {
	for id, spans := range asked(norm) {
		w.themes = append(w.themes, id)
		for i := range w.units {
			u := &w.units[i]
			for _, s := range spans {
				if s.from < u.start+len(u.surface) && s.to > u.start {
					u.themes, u.bridged = append(u.themes, themeName(id)), true
					break
				}
			}
		}
	}
	slices.Sort(w.themes)
}

var (
	// linking words stand before what is said of a subject.
	linking = map[string]bool{"is": true, "are": true, "be": true, "been": true, "gets": true, "get": true, "can": true, "must": true, "should": true, "does": true, "do": true, "not": true, "never": true, "only": true, "always": true, "has": true, "have": true, "contains": true, "contain": true}
	// relative words begin a clause that describes a thing and asks for nothing.
	relative = map[string]bool{"that": true, "which": true, "who": true}
	// determiners begin a subject, not an order.
	determiners = map[string]bool{"a": true, "an": true, "the": true, "each": true, "every": true, "all": true, "no": true, "any": true, "both": true, "only": true}
)

// markCore finds the words that say what is to be done: of an order its first word, of a
// statement the one after "is" or "has", in Korean the last; and if that is a general
// verb ("add"), the thing that it is about.
func (w *wish) markCore(norm string, words []terms.Term) {
	low := func(i int) string { return strings.ToLower(norm[words[i].Start:words[i].End]) }
	link, verb := -1, -1
	for i, t := range words {
		if t.Class == terms.Word && linking[low(i)] && i > 0 && !relative[low(i-1)] {
			link = i
			break
		}
	}
	switch last := len(words) - 1; {
	case last < 0:
		return
	case words[last].Class == terms.Hangul:
		verb = last
	case link >= 0:
		for verb = link + 1; verb <= last && words[verb].Stop; verb++ {
		}
	case !determiners[low(0)]:
		verb = 0
	default: // "The token expires after …"
		for i := 2; i <= min(last, 4) && verb < 0; i++ {
			if s := low(i); strings.HasSuffix(s, "s") && !strings.HasSuffix(s, "ss") && !words[i].Stop {
				verb = i
			}
		}
	}
	if verb < 0 || verb > last(words) {
		return
	}
	core := w.unitAt(words[verb].Start)
	if core == nil {
		return
	}
	if !core.general {
		core.core = !core.context
		return
	}
	// The thing it is about: the subject of a statement, the object of an order.
	switch {
	case words[verb].Class == terms.Hangul:
		for i := verb - 1; i >= 0; i-- {
			if u := w.unitAt(words[i].Start); u != nil && !u.general {
				u.core = !u.context
				return
			}
		}
	case link >= 0 && strings.HasSuffix(low(verb), "ed"):
		for i := link - 1; i >= 0; i-- {
			if u := w.unitAt(words[i].Start); u != nil && !u.general {
				u.core = !u.context
				return
			}
		}
	case link >= 0 && low(verb-1) == "no": // "gets no reply"
		core.core = !core.context
	case verb == 0: // to the end of the first noun phrase
		var head *unit
		for i := 1; i < len(words); i++ {
			u := w.unitAt(words[i].Start)
			if u == nil && head != nil {
				break
			}
			if u != nil && !u.general {
				head = u
			}
		}
		if head != nil {
			head.core = !head.context
		}
	}
}

func last(words []terms.Term) int { return len(words) - 1 }

func (w *wish) unitAt(start int) *unit {
	for i := range w.units {
		if w.units[i].start == start {
			return &w.units[i]
		}
	}
	return nil
}

// massOf weighs a word by its rarity, between 1 and 2: an item's words are few, and a
// brain's counts must not outvote the sentence.
func massOf(w terms.Term, rarity func(string) float64) float64 {
	sum, n := 0.0, 0
	var s terms.Scanner
	s.Scan(w.Text, func(t terms.Term) { sum += rarity(t.Text); n++ })
	if n == 0 {
		return 1
	}
	mean := sum / float64(n)
	return 1 + mean/(mean+3)
}
