// Package say holds what a person reads in English or Korean, and picks the language. It knows the types and errors of
// package brain, which it words, and no room.
package say

import (
	"fmt"
	"regexp"
)

// Text is one sentence in English and in Korean. Verbs are fmt's; where their order differs
// they name their arguments.
type Text [2]string

// plural matches a plural behind the number one.
var plural = regexp.MustCompile(`\b1 (card|title|mistake|note|time|day|lesson|draft)s\b`)

// In returns the sentence in Korean for the language "ko", else in English, with its arguments filled in. An argument may be a
// Text itself.
func (t Text) In(language string, args ...any) string {
	i := 0
	if language == "ko" {
		i = 1
	}
	filled, one := make([]any, len(args)), false
	for n, arg := range args {
		one = one || arg == 1
		if inner, ok := arg.(Text); ok {
			arg = inner[i]
		}
		filled[n] = arg
	}
	out := fmt.Sprintf(t[i], filled...)
	if one && i == 0 {
		out = plural.ReplaceAllString(out, "1 $1")
	}
	return out
}

// Said is an error with its sentence for the person.
type Said struct {
	Text Text
	Args []any
	Err  error // the cause; may be nil
}

func (s Said) Error() string { return s.Text.In("", s.Args...) }
func (s Said) Unwrap() error { return s.Err }
