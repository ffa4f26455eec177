package terms

import (
	"slices"
	"strings"
)

// A Korean word may be a foreign one spelled by ear ("클라우디너리"). SoundOf turns it into regular expressions over the
// letters of the original ("cloudinary"): each syllable becomes what English words and names have for its sounds.

const (
	fewestSounds = 3 // two consonants fit some word of any dictionary
	mostSounds   = 16
)

// syllable is a Hangul syllable by Unicode's numbers.
type syllable struct{ onset, nucleus, coda int }

const (
	onsetR, onsetB, onsetS, onsetSilent, onsetJ, onsetCh, onsetK, onsetT, onsetP = 5, 7, 9, 11, 12, 14, 15, 16, 17

	nucleusEo, nucleusYeo, nucleusO, nucleusA, nucleusE, nucleusAe, nucleusU, nucleusEu, nucleusI, nucleusWe = 4, 6, 8, 0, 5, 1, 13, 18, 20, 15

	codaK, codaN, codaL, codaNg = 1, 4, 8, 21
)

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

// SoundOf returns regular expressions for the Latin words, in lower case and stemmed, that a Korean word may spell,
// with its ending or without (stem). near takes those that are written as it sounds, far those with one syllable that
// is written otherwise. Both are "" for a word that says too little, far alone for one that says little.
func SoundOf(word, stem string) (near, far string) {
	var nears, fars []string
	root, _ := strings.CutSuffix(stem, "라이즈") // stems are without -ize
	for i, w := range []string{word, stem, root} {
		if i > 0 && (w == word || !strings.HasPrefix(word, w)) {
			continue
		}
		y := syllablesOf(w)
		if len(y) < 2 {
			continue
		}
		n, foreign := consonantsOf(y), foreign(y)
		if n < fewestSounds || n > mostSounds || !foreign && n == fewestSounds && len(y) == 2 { // words of Chinese origin mostly have two syllables
			continue
		}
		sounds := soundsOf(y, foreign)
		for at := -1; at < len(sounds); at++ {
			var expr strings.Builder
			for i, s := range sounds {
				if i == at {
					expr.WriteString(s.far)
				} else {
					expr.WriteString(s.near)
				}
			}
			if at < 0 {
				nears = append(nears, expr.String()+"e?")
			} else if (foreign || n > fewestSounds+1) && sounds[at].far != "" {
				fars = append(fars, expr.String()+"e?")
			}
		}
	}
	return strings.Join(nears, "|"), strings.Join(fars, "|")
}

// consonantsOf returns how many consonants are heard, glides included.
func consonantsOf(y []syllable) (n int) {
	const glides = 1<<2 | 1<<3 | 1<<6 | 1<<7 | 1<<9 | 1<<10 | 1<<11 | 1<<12 | 1<<14 | 1<<15 | 1<<16
	for i, s := range y {
		afterL := i > 0 && s.onset == onsetR && y[i-1].coda == codaL
		if s.onset == onsetSilent && glides>>s.nucleus&1 == 1 || s.onset != onsetSilent && !afterL {
			n++
		}
		if s.coda != 0 {
			n++
		}
	}
	return n
}

// foreign reports whether a word has a syllable that words of Korean or Chinese origin
// hardly have: a first ㄹ, a ㅋ, or a consonant that has a vowel only for Korean ears.
func foreign(word []syllable) bool {
	return word[0].onset == onsetR || slices.ContainsFunc(word, func(y syllable) bool {
		return y.onset == onsetK || y.nucleus == nucleusEu && (y.coda == 0 || y.coda == codaL) &&
			slices.Contains([]int{onsetB, onsetS, onsetJ, onsetCh, onsetT, onsetP}, y.onset)
	})
}

// sound is what a syllable may be in letters: as it sounds, and otherwise.
type sound struct{ near, far string }

// soundsOf returns the sounds of a word's syllables. Where two are one sound in writing, the first has none.
func soundsOf(y []syllable, foreign bool) []sound {
	out := make([]sound, len(y))
	var onset sound
	var vowel string
	for i, s := range y {
		var before syllable
		if i > 0 {
			before = y[i-1]
		}
		joined := diphthongs[[2]int{before.nucleus, s.nucleus}]
		switch {
		case i > 0 && s.onset == onsetSilent && before.coda == 0 && joined != "":
			vowel, out[i-1] = group(joined+"|"+vowel+group(nuclei[s.nucleus])), sound{}
		case i > 0 && s.onset == onsetSilent && s.nucleus == nucleusEo && s.coda == 0:
			onset, vowel = sound{}, "(?:[eoua]|re?)"
		default:
			onset, vowel = sounding(onsets[s.onset]), group(nuclei[s.nucleus])
			if s.onset == onsetR && before.coda == codaL {
				onset = sound{}
			}
		}
		out[i] = s.sound(before, i > 0, i == len(y)-1, foreign, onset, vowel)
	}
	return out
}

