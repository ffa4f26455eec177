package terms

import (
	"slices"
	"strings"
)

// syllable is a Hangul syllable by Unicode's numbers.
type syllable struct{ onset, nucleus, coda int }

const (
	onsetR, onsetB, onsetS, onsetSilent, onsetJ, onsetCh, onsetK, onsetT, onsetP = 5, 7, 9, 11, 12, 14, 15, 16, 17

	nucleusEo, nucleusO, nucleusA, nucleusE, nucleusAe, nucleusU, nucleusEu, nucleusI = 4, 8, 0, 5, 1, 13, 18, 20

	nucleusYeo, nucleusWe = 6, 15

	codaK, codaN, codaL, codaT, codaNg = 1, 4, 8, 19, 21
)

// soundBuilder lays a word out as nodes: one before every sound and one at the end.
type soundBuilder struct {
	syllables []syllable
	ends      map[int]uint8 // after how many syllables a word may end, and one more than what it may cost
	sound     *Sound
	nodes     []int // the node before sound i: onset, nucleus and coda of each syllable
}

// consonantsOf returns how many consonants are heard, glides included.
func consonantsOf(word []syllable) int {
	n := 0
	for i, y := range word {
		if afterL := y.onset == onsetR && i > 0 && word[i-1].coda == codaL; y.onset != onsetSilent && !afterL {
			n++
		}
		if y.onset == onsetSilent && strings.ContainsAny(nuclei[y.nucleus].usual[:1], "wy") {
			n++
		}
		if y.coda != 0 {
			n++
		}
	}
	return n
}

// foreign reports whether a word has a syllable that words of Korean or Chinese origin
// hardly have: a first ㄹ, a ㅋ, or a consonant that has a vowel only for Korean ears.
func foreign(word []syllable) bool {
	return word[0].onset == onsetR || slices.ContainsFunc(word, func(y syllable) bool {
		if y.onset == onsetK {
			return true
		}
		if y.nucleus != nucleusEu || y.coda != 0 && y.coda != codaL {
			return false
		}
		switch y.onset {
		case onsetB, onsetS, onsetJ, onsetCh, onsetT, onsetP:
			return true
		}
		return false
	})
}

// letter is a letter of the alphabet as it is read aloud.
type letter struct {
	name []syllable
	is   string
}

var letters = func() (out []letter) {
	for name := range strings.FieldsSeq("에이a 비b 씨c 시c 디d 이e 에프f 지g 에이치h 아이i 제이j 케이k 엘l 엠m 엔n 오o 피p 큐q 알r 에스s 티t 유u 브이v 더블유w 엑스x 와이y 제트z") {
		last := len(name) - 1
		out = append(out, letter{syllablesOf(name[:last]), name[last:]})
	}
	return out
}()

// lettersAt returns the letters whose names stand in a word, by where they begin.
func lettersAt(word []syllable) [][]letter {
	out := make([][]letter, len(word))
	for i := range word {
		for _, l := range letters {
			if len(word)-i >= len(l.name) && slices.Equal(word[i:i+len(l.name)], l.name) {
				out[i] = append(out[i], l)
			}
		}
	}
	return out
}

// spelledOut reports whether a word is made of the names of three letters or more: 에이피아이.
func spelledOut(word []syllable) bool {
	behind := make([]int, len(word)+1) // how many letters, at most
	for i, at := range lettersAt(word) {
		if i > 0 && behind[i] == 0 {
			continue
		}
		for _, l := range at {
			to := i + len(l.name)
			behind[to] = max(behind[to], behind[i]+1)
		}
	}
	return behind[len(word)] >= 3
}

// syllablesOf returns the syllables of a word, nil if it has anything else.
func syllablesOf(word string) (out []syllable) {
	for _, r := range word {
		if scriptOf(r) != scriptHangul {
			return nil
		}
		n := int(r - 0xAC00)
		out = append(out, syllable{onset: n / 588, nucleus: n % 588 / 28, coda: n % 28})
	}
	return out
}

