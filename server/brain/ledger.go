package brain

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck"
)

// maxNoting bounds what waits for the ledger; who comes then waits too.
const maxNoting = 256

// keepLedger carries out what is noted, one after the other and beside the answers: secrets take time to look for.
func (s *Base) keepLedger() {
	for {
		select {
		case do := <-s.noting:
			do()
		case <-s.Ctx.Done():
			for len(s.noting) > 0 {
				(<-s.noting)()
			}
			return
		}
	}
}

// Flush waits until all that was told so far stands in the ledger.
func (s *Base) Flush(ctx context.Context) {
	done := make(chan struct{})
	s.Enqueue(func() { close(done) })
	select {
	case <-done:
	case <-ctx.Done():
	case <-s.Ctx.Done():
	}
}

// Enqueue has do carried out after all that waits for the ledger.
func (s *Base) Enqueue(do func()) {
	select {
	case s.noting <- do:
	case <-s.Ctx.Done():
	}
}

// Elsewhere stands in the ledger for what ran where nobody tells of it.
const Elsewhere = "sub-agent"

// Unaddressed returns the broken and the open ones of some verdicts, gravest first.
func Unaddressed(all []Verdict) []Verdict {
	out := []Verdict{}
	for _, v := range all {
		if v.State == string(postcheck.Broken) || v.State == string(postcheck.Open) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b Verdict) int {
		return cmp.Or(strings.Compare(a.State, b.State), cmp.Compare(lessons.Severity(b.Severity).Rank(), lessons.Severity(a.Severity).Rank())) // "broken" before "open"
	})
	return out
}
