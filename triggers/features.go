package triggers

import (
	"math"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// A sentence is judged by what stands in it, from the words as they are to what they mean:
// words in a row, pieces of words without regard to spelling and endings, and concepts.
type group int

const (
	byWords group = iota
	byPieces
	byConcepts
	groups
)

// share is how much each group counts, whatever the length of the text; fewFeatures keeps
// the few features of a very short text from counting too much each. Both were found on
// sentences left out of the learning.
var share = [groups]float64{1, 0.6, 1}

const fewFeatures = 20

// bag is a set of features by group, each group in order.
type bag [groups][]uint32

// value is how much each feature of a group counts.
func (b bag) value(g group) float64 { return share[g] / math.Sqrt(float64(len(b[g]))+fewFeatures) }

// feature names something that stands in a sentence by a number: FNV-1a of the kind of
// thing and of its parts.
func feature(kind byte, parts ...string) uint32 {
	const prime = 16777619
	h := (uint32(2166136261) ^ uint32(kind)) * prime
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint32(p[i])) * prime
		}
		h = (h ^ 0xff) * prime
	}
	return h
}

// features returns what stands in a sentence.
func features(s said) bag {
	words := cutWords(s.norm)
	return bag{wordsIn(words), piecesIn(words), conceptsIn(words)}.once()
}

// merge returns the features of several sentences.
func merge(each []bag) bag {
	var b bag
	for _, one := range each {
		for g := range b {
			b[g] = append(b[g], one[g]...)
		}
	}
	return b.once()
}

// once puts the features in order and takes repeated ones out.
func (b bag) once() bag {
	for g := range b {
		slices.Sort(b[g])
		b[g] = slices.Compact(b[g])
	}
	return b
}

// wordsIn returns words, beginnings and endings of words, and words in a row. Numbers are
// one word, Korean words in a row their first two syllables.
func wordsIn(words []string) []uint32 {
	var out []uint32
	before2, before := "", "^"
	for i, w := range append(words, "$") {
		name := w
		switch {
		case w == "$":
		case unicode.IsDigit(rune(w[0])):
			name = "0"
			out = append(out, feature('w', w), feature('w', name))
		case isHangul(w):
			if i > 0 && isHangul(words[i-1]) {
				out = append(out, feature('j', lastRunes(words[i-1], 1), firstRunes(w, 3)), feature('J', lastRunes(words[i-1], 2), lastRunes(w, 2)))
			}
			for n := range min(3, utf8.RuneCountInString(w)) {
				out = append(out, feature('k', firstRunes(w, n+1)))
			}
			for n := range 2 {
				out = append(out, feature('s', lastRunes(w, n+1)))
			}
			if i == len(words)-1 {
				for n := range 3 {
					out = append(out, feature('e', lastRunes(w, n+1)))
				}
			}
			name = firstRunes(w, 2)
		default:
			out = append(out, feature('w', w), feature('p', firstRunes(w, 5)))
		}
		if i == 0 {
			out = append(out, feature('f', name))
		}
		out = append(out, feature('2', before, name))
		if i > 0 {
			out = append(out, feature('3', before2, before, name), feature('_', before2, name))
		}
		before2, before = before, name
	}
	return out
}

// piecesIn returns runs of letters: of English within a word, of Korean across words, since
// spaces are as people like. Hangul goes without final consonants and with like-sounding
// vowels as one, so that 안 돼, 안되네, 안됨 and 안댐 begin the same.
func piecesIn(words []string) []uint32 {
	var out []uint32
	var korean []rune
	flush := func() {
		for n := 2; n <= 4; n++ {
			for i := 0; i+n <= len(korean); i++ {
				out = append(out, feature('h', string(korean[i:i+n])))
			}
		}
		korean = korean[:0]
	}
	for _, w := range words {
		if isHangul(w) {
			for _, r := range w {
				korean = append(korean, rough(r))
			}
			continue
		}
		flush()
		w = "<" + w + ">"
		for n := 3; n <= 5; n++ {
			for i := 0; i+n <= len(w); i++ {
				out = append(out, feature('c', w[i:i+n]))
			}
		}
	}
	flush()
	return out
}

// conceptsIn returns the concepts of the words, first and last ones, two in one word, two
// and three in a row, and any two in their order: "fix … fail".
func conceptsIn(words []string) []uint32 {
	const reach = 8 // how many words with a meaning on a pair may go
	c := meanings()
	var in [][]int
	for _, w := range words {
		if of := c.of(w); len(of) > 0 {
			in = append(in, of)
		}
	}
	at := func(i int) []int {
		if i < 0 || i >= len(in) {
			return nil
		}
		return in[i]
	}
	var out []uint32
	for i, here := range in {
		for k, a := range here {
			x := c.names[a]
			out = append(out, feature('C', x))
			if i == 0 {
				out = append(out, feature('F', x))
			}
			if i == len(in)-1 {
				out = append(out, feature('L', x))
			}
			for _, b := range here[k+1:] {
				out = append(out, feature('B', x, c.names[b]))
				for _, z := range at(i - 1) {
					out = append(out, feature('D', c.names[z], x, c.names[b]))
				}
			}
			for _, b := range at(i + 1) {
				out = append(out, feature('A', x, c.names[b]))
				for _, z := range at(i + 2) {
					out = append(out, feature('T', x, c.names[b], c.names[z]))
				}
			}
			for _, later := range in[i+1 : min(i+1+reach, len(in))] {
				for _, b := range later {
					out = append(out, feature('P', x, c.names[b]))
				}
			}
		}
	}
	length := min(int(math.Round(2*math.Log2(float64(len(words)+1)))), 9)
	return append(out, feature('n', strconv.Itoa(length)))
}

// cutWords cuts a sentence into runs of Latin letters and digits, runs of Hangul, and the
// marks that people raise their voice with.
func cutWords(s string) []string {
	var out []string
	start, kind := 0, 0
	for i, r := range s + " " {
		k := 0
		switch {
		case r >= 'a' && r <= 'z' || unicode.IsDigit(r):
			k = 1
		case isSyllable(r):
			k = 2
		case r == '?' || r == '!':
			k = 3
		}
		if k == kind && k != 3 {
			continue
		}
		if kind != 0 {
			out = append(out, s[start:i])
		}
		start, kind = i, k
	}
	return out
}

// How Unicode puts Hangul syllables together.
const (
	firstSyllable, lastSyllable = 0xAC00, 0xD7A3
	vowels, finals              = 21, 28
)

func isSyllable(r rune) bool { return r >= firstSyllable && r <= lastSyllable }

func isHangul(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return isSyllable(r)
}

// rough returns a syllable without its final consonant, its vowel the commonest of those
// that sound alike.
func rough(r rune) rune {
	s := r - firstSyllable
	onset, vowel := s/(vowels*finals), s/finals%vowels
	switch vowel {
	case 3, 5, 7, 10, 11, 15: // ㅒ ㅔ ㅖ ㅙ ㅚ ㅞ
		vowel = 1 // ㅐ
	}
	return firstSyllable + (onset*vowels+vowel)*finals
}
