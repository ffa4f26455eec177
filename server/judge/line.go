package judge

import (
	"context"
	"strings"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
)

// newCandidates returns how many candidates of a conversation wait of which its closing lines have not told, and takes them for told.
func (s *Room) newCandidates(session string) (n int) {
	now := s.Now() // what comes while this counts is told of next time
	waiting := s.Proposals.Waiting()
	s.State.InSession(session, func(row *ledger.Session) {
		for _, c := range waiting {
			if c.SessionID == session && c.At.After(row.Counted) {
				n++
			}
		}
		row.Counted = now
	})
	return n
}

// newDistrust returns what of a conversation did not come for want of trust, where its closing lines
// have not told of it.
func (s *Room) newDistrust(ctx context.Context, session string) (d brain.Distrust) {
	if s.Trusted(ctx) {
		d.Waiting = len(s.Keeper.Waiting())
		d.Who, _ = s.Keeper.Brought()
	} else {
		for _, w := range s.Keeper.Others() {
			d.Files += w.Files
			if name, _, _ := strings.Cut(w.Author, " <"); name != "" {
				d.Who = append(d.Who, name)
			}
		}
	}
	s.State.InSession(session, func(row *ledger.Session) {
		if now := d.Files + d.Waiting; row.Untrusted == now {
			d = brain.Distrust{}
		} else {
			row.Untrusted = now
		}
	})
	return d
}
