package server

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"handrail/index"
	"handrail/lessons"
)

// onTrial reports whether a card of a conversation is given or withheld by chance at all. The
// cards that come with every request hold whatever is being measured, and without a
// conversation nothing can be compared.
func (s *Server) onTrial(session string, k lessons.Kind, sev lessons.Severity) bool {
	return session != "" && !isBaseline(lessons.Card{Kind: k, Severity: sev}) && s.extras.on().HoldOut > 0
}

// withheld reports whether a conversation goes without a card: by a hash of both, so that it is
// the same at every turn and in every process.
func (s *Server) withheld(session string, c lessons.Card) bool {
	if !s.onTrial(session, c.Kind, c.Severity) {
		return false
	}
	sum := sha256.Sum256([]byte(session + "\x00" + c.Path))
	return binary.BigEndian.Uint64(sum[:])%100 < uint64(s.extras.on().HoldOut) //nolint:gosec // 0 … 50
}

// withhold takes the withheld cards out of what would be served, and counts those that would
// have been in the block.
func (s *Server) withhold(r PreflightRequest, hits []index.Hit) []index.Hit {
	held := func(h index.Hit) bool { return h.Card.Kind.IsCard() && s.withheld(r.SessionID, h.Card) }
	if r.Aside || s.extras.on().HoldOut == 0 || !slices.ContainsFunc(hits, held) {
		return hits
	}
	var full Preflight
	s.serve(&full, hits)
	for _, h := range full.Lessons {
		if i := slices.IndexFunc(hits, func(o index.Hit) bool { return o.Card.Path == h.Path }); i >= 0 && held(hits[i]) {
			s.creditWithheld(h.Path, r.SessionID)
		}
	}
	return slices.DeleteFunc(slices.Clone(hits), held)
}

func (s *Server) creditWithheld(path, session string) {
	s.changeUsage(path, func(u usage) usage { u.Trial.Withheld = u.Trial.Withheld.with(session); return u })
}

// trial is what came of a card while some conversations went without it.
type trial struct {
	Given    arm `json:"given,omitzero"`
	Withheld arm `json:"withheld,omitzero"`
}

// arm is one side of a trial: conversations that the card spoke to, and those in which its
// mistake came back.
type arm struct {
	N    int       `json:"n,omitempty"`
	Back int       `json:"back,omitempty"`
	Last []spokeTo `json:"last,omitempty"` // the last ones, so that each counts once
}

type spokeTo struct {
	Session string `json:"session"`
	Back    bool   `json:"back,omitempty"`
}

func (a arm) find(session string) int {
	return slices.IndexFunc(a.Last, func(s spokeTo) bool { return s.Session == session })
}

// with returns the arm with a conversation more, unless it has it.
func (a arm) with(session string) arm {
	if a.find(session) < 0 {
		a.N++
		a.Last = append(slices.Clone(a.Last), spokeTo{Session: session})
		a.Last = a.Last[max(0, len(a.Last)-maxRecurrences):]
	}
	return a
}

// without returns the arm without a conversation that was not given the card after all.
func (a arm) without(session string) arm {
	if i := a.find(session); i >= 0 && !a.Last[i].Back {
		a.N--
		a.Last = slices.Delete(slices.Clone(a.Last), i, i+1)
	}
	return a
}

// again returns the arm where a mistake came back in a conversation, if it is of the arm.
func (a arm) again(session string) arm {
	if i := a.find(session); i >= 0 && !a.Last[i].Back {
		a.Back++
		a.Last = slices.Clone(a.Last)
		a.Last[i].Back = true
	}
	return a
}

// plus returns the arm with another card's added, or taken away by -1.
func (a arm) plus(o arm, sign int) arm {
	a.N, a.Back = a.N+sign*o.N, a.Back+sign*o.Back
	if sign > 0 {
		a.Last = slices.Concat(a.Last, o.Last)
		return a
	}
	a.Last = slices.Clone(a.Last)
	for _, s := range o.Last {
		if i := a.find(s.Session); i >= 0 {
			a.Last = slices.Delete(a.Last, i, i+1)
		}
	}
	return a
}

// TrialStats compares conversations that were given cards with those that went without, while
// a share of the cards is held out. Each conversation and card counts once.
type TrialStats struct {
	Given            int `json:"given"`
	GivenRecurred    int `json:"givenRecurred"` // of them, the mistake came back
	Withheld         int `json:"withheld"`
	WithheldRecurred int `json:"withheldRecurred"` // of them, the mistake came back
}

func (t trial) stats() TrialStats {
	return TrialStats{t.Given.N, t.Given.Back, t.Withheld.N, t.Withheld.Back}
}

func (t *TrialStats) add(o TrialStats) {
	t.Given += o.Given
	t.GivenRecurred += o.GivenRecurred
	t.Withheld += o.Withheld
	t.WithheldRecurred += o.WithheldRecurred
}
