// Package many makes brains of many cards to measure on: always the same ones, with the few
// common and many rare words of real text, some cards that say nearly the same and some
// items that forbid what others ask for.
package many

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

const (
	words   = 8000 // of the vocabulary
	twins   = 50   // each so many cards, one says what the one before says
	letters = "abcdefghijklmnopqrstuvwxyz"
)

// Cards returns n cards, their slash paths first.
func Cards(n int) iter.Seq2[string, string] {
	return func(yield func(path, text string) bool) {
		rnd := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // always the same
		vocabulary := make([]string, words)
		for i := range vocabulary {
			word := make([]byte, 4+rnd.IntN(6))
			for k := range word {
				word[k] = letters[rnd.IntN(len(letters))]
			}
			vocabulary[i] = string(word)
		}
		zipf := rand.NewZipf(rnd, 1.05, 20, words-1)
		some := func(n int) string {
			out := make([]string, n)
			for i := range out {
				out[i] = vocabulary[zipf.Uint64()]
			}
			return strings.Join(out, " ")
		}
		var title, situation, cause, item string
		for i := range n {
			if i == 0 || i%twins != 0 {
				title, situation, cause, item = some(5), some(20), some(30+rnd.IntN(60)), some(6)
			}
			source, never := "curated", ""
			if i%3 > 0 {
				source = "auto"
			}
			if i%5 == 0 {
				never = "never "
			}
			text := fmt.Sprintf("---\ntype: lesson\napplies-to: [%s, %s]\nsource: %s\noccurrences: %d\nlast-seen: 2026-%02d-%02d\n---\n# %s %s\n\n"+
				"## Situation\n\n%s\n\n## Root Cause\n\n%s\n\n## Prevention Checklist\n\n- [ ] %s%s\n- [ ] %s\n",
				some(1), some(1), source, 1+i%4, 1+i%12, 1+i%28, title, some(1), situation, cause, never, item, some(4))
			if !yield(fmt.Sprintf("lessons/card-%05d.md", i), text) {
				return
			}
		}
	}
}

// Write puts n cards into a brain's folder.
func Write(brain string, n int) error {
	if err := os.MkdirAll(filepath.Join(brain, "lessons"), 0o755); err != nil {
		return fmt.Errorf("make a brain of %d cards: %w", n, err)
	}
	for path, text := range Cards(n) {
		if err := os.WriteFile(filepath.Join(brain, filepath.FromSlash(path)), []byte(text), 0o600); err != nil {
			return fmt.Errorf("make a brain of %d cards: %w", n, err)
		}
	}
	return nil
}
