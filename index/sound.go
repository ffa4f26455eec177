package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	segment "github.com/blevesearch/scorch_segment_api/v2"

	"handrail/lessons/terms"
)

const (
	// maxHeard bounds the Latin words that one Korean word may spell by ear. Where more
	// fit equally well it says too little.
	maxHeard = 3
	// heardWeight is what a word counts that is spelled otherwise than it sounds.
	heardWeight = 0.8
	// maxSounds bounds the words of which is kept what they spell.
	maxSounds = 1 << 12
)

// guess is a Latin word of the brain that a Korean one may spell, and how far it is from
// how it sounds.
type guess struct {
	term string
	cost int
}

// standIns returns what a Korean word may be that nobody wrote: another spelling of it,
// else the Latin words that it spells by ear, the likeliest first.
func (u *unit) standIns(c *segments, n int) ([]unit, error) {
	if u.spoken == "" {
		return nil, nil
	}
	if o, ok, err := u.otherwise(c, n); ok || err != nil {
		return []unit{o}, err
	}
	guesses, err := c.spelled(u.spoken, u.word)
	if err != nil || len(guesses) == 0 {
		return nil, err
	}
	guesses = slices.Clone(guesses) // they are kept
	closest := slices.MinFunc(guesses, func(a, b guess) int { return a.cost - b.cost }).cost
	guesses = slices.DeleteFunc(guesses, func(g guess) bool { return g.cost > closest })
	slices.SortFunc(guesses, func(a, b guess) int { return strings.Compare(a.term, b.term) })
	guesses = slices.Compact(guesses)
	type used struct {
		unit
		df int
	}
	var found []used
	for _, g := range guesses {
		df, err := c.df(g.term)
		if err != nil {
			return nil, err
		}
		if df == 0 {
			continue // its last document is gone
		}
		o := unit{word: g.term, terms: []string{g.term}, weight: u.weight}
		if closest > 0 {
			o.weight *= heardWeight
		}
		if err := o.rarity(c, n); err != nil {
			return nil, err
		}
		found = append(found, used{o, df})
	}
	slices.SortStableFunc(found, func(a, b used) int { return -cmp.Compare(a.df, b.df) })
	var out []unit
	for _, f := range found[:min(len(found), maxHeard)] {
		out = append(out, f.unit)
	}
	return out, nil
}

// otherwise returns the rarest other spelling of a Korean word that the brain has.
func (u *unit) otherwise(c *segments, n int) (best unit, ok bool, err error) {
	for _, word := range terms.Variants(u.word) {
		o := unit{word: word, terms: gramsOf(word), weight: u.weight}
		if err := o.rarity(c, n); err != nil {
			return unit{}, false, err
		}
		if o.entire && (!ok || o.idf > best.idf) {
			best, ok = o, true
		}
	}
	return best, ok, nil
}

// gramsOf returns the terms that a Korean word is indexed by.
func gramsOf(word string) (out []string) {
	var s terms.Scanner
	s.Scan(word, func(t terms.Term) {
		if !slices.Contains(out, t.Text) {
			out = append(out, t.Text)
		}
	})
	return out
}

func (s *segments) spelled(word, stem string) ([]guess, error) {
	if known, ok := s.lists.heard(s.view, word); ok {
		return known, nil
	}
	var out []guess
	if sound, ok := terms.SoundOf(word, stem); ok {
		if err := s.matching(sound, nil, nil, func(term string) {
			if cost, ok := sound.Match(term); ok {
				out = append(out, guess{strings.Clone(term), cost})
			}
		}); err != nil {
			return nil, err
		}
	}
	s.lists.hear(s.view, word, out)
	return out, nil
}

// matching visits the terms from begin to before end that an automaton takes, once for
// every segment that has them. They are the dictionary's: who keeps one has to copy it.
func (s *segments) matching(a segment.Automaton, begin, end []byte, visit func(term string)) error {
	dicts, err := s.dictionaries()
	if err != nil {
		return fmt.Errorf("list words alike: %w", err)
	}
	for _, dict := range dicts {
		for it := dict.AutomatonIterator(a, begin, end); ; {
			e, err := it.Next()
			if err != nil {
				return fmt.Errorf("list words alike: %w", err)
			}
			if e == nil {
				break
			}
			visit(e.Term)
		}
	}
	return nil
}

// heard returns what is known of a word in a view.
func (l *lists) heard(v *view, word string) ([]guess, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.view != v {
		return nil, false
	}
	known, ok := l.sounds[word]
	return known, ok
}

// hear remembers what a word spells, unless the view has gone by meanwhile.
func (l *lists) hear(v *view, word string, found []guess) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.view != v {
		return
	}
	if len(l.sounds) >= maxSounds {
		clear(l.sounds)
	}
	l.sounds[word] = found
}
