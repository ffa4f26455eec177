package triggers

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// concepts maps words of both languages to what they stand for: fail, again, told. Said in
// words that nobody has seen together yet, "고쳤다더니 멀쩡하던 게 터지네" and "fixed, and now
// it crashes" are the same few concepts in a row. The words are in the sections [concepts]
// and [endings] of words.en.txt and words.ko.txt, a list a line under its name; an entry
// that ends in an asterisk is the beginning of a word.
type concepts struct {
	names []string
	whole map[string][]int
	start map[string][]int
	end   map[string]int // of a Korean word: asked for, though, it is said, …

	past, did, number int // what no list can hold: a tense, "you did", digits
}

var meanings = sync.OnceValue(func() *concepts {
	c := &concepts{whole: map[string][]int{}, start: map[string][]int{}, end: map[string]int{}}
	for _, lang := range []string{"en", "ko"} {
		text := sections("words." + lang)
		for _, l := range text["concepts"] {
			words := strings.Fields(l)
			n := c.id(words[0])
			for _, w := range words[1:] {
				if w, ok := strings.CutSuffix(w, "*"); ok {
					c.start[w] = append(c.start[w], n)
				} else {
					c.whole[w] = append(c.whole[w], n)
				}
			}
		}
		for _, l := range text["endings"] {
			words := strings.Fields(l)
			for _, w := range words[1:] {
				c.end[w] = c.id(words[0])
			}
		}
	}
	c.past, c.did, c.number = c.id("=past"), c.id("=did"), c.id("=number")
	return c
})

// id returns the number of a concept by its name.
func (c *concepts) id(name string) int {
	if i := slices.Index(c.names, name); i >= 0 {
		return i
	}
	c.names = append(c.names, name)
	return len(c.names) - 1
}

// of returns the concepts of a word, each once: of the word, of its beginnings from the
// longest on, of how it ends.
func (c *concepts) of(w string) []int {
	var out []int
	add := func(more ...int) {
		for _, n := range more {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	add(c.whole[w]...)
	for end := len(firstRunes(w, longestStart)); end > 0; {
		add(c.start[w[:end]]...)
		_, n := utf8.DecodeLastRuneInString(w[:end])
		end -= n
	}
	switch {
	case unicode.IsDigit(rune(w[0])):
		add(c.number)
	case isHangul(w):
		if i := strings.IndexFunc(w, isPast); i >= 0 {
			if strings.HasPrefix(w[i:], "셨") {
				add(c.did)
			}
			add(c.past)
		}
		for n := min(longestEnding, utf8.RuneCountInString(w)); n > 0; n-- {
			if e, ok := c.end[lastRunes(w, n)]; ok {
				add(e)
				break
			}
		}
	case len(w) > 3 && strings.HasSuffix(w, "ed"):
		add(c.past)
	}
	return out
}

// longestStart and longestEnding are how many characters of a word are looked up as its
// beginning and its ending; a token of a thousand letters is no word.
const longestStart, longestEnding = 24, 5

// isPast reports whether a syllable closes like 했 or 졌, but for "is" and "will".
func isPast(r rune) bool {
	return isSyllable(r) && (r-firstSyllable)%finals == 20 && r != '있' && r != '겠'
}
