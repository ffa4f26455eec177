package terms

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Sound is a Korean word taken for a foreign one spelled by ear ("클라우디너리"), as an
// automaton over the Latin words that it may spell ("cloudinary"). It walks a sorted
// dictionary, so that looking a word up among a hundred thousand costs little. It is not
// safe for concurrent use.
type Sound struct {
	arcs   [][]arc // by node of what can be read
	end    []uint8 // by node where a word may end, the cost that it has to stay below
	budget uint8
	states [][]at // sets of nodes, made as they are reached; the first is dead
	known  map[string]int
	next   [][26]int32 // by state and letter, one more than the state behind it; 0 where nobody went yet
	set    []at        // reused
	key    []byte      // reused
}

// arc reads a letter, or nothing when letter is 0.
type arc struct {
	letter byte
	cost   uint8 // how far it is from how the sound is mostly written
	to     int
}

// at is a node that can be reached, and how far from the usual spelling.
type at struct {
	node int
	cost uint8
}

const (
	// fewestSounds is how many consonants a word needs. Two or three fit some word of any
	// dictionary.
	fewestSounds = 3
	mostSounds   = 16
)

// SoundOf returns how a Korean word sounds, with its ending or without (stem), and false
// for one that says too little.
func SoundOf(word, stem string) (*Sound, bool) {
	s := &Sound{arcs: make([][]arc, 1), known: map[string]int{}}
	b := soundBuilder{sound: s, syllables: syllablesOf(word), ends: map[int]uint8{}}
	if !strings.HasPrefix(word, stem) {
		stem = ""
	}
	for _, n := range []int{len(b.syllables), len(syllablesOf(stem))} {
		if budget, ok := budgetOf(b.syllables[:n]); ok && b.ends[n] == 0 {
			b.ends[n] = budget + 1
			s.budget = max(s.budget, budget)
		}
	}
	if len(b.ends) == 0 {
		return nil, false
	}
	b.build()
	s.states, s.next = [][]at{nil}, make([][26]int32, 1)
	s.intern(s.closed([]at{{0, 0}}))
	return s, true
}

// budgetOf returns how far from its usual spelling a word may be, and false for one that
// says too little.
func budgetOf(word []syllable) (budget uint8, ok bool) {
	if len(word) < 2 {
		return 0, false
	}
	sounds, least := consonantsOf(word), fewestSounds
	if !foreign(word) {
		if sounds--; len(word) > 2 {
			least-- // most words of Chinese origin have two syllables
		}
	}
	if spelledOut(word) {
		sounds = max(sounds, fewestSounds)
	}
	if sounds < least || sounds > mostSounds {
		return 0, false
	}
	// What says little has to be written as it sounds.
	n := min(3, sounds-fewestSounds+1)
	if !foreign(word) {
		n = min(2, n-1)
	}
	if len(word) == 2 {
		n = min(1, n)
	}
	return uint8(max(0, n)), true
}

// Match reports whether a Latin word in lower case may be what is meant, and how far it
// is from the usual spelling.
func (s *Sound) Match(word string) (cost int, ok bool) {
	state := s.Start()
	for i := range len(word) {
		if state = s.Accept(state, word[i]); state == 0 {
			return 0, false
		}
	}
	return s.ends(state)
}

// ends returns the least cost of a word that ends in a state.
func (s *Sound) ends(state int) (cost int, ok bool) {
	for _, a := range s.states[state] {
		if a.node < len(s.end) && a.cost < s.end[a.node] && (!ok || int(a.cost) < cost) {
			cost, ok = int(a.cost), true
		}
	}
	return cost, ok
}

// Start returns the state before the first letter. With the other methods a Sound is
// what dictionaries of vellum take.
func (s *Sound) Start() int { return 1 }

// IsMatch reports whether a word may end here.
func (s *Sound) IsMatch(state int) bool {
	_, ok := s.ends(state)
	return ok
}

// CanMatch reports whether a word may go on from here.
func (s *Sound) CanMatch(state int) bool { return state != 0 }

// WillAlwaysMatch reports whether any word may end beyond here, which none does.
func (s *Sound) WillAlwaysMatch(int) bool { return false }

// Accept returns the state behind a letter.
func (s *Sound) Accept(state int, letter byte) int {
	if state == 0 || letter < 'a' || letter > 'z' {
		return 0
	}
	if to := s.next[state][letter-'a']; to != 0 {
		return int(to) - 1
	}
	reached := s.set[:0]
	for _, a := range s.states[state] {
		for _, r := range s.arcs[a.node] {
			if r.letter == letter && a.cost+r.cost <= s.budget {
				reached = append(reached, at{r.to, a.cost + r.cost})
			}
		}
	}
	s.set = s.closed(reached)
	to := s.intern(s.set)
	s.next[state][letter-'a'] = int32(to) + 1
	return to
}

// closed adds what can be reached without a letter, each node once with its least cost.
func (s *Sound) closed(set []at) []at {
	for i := 0; i < len(set); i++ {
		for _, r := range s.arcs[set[i].node] {
			if r.letter == 0 && set[i].cost+r.cost <= s.budget {
				set = append(set, at{r.to, set[i].cost + r.cost})
			}
		}
	}
	slices.SortFunc(set, func(a, b at) int {
		if a.node != b.node {
			return a.node - b.node
		}
		return int(a.cost) - int(b.cost)
	})
	return slices.CompactFunc(set, func(a, b at) bool { return a.node == b.node })
}

func (s *Sound) intern(set []at) int {
	if len(set) == 0 {
		return 0
	}
	s.key = s.key[:0]
	for _, a := range set {
		s.key = append(binary.BigEndian.AppendUint16(s.key, uint16(a.node)), a.cost)
	}
	if id, ok := s.known[string(s.key)]; ok {
		return id
	}
	s.states, s.next = append(s.states, slices.Clone(set)), append(s.next, [26]int32{})
	s.known[string(s.key)] = len(s.states) - 1
	return len(s.states) - 1
}
