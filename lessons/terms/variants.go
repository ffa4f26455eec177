package terms

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

// Words of so many syllables have other spellings.
const (
	fewestVariant = 3 // shorter words become others
	mostVariant   = 10
)

// Variants returns the other spellings that a Korean word of three syllables or more may
// have, each with one syllable changed: 컨텐츠 is 콘텐츠 too, 메세지 메시지, 캡쳐 캡처.
// Most of them are no words.
func Variants(word string) (out []string) {
	syllables := syllablesOf(word)
	if len(syllables) < fewestVariant || len(syllables) > mostVariant {
		return nil
	}
	runes := []rune(word)
	for i, y := range syllables {
		put := func(y syllable) {
			old := runes[i]
			runes[i] = rune(0xAC00 + y.onset*588 + y.nucleus*28 + y.coda)
			out = append(out, string(runes))
			runes[i] = old
		}
		for _, n := range alike[y.nucleus] {
			put(syllable{y.onset, n, y.coda})
		}
		switch y.onset {
		case onsetJ, onsetCh: // no ear hears a y behind these
			if n, ok := afterJ[y.nucleus]; ok {
				put(syllable{y.onset, n, y.coda})
			}
		case onsetS:
			for _, n := range afterS[y.nucleus] {
				put(syllable{y.onset, n, y.coda})
			}
			put(syllable{onsetS + 1, y.nucleus, y.coda})
		case onsetS + 1:
			put(syllable{onsetS, y.nucleus, y.coda})
		}
	}
	return out
}

var (
	// alike are nuclei that are taken for each other everywhere: ㅐ ㅔ, ㅓ ㅗ, ㅙ ㅚ ㅞ.
	alike = map[int][]int{1: {5}, 5: {1}, 4: {8}, 8: {4}, 10: {11, 15}, 11: {10, 15}, 15: {10, 11}}
	// afterJ are ㅏ ㅑ, ㅓ ㅕ, ㅗ ㅛ, ㅜ ㅠ behind ㅈ and ㅊ.
	afterJ = map[int]int{0: 2, 2: 0, 4: 6, 6: 4, 8: 12, 12: 8, 13: 17, 17: 13}
	// afterS are ㅔ ㅣ, ㅟ ㅣ, ㅖ ㅞ behind ㅅ.
	afterS = map[int][]int{5: {20}, 20: {5, 16}, 16: {20}, 7: {15}, 15: {7}}
)