func (b *soundBuilder) build() {
	s := b.sound
	b.nodes = []int{0}
	for range 3 * len(b.syllables) {
		b.nodes = append(b.nodes, b.node())
	}
	s.end = make([]uint8, len(b.nodes))
	for n, cost := range b.ends {
		s.end[b.nodes[3*n]] = cost
	}
	named := lettersAt(b.syllables)
	var spelled []int // where a letter's name ends
	isForeign := foreign(b.syllables)
	for i, y := range b.syllables {
		onset, nucleus, coda, behind := b.nodes[3*i], b.nodes[3*i+1], b.nodes[3*i+2], b.nodes[3*i+3]
		_, last := b.ends[i+1]
		var before syllable
		if i > 0 {
			before = b.syllables[i-1]
		}
		switch {
		case y.onset == onsetSilent, y.onset == onsetR && before.coda == codaL:
			b.skip(onset, nucleus, 0)
		default:
			b.consonant(onset, nucleus, onsets[y.onset])
			if y.onset == onsetS || y.onset == onsetS+1 {
				switch y.nucleus { // a c is soft before e, i and y
				case nucleusI, nucleusE, nucleusEu, nucleusA, nucleusEo:
					b.read(onset, nucleus, "c", 0)
				case nucleusYeo:
					b.read(onset, nucleus, "t ti ci", 0)
				}
			}
			if i == 0 {
				b.read(onset, nucleus, firsts[y.onset], 0)
			}
		}
		v := nuclei[y.nucleus]
		b.read(nucleus, coda, v.usual, 0)
		b.read(nucleus, coda, v.seldom, 1)
		if y.nucleus == nucleusEu {
			b.skip(nucleus, coda, 0)
		}
		if y.nucleus == nucleusI && y.coda == 0 { // -ge, -ch, -sh
			switch y.onset {
			case onsetJ, onsetCh:
				if isForeign { // else it is an ending of verbs
					b.skip(nucleus, coda, 0)
				}
			case onsetS:
				b.read(onset, coda, "sh", 0)
			}
		}
		if y.coda == 0 {
			b.skip(coda, behind, 0)
			r := uint8(1)
			if y.nucleus == nucleusEo || y.nucleus == nucleusA || y.nucleus == nucleusO {
				r = 0
			}
			b.read(coda, behind, "r rr", r)
			b.read(coda, behind, "h", 1)
		} else {
			b.consonant(coda, behind, codas[y.coda])
			if y.nucleus == nucleusEo || y.nucleus == nucleusA || y.nucleus == nucleusO {
				between := b.node()
				b.read(coda, between, "r", 0)
				b.consonant(between, behind, codas[y.coda])
			}
		}
		if !last {
			b.read(behind, behind, "e", 1) // silent
		} else {
			b.read(behind, behind, "e", 0)
		}
		if last && i > 1 && y.onset == onsetS && y.coda == 0 && y.nucleus == nucleusEu {
			b.skip(onset, behind, 1) // stems have no -s
			if i > 2 && before.coda == 0 {
				b.skip(b.nodes[3*i-2], behind, 1) // nor -es
			}
		}
		if last && i > 1 && y.nucleus == nucleusEo && y.coda == 0 {
			b.skip(nucleus, behind, 1) // nor -er
		}
		if last && i > 0 && y.nucleus == nucleusI && y.coda == codaNg {
			b.skip(nucleus, behind, 1) // nor -ing
		}
		if last && y.onset == onsetS && y.nucleus == nucleusYeo && y.coda == codaN {
			b.read(onset, behind, "t s", 0) // nor -ion
		}
		if last && i > 2 && y == (syllable{onsetJ, nucleusEu, 0}) && before == (syllable{onsetSilent, nucleusI, 0}) {
			b.skip(b.nodes[3*i-5], behind, 1) // nor -ize
		}
		for _, l := range named[i] {
			// One syllable alone is one like any other.
			to := i + len(l.name)
			if len(l.name) > 1 || slices.Contains(spelled, i) || to < len(named) && len(named[to]) > 0 {
				b.read(onset, b.nodes[3*to], l.is, 0)
			}
			spelled = append(spelled, to)
		}
		if i == 0 {
			continue
		}
		// Two syllables that are one sound in writing.
		if y.onset == onsetSilent && before.coda == 0 {
			from := b.nodes[3*i-2]
			b.read(from, coda, diphthongs[[2]int{before.nucleus, y.nucleus}], 0)
			if before.nucleus == nucleusI || before.nucleus == nucleusE || before.nucleus == nucleusU || before.nucleus == nucleusO {
				if y.nucleus == nucleusEo {
					b.read(nucleus, coda, "r re", 0)
				}
			}
			if i > 1 && y.nucleus == nucleusEo && b.syllables[i-2].nucleus == nucleusA && b.syllables[i-2].coda == 0 && before.onset == onsetSilent && before.nucleus == nucleusI {
				b.read(b.nodes[3*i-5], coda, "ir ire yr yre ier", 0) // 파이어
			}
		}
		hard := before.coda == codaK || before.coda == 0 && before.nucleus == nucleusEu && before.onset == onsetK
		if hard && y.onset == onsetS {
			b.read(b.nodes[3*i-1], nucleus, "x xc", 0)
			if before.coda == 0 {
				b.read(b.nodes[3*i-3], nucleus, "x", 0)
			}
		}
		if before.coda == codaT && y.onset == onsetJ {
			b.read(b.nodes[3*i-1], nucleus, "dg g j", 0)
		}
		if before.coda == codaT && y.onset == onsetCh {
			b.read(b.nodes[3*i-1], nucleus, "tch ch", 0)
		}
	}
}

func (b *soundBuilder) node() int {
	b.sound.arcs = append(b.sound.arcs, nil)
	return len(b.sound.arcs) - 1
}

func (b *soundBuilder) skip(from, to int, cost uint8) {
	b.sound.arcs[from] = append(b.sound.arcs[from], arc{cost: cost, to: to})
}

