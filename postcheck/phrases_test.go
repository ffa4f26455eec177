package postcheck

import (
	"regexp"
	"testing"
)

// TestPhrasesSayWhatTheRegexpSays holds the short cut against the plain regular expression,
// on all the project's answers.
func TestPhrasesSayWhatTheRegexpSays(t *testing.T) {
	english, korean := `(?:two|\d+) more|i(?:'ll| will)|\w+ later|x`, `나중에|아직`
	plain := regexp.MustCompile(`(?i)\b(?:` + english + `)\b|` + korean)
	p := phrasesOf(english, korean)
	texts := []string{"", "12 more", "a12 more", "I'll", "Hi'll", "do it later", "_x", "x_", "X", "x a", "x-a", "é x", "이것은 나중에", "ſ x"}
	for _, l := range linesOf(t, "../testdata/postcheck/field.jsonl") {
		texts = append(texts, sentences(l.Answer)...)
	}
	found := 0
	for _, s := range texts {
		want := plain.MatchString(s)
		if got := p.MatchString(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
		found += map[bool]int{true: 1}[want]
	}
	if found < 8 || found == len(texts) {
		t.Errorf("%d of %d hold a phrase", found, len(texts))
	}
}
