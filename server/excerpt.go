package server

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"handrail/index"
	"handrail/lessons"
	"handrail/lessons/terms"
)

const (
	// excerptChars is the length of the excerpt that people see beside a hit, in bytes;
	// passageChars that of the passage which goes to a model.
	excerptChars = 240
	passageChars = 1600
)

// told returns what a card or note says: its body, and before it the sentences of other
// frontmatter keys, by which it may have been found.
func told(c lessons.Card) string {
	if c.Extra == "" {
		return c.Body
	}
	return c.Extra + "\n" + c.Body
}

// sought returns the words by which a hit was found, as the query and as the file has them.
func sought(h index.Hit) []string { return slices.Concat(h.Terms, h.Words) }

// excerpt returns the stretch of whole paragraphs, at most size bytes long, that holds
// most of the words. Text that fits is returned whole; without words the beginning is.
func excerpt(text string, words []string, size int) string {
	return excerpts(text, words, size)[0]
}

// excerpts returns an excerpt of each size; the text is looked through once.
func excerpts(text string, words []string, sizes ...int) []string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	out := make([]string, len(sizes))
	var paragraphs []string
	for i, size := range sizes {
		if len(text) <= size {
			out[i] = text
			continue
		}
		if paragraphs == nil {
			paragraphs = fromBest(strings.Split(text, "\n\n"), words)
		}
		out[i] = stretch(paragraphs, size)
	}
	return out
}

// fromBest returns paragraphs from the one that holds most of the words on, with its heading.
func fromBest(paragraphs, words []string) []string {
	want := make(map[string]bool, len(words))
	for _, w := range words {
		want[w] = true // it may be a stem
		for _, t := range terms.Words(w) {
			want[t.Text] = true
		}
	}
	best, bestScore := 0, -1
	seen := make(map[string]bool, len(want))
	for i, p := range paragraphs {
		clear(seen)
		if len(want) > 0 {
			for _, t := range terms.Words(head(p, passageChars)) {
				if want[t.Text] {
					seen[t.Text] = true
				}
			}
		}
		score := 2 * len(seen)
		if isHeading(p) {
			score-- // a heading alone says little; the text below it is worth more
		}
		if score > bestScore {
			best, bestScore = i, score
		}
	}
	if best > 0 && isHeading(paragraphs[best-1]) {
		best--
	}
	return paragraphs[best:]
}

// stretch returns as many paragraphs as fit, the first of them cut if need be.
func stretch(paragraphs []string, size int) string {
	out := paragraphs[0]
	for _, p := range paragraphs[1:] {
		if len(out)+len(p)+2 > size {
			break
		}
		out += "\n\n" + p
	}
	if len(out) > size {
		out = cutAtWord(out, size-len("…")) + "…"
	}
	return strings.TrimSpace(out)
}

func isHeading(p string) bool {
	return strings.HasPrefix(p, "#") && !strings.Contains(strings.TrimSpace(p), "\n")
}

// cutAtWord returns at most n bytes of s, ending before a space where one is near.
func cutAtWord(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	s = s[:n]
	if i := strings.LastIndexFunc(s, unicode.IsSpace); i > n*3/4 {
		s = s[:i]
	}
	return strings.TrimRightFunc(s, unicode.IsSpace)
}
