package index

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/terms"
)

// This file finds what one writes as one word and the other as two ("wordcount", "word
// count", "word-count"; "setup", "set up").

const (
	// joinedWeight is what words count that the brain writes as one, beside each of them.
	joinedWeight = 0.6
	// leastPart is the length of the shortest part of a word that is taken apart, in letters,
	// and leastUse how many documents hold each of them: chance has few letters and few uses.
	leastPart = 3
	leastUse  = 2
	// mostParted is the length of the longest word that is taken apart: two words are
	// shorter, and the noise of a pasted text costs by its length. maxParted bounds how many
	// words of a query are, the first ones.
	mostParted = 32
	maxParted  = 32
	// maxJoined bounds the pairs of a query that are looked up, the first ones: 100 found no
	// more.
	maxJoined = 16
)

var hyphens = strings.NewReplacer("-", "", "_", "")

// join notes what a query writes as two words or with hyphens as the one word that it makes.
func (q *query) join(s *terms.Scanner, one, surface string, weight float64) {
	if len(q.joined) == maxJoined {
		return
	}
	s.Scan(one, func(t terms.Term) {
		if t.Class == terms.Word && !t.Stop {
			q.joined = append(q.joined, unit{word: t.Text, surface: surface, terms: []string{t.Text}, place: len(q.units), weight: weight * joinedWeight})
		}
	})
}

// compounds returns the units of a query, with the words that they make together where the
// brain has them, and with the parts of words that it lacks. Those stay as well: that they are
// unknown tells texts from elsewhere.
func (q query) compounds(c *segments) ([]unit, error) {
	out := make([]unit, 0, len(q.units))
	seen := make(map[string]bool, len(q.units))
	for _, u := range q.units {
		seen[u.word] = true
	}
	add := func(u unit) {
		if !seen[u.word] {
			seen[u.word] = true
			out = append(out, u)
		}
	}
	parted := 0
	var s terms.Scanner
	for _, u := range q.units {
		out = append(out, u)
		if !u.prose || parted == maxParted {
			continue
		}
		n, err := c.df(u.word)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			continue
		}
		parted++
		meant, err := u.apart(c, &s)
		if err != nil {
			return nil, err
		}
		for _, m := range meant {
			add(m)
		}
	}
	for _, u := range q.joined {
		n, err := c.df(u.word)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			add(u)
		}
	}
	return out, nil
}

// apart returns the two words that a word is made of, if the brain has both. Of several
// pairs it is the one whose rarer word is the commonest.
func (u *unit) apart(c *segments, s *terms.Scanner) (best []unit, err error) {
	most := leastUse - 1
	eachParting(s, u.surface, func(at int, first, second string) {
		least := math.MaxInt
		for _, t := range [...]string{first, second} {
			n, failed := c.df(t)
			if failed != nil {
				err = failed
			}
			least = min(least, n)
			if least <= most {
				return
			}
		}
		most, best = least, []unit{
			{word: first, surface: u.surface[:at], terms: []string{first}, place: u.place, weight: u.weight},
			{word: second, surface: u.surface[at:], terms: []string{second}, place: u.place, weight: u.weight},
		}
	})
	return best, err
}

// eachParting visits the pairs of words that a word may be made of, and where the second
// begins.
func eachParting(s *terms.Scanner, word string, visit func(at int, first, second string)) {
	whole := func(text string) (term string) {
		s.Scan(text, func(t terms.Term) {
			if t.Class == terms.Word && !t.Stop && t.End-t.Start == len(text) {
				term = t.Text
			}
		})
		return term
	}
	letters := utf8.RuneCountInString(word)
	if letters > mostParted {
		return
	}
	n := -1 // letters before i
	for i := range word {
		if n++; n < leastPart || n > letters-leastPart {
			continue
		}
		if first := whole(word[:i]); first != "" {
			if second := whole(word[i:]); second != "" {
				visit(i, first, second)
			}
		}
	}
}
