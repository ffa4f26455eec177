package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

const (
	// maxFirst bounds the first words of a request that name its answer, in characters.
	maxFirst = 80
)

// firstWords returns what names a request in a list, on one line and without secrets.
func firstWords(request string) string {
	words := []rune(strings.Join(strings.Fields(leaks.Redact(brain.Head(request, brain.MaxQuery))), " "))
	if len(words) > maxFirst {
		return string(words[:maxFirst-1]) + "…"
	}
	return string(words)
}

// Judge puts a person's word in the place of a verdict, in what is shown, counted and left over
// for the next request. An answer that is no longer at hand is ErrUnknownAnswer.
func (s *Room) Judge(_ context.Context, r brain.JudgeRequest) (brain.Footer, error) {
	if err := brain.OneOf("state", r.State, []string{"", string(postcheck.Kept), string(postcheck.NotHere)}); err != nil {
		return brain.Footer{}, err
	}
	f, session, err := s.Checked.Judge(r, s.recount)
	if err != nil {
		return brain.Footer{}, fmt.Errorf("judge %q: %w", r.Item, err)
	}
	s.State.InSession(session, func(row *ledger.Session) {
		same := func(v brain.Verdict) bool { return v.Path == r.Path && v.Item == r.Item }
		row.Left = slices.DeleteFunc(slices.Clone(row.Left), same)
		if i := slices.IndexFunc(f.Unaddressed, same); i >= 0 && len(row.Left) < maxLeft && lessons.Severity(f.Unaddressed[i].Severity).Rank() > 0 {
			row.Left = append(row.Left, f.Unaddressed[i])
		}
	})
	s.Tell(func(n *brain.Notify) {
		if n.Footer != nil {
			n.Footer(f)
		}
	})
	return f, nil
}

// recount gives a card the credit of what a person said of an answer, on the day it was checked.
func (s *Room) recount(path string, on time.Time, before, after []brain.Verdict) {
	addressed, not := credit(path, after)
	was, wasNot := credit(path, before)
	if addressed == was && not == wasNot {
		return
	}
	s.State.CreditOn(lessons.DateOf(on).String(), path, func(_ *ledger.Usage, t *ledger.Tally) {
		t.Addressed, t.Unaddressed = t.Addressed+addressed-was, t.Unaddressed+not-wasNot
	})
}

// credit returns what an answer counts for a card: nothing where none of its items applies, or one is only said to be kept.
func credit(path string, verdicts []brain.Verdict) (addressed, not int) {
	said := false
	for _, v := range verdicts {
		switch {
		case v.Path != path || v.State == string(postcheck.NotHere):
		case v.State == string(postcheck.Said):
			said = true
		case v.State == string(postcheck.Kept):
			addressed = 1
		default:
			return 0, 1
		}
	}
	if said {
		return 0, 0
	}
	return addressed, 0
}
