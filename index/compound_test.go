package index

import (
	"context"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons/terms"
)

// TestCompounds holds that words are found whether they are written as one or as two, in
// the index and in the files alike, and that a word is taken apart only into words.
func TestCompounds(t *testing.T) {
	x := brainOf(t, map[string]string{
		"notes/count.md":  "# Wordcount of a selection\n\nIt counts notes as well.\n",
		"notes/setup.md":  "# Setup on a clean machine\n\nThe first start takes long.\n",
		"notes/lint.md":   "# Precommit hook is slow\n\nLint what is staged.\n",
		"notes/spell.md":  "# Spell check skips headings\n\nIt reads the body.\n",
		"notes/spell2.md": "# Check digits\n\nSpell them out.\n",
	})
	for text, want := range map[string]string{
		"word count":       "notes/count.md",
		"word_count":       "notes/count.md",
		"set up a machine": "notes/setup.md",
		"pre-commit":       "notes/lint.md",
		"spellcheck":       "notes/spell.md",
		"word, count":      "notes/count.md", // by "count" alone
		"words":            "",
		"spellcheckers":    "", // one note has "check" and none "checkers"
	} {
		finds(t, x, text, want)
	}
}

// TestLongWordsAreNotTakenApart bounds what the noise of a pasted text costs.
func TestLongWordsAreNotTakenApart(t *testing.T) {
	for length, want := range map[int]int{2 * leastPart: 1, mostParted: mostParted - 2*leastPart + 1, mostParted + 1: 0} {
		pairs := 0
		eachParting(new(terms.Scanner), strings.Repeat("x", length), func(int, string, string) { pairs++ })
		if pairs != want {
			t.Errorf("%d letters: got %d pairs, want %d", length, pairs, want)
		}
	}
}

// TestCompoundsAreWhatTheQueryHolds holds that a hit tells them in the words of the query.
func TestCompoundsAreWhatTheQueryHolds(t *testing.T) {
	x := brainOf(t, map[string]string{"notes/wc.md": "# Wordcount\n", "notes/a.md": "# Spell check\n", "notes/b.md": "# Check spell\n"})
	for text, want := range map[string]string{"word count": "word count", "Spellcheck": "Spell check"} {
		hits, err := x.Search(context.Background(), Query{Text: text, Notes: true})
		if err != nil || len(hits) == 0 || strings.Join(hits[0].Terms, " ") != want {
			t.Errorf("%q: %+v, %v; want %q", text, hits, err, want)
		}
	}
}
