package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"handrail/index"
	"handrail/lessons"
)

// maxDigest is how many cards a digest holds unless the request says otherwise.
const maxDigest = 5

// Digest returns the block of the cards that are worth knowing whatever comes: curated and
// active ones, the gravest and most frequent first. It is for places that know no request
// (the start of a session, a file of instructions); everywhere else Preflight chooses.
func (s *Server) Digest(ctx context.Context, r DigestRequest) (Digest, error) {
	out := Digest{Lessons: []Hit{}}
	cards := slices.DeleteFunc(s.idx.Cards(), func(c lessons.Card) bool {
		return c.Status != lessons.Active || c.Source != lessons.Curated || c.Severity == lessons.Low ||
			r.Project != "" && c.Project != "" && !strings.EqualFold(c.Project, r.Project)
	})
	slices.SortStableFunc(cards, func(a, b lessons.Card) int {
		return cmp.Or(-cmp.Compare(severityRank(a.Severity), severityRank(b.Severity)), -cmp.Compare(a.Occurrences, b.Occurrences), newestFirst(a, b))
	})
	limit := r.Limit
	if limit <= 0 {
		limit = maxDigest
	}
	var read []lessons.Card
	for _, c := range cards[:min(len(cards), 2*limit)] {
		if card, err := s.read(c.Path); err == nil {
			read = append(read, card)
		}
	}
	block, used := lessons.Block(read, lessons.Budget{Tokens: lessonTokens, Chars: maxBlockChars, Cards: limit})
	out.Block = block
	for _, c := range used {
		out.Lessons = append(out.Lessons, hit(index.Hit{Card: c}, excerpt(told(c), nil, excerptChars)))
	}
	return out, ctx.Err()
}
