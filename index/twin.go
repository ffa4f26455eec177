package index

import (
	"slices"
	"strings"
)

// twinLeast is what a page needs of its translation's score: one that says less is not up
// to date.
const twinLeast = 0.5

// languages are those of questions, as folders are named for them.
var languages = [...]string{"en", "ko"}

// languageOf returns the language that a query is put in.
func languageOf(q query) string {
	for _, u := range q.units {
		if u.spoken != "" {
			return "ko"
		}
	}
	return "en"
}

// twin returns what a file's translation is called, "" where its folders name no other
// language.
func twin(path, language string) string {
	for start := 0; ; {
		n := strings.IndexByte(path[start:], '/')
		if n < 0 {
			return ""
		}
		if f := path[start : start+n]; f != language && slices.Contains(languages[:], f) {
			return path[:start] + language + path[start+n:]
		}
		start += n + 1
	}
}

// preferTwins has pages in the language of the question change places with translations
// that stand before them: they say the same, and names that both hold cannot tell them
// apart. Other hits stay where they are.
func preferTwins(hits []Hit, language string) {
	var at map[string]int
	for i := range hits {
		path := twin(hits[i].Card.Path, language)
		if path == "" {
			continue
		}
		if at == nil {
			at = make(map[string]int, len(hits))
			for j, h := range hits {
				at[h.Card.Path] = j
			}
		}
		j, ok := at[path]
		if !ok {
			continue
		}
		other, own := &hits[i], &hits[j]
		if own.Score >= other.Score || own.Score < twinLeast*other.Score {
			continue
		}
		own.Boost("language", other.Score/own.Score)
		other.Boost("language", own.Score/other.Score)
		own.Score, other.Score = other.Score, own.Score
	}
}

// Boost notes that the score was multiplied with a factor, by the name of why.
func (h *Hit) Boost(name string, factor float64) {
	if h.Boosts == nil {
		h.Boosts = map[string]float64{}
	}
	h.Boosts[name] = factor
}
