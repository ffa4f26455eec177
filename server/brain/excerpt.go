package brain

import (
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/terms"
)

const (
	// ExcerptChars is the length of the excerpt that people see beside a hit, in bytes.
	ExcerptChars = 240
	// PassageChars is the length of the passage which goes to a model.
	PassageChars = 1600
)

// Sought returns the words by which a hit was found, as the query and as the file has them.
func Sought(h index.Hit) []string { return slices.Concat(h.Terms, h.Words) }

// Excerpt returns the stretch of whole paragraphs, at most size bytes long, that holds most of the words. Of a
// paragraph that does not fit it is the sentences that do; code that does not fit is left out. Text that fits is
// returned whole; without words the beginning is. Comments are left out.
func Excerpt(text string, words []string, size int) string {
	return Excerpts(text, words, size)[0]
}

// Excerpts returns an excerpt of each size; the text is looked through once. A text that
// cannot be cut is shown by its beginning: one file must not keep the others from a request.
func Excerpts(text string, words []string, sizes ...int) (out []string) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("an excerpt failed; its text's beginning is shown", "panic", p, "stack", string(debug.Stack()))
			for i, size := range sizes {
				out[i] = Head(text, max(0, size))
			}
		}
	}()
	out = make([]string, len(sizes))
	text = strings.TrimSpace(lessons.WithoutComments(strings.ReplaceAll(text, "\r\n", "\n")))
	var paragraphs []string
	for i, size := range sizes {
		if len(text) <= size {
			out[i] = text
			continue
		}
		if paragraphs == nil {
			paragraphs = fromBest(lessons.Paragraphs(text), words)
		}
		out[i] = stretch(paragraphs, words, size)
	}
	return out
}

// isCode reports whether a paragraph is a code fence.
func isCode(paragraph string) bool {
	for _, code := range lessons.Stretches(paragraph) {
		return code
	}
	return false
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
			for _, t := range terms.Words(Head(p, PassageChars)) {
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

// stretch returns as many paragraphs as fit. The first that says something is cut if need be; a heading never ends it.
func stretch(paragraphs, words []string, size int) string {
	var out []string
	room, said := size, false
	for _, p := range paragraphs {
		if len(p) > room {
			if !said && isCode(p) {
				continue // a part of it helps nobody
			}
			if !said && room > 0 {
				out, said = append(out, cutAtSentence(strings.Join(fromBest(sentences(p), words), ""), room)), true
			}
			break
		}
		out, said = append(out, p), said || !isHeading(p)
		room -= len(p) + len("\n\n")
	}
	for said && len(out) > 1 && isHeading(out[len(out)-1]) {
		out = out[:len(out)-1]
	}
	return strings.Join(out, "\n\n")
}

// sentences cuts a paragraph behind each sentence and each line.
func sentences(p string) []string {
	var out []string
	start := 0
	for _, end := range sentenceEnd().FindAllStringIndex(p, -1) {
		said, next := strings.TrimSpace(p[start:end[1]]), strings.TrimLeft(p[end[1]:], " ")
		r, _ := utf8.DecodeRuneInString(next)
		if !strings.HasSuffix(p[start:end[1]], "\n") && (unicode.IsLower(r) || listMark().MatchString(said)) {
			continue // "e.g. this", "1. this"
		}
		out, start = append(out, p[start:end[1]]), end[1]
	}
	if start < len(p) {
		out = append(out, p[start:])
	}
	return out
}

var (
	sentenceEnd = lazyregexp.New(`[.!?…]["')\]*_` + "`" + `]*[ \n]+|[。！？]\s*|\n`)
	listMark    = lazyregexp.New(`^(?:[-*+] )?(?:\d+\.)?$`)
	// clauseEnd matches what ends a part of a sentence: a mark, or the ending of a Korean verb
	// that joins it to the next.
	clauseEnd = lazyregexp.New(`(?:[,;:)—]|[가-힣](?:고|며|면|서|지만|는데|니까|거나|도록|려고))[ \n]`)
)

// cutAtSentence returns at most n bytes of s that end with a sentence or, where that would be
// little, with a clause, a word at the worst; then a mark says so.
func cutAtSentence(s string, n int) string {
	if len(s) <= n {
		return strings.TrimSpace(s)
	}
	whole := 0
	for _, one := range sentences(s) {
		if len(strings.TrimSpace(s[:whole+len(one)])) > n {
			break
		}
		whole += len(one)
	}
	if whole >= n/3 {
		return strings.TrimSpace(s[:whole])
	}
	n = max(0, n-len("…"))
	short := cutAtWord(s, n)
	if short == "" {
		return ""
	}
	if all := clauseEnd().FindAllStringIndex(s[:min(len(s), len(short)+1)], -1); len(all) > 0 && all[len(all)-1][1] > max(whole, n/3) {
		short = strings.TrimRight(s[:all[len(all)-1][1]], " \n,;:—")
	} else if whole > 0 {
		return strings.TrimSpace(s[:whole])
	}
	return short + "…"
}

func isHeading(p string) bool {
	return strings.HasPrefix(p, "#") && !strings.Contains(strings.TrimSpace(p), "\n")
}

// cutAtWord returns at most n bytes of s, which has more, ending before a space where one is near.
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
