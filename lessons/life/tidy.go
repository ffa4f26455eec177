// Package life finds twins among cards and suggests what to tidy. It never changes a card.
package life

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

// Reason is why something is suggested.
type Reason string

// The reasons.
const (
	OneOff  Reason = "one-off" // seen once, noted by a machine, not used for six months
	Stale   Reason = "stale"   // not seen or used for as long as cards of its kind stay
	SameKey Reason = "same-title"
	Overlap Reason = "same-words"
	Gone    Reason = "code-gone" // its code is not what it was, and it was not seen for a year
)

// Record is how a card was used.
type Record struct {
	Served   int // turns that were given the card
	LastUsed lessons.Date
}

// Suggestion is one merge or archiving, for a person to decide.
type Suggestion struct {
	Path   string  `json:"path"`            // the card to archive, or to merge into another
	Into   string  `json:"into,omitempty"`  // the card to merge into; absent: archive it
	Reason Reason  `json:"reason"`          // why
	Days   int     `json:"days,omitempty"`  // since it was last seen or used
	Share  float64 `json:"share,omitempty"` // of common words
	Title  string  `json:"title"`           // of the card
	Why    string  `json:"why,omitempty"`   // Reason in a person's words, where they are known
}

// oneOffDays is ConnectAI's plan: archive what was seen once and not used for half a year.
const oneOffDays = 183

// staleDays is for how many days without use cards of a kind stay. Others do not age.
var staleDays = map[lessons.Kind]int{lessons.Lesson: 298, lessons.QAFinding: 298, lessons.Playbook: 597, lessons.Fact: 199}

// Tidy returns suggestions in the order to apply them: merges, then cards to archive. Nothing is ever suggested about a card that is verified, of high
// severity, of a kind that holds by itself (policy, preference, architecture, decision), or
// curated and seen more than once, except that another may be merged into it.
func Tidy(cards []lessons.Card, use func(path string) Record, today lessons.Date) []Suggestion {
	cards = slices.DeleteFunc(slices.Clone(cards), func(c lessons.Card) bool { return c.Status != lessons.Active || !c.Kind.IsCard() })
	slices.SortFunc(cards, func(a, b lessons.Card) int { return strings.Compare(a.Path, b.Path) })
	byPath := map[string]lessons.Card{}
	for _, c := range cards {
		byPath[c.Path] = c
	}
	var out []Suggestion
	gone, taken := map[string]bool{}, map[string]bool{}
	suggest := func(c lessons.Card, r Reason) *Suggestion {
		gone[c.Path] = true
		s := Suggestion{Path: c.Path, Reason: r, Title: c.Title}
		if last := lastUse(c, use(c.Path)); !last.IsZero() {
			s.Days = max(0, daysSince(last, today))
		}
		out = append(out, s)
		return &out[len(out)-1]
	}
	for _, t := range Twins(cards) {
		winner, loser := byPath[t.A], byPath[t.B]
		if better(loser, winner) {
			winner, loser = loser, winner
		}
		if protected(loser) || gone[winner.Path] || gone[loser.Path] || taken[loser.Path] {
			continue
		}
		taken[winner.Path] = true
		s := suggest(loser, Overlap)
		s.Into, s.Share = winner.Path, t.Overlap
		if t.Key {
			s.Reason = SameKey
		}
	}
	for _, c := range cards {
		if why := Aged(c, use(c.Path), today); why != "" && !gone[c.Path] && !taken[c.Path] {
			suggest(c, why)
		}
	}
	return out
}

// OutOfUse returns the suggestion to archive a card whose code is not what it was, where its mistake was not
// seen for a year.
func OutOfUse(c lessons.Card, today lessons.Date) (Suggestion, bool) {
	s := Suggestion{Path: c.Path, Reason: Gone, Title: c.Title}
	if c.Status != lessons.Active || protected(c) || c.LastSeen.IsZero() {
		return s, false
	}
	s.Days = daysSince(c.LastSeen, today)
	return s, s.Days > 365
}

// protected reports whether nothing is ever suggested about a card.
func protected(c lessons.Card) bool {
	switch c.Kind {
	case lessons.Policy, lessons.Preference, lessons.Architecture, lessons.Decision:
		return true
	}
	return c.Verified || c.Severity == lessons.High || c.Source == lessons.Curated && c.Occurrences > 1
}

// better reports whether a card, rather than its twin, should stay.
func better(a, b lessons.Card) bool {
	switch {
	case protected(a) != protected(b):
		return protected(a)
	case a.Source != b.Source:
		return a.Source == lessons.Curated
	}
	return cmp.Or(cmp.Compare(a.Occurrences, b.Occurrences), cmp.Compare(len(a.Body), len(b.Body))) > 0
}

// Aged returns why a card is suggested to be archived for its age, OneOff or Stale; "" where it is not. A card without a
// date does not age.
func Aged(c lessons.Card, r Record, today lessons.Date) Reason {
	last := lastUse(c, r)
	stays, ages := staleDays[c.Kind]
	switch days := daysSince(last, today); {
	case c.Status != lessons.Active || protected(c) || last.IsZero():
	case c.Source == lessons.Auto && c.Occurrences <= 1 && days > oneOffDays:
		return OneOff
	case ages && days > stays:
		return Stale
	}
	return ""
}

// lastUse returns the day a card was last seen or served, zero when neither is known.
func lastUse(c lessons.Card, r Record) lessons.Date {
	if r.LastUsed.Compare(c.LastSeen) > 0 {
		return r.LastUsed
	}
	return c.LastSeen
}

func daysSince(day, today lessons.Date) int {
	return int(today.Time(time.UTC).Sub(day.Time(time.UTC)).Hours() / 24)
}
