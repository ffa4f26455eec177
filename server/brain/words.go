package brain

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/terms"
)

// OrEmpty keeps what is an array in JSON an array when it is empty.
func OrEmpty(list []string) []string { return append([]string{}, list...) }

// Head returns at most n bytes of text, whole characters.
func Head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// WordsOf returns the stems of a text, whatever stands between them.
func WordsOf(text string) (out []string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, t := range terms.Words(part) {
			out = append(out, t.Text)
		}
	}
	return out
}

// HasWord reports whether a word stands in text, not as a part of a longer one.
func HasWord(text, word string) bool {
	return strings.Contains(text, word) && regexp.MustCompile(`(?:^|\W)`+regexp.QuoteMeta(word)+`(?:\W|$)`).MatchString(text)
}

// Shares reports whether a text, or names in code in it, has a fifth of the words of a card's title and tags that tell what it is about: of six edits
// with less none was.
func Shares(c *lessons.Card, text string) bool {
	words := slices.DeleteFunc(Unique(strings.Fields(terms.Key(c.Title+"\n"+strings.Join(c.Tags, "\n")))), lessons.Generic)
	all := len(words)
	new(terms.Scanner).Scan(text, func(t terms.Term) { words = slices.DeleteFunc(words, func(w string) bool { return w == t.Text }) })
	return 5*(all-len(words)) >= all
}

// Unique returns a list without what repeats, in its order.
func Unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// sameWords is the share of the words of a card's title that stand in what a candidate is about, from which both are one mistake; sharedWords how many at least.
const (
	sameWords   = 0.6
	sharedWords = 3
)

// SameMistake reports whether a candidate is about what a card is about: by its title, by the test that failed, or by its words. The same file is not
// enough, and neither is a tool that failed for its own reasons.
func (s *Base) SameMistake(short lessons.Card, c Candidate) bool {
	if short.Key() == (lessons.Card{Title: c.Title}).Key() {
		return true
	}
	if c.Test != "" {
		if card, err := s.Read(short.Path); err == nil && HasWord(card.Title+"\n"+card.Body, c.Test) {
			return true
		}
	}
	title := strings.Fields(short.Key())
	about := terms.Set(terms.Key(c.Title + "\n" + c.Situation + "\n" + c.Mistake))
	n := 0
	for _, w := range title {
		if about[w] {
			n++
		}
	}
	return n >= sharedWords && float64(n) >= sameWords*float64(len(title))
}
