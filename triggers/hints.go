package triggers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"handrail/triggers/heard"
	"handrail/triggers/leaks"
)

// Hint is something that may be worth a card and does not say so plainly. It waits in its conversation, seen by nobody, until something about the same
// agrees: a second hint, a deed, or the host's own model, which has read the conversation. Else it goes with the conversation.
type Hint struct {
	At      time.Time `json:"at"`
	Turn    int       `json:"turn"`
	Trigger Trigger   `json:"trigger"` // what it would be; a deed: RolledBack
	Deed    string    `json:"deed,omitempty"`
	Words   string    `json:"words,omitempty"` // the person's, without secrets
	Why     string    `json:"why,omitempty"`   // the sentence that says it
	Cue     string    `json:"cue,omitempty"`
	Request string    `json:"request,omitempty"` // what was asked before
	Files   []string  `json:"files,omitempty"`
	Terms   []uint32  `json:"terms,omitempty"` // sums of the words that say what it is about
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

// Memory is what must be remembered of a conversation beyond a process.
type Memory struct {
	Friction Friction `json:"friction,omitzero"`
	Turn     int      `json:"turn,omitempty"`
	Hints    []Hint   `json:"hints,omitempty"`
}

// Empty reports whether nothing is remembered.
func (m Memory) Empty() bool { return m.Friction.Empty() && m.Turn == 0 && len(m.Hints) == 0 }

// Memory returns what is remembered of a conversation.
func (d *Detector) Memory(session string) Memory {
	s, ok := d.sessions.Peek(session)
	if !ok {
		return Memory{}
	}
	m := Memory{Friction: s.friction, Turn: s.turn, Hints: slices.Clone(s.hints)}
	m.Friction.Asked = slices.Clone(m.Friction.Asked)
	return m
}

// hinted files a message that may be worth a card. It is a candidate when something agrees.
func (d *Detector) hinted(s *session, e Message, j heard.Judgement, before string) (c Candidate, h *Hint, ok bool) {
	quote := clipRunes(strings.TrimSpace(e.Text), maxQuote)
	terms, _ := askedFor(e.Text)
	n := Hint{
		At: e.At.Round(0), Turn: s.turn, Trigger: Trigger(j.Kind), Words: leaks.Redact(quote), Why: leaks.Redact(j.Evidence), Cue: leaks.Redact(j.Cue),
		Request: leaks.Redact(before), Files: e.Files, Terms: terms,
	}
	if len(n.Files) == 0 {
		n.Files = slices.Clone(s.lately)
	}
	for _, old := range slices.Backward(s.hints) {
		if why, same := n.agrees(old); same {
			s.settle(func(o Hint) bool { return o.Turn == old.Turn })
			return d.fromHint(s, n, why), nil, true
		}
	}
	s.hints = append(s.hints, n)
	s.hints = s.hints[max(0, len(s.hints)-maxHints):]
	return Candidate{}, &n, false
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

// done files a deed that is a sign beside words: it raises a candidate when the message before it was a hint about the same files.
func (d *Detector) done(s *session, at time.Time, deed string, files []string) (Candidate, bool) {
	for _, old := range slices.Backward(s.hints) {
		if old.Deed == "" && old.Trigger != Record && s.turn-old.Turn <= deedReach && meet(files, old.Files) {
			s.settle(func(o Hint) bool { return o.Turn == old.Turn })
			return d.fromHint(s, old, deed), true
		}
	}
	if !slices.ContainsFunc(s.hints, func(o Hint) bool { return o.Deed == deed && o.Turn == s.turn }) {
		s.hints = append(s.hints, Hint{At: at.Round(0), Turn: s.turn, Trigger: RolledBack, Deed: deed, Files: files[:min(len(files), maxFiles)]})
		s.hints = s.hints[max(0, len(s.hints)-maxHints):]
	}
	return Candidate{}, false
}

// settle takes hints off that became a candidate.
func (s *session) settle(which func(Hint) bool) { s.hints = slices.DeleteFunc(s.hints, which) }

// fromHint makes the candidate of a hint that something agrees with.
func (d *Detector) fromHint(s *session, h Hint, why string) Candidate {
	c := d.spoken(s, said{trigger: h.Trigger, words: h.Words, why: h.Why, cue: h.Cue, before: h.Request, files: h.Files, turn: h.Turn})
	if why != "" {
		c.Evidence = slices.Insert(c.Evidence, 1, why)
	}
	return c
}

// Draw returns what the hints of a conversation would be, at most n of them, and forgets them: the person asks for all its lessons.
func (d *Detector) draw(s *session, n int) []Candidate {
	var out []Candidate
	for _, h := range slices.Backward(s.hints) {
		if h.Deed == "" && h.Trigger != Record && len(out) < n {
			out = append(out, d.fromHint(s, h, ""))
		}
	}
	s.hints = nil
	return out
}

// deeds say what was done, for a person who reads the evidence.
func rewroteDeed(files []string, n int) string {
	return fmt.Sprintf("%s: %d lines written in this session were rewritten", strings.Join(files, ", "), n)
}

func returnedDeed(files []string, n int) string {
	return fmt.Sprintf("%s: %d lines taken out in this session came back", strings.Join(files, ", "), n)
}

func wornDeed(file string, n int) string {
	return fmt.Sprintf("%s: mended in %d conversations", file, n)
}

// Equal reports whether two remember the same.
func (m Memory) Equal(o Memory) bool {
	return m.Turn == o.Turn && m.Friction.Equal(o.Friction) && slices.EqualFunc(m.Hints, o.Hints, func(a, b Hint) bool { return a.At.Equal(b.At) && a.Deed == b.Deed && a.Words == b.Words })
}
