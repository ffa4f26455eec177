package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	segment "github.com/blevesearch/scorch_segment_api/v2"

	"github.com/handrail-dev/handrail/lessons/terms"
)

const (
	// maxHeard bounds the Latin words that one Korean word may spell by ear. Where more
	// fit equally well it says too little.
	maxHeard = 3
	// heardWeight is what a word counts that is spelled otherwise than it sounds.
	heardWeight = 0.8
)

// heard are the Latin words of the brain that a Korean one may spell, and whether they are written as it sounds.
type heard struct {
	words []string
	near  bool
}

// standIns returns what a Korean word may be that nobody wrote: the Latin words that it spells by ear, the likeliest
// first.
func (u *unit) standIns(c *segments, n int) (out []unit, err error) {
	if u.spoken == "" {
		return nil, nil
	}
	known, err := c.spelled(u.spoken, u.word)
	if err != nil {
		return nil, err
	}
	for _, word := range known.words {
		o := unit{word: word, terms: []string{word}, weight: u.weight}
		if !known.near {
			o.weight *= heardWeight
		}
		if err := o.rarity(c, n); err != nil {
			return nil, err
		}
		if o.known { // else its last document is gone
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b unit) int { return cmp.Compare(a.idf, b.idf) }) // the commonest
	return out[:min(len(out), maxHeard)], nil
}

// spelled returns the words of the brain that a Korean one spells, with its ending or without.
func (s *segments) spelled(word, stem string) (out heard, err error) {
	s.mu.Lock()
	known, ok := s.sounds[word]
	s.mu.Unlock()
	if ok {
		return known, nil
	}
	near, far := terms.SoundOf(word, stem)
	for _, expr := range []string{near, far} {
		if expr == "" || len(out.words) > 0 {
			break
		}
		taken, err := newAutomaton(expr)
		if err != nil {
			return heard{}, fmt.Errorf("listen to %q: %w", word, err)
		}
		out.near = expr == near
		if err := s.matching(taken, nil, nil, func(term string) { out.words = append(out.words, strings.Clone(term)) }); err != nil {
			return heard{}, err
		}
	}
	slices.Sort(out.words)
	out.words = slices.Compact(out.words)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sounds) >= maxKnown {
		clear(s.sounds)
	}
	s.sounds[word] = out
	return out, nil
}

// automaton walks a dictionary by a regular expression. Its states are made as they are reached, for most never are.
type automaton struct {
	prog   *syntax.Prog
	states [][]uint32 // the instructions that wait for a letter, or for the end; the first has none
	known  map[string]int
	seen   []bool      // instructions, while a set is made
	next   [][26]int32 // by state and letter, one more than the state behind it; 0 where nobody went yet
}

func newAutomaton(expr string) (*automaton, error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	a := &automaton{prog: prog, known: map[string]int{}, seen: make([]bool, len(prog.Inst))}
	a.state(nil)
	a.state(a.reach(nil, uint32(prog.Start)))
	return a, nil
}

// reach adds what can be reached from an instruction without a letter.
func (a *automaton) reach(set []uint32, pc uint32) []uint32 {
	if a.seen[pc] {
		return set
	}
	a.seen[pc] = true
	switch in := &a.prog.Inst[pc]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		return a.reach(a.reach(set, in.Out), in.Arg)
	case syntax.InstNop, syntax.InstCapture:
		return a.reach(set, in.Out)
	}
	return append(set, pc)
}

// state returns the number of a set that was reached.
func (a *automaton) state(set []uint32) int {
	clear(a.seen)
	slices.Sort(set)
	var key []byte
	for _, pc := range set {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	id, ok := a.known[string(key)]
	if !ok {
		id = len(a.states)
		a.known[string(key)] = id
		a.states, a.next = append(a.states, set), append(a.next, [26]int32{})
	}
	return id
}

// Start, IsMatch, CanMatch, WillAlwaysMatch and Accept are what dictionaries of vellum ask.
func (a *automaton) Start() int { return 1 }

func (a *automaton) IsMatch(state int) bool {
	return slices.ContainsFunc(a.states[state], func(pc uint32) bool { return a.prog.Inst[pc].Op == syntax.InstMatch })
}

func (a *automaton) CanMatch(state int) bool  { return state != 0 }
func (a *automaton) WillAlwaysMatch(int) bool { return false }

func (a *automaton) Accept(state int, letter byte) int {
	if state == 0 || letter < 'a' || letter > 'z' {
		return 0
	}
	to := a.next[state][letter-'a']
	if to == 0 {
		var set []uint32
		for _, pc := range a.states[state] {
			if in := &a.prog.Inst[pc]; in.Op != syntax.InstMatch && in.MatchRune(rune(letter)) {
				set = a.reach(set, in.Out)
			}
		}
		to = int32(a.state(set)) + 1
		a.next[state][letter-'a'] = to
	}
	return int(to) - 1
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
