package postcheck

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

// concept marks the name of a glossary entry, so that it meets no plain word.
const concept = "="

var (
	//go:embed glossary.txt
	glossaryText string
	//go:embed idioms.txt
	idiomsText string
)

// lexicon says which words mean the same.
type lexicon struct {
	words   map[string]string // word, as terms.Words gives it → concept
	stems   []stem            // Korean verbs, longest first
	general map[string]bool   // concepts that say that something was done, not what
	idioms  []idiom
}

// stem is a Korean verb without its ending, in letters.
type stem struct{ letters, concept string }

// idiom is code that says something without the word.
type idiom struct {
	cue      string
	pattern  *lazyregexp.Regexp // instead of the cue
	concepts []string
}

// dictionary reads the two data files once.
var dictionary = sync.OnceValue(func() *lexicon {
	l := &lexicon{words: map[string]string{}, general: map[string]bool{}}
	section := ""
	var all [][2]string
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
			w, only := strings.CutSuffix(w, "=")
			if _, taken := l.words[w]; !taken {
				l.words[w] = name
			}
			if only {
				continue
			}
			all = append(all, [2]string{w, name})
		}
	}
	for _, w := range all { // "loading" as written wins over "load" by its stem
		if cut := terms.Words(w[0]); len(cut) == 1 {
			if _, taken := l.words[cut[0].Text]; !taken {
				l.words[cut[0].Text] = w[1]
			}
		}
	}
	slices.SortStableFunc(l.stems, func(a, b stem) int { return len(b.letters) - len(a.letters) })
	for line := range strings.Lines(idiomsText) {
		cue, says, ok := strings.Cut(strings.TrimRight(line, "\n"), " => ")
		if !ok {
			continue
		}
		i := idiom{cue: cue}
		if inner, ok := strings.CutPrefix(cue, "re:"); ok {
			i.pattern = lazyregexp.New(inner)
		}
		for _, w := range terms.Words(says) {
			i.concepts = append(i.concepts, l.names(w, w.Text)[0])
		}
		l.idioms = append(l.idioms, i)
	}
	return l
})

// names returns the names under which a word is compared: its own first, then those of
// its pieces. surface is the word as written.
func (l *lexicon) names(w terms.Term, surface string) []string {
	for _, form := range []string{strings.ToLower(surface), w.Text} { // "loading" is not "load"
		if c, ok := l.words[form]; ok {
			return []string{c}
		}
	}
	switch w.Class {
	case terms.Hangul:
		return l.korean(w.Text)
	case terms.Word:
		return []string{l.agent(w.Text)}
	case terms.Code:
		out := []string{w.Text}
		var s terms.Scanner
		s.Scan(surface, func(t terms.Term) {
			if t.Class == terms.Part && !t.Stop {
				if c, ok := l.words[t.Text]; ok {
					out = append(out, c)
				} else {
					out = append(out, l.agent(t.Text))
				}
			}
		})
		if bare := strings.Trim(w.Text, "-0123456789"); len(out) == 1 && len(bare) > 3 && bare != w.Text { // float64, --force
			for _, t := range terms.Words(bare) {
				if t.Class == terms.Word {
					out = append(out, l.names(t, bare)[0])
				}
			}
		}
		return out
	}
	return []string{w.Text}
}

// agent names the one who does by what is done: a linter lints, an exporter exports.
func (l *lexicon) agent(w string) string {
	if len(w) < 6 || !strings.HasSuffix(w, "er") && !strings.HasSuffix(w, "or") {
		return w
	}
	short := w[:len(w)-2]
	if c, ok := l.words[short]; ok {
		return c
	}
	return short
}

// korean names a Korean word: by a noun of the glossary that it begins with, by two that
// it is written together from, or as a verb whose ending is taken off.
func (l *lexicon) korean(w string) []string {
	in := letters(w)
	for _, s := range l.stems {
		if rest, ok := strings.CutPrefix(in, s.letters); ok && verbEnding(rest) {
			return []string{s.concept}
		}
	}
	r := []rune(w)
	if c, ok := l.words[string(r[:1])]; ok && len(r) == 2 && strings.ContainsRune("은는이가을를도의로에만와과", r[1]) {
		return []string{c} // 키는, 큐가
	}
	for n := len(r) - 1; n >= 2; n-- {
		c, ok := l.words[string(r[:n])]
		if !ok {
			continue
		}
		if second, ok := l.words[string(r[n:])]; ok && len(r)-n >= 2 {
			return []string{w, c, second}
		}
		return []string{c}
	}
	return []string{w}
}

// joined returns the concept of two words in a row that are also written as one: "time
// limit", "roll back", 허용 목록.
func (l *lexicon) joined(a, b terms.Term) (string, bool) {
	if a.Class != b.Class || a.Class != terms.Word && a.Class != terms.Hangul {
		return "", false
	}
	c, ok := l.words[a.Text+b.Text]
	return c, ok
}

// says returns the concepts that a line of code says without naming them.
func (l *lexicon) says(line string) []string {
	var out []string
	line = strings.ToLower(line)
	for _, i := range l.idioms {
		if i.pattern == nil && strings.Contains(line, i.cue) || i.pattern != nil && i.pattern.MatchString(line) {
			out = append(out, i.concepts...)
		}
	}
	return out
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

// verbEnding reports whether letters behind a stem are an ending: what verbs may go on
// with, and nouns that merely begin alike do not.
func verbEnding(rest string) bool {
	if rest == "" {
		return true
	}
	for _, e := range []string{"ㄴㄷㅏ", "ㄴㅡㄴ", "ㄷㅏ", "ㄷㅗㄹㅗㄱ", "ㄷㅓㄴ", "ㄱㅗ", "ㄱㅣ", "ㄱㅔ", "ㄱㅓㄴㅏ", "ㅈㅣ", "ㅁㅣㅓ", "ㅁㅣㅓㄴ", "ㅂㄴㅣ", "ㅅㅡㅂ", "ㅆ", "ㅓ", "ㅏ", "ㅇㅓ", "ㅇㅏ", "ㅇㅡ", "ㅈㅏ", "ㄹㅣㅓ", "ㄴㅣ"} {
		if strings.HasPrefix(rest, e) {
			return true
		}
	}
	return rest == "ㄴ" || rest == "ㄹ" || rest == "ㅁ" || rest == "ㅁㅣㅓㄴ"
}
