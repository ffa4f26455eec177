package index

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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

// TestSlipsOfTheKeyboard holds that a word which nobody wrote is found as what it is one
// slip away from, and that short names and other words are not bent.
func TestSlipsOfTheKeyboard(t *testing.T) {
	x := brainOf(t, map[string]string{
		"notes/a.md": "# Kubernetes ingress\n\nNote the timeout in the annotation.\n",
		"notes/b.md": "# Kubernetes probes\n\nLiveness in the pipeline.\n",
		"notes/c.md": "# Fling the card\n\nClosers and Lockers.\n",
		"notes/d.md": "# Closely related\n",
	})
	for text, want := range map[string]string{
		"kuberntes probes": "notes/b.md", // a letter is missing
		"pipleine probes":  "notes/b.md", // two have changed places
		"kubermetes":       "notes/b.md", // another letter; in both, b is shorter
		"flink":            "",           // short
		"docker":           "",           // not lockers
		"nothing":          "",           // its stem is short
	} {
		hits, err := x.Search(context.Background(), Query{Text: text, Notes: true})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(hits) > 0 && (len(hits) == 1 || hits[0].Score > hits[1].Score) {
			got = hits[0].Card.Path
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	hits, err := x.Search(context.Background(), Query{Text: "kubermetes annotation", Notes: true, Strength: true})
	if err != nil || len(Certain(hits)) == 0 || !slices.Equal(hits[0].Terms, []string{"annotation", "kubermetes"}) {
		t.Errorf("got %+v, %v; want a hit that holds the words of the query", hits, err)
	}
}

// TestSlipsOfOtherAlphabets holds that words are measured in letters, of which others than
// Latin ones take two bytes.
func TestSlipsOfOtherAlphabets(t *testing.T) {
	x := brainOf(t, map[string]string{
		"notes/a.md": "# кит\n",
		"notes/b.md": "# порога\n",
		"notes/c.md": "# настройка сервера\n",
		"notes/d.md": "# нож да\n",
		"notes/e.md": "# да нож\n",
		"notes/f.md": "# éclair\n",
	})
	for text, want := range map[string]string{
		"нестройка": "notes/c.md",
		"кот":       "", // short
		"дорога":    "", // another first letter
		"öclair":    "", // the same, and the same first byte
		"ножда":     "", // a part of two letters
	} {
		hits, err := x.Search(context.Background(), Query{Text: text, Notes: true})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(hits) > 0 {
			got = hits[0].Card.Path
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

// TestSlipsThatAreGone holds that a word of deleted files alone is one that nobody wrote.
func TestSlipsThatAreGone(t *testing.T) {
	x := brainOf(t, map[string]string{"notes/a.md": "# Kubernetes\n", "notes/b.md": "# Kubermetes\n", "notes/c.md": "# Helm\n"})
	if err := os.Remove(filepath.Join(x.cfg.Brain.Root(), "notes", "b.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	hits, err := x.Search(context.Background(), Query{Text: "kubermetes", Notes: true})
	if err != nil || len(hits) != 1 || hits[0].Card.Path != "notes/a.md" {
		t.Errorf("got %+v, %v; want notes/a.md", hits, err)
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
