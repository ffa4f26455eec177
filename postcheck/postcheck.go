// Package postcheck says which items of a card's Prevention Checklist an answer does not
// show. It compares words, so it can say "not visible", never "not done"; a person sees
// the result in a footer and nothing is blocked.
//
// An item is addressed when enough of the mass of its significant words stands in one
// place of the answer, and not under a negation: "I did not check the allowlist" does
// not address "check the allowlist". Words of the two languages meet in a small glossary
// (glossary.go) and in identifiers, which are the same in both.
package postcheck

import (
	"strings"
	"unicode"

	"handrail/lessons"
	"handrail/lessons/terms"
)

const (
	// enough is the share of an item's mass that addresses it: half, since a paraphrase
	// keeps the thing and changes the verb.
	enough = 0.5
	// window is how many neighbouring sentences or lines of code count as one place.
	window = 3
	// reach is how many words a negation reaches: "did not yet really check the list".
	reach = 4
	// verbMass is what a verb of the trade ("check", "add") weighs: it says that
	// something was done, not what.
	verbMass = 0.35
	// contextMass is what the words weigh that say when an item holds ("before any command
	// runs"): an answer that only repeats those has not addressed it.
	contextMass = 0.4
	// codeMass is what an identifier weighs against a plain word of the same rarity.
	codeMass = 1.5
	// maxAnswer is how much of an answer is read, in bytes: this much of its beginning
	// and as much of its end.
	maxAnswer = 512 << 10
)

// Miss is a checklist item that an answer does not show.
type Miss struct {
	Path, Title string // of the card
	Item        lessons.Item
	Missing     []string // words of the item, as written, that the answer lacks
}

// Check returns the items of the cards that the answer does not show, in the cards'
// order. rarity tells how rare an index term is in the brain; nil takes all for equal. An
// empty answer, a refusal and a question back have nothing to check.
func Check(answer string, cards []lessons.Card, rarity func(term string) float64) []Miss {
	if skip(answer) {
		return nil
	}
	if rarity == nil {
		rarity = func(string) float64 { return 1 }
	}
	var a *reading
	var out []Miss
	for _, c := range cards {
		for _, it := range c.Items {
			if a == nil {
				a = read(answer)
			}
			if missing, ok := a.addresses(it.Text, rarity); !ok {
				out = append(out, Miss{Path: c.Path, Title: c.Title, Item: it, Missing: missing})
			}
		}
	}
	return out
}

// reading is an answer cut into places.
type reading struct {
	said    map[string][]int // concept → places where it stands, rising
	denied  map[string][]int // the same under a negation
	put     map[string][]int // the same where it is put off
	korean  bool             // the prose is mostly Korean
	english bool
}

// read cuts an answer into sentences and lines and notes what stands where.
func read(answer string) *reading {
	if len(answer) > 2*maxAnswer {
		answer = answer[:maxAnswer] + "\n" + answer[len(answer)-maxAnswer:]
	}
	a := &reading{said: map[string][]int{}, denied: map[string][]int{}, put: map[string][]int{}}
	hangul, latin := 0, 0
	place := 0
	for _, s := range places(terms.Normalize(answer)) {
		words := terms.Words(s)
		if len(words) == 0 {
			continue
		}
		place++
		off := putsOff(s)
		denied := negations(s, words)
		for i, w := range words {
			switch w.Class {
			case terms.Hangul:
				hangul++
			case terms.Word:
				latin++
			}
			to := a.said
			switch {
			case denied[i]:
				to = a.denied
			case off:
				to = a.put
			}
			for _, c := range concepts(w) {
				if list := to[c]; len(list) == 0 || list[len(list)-1] != place {
					to[c] = append(list, place)
				}
			}
		}
	}
	a.korean = hangul > 0 && hangul*3 >= latin
	a.english = latin > 0 && latin >= hangul
	return a
}

// places cuts text at sentence ends and line breaks; a dot within a name does not end.
func places(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		end := i
		switch r {
		case '\n', '。', ';':
		case '.', '!', '?':
			if next := text[i+1:]; next != "" && !unicode.IsSpace(rune(next[0])) {
				continue
			}
		default:
			continue
		}
		out = append(out, text[start:end])
		start = i
	}
	return append(out, text[start:])
}

