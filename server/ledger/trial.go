package ledger

import "slices"

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
		a.Last = last(append(slices.Clone(a.Last), spokeTo{Session: session}), maxRecurrences)
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

// plus returns the arm with another card's added.
func (a arm) plus(o arm) arm { return arm{a.N + o.N, a.Back + o.Back, slices.Concat(a.Last, o.Last)} }

// TrialStats compares conversations that were given cards with those that went without, while
// a share of the cards is held out. Each conversation and card counts once.
type TrialStats struct {
	Given            int `json:"given"`
	GivenRecurred    int `json:"givenRecurred"` // of them, the mistake came back
	Withheld         int `json:"withheld"`
	WithheldRecurred int `json:"withheldRecurred"` // of them, the mistake came back
}

// TrialStats returns the numbers alone.
func (u Usage) TrialStats() TrialStats {
	t := u.Trial
	return TrialStats{t.Given.N, t.Given.Back, t.Withheld.N, t.Withheld.Back}
}

// Add adds another card's.
func (t *TrialStats) Add(o TrialStats) {
	t.Given += o.Given
	t.GivenRecurred += o.GivenRecurred
	t.Withheld += o.Withheld
	t.WithheldRecurred += o.WithheldRecurred
}
