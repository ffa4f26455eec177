package index

import (
	"strings"
	"unicode/utf8"

	"handrail/lessons/terms"
)

// This file finds what one writes as one word and the other as two: "wordcount", "word
// count", "word-count"; "setup", "set up".

const (
	// joinedWeight is what words count that the brain writes as one, beside each of them.
	joinedWeight = 0.6
	// leastPart is the length of the shortest part of a word that is taken apart, in bytes,
	// and leastUse how many documents hold each of them: chance has few letters and few uses.
	leastPart = 3
	leastUse  = 2
	// maxJoined bounds the pairs of a query that are looked up: the rest of a long one
	// counts little.
	maxJoined = 100
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
// brain has them, and the words in one that it lacks. Such a word stays as well: that it is
// unknown tells texts from elsewhere.
func (q query) compounds(c corpus) ([]unit, error) {
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
	for _, u := range q.units {
		out = append(out, u)
		if !u.latin {
			continue
		}
		parts, err := u.apart(c)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			add(p)
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

// apart returns the two words in one that nobody wrote, if the brain has both. Of several
// pairs it is the one whose rarer word is the commonest.
func (u *unit) apart(c corpus) (best []unit, err error) {
	if n, err := c.df(u.word); n > 0 || err != nil {
		return nil, err
	}
	most := leastUse - 1
	eachParting(u.surface, func(at int, first, second string) {
		least := 0
		for i, t := range [...]string{first, second} {
			n, failed := c.df(t)
			if failed != nil {
				err = failed
			}
			if i == 0 || n < least {
				least = n
			}
		}
		if least <= most {
			return
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
func eachParting(word string, visit func(at int, first, second string)) {
	var s terms.Scanner
	whole := func(text string) (term string) {
		s.Scan(text, func(t terms.Term) {
			if t.Class == terms.Word && !t.Stop && t.End-t.Start == len(text) {
				term = t.Text
			}
		})
		return term
	}
	for i := leastPart; i <= len(word)-leastPart; i++ {
		if !utf8.RuneStart(word[i]) {
			continue
		}
		if first := whole(word[:i]); first != "" {
			if second := whole(word[i:]); second != "" {
				visit(i, first, second)
			}
		}
	}
}
