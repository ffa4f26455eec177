package judge

import (
	"context"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck/check"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/say"
)

// GuardRequest says what an agent is about to do.
type GuardRequest struct {
	Project string
	Changes []brain.Change // with absolute paths
	Command string         // as typed
	Locale  say.Locale
}

// Guarded is what the cards want of the host. Decision is empty in the ordinary case.
type Guarded struct {
	Decision lessons.Guard `json:"decision,omitzero"`
	Reason   string        `json:"reason,omitzero"` // one line, for the agent and the person
	Path     string        `json:"path,omitzero"`   // of the card
}

// Guard returns the gravest wish of the cards of which the action would break a check. What is
// not known in time breaks none.
func (s *Room) Guard(ctx context.Context, r GuardRequest) (Guarded, error) {
	deeds := s.Planned(r.Command, r.Changes)
	var out Guarded
	for _, head := range s.Deck().Special {
		if !guards(head, r.Project) || out.Decision != "" && head.Guard != lessons.GuardDeny {
			continue
		}
		card, err := s.Read(head.Path) // the index may be behind the disk
		if err != nil || !guards(&card, r.Project) || !s.MaySpeak(&card) {
			continue
		}
		for _, x := range brain.ChecksOf(card) {
			if !x.Check.Runs() || !x.Check.Forbids() {
				continue
			}
			if result := x.Check.Run(ctx, deeds); result.Outcome == check.Broken && (out.Decision == "" || card.Guard == lessons.GuardDeny) {
				out = Guarded{Decision: card.Guard, Reason: r.Locale.Guarded(card, x.Item, result), Path: card.Path}
				break
			}
		}
		if out.Decision == lessons.GuardDeny {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return Guarded{}, err
	}
	return out, nil
}

// guards reports whether a card may ask or refuse: a person put it there, or verified it, and
// it is not another project's.
func guards(c *lessons.Card, project string) bool {
	return c.Guard != "" && c.Kind.IsCard() && c.Status == lessons.Active && (c.Source != lessons.Auto || c.Verified) &&
		c.For(project)
}