// consonant reads a consonant in any of its spellings, doubled ones too.
func (b *soundBuilder) consonant(from, to int, s spelling) {
	for cost, list := range []string{s.usual, s.seldom} {
		b.read(from, to, list, uint8(cost))
		for w := range strings.FieldsSeq(list) {
			if len(w) == 1 {
				b.read(from, to, w+w, uint8(cost))
			}
		}
	}
}

// read reads any of the words of a list.
func (b *soundBuilder) read(from, to int, list string, cost uint8) {
	for w := range strings.FieldsSeq(list) {
		node := from
		for i := range len(w) - 1 {
			between := b.node()
			b.sound.arcs[node] = append(b.sound.arcs[node], arc{letter: w[i], to: between})
			node = between
		}
		b.sound.arcs[node] = append(b.sound.arcs[node], arc{letter: w[len(w)-1], cost: cost, to: to})
	}
}

// spelling is how a sound is written in English words and names, and how seldom.
type spelling struct{ usual, seldom string }

// onsets are ㄱ ㄲ ㄴ ㄷ ㄸ ㄹ ㅁ ㅂ ㅃ ㅅ ㅆ ㅇ ㅈ ㅉ ㅊ ㅋ ㅌ ㅍ ㅎ.
var onsets = [19]spelling{
	{"g gh gu", "k c"},
	{"k c g", ""},
	{"n kn", ""},
	{"d th", "t"},
	{"d t", ""},
	{"r l rh", ""},
	{"m", ""},
	{"b v", "p"},
	{"b p", ""},
	{"s sh sc", "z th"},
	{"s", "th"},
	{},
	{"j g z dg", "s ds"},
	{"z j", ""},
	{"ch t tch ts c", "z j"},
	{"k c ck ch q", "kh g"},
	{"t th", "d"},
	{"p f ph", "b v"},
	{"h wh", "j"},
}

// firsts are spellings at the beginning of a word alone.
var firsts = map[int]string{onsetR: "wr", 2: "kn gn", onsetS: "ps sch", onsetJ: "x"}

// codas are by Unicode's number; those that loanwords lack are left out.
var codas = [28]spelling{
	1: {"k c ck g q", "ch x ct"}, 4: {"n", "gn"}, 7: {"t d", "s"}, 8: {"l", "r"}, 16: {"m mb", "n"}, 17: {"p b", "f v"}, 19: {"t s", "d th z"},
	21: {"ng n", "g"}, 2: {"k g", ""}, 20: {"s t", ""}, 22: {"t j", ""}, 23: {"t ch", ""}, 24: {"k c", ""}, 25: {"t", ""}, 26: {"p f", ""}, 27: {"h", ""},
}

// nuclei are ㅏ ㅐ ㅑ ㅒ ㅓ ㅔ ㅕ ㅖ ㅗ ㅘ ㅙ ㅚ ㅛ ㅜ ㅝ ㅞ ㅟ ㅠ ㅡ ㅢ ㅣ.
var nuclei = [21]spelling{
	{"a", "o u ea i e"},
	{"a e ai", "ae ei ea i"},
	{"ya ia", "a io ja"},
	{"ye ya", "e a"},
	{"e u o a", "i ou ea y oo"},
	{"e a ea ae", "i ai ei ie"},
	{"yo io ie ye ia you", "o e u"},
	{"ye", "e ie"},
	{"o oa au ow", "a ou aw oe oo u eau"},
	{"wa ua", "o oa oi ou a"},
	{"we wa", "e a ue"},
	{"we oe", "e o ue"},
	{"yo io", "o"},
	{"u oo ou", "o w ew ue"},
	{"wo wa uo ua wor", "o u we"},
	{"we wa ue whe", "e oe ua"},
	{"wi we ui", "i whi wy y"},
	{"u ew you yu eu ue", "o oo iu ui"},
	{"e", "u a i o y"},
	{"ui", "i"},
	{"i e ee ea y", "ie ei ey a u ui"},
}

// diphthongs are two nuclei that are often written as one.
var diphthongs = map[[2]int]string{
	{nucleusA, nucleusI}:   "i y ai ie igh ei uy",
	{nucleusE, nucleusI}:   "a ai ay ei ey eigh",
	{nucleusAe, nucleusI}:  "a ai ay ei",
	{nucleusA, nucleusU}:   "ou ow au",
	{nucleusO, nucleusU}:   "o ow oa",
	{nucleusO, nucleusI}:   "oi oy",
	{nucleusO, nucleusEo}:  "or ore oa oar oor",
	{nucleusI, nucleusEo}:  "ear eer ier ia er ere",
	{nucleusE, nucleusEo}:  "air are ear ere",
	{nucleusAe, nucleusEo}: "air are ear",
	{nucleusI, nucleusU}:   "eu iu ew u",
	{nucleusWe, nucleusI}:  "way wai wa wei",
	{nucleusU, nucleusEo}:  "ure our oor ur",
}