func (y syllable) sound(before syllable, inner, last, foreign bool, onset sound, vowel string) (s sound) {
	coda := sounding(codas[y.coda])
	if y.nucleus == nucleusEo || y.nucleus == nucleusA || y.nucleus == nucleusO {
		vowel += "r*" // no ear hears it
	}
	hard := before.coda == codaK || before.coda == 0 && before.onset == onsetK && before.nucleus == nucleusEu
	s = sound{onset.near + vowel + coda.near, onset.far + "[aeiouwy]+r*h?" + coda.far + "e?"}
	if y.nucleus == nucleusEu || last && inner && y.nucleus == nucleusEo { // stems are without -er
		s.far = onset.far + "[aeiouwy]*r*" + coda.far + "e?"
	}
	switch {
	case y == syllable{onsetS, nucleusYeo, codaN}: // -tion; stems are without -ion
		s = sound{"(?:[tsc]i?o?n|[ts])", "(?:[tsc]i?o?n|[ts])"}
	case hard && y.onset == onsetS: // the x is in the syllable before
		s.near = group(onset.near) + "?" + vowel + coda.near
	case y == syllable{onsetS, nucleusI, 0}:
		s.near = group(s.near + "|sh")
	case y.nucleus == nucleusI && y.coda == 0 && foreign && (y.onset == onsetJ || y.onset == onsetCh): // -ge, -ch
		s.near = onset.near + vowel + "?"
	case y.nucleus == nucleusEu && y.coda == 0:
		s.near += "e?"
	}
	switch { // nor have they -ing and -s
	case last && inner && y.nucleus == nucleusI && y.coda == codaNg:
		s.far = onset.far + "(?:ing|s)?e?"
	case last && inner && y == syllable{onsetS, nucleusEu, 0}:
		s.far = group(s.far) + "?"
	}
	return s
}

func group(list string) string {
	if list == "" {
		return ""
	}
	return "(?:" + list + ")"
}

// sounding cuts a list of spellings into the usual ones and all.
func sounding(list string) sound {
	usual, seldom, ok := strings.Cut(list, ";")
	if !ok {
		return sound{group(usual), group(usual)}
	}
	return sound{group(usual), group(usual + "|" + seldom)}
}

var (
	// onsets are ㄱ ㄲ ㄴ ㄷ ㄸ ㄹ ㅁ ㅂ ㅃ ㅅ ㅆ ㅇ ㅈ ㅉ ㅊ ㅋ ㅌ ㅍ ㅎ, as English words and names
	// write them: mostly, and behind a semicolon seldom.
	onsets = [19]string{
		"g+|gh|gu;k|c", "k+|c+|ck|g+", "n+|[kg]n", "d+|th;t", "d|t", "r+|l+|rh|wr", "m+", "b+|v;p", "b|p", "s+|sch?|sh|ps|c;z|th", "s+;th", "",
		"j|g|z|dg;d?s|x", "z|j", "ch|t|tch|ts|c;z|j", "k+|c+|ck|ch|q|x;kh|g", "t+|th;d", "p+|f+|ph;b|v", "h|wh;j",
	}
	// codas are by Unicode's number; those that loanwords lack are left out.
	codas = [28]string{1: "k+|c+|ck|g+|q|x;ch|ct", 4: "n+;gn", 7: "t|d;s", 8: "l+;r", 16: "m+|mb;n", 17: "p+|b;f|v", 19: "t+|s;d|th|z", 21: "ng|n;g", 20: "s|t"}
	// nuclei are ㅏ ㅐ ㅑ ㅒ ㅓ ㅔ ㅕ ㅖ ㅗ ㅘ ㅙ ㅚ ㅛ ㅜ ㅝ ㅞ ㅟ ㅠ ㅡ ㅢ ㅣ.
	nuclei = [21]string{
		"a", "a|e|ai", "[yi]a", "[yi]e", "[euoa]", "a|e|ea|ae", "[yi][oea]|you", "ye", "o|oa|au|ow", "[wu]a", "w[ea]", "w?oe|we", "[yi]o", "u|oo|ou",
		"[wu][oa]r?", "wh?[ea]|ue", "w[eiy]|ui", "e?[uw]|[yei]u|you", "e?", "ui", "i|e|ee|ea|y",
	}
	// diphthongs are two nuclei that are often written as one.
	diphthongs = map[[2]int]string{
		{nucleusA, nucleusI}: "i|y|ai|ie|igh|ei|uy", {nucleusE, nucleusI}: "a|a[iy]|e[iy]|eigh", {nucleusAe, nucleusI}: "a|a[iy]|ei", {nucleusA, nucleusU}: "[oa]u|ow",
		{nucleusO, nucleusU}: "o|ow|oa", {nucleusO, nucleusI}: "o[iy]", {nucleusI, nucleusU}: "[ei]u|ew|u", {nucleusWe, nucleusI}: "wa[yi]?|wei",
	}
)
