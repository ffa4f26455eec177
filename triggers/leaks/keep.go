package leaks

import (
	"bytes"
	"encoding/json"
	"strings"
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

// KeepJSON is Keep for every string of JSON that json.Marshal has made, but for the names of fields. A secret of one is none of the others' either.
// What was said and done reaches the disk through it: the rows of the state, episodes, candidates in the journal.
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
		if (to == len(raw) || raw[to] != ':') && json.Unmarshal(raw[from:to], &text) == nil {
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
	All(all...)
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
