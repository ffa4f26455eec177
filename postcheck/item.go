package postcheck

import (
	"regexp"
	"strings"

	"handrail/lessons/terms"
)

const (
	// generalMass is what a verb weighs that says that something was done ("check", "add"), not what.
	generalMass = 0.35
	// contextMass is what the words weigh that say when an item holds ("before any command runs").
	contextMass = 0.4
	// codeMass is what an identifier weighs against a plain word of the same rarity.
	codeMass = 1.5
)

// unit is a significant word of an item.
type unit struct {
	surface string
	names   []string // of the word, then of its pieces, which will do if all are there
	mass    float64
	general bool
	native  bool // an identifier
	barred  bool // the item asks for it not to be done
	hangul  bool
}

// wish is what an item asks for.
type wish struct {
	units   []unit
	total   float64 // the mass of all units
	heavy   int     // the unit of the most mass
	forbids bool    // it asks for something not to be done
	hangul  bool
	key     string
}

var (
	// whenEnglish begin what says when an item holds; whenKorean end it.
	whenEnglish = map[string]bool{"before": true, "after": true, "when": true, "whenever": true, "if": true, "while": true, "until": true, "unless": true, "that": true, "which": true, "who": true}
	whenKorean  = regexp.MustCompile(`^(?:전|전에|후|후에|뒤|뒤에|때|때는|경우|경우에)$`)
)

// understand says what an item asks for.
func understand(item string, rarity func(string) float64) wish {
	norm := terms.Normalize(item)
	words := terms.Words(norm)
	w := wish{key: keyOf(words)}
	no := denials(norm, words)
	when := make([]bool, len(words))
	for i, t := range words {
		switch {
		case t.Class == terms.Word && i > 0 && whenEnglish[t.Text]:
			for j := i + 1; j < len(words); j++ {
				when[j] = true
			}
		case t.Class == terms.Hangul && i+1 < len(words) && whenKorean.MatchString(t.Text):
			for j := range i {
				when[j] = true
			}
		}
	}
	seen := map[string]bool{}
	for i := 0; i < len(words); i++ {
		t := words[i]
		if t.Stop || negator(t) || t.Class == terms.Hangul && whenKorean.MatchString(t.Text) {
			continue
		}
		u := unit{surface: norm[t.Start:t.End], native: t.Class == terms.Code, hangul: t.Class == terms.Hangul, mass: massOf(t, rarity)}
		u.names = dictionary().names(t, u.surface)
		context := when[i]
		u.barred = no[i] && !context
		w.forbids = w.forbids || u.barred
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
		u.general = dictionary().general[u.names[0]]
		switch {
		case u.general:
			u.mass *= generalMass
		case u.native:
			u.mass *= codeMass
		}
		if context {
			u.mass *= contextMass
		}
		w.hangul = w.hangul || u.hangul
		w.total += u.mass
		if len(w.units) > 0 && u.mass > w.units[w.heavy].mass {
			w.heavy = len(w.units)
		}
		w.units = append(w.units, u)
	}
	return w
}

// massOf weighs a word by its rarity, between 1 and 2: an item's words are few, and a brain's counts must not outvote the sentence.
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

func keyOf(words []terms.Term) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	return b.String()
}
