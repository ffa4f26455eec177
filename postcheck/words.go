package postcheck

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"handrail/lessons/terms"
)

// concept marks the name of a glossary entry, so that it meets no plain word.
const concept = "="

//go:embed glossary.txt
var glossaryText string

// lexicon says which words mean the same, in English, Korean and code.
type lexicon struct {
	words   map[string]string // word, as written or as terms.Words gives it → concept
	stems   []stem            // Korean verbs, longest first
	general map[string]bool   // concepts that say that something was done, not what
}

// stem is a Korean verb without its ending, in letters.
type stem struct{ letters, concept string }

// dictionary reads the glossary once.
var dictionary = sync.OnceValue(func() *lexicon {
	l := &lexicon{words: map[string]string{}, general: map[string]bool{}}
	section := ""
	var stemmed [][2]string
	for line := range strings.Lines(glossaryText) {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			section = heading
			continue
		}
		row := strings.Fields(line)
		if len(row) == 0 {
			continue
		}
		name := concept + row[0]
		l.general[name] = l.general[name] || strings.HasPrefix(section, "general")
		for _, w := range row {
			if s, ok := strings.CutSuffix(w, "-"); ok {
				l.stems = append(l.stems, stem{letters(s), name})
				continue
			}
			w, asWritten := strings.CutSuffix(w, "=")
			if _, taken := l.words[w]; !taken {
				l.words[w] = name
			}
			if !asWritten {
				stemmed = append(stemmed, [2]string{w, name})
			}
		}
	}
	for _, w := range stemmed { // "loading" as written wins over "load" by its stem
		if cut := terms.Words(w[0]); len(cut) == 1 {
			if _, taken := l.words[cut[0].Text]; !taken {
				l.words[cut[0].Text] = w[1]
			}
		}
	}
	slices.SortStableFunc(l.stems, func(a, b stem) int { return len(b.letters) - len(a.letters) })
	return l
})

// names returns the names under which a word is compared: its own first, then those of its pieces. surface is the word as written.
func (l *lexicon) names(w terms.Term, surface string) []string {
	for _, form := range []string{strings.ToLower(surface), w.Text} { // "loading" is not "load"
		if c, ok := l.words[form]; ok {
			return []string{c}
		}
	}
	switch w.Class {
	case terms.Hangul:
		return []string{l.korean(w.Text)}
	case terms.Code:
		out := []string{w.Text}
		for _, p := range terms.Parts(surface) {
			if c, ok := l.words[p]; ok {
				p = c
			} else if w := terms.Words(p); len(w) == 1 {
				p = w[0].Text
			}
			out = append(out, p)
		}
		return out
	}
	return []string{w.Text}
}

// korean names a Korean word: by a verb whose ending is taken off, or a noun of the glossary that it begins with.
func (l *lexicon) korean(w string) string {
	in := letters(w)
	for _, s := range l.stems {
		if rest, ok := strings.CutPrefix(in, s.letters); ok && verbEnding(rest) {
			return s.concept
		}
	}
	r := []rune(w)
	for n := len(r) - 1; n >= 2; n-- {
		if c, ok := l.words[string(r[:n])]; ok {
			return c
		}
	}
	return w
}

// joined returns the concept of two words in a row that are also written as one: "roll back", 허용 목록.
func (l *lexicon) joined(a, b terms.Term) (string, bool) {
	if a.Class != b.Class || a.Class != terms.Word && a.Class != terms.Hangul {
		return "", false
	}
	c, ok := l.words[a.Text+b.Text]
	return c, ok
}

const (
	firstHangul = 0xAC00
	lastHangul  = 0xD7A3
	vowels      = 21
	finals      = 28
)

var (
	initialLetters = []rune("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")
	// Vowels that an ending fuses into are written as the two they came from: 지워 is 지우+ㅓ.
	vowelLetters = []string{"ㅏ", "ㅐ", "ㅑ", "ㅒ", "ㅓ", "ㅔ", "ㅣㅓ", "ㅖ", "ㅗ", "ㅗㅏ", "ㅗㅐ", "ㅚ", "ㅛ", "ㅜ", "ㅜㅓ", "ㅜㅔ", "ㅟ", "ㅠ", "ㅡ", "ㅢ", "ㅣ"}
	finalLetters = []rune("\x00ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
	// verbEndings are what verbs may go on with, and nouns that merely begin alike do not.
	verbEndings = strings.Fields("ㄴㄷㅏ ㄴㅡㄴ ㄷㅏ ㄷㅗㄹㅗㄱ ㄷㅓㄴ ㄱㅗ ㄱㅣ ㄱㅔ ㄱㅓㄴㅏ ㅈㅣ ㅁㅣㅓ ㅂㄴㅣ ㅅㅡㅂ ㅆ ㅓ ㅏ ㅇㅓ ㅇㅏ ㅇㅡ ㅈㅏ ㄹㅣㅓ ㄴㅣ")
)

// letters takes Korean syllables apart, so that a stem is a prefix of what it becomes.
func letters(w string) string {
	var b strings.Builder
	for _, r := range w {
		if r < firstHangul || r > lastHangul {
			b.WriteRune(r)
			continue
		}
		i := int(r - firstHangul)
		b.WriteRune(initialLetters[i/(vowels*finals)])
		b.WriteString(vowelLetters[i/finals%vowels])
		if f := finalLetters[i%finals]; f != 0 {
			b.WriteRune(f)
		}
	}
	return b.String()
}

func verbEnding(rest string) bool {
	return rest == "" || rest == "ㄴ" || rest == "ㄹ" || rest == "ㅁ" ||
		slices.ContainsFunc(verbEndings, func(e string) bool { return strings.HasPrefix(rest, e) })
}
