// Package leaks finds secrets in texts, by gitleaks' rules and by the shapes those leave to other tools because they are not any one vendor's, and takes
// them out. What is kept on disk goes through [Keep] or [KeepJSON]; what is cut is redacted first.
package leaks

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// maxElsewhere bounds for how many secrets a text is searched once more: a dump of thousands would
// take seconds, and each stands where it was found.
const maxElsewhere = 200

// Span is a part of a text, by its byte offsets.
type Span struct{ From, To int }

// Find returns where secrets stand in a text, in order and apart from each other: the passwords themselves, not the words before them. What it finds
// once it finds wherever it stands again.
func Find(text string) []Span {
	var out []Span
	lower := lowered(text)
	for i := range shapes {
		if s := &shapes[i]; s.words.in(lower) {
			out = append(out, s.find(text, lower)...)
		}
	}
	known := map[string]bool{}
	for _, f := range find(text, lower) {
		switch {
		case f.secret == "" || strings.Contains(redacted, f.secret):
		case known[f.secret]:
		case len(known) < maxElsewhere:
			known[f.secret] = true
			out = append(out, all(text, f.secret)...)
		default:
			out = append(out, Span{f.from, f.from + len(f.secret)})
		}
	}
	for _, s := range out[:min(len(out), maxElsewhere)] {
		if secret := text[s.From:s.To]; telling(secret) && !known[secret] {
			known[secret] = true
			out = append(out, all(text, secret)...)
		}
	}
	slices.SortFunc(out, func(a, b Span) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	apart := out[:0]
	for _, s := range out {
		if n := len(apart); n > 0 && s.From <= apart[n-1].To {
			apart[n-1].To = max(apart[n-1].To, s.To)
		} else {
			apart = append(apart, s)
		}
	}
	return apart
}

// lowered returns a text in lower case, each byte in its place.
func lowered(text string) string {
	lower := strings.ToLower(text)
	if len(lower) == len(text) {
		return lower
	}
	bytes := []byte(text) // what is no UTF-8 would grow as runes
	for i, c := range bytes {
		if 'A' <= c && c <= 'Z' {
			bytes[i] += 'a' - 'A'
		}
	}
	return string(bytes)
}

// all returns where a secret stands in a text.
func all(text, secret string) (out []Span) {
	for from := 0; ; {
		i := strings.Index(text[from:], secret)
		if i < 0 {
			return out
		}
		from += i + len(secret)
		out = append(out, Span{from - len(secret), from})
	}
}

// telling reports whether a secret is unlike the words around it, so that it is one wherever it stands.
func telling(secret string) bool {
	return len(secret) >= minTelling && (strings.ContainsAny(secret, digits) || strings.ContainsAny(secret, symbols))
}

// Found reports whether a text holds what looks like a secret.
func Found(text string) bool { return len(Find(clean(text))) > 0 }

// Redact returns a text without secrets and without characters that show nothing.
func Redact(text string) string {
	All(&text)
	return text
}

// All redacts texts that belong together: a secret of one of them is none of the others' either.
func All(texts ...*string) { redact(Find, texts) }

func redact(find func(text string) []Span, texts []*string) {
	secrets := map[string]bool{}
	for _, t := range texts {
		*t = clean(*t)
		var b strings.Builder
		from := 0
		for _, s := range find(*t) {
			if secret := (*t)[s.From:s.To]; telling(secret) {
				secrets[secret] = true
			}
			b.WriteString((*t)[from:s.From] + redacted)
			from = s.To
		}
		if from > 0 {
			*t = b.String() + (*t)[from:]
		}
	}
	if len(texts) > 1 {
		for secret := range secrets {
			for _, t := range texts {
				*t = strings.ReplaceAll(*t, secret, redacted)
			}
		}
	}
}

// colours matches what has a terminal write in another colour.
var colours = lazyregexp.New(`\x1b\[[0-9;]*m`)

// clean returns a text without characters that show nothing, behind which a secret could hide.
func clean(text string) string {
	if strings.Contains(text, "\x1b[") {
		text = colours().ReplaceAllString(text, "")
	}
	return strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && unicode.In(c, unicode.Cc, unicode.Cf) && c != '\u200d' {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
