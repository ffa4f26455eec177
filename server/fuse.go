package server

import (
	"cmp"
	"slices"
	"strings"

	"handrail/index"
	"handrail/index/vectors"
)

// The vector tier has a say by reciprocal rank: the file in place r (from 0) of those near
// to a query has its score multiplied with
//
//	1 + fuseWeight · fuseDepth / (fuseDepth + r)
//
// Scores by words are kept below that, and not ranks alone as in plain reciprocal rank
// fusion: they tell a sure hit from the best of a bad lot. docs/vectors.md has what either
// is worth.
const (
	fuseWeight = 0.1
	fuseDepth  = 20
	// nearest is how many of the near ones have a say.
	nearest = 50
	// aloneShare is what a file that shares no word with the query has at most, of the best
	// score by words.
	aloneShare = 0.3
	// standsOut is how many deviations above the mean of the brain such a file's cosine
	// must be. Every model spreads its cosines over a range of its own.
	standsOut = 2
	// A card that words hold back goes before a request only if it says nearly the same:
	// both its cosine and its distance from the rest must be rare.
	certainCosine = 0.85
	certainOut    = 4
	// certainFiles is how many files a brain must have for its deviations to mean anything.
	certainFiles = 30
)

// fuse gives the vectors their say in what words have found. Of a query with a floor they
// order what is served by words, and add cards that are certain by their vector alone
// where there is room; words alone decide the rest.
func (s *Server) fuse(q index.Query, hits []index.Hit, near vectors.Ranking, m *embedder) []index.Hit {
	if len(near.Best) == 0 {
		return hits
	}
	at := make(map[string]int, len(hits))
	top, served := 0.0, map[bool]int{} // by whether it is a card
	for i, h := range hits {
		card := h.Card.Kind.IsCard()
		if served[card]++; q.Strength && served[card] > maxLessons {
			at[h.Card.Path] = -1
			continue
		}
		at[h.Card.Path] = i
		top = max(top, h.Score)
	}
	if len(hits) == 0 {
		top = 1
	}
	for place, match := range near.Best {
		say := fuseDepth / (fuseDepth + float64(place))
		for _, path := range m.named(match.Key) {
			i, found := at[path]
			switch {
			case found && i >= 0:
				h := &hits[i]
				if h.Boosts == nil {
					h.Boosts = map[string]float64{}
				}
				h.Boosts["vectors"] = 1 + fuseWeight*say
				h.Score *= h.Boosts["vectors"]
				h.Similarity = match.Cosine
			case !found && alone(q, near, match) && (!q.Strength || served[true] < maxLessons):
				h, ok := s.idx.Hit(q, path)
				if !ok || q.Strength && !h.Card.Kind.IsCard() {
					continue
				}
				h.Similarity, h.Score = match.Cosine, top*aloneShare*say
				hits = append(hits, h)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b index.Hit) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), -strings.Compare(a.Card.LastSeen.String(), b.Card.LastSeen.String()), strings.Compare(a.Card.Path, b.Card.Path))
	})
	return hits
}

// alone reports whether a file is near enough to be found by its vector alone.
func alone(q index.Query, near vectors.Ranking, match vectors.Match) bool {
	out := match.Cosine - near.Mean
	if q.Strength {
		return near.Count >= certainFiles && match.Cosine >= certainCosine && out >= certainOut*near.Deviation
	}
	return out >= standsOut*near.Deviation
}
