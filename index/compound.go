package index

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/vellum/levenshtein"

	"github.com/handrail-dev/handrail/lessons/terms"
)

// This file finds what one writes as one word and the other as two ("wordcount", "word
// count", "word-count"; "setup", "set up"), and words with a slip of the keyboard.

const (
	// joinedWeight is what words count that the brain writes as one, beside each of them.
	joinedWeight = 0.6
	// leastPart is the length of the shortest part of a word that is taken apart, in letters,
	// and leastUse how many documents hold each of them: chance has few letters and few uses.
	leastPart = 3
	leastUse  = 2
	// mostParted is the length of the longest word that is taken apart: two words are shorter, and the noise of a
	// pasted text costs by its length. maxParted bounds how many words of a query are, the first ones.
	mostParted = 32
	maxParted  = 32
	// maxJoined bounds the pairs of a query that are looked up, the first ones: 100 found no more.
	maxJoined = 16
	// leastSlipped is the length of the shortest word that may be misspelled, in letters of its stem: short ones have
	// neighbours that mean something else ("flink", "fling"; what is left of "nothing", "note"). maxSlips bounds those
	// that are looked up, in queries of maxPassageWords at most: a long one says what it means in other words too, and
	// each takes some 50 microseconds. slipWeight is what the likely meaning counts.
	leastSlipped = 6
	maxSlips     = 8
	slipWeight   = 0.8
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

// compounds returns the units of a query, with the words that they make together where the brain has them, and with
// what may be meant by words that it lacks. Those stay as well: that they are unknown tells texts from elsewhere.
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
	typed := len(q.units) <= maxPassageWords
	parted, respelled := 0, 0
	var s terms.Scanner
	for _, u := range q.units {
		out = append(out, u)
		if !u.prose {
			continue
		}
		n, err := c.df(u.word)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			continue
		}
		var meant []unit
		if parted < maxParted {
			parted++
			meant, err = u.apart(c, &s)
		}
		if err == nil && len(meant) == 0 && typed && utf8.RuneCountInString(u.word) >= leastSlipped && respelled < maxSlips {
			respelled++
			meant, err = u.respelled(c)
		}
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

// respelled returns the word of the brain that is one slip away from a word: the commonest, if there are several.
func (u *unit) respelled(c *segments) ([]unit, error) {
	near, err := c.near(u.word)
	if err != nil {
		return nil, err
	}
	best, most := "", 0
	for _, term := range near {
		n, err := c.df(term)
		if err != nil {
			return nil, err
		}
		if n > most {
			best, most = term, n
		}
	}
	if best == "" {
		return nil, nil
	}
	return []unit{{word: best, surface: u.surface, terms: []string{best}, place: u.place, weight: u.weight * slipWeight}}, nil
}

// slips builds automata that take words with one letter more, less or other, or two neighbours in each other's place.
var slips = sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
	return levenshtein.NewLevenshteinAutomatonBuilder(1, true)
})

func (s *segments) near(word string) ([]string, error) {
	builder, err := slips()
	if err != nil {
		return nil, fmt.Errorf("look for %q respelled: %w", word, err)
	}
	slipped, err := builder.BuildDfa(word, 1)
	if err != nil {
		return nil, fmt.Errorf("look for %q respelled: %w", word, err)
	}
	var out []string
	// Hands slip within a word: nearly nobody mistakes the first letter.
	_, size := utf8.DecodeRuneInString(word)
	first := []byte(word[:size])
	after := slices.Clone(first)
	after[size-1]++
	err = s.matching(slipped, first, after, func(term string) {
		if !slices.Contains(out, term) {
			out = append(out, strings.Clone(term))
		}
	})
	slices.Sort(out)
	return out, err
}

// eachParting visits the pairs of words that a word may be made of, and where the second begins.
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
