package triggers

import (
	"slices"

	"github.com/handrail-dev/handrail/triggers/heard"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// Hint is something that may be worth a card and does not say so plainly. It waits in its conversation, seen by nobody, until something about the same
// agrees: a second hint, a deed, an answer that admits it, or the host's own model, which has read the conversation. Else it goes with the conversation.
type Hint struct {
	Turn    int      `json:"turn"`
	Trigger Trigger  `json:"trigger"` // what it would be; a deed: RolledBack
	Deed    string   `json:"deed,omitempty"`
	Words   string   `json:"words,omitempty"`   // the person's, without secrets
	Why     string   `json:"why,omitempty"`     // the sentence that says it
	Request string   `json:"request,omitempty"` // what was asked before
	Files   []string `json:"files,omitempty"`
	Terms   []uint32 `json:"terms,omitempty"` // sums of the words that say what it is about
}

const (
	// maxHints bounds the hints of a conversation that wait.
	maxHints = 10
	// hintReach is how many turns a hint waits for another about the same, and deedReach for a deed.
	hintReach, deedReach = 4, 1
	// sameTerms is the share of words that two hints about the same have in common.
	sameTerms = 0.2
	// fewTerms is how many words a hint must have to say what it is about.
	fewTerms = 2
)

// hinted files a message that may be worth a card, without its secrets. It is a candidate when something agrees.
func (s *session) hinted(h *Hint) []Candidate {
	leaks.All(&h.Words, &h.Why, &h.Request)
	if len(h.Files) == 0 {
		h.Files = slices.Clone(s.lately)
	}
	for _, old := range slices.Backward(s.Hints) {
		if why, same := h.agrees(old); same {
			return s.settle(*h, old.Turn, why)
		}
	}
	s.wait(*h)
	return nil
}

// wait keeps a hint.
func (s *session) wait(h Hint) {
	s.Hints = append(s.Hints, h)
	s.Hints = s.Hints[max(0, len(s.Hints)-maxHints):]
}

// settle makes the candidate of a hint that something agrees with, and forgets what waited of a turn.
func (s *session) settle(h Hint, turn int, why string) []Candidate {
	s.Hints = slices.DeleteFunc(s.Hints, func(o Hint) bool { return o.Turn == turn })
	c := s.spoken(h)
	if why != "" {
		c.Evidence = slices.Insert(c.Evidence, 1, why)
	}
	return []Candidate{c}
}

// agrees reports whether a hint and one before it are about the same, and what the other says.
func (h Hint) agrees(old Hint) (why string, ok bool) {
	age := h.Turn - old.Turn
	switch {
	case old.Deed != "":
		return old.Deed, age <= deedReach+1 && meet(h.Files, old.Files)
	case h.Trigger == Record || old.Trigger == Record || age < 1 || age > hintReach:
		return "", false
	case len(h.Terms) >= fewTerms && len(old.Terms) >= fewTerms:
		return old.Why, jaccard(h.Terms, old.Terms) >= sameTerms
	}
	// One of them says nothing of its own: "still the same".
	return old.Why, age == 1 && meet(h.Files, old.Files)
}

// meet reports whether two lists of files have one in common, or one of them says nothing.
func meet(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(f string) bool { return slices.Contains(b, f) })
}

// done files a deed that is a sign beside words, but for a word that raised one itself: a candidate when the message before it was a hint about the same files.
func (s *session) done(deed string, files []string) []Candidate {
	if s.asking != "" {
		return nil
	}
	for _, old := range slices.Backward(s.Hints) {
		if old.Deed == "" && old.Trigger != Record && s.Turn-old.Turn <= deedReach && meet(files, old.Files) {
			return s.settle(old, old.Turn, deed)
		}
	}
	if !slices.ContainsFunc(s.Hints, func(o Hint) bool { return o.Deed == deed && o.Turn == s.Turn }) {
		s.wait(Hint{Turn: s.Turn, Trigger: RolledBack, Deed: deed, Files: files[:min(len(files), maxFiles)]})
	}
	return nil
}

// admitted raises the hint of the last message when the agent's answer admits it.
func (s *session) admitted(answer string) []Candidate {
	i := slices.IndexFunc(s.Hints, func(h Hint) bool {
		return h.Turn == s.Turn && h.Deed == "" && (h.Trigger == Complaint || h.Trigger == Correction)
	})
	if i >= 0 {
		if says := heard.Admits(answer); says != "" {
			return s.settle(s.Hints[i], s.Turn, says)
		}
	}
	return nil
}
