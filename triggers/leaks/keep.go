package leaks

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
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
	var texts, kept []string
	var at []Span // of the texts, with their quotes
	for from := bytes.IndexByte(raw, '"'); from >= 0; {
		to := from + 1
		for raw[to] != '"' {
			if raw[to] == '\\' {
				to++
			}
			to++
		}
		to++
		var text string
		if json.Unmarshal(raw[from:to], &text) == nil {
			texts, kept, at = append(texts, clean(text)), append(kept, text), append(at, Span{from, to})
		}
		next := bytes.IndexByte(raw[to:], '"')
		if from = to + next; next < 0 {
			break
		}
	}
	if !mayHold(strings.Join(texts, "\n")) {
		return raw
	}
	all := make([]*string, len(kept))
	for i := range kept {
		all[i] = &kept[i]
	}
	redact(findAnew, all)
	var out bytes.Buffer
	done := 0
	for i, s := range at {
		if kept[i] == texts[i] {
			continue
		}
		text, _ := json.Marshal(kept[i]) // a string always can be
		out.Write(raw[done:s.From])
		out.Write(text)
		done = s.To
	}
	out.Write(raw[done:])
	return out.Bytes()
}

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
	for i := range shapes {
		if shapes[i].words.in(lower) {
			return true
		}
	}
	for _, r := range load().Rules {
		if len(r.Keywords) == 0 || r.Keywords.in(lower) {
			return true
		}
	}
	return false
}
