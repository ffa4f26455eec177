package postcheck

import (
	_ "embed"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/handrail-dev/handrail/lessons/terms"
)

// concept marks the name of a glossary entry, so that it meets no plain word.
const concept = "="

//go:embed glossary.txt
var glossaryText string

// lexicon says which words mean the same, in English, Korean and code.
type lexicon struct {
	words   map[string]string // word, as terms.Words gives it → concept
	stems   []stem
	general map[string]bool // concepts that say that something was done, not what
}

// stem is a Korean verb without its ending, in letters: taken apart, it is a prefix of what it becomes.
type stem struct{ letters, concept string }

// dictionary reads the glossary once. A word that stands in two entries is of the first.
var dictionary = sync.OnceValue(func() *lexicon {
	l := &lexicon{words: map[string]string{}, general: map[string]bool{}}
	general := false
	for line := range strings.Lines(glossaryText) {
		row := strings.Fields(line)
		switch {
		case len(row) == 0:
			continue
		case row[0] == "#":
			general = strings.HasPrefix(line, "# general")
			continue
		}
		name := concept + row[0]
		l.general[name] = general
		for _, w := range row {
			if s, ok := strings.CutSuffix(w, "-"); ok {
				l.stems = append(l.stems, stem{norm.NFD.String(s), name})
				continue
			}
			if cut := terms.Words(w); len(cut) == 1 && l.words[cut[0].Text] == "" {
				l.words[cut[0].Text] = name
			}
		}
	}
	return l
})

// names returns the names under which a word is compared: its own first, then those of its pieces. surface is the word as written.
func (l *lexicon) names(w terms.Term, surface string) []string {
	if c, ok := l.words[w.Text]; ok {
		return []string{c}
	}
	if w.Class == terms.Hangul {
		in := norm.NFD.String(w.Text)
		for _, s := range l.stems {
			if strings.HasPrefix(in, s.letters) {
				return []string{s.concept}
			}
		}
	}
	out := []string{w.Text}
	if w.Class == terms.Code {
		for _, p := range terms.Parts(surface) {
			if w := terms.Words(p); len(w) == 1 {
				p = w[0].Text
			}
			if c, ok := l.words[p]; ok {
				p = c
			}
			out = append(out, p)
		}
	}
	return out
}