// addresses reports whether an answer shows an item, and which of its words are missing.
func (a *reading) addresses(item string, rarity func(string) float64) (missing []string, ok bool) {
	units := significant(item, rarity)
	if len(units) == 0 {
		return nil, true // nothing that could be looked for
	}
	// Words that the answer's language could not hold are not asked for.
	total, nouns := 0.0, 0
	kept := units[:0]
	for _, u := range units {
		if !a.couldSay(u) {
			continue
		}
		kept = append(kept, u)
		total += u.mass
		if !u.verb {
			nouns++
		}
	}
	if units = kept; len(units) == 0 || nouns == 0 && len(units) < 2 && !units[0].native {
		return nil, true
	}
	counts := a.said
	if forbids(item) {
		counts = merge(a.said, a.denied) // "the token is not logged" is what it asks for
	}
	best, bestNouns := 0.0, 0
	var bestHas []bool
	for _, u := range units {
		for _, p := range u.places(counts) {
			mass, n := 0.0, 0
			has := make([]bool, len(units))
			for i, v := range units {
				if within(v.places(counts), p, p+window-1) {
					has[i] = true
					mass += v.mass
					if !v.verb {
						n++
					}
				}
			}
			if mass > best {
				best, bestNouns, bestHas = mass, n, has
			}
		}
	}
	if best >= enough*total && (bestNouns >= 1 || nouns == 0) && (bestNouns >= 2 || nouns < 4) {
		return nil, true
	}
	for i, u := range units {
		if bestHas == nil || !bestHas[i] {
			missing = append(missing, u.surface)
		}
	}
	return missing, false
}

func merge(a, b map[string][]int) map[string][]int {
	out := make(map[string][]int, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		out[k] = append(append([]int(nil), out[k]...), v...)
	}
	return out
}

func within(places []int, from, to int) bool {
	for _, p := range places {
		if p >= from && p <= to {
			return true
		}
	}
	return false
}

// unit is one significant word of an item.
type unit struct {
	surface  string
	concepts []string // any of them in the answer will do
	mass     float64
	verb     bool // a verb of the trade
	hangul   bool
	bridged  bool // the glossary or its script carries it into the other language
	native   bool // an identifier
}

func (u unit) places(said map[string][]int) []int {
	if len(u.concepts) == 1 {
		return said[u.concepts[0]]
	}
	var out []int
	for _, c := range u.concepts {
		out = append(out, said[c]...)
	}
	return out
}

// couldSay reports whether an answer in its language could hold a word of the item.
func (a *reading) couldSay(u unit) bool {
	if u.native || u.bridged {
		return true
	}
	if u.hangul {
		return a.korean || !a.english
	}
	return a.english || !a.korean
}

// significant returns the words of an item that say something, with their mass.
func significant(item string, rarity func(string) float64) []unit {
	var out []unit
	seen := map[string]bool{}
	norm := terms.Normalize(item)
	words := terms.Words(norm)
	skipped, when := negators(words), contextual(words)
	for i, w := range words {
		if w.Stop || skipped[i] || w.Class == terms.Hangul && koreanWhen.MatchString(w.Text) {
			continue
		}
		u := unit{surface: norm[w.Start:w.End], concepts: concepts(w), hangul: w.Class == terms.Hangul, native: w.Class == terms.Code}
		if w.Class == terms.Hangul {
			u.surface = w.Text
		}
		if seen[u.concepts[0]] {
			continue
		}
		seen[u.concepts[0]] = true
		u.bridged = strings.HasPrefix(u.concepts[0], concept)
		u.verb = verbs()[u.concepts[0]]
		u.mass = massOf(w, rarity)
		switch {
		case u.verb:
			u.mass *= verbMass
		case u.native:
			u.mass *= codeMass
		}
		if when[i] {
			u.mass *= contextMass
		}
		out = append(out, u)
	}
	return out
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

// concepts returns the names under which a word is compared, its own first.
func concepts(w terms.Term) []string {
	if c, ok := glossary()[w.Text]; ok {
		return []string{concept + c}
	}
	if w.Class != terms.Code {
		return []string{w.Text}
	}
	out := []string{w.Text}
	parts := terms.Parts(strings.Trim(w.Text, "-"))
	if parts == nil {
		return out
	}
	// getUserID in the item is met by "user id" only through its rarest part; the parts of
	// the answer's identifiers meet the item's plain words.
	var s terms.Scanner
	s.Scan(w.Text, func(t terms.Term) {
		if t.Class == terms.Part && !t.Stop {
			if c, ok := glossary()[t.Text]; ok {
				out = append(out, concept+c)
				return
			}
			out = append(out, t.Text)
		}
	})
	return out
}
