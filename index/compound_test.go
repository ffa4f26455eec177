package index

import (
	"context"
	"strings"
	"testing"
)

// TestCompounds holds that words are found whether they are written as one or as two, in
// the index and in the files alike, and that words are not taken apart by chance.
func TestCompounds(t *testing.T) {
	x := brainOf(t, map[string]string{
		"notes/count.md":   "# Wordcount of a selection\n\nIt counts notes as well.\n",
		"notes/setup.md":   "# Setup on a clean machine\n\nThe first start takes long.\n",
		"notes/lint.md":    "# Precommit hook is slow\n\nLint what is staged.\n",
		"notes/spell.md":   "# Spell check skips headings\n\nIt reads the body.\n",
		"notes/spell2.md":  "# Check digits\n\nSpell them out.\n",
		"notes/account.md": "# Acc and ident of a customer\n\nThe acc has ten digits, the ident four.\n",
		"notes/ident.md":   "# Acc import\n\nThe ident comes first.\n",
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
		q := Query{Text: text, Notes: true}
		indexed, err := x.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		read, err := x.searchFiles(context.Background(), q, parse(text))
		if err != nil {
			t.Fatal(err)
		}
		for from, hits := range map[string][]Hit{"index": indexed, "files": read} {
			got := ""
			if len(hits) > 0 {
				got = hits[0].Card.Path
			}
			if got != want {
				t.Errorf("%s: %q finds %q, want %q", from, text, got, want)
			}
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
