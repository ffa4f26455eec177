package postcheck

import (
	"strings"

	"handrail/lessons/terms"
)

// denial is the name under which namesIn keeps words that deny others.
const denial = "!"

// namesIn returns where an item holds which names.
func namesIn(item string) map[string][]span {
	out := map[string][]span{}
	words := terms.Words(item)
	for i, not := range negators(words) {
		w := words[i]
		for _, n := range dictionary().names(w, item[w.Start:w.End]) {
			out[n] = append(out[n], span{w.Start, w.End})
		}
		if not {
			out[denial] = append(out[denial], span{w.Start, w.End})
		}
	}
	return out
}

// opening is by how many characters a text is found.
const opening = 4

// openings calls yield with how a text can begin, marked so that they are no words: its first
// character, its first two, and so on.
func openings(text string, yield func(string)) {
	n := 0
	for i := range text {
		if n > 0 {
			yield("^" + text[:i])
		}
		if n == opening {
			return
		}
		n++
	}
	yield("^" + text)
}

// door returns the longest opening of a part of a cue.
func door(part string) (longest string) {
	openings(strings.TrimSuffix(part, "_"), func(o string) { longest = o })
	return longest
}
