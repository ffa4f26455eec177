package leaks

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// Keep returns a text as it may be kept: without secrets, and otherwise as it is.
func Keep(text string) string {
	if c := clean(text); mayHold(c) {
		if kept := Redact(c); kept != c {
			return kept
		}
	}
	return text
}

// KeepJSON is Keep for every string of JSON that json.Marshal has made. A secret of one is none of the others' either.
// What was said and done reaches the disk through it: the rows of the state, candidates in the journal.
func KeepJSON(raw []byte) []byte {
	at := literal().FindAllStringIndex(string(raw), -1)
	texts, kept, all := make([]string, len(at)), make([]string, len(at)), make([]*string, len(at))
	for i, s := range at {
		_ = json.Unmarshal(raw[s[0]:s[1]], &kept[i]) // a string that json.Marshal has made
		texts[i], all[i] = clean(kept[i]), &kept[i]
	}
	if !mayHold(strings.Join(texts, "\n")) {
		return raw
	}
	redact(findAnew, all)
	var out bytes.Buffer
	done := 0
	for i, s := range at {
		if kept[i] == texts[i] {
			continue
		}
		text, _ := json.Marshal(kept[i]) // a string always can be
		out.Write(raw[done:s[0]])
		out.Write(text)
		done = s[1]
	}
	out.Write(raw[done:])
	return out.Bytes()
}

// literal matches a string of JSON.
var literal = lazyregexp.New(`"(?:[^"\\]|\\.)*"`)

// harmless are the sums of texts that were found to hold nothing: a row is saved again and again, and little of it is new.
var (
	harmless, _ = lru.New[uint64, struct{}](1 << 14) // it refuses a size of 0
	seed        = maphash.MakeSeed()
)

// findAnew is Find that remembers where there is nothing to find.
func findAnew(text string) []Span {
	sum := maphash.String(seed, text)
	if _, ok := harmless.Get(sum); ok {
		return nil
	}
	out := Find(text)
	if len(out) == 0 {
		harmless.Add(sum, struct{}{})
	}
	return out
}

// mayHold reports whether a text has one of the words that secrets stand by.
func mayHold(text string) bool {
	lower := lowered(text)
	return slices.ContainsFunc(shapes, func(s shape) bool { return s.words.in(lower) }) ||
		slices.ContainsFunc(load().Rules, func(r rule) bool { return len(r.Keywords) == 0 || r.Keywords.in(lower) })
}
