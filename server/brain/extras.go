package brain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Gift is what agents get beside the cards that a request or an action calls for.
type Gift string

// The gifts. They come where nobody says otherwise.
const (
	GiftTitles Gift = "titles" // the titles of cards; "titles:600" bounds them to some 600 tokens
	GiftNotes  Gift = "notes"  // excerpts of notes, by hooks
	GiftHints  Gift = "hints"  // the host's own model is told that it may draft a lesson
)

// Extras are what a person may set of what agents get.
type Extras struct {
	Agents []Gift // nil for what comes by itself
	Review bool   // every card that others changed waits for an approval
}

// ExtraSettings is what one client says of the extras; nil says nothing. The environment's list goes before the editor's.
type ExtraSettings struct {
	Editor      *Extras // the editor's settings
	Environment *Extras // HANDRAIL_AGENTS and HANDRAIL_TRUST
}

// wanted returns what counts. The person's own brain speaks beside that of each project, so it
// gives a third of the titles by itself, and no hints: what is learnt goes to the project.
func (s ExtraSettings) wanted(mine bool) Extras {
	a, b := cmp.Or(s.Editor, &Extras{}), cmp.Or(s.Environment, &Extras{})
	out := Extras{Agents: []Gift{GiftTitles, GiftNotes, GiftHints}, Review: a.Review || b.Review}
	if mine {
		out.Agents = []Gift{GiftTitles + ":400", GiftNotes}
	}
	for _, said := range [][]Gift{a.Agents, b.Agents} {
		if said != nil {
			out.Agents = said
		}
	}
	return out
}

// extras is what all clients said.
type extras struct {
	mu   sync.Mutex // guards the rest
	said ExtraSettings
	want Extras // what counts of it
}

// Give reports whether agents get something beside the cards.
func (e *extras) Give(g Gift) bool { return slices.Contains(e.on().Agents, g) }

// maxTitles is how much of titles a conversation begins with, in estimated tokens, unless a person says otherwise.
const maxTitles = 1200

// TitleTokens returns how much that is, 0 where agents get no titles.
func (e *extras) TitleTokens() int {
	for _, g := range e.on().Agents {
		name, bound, _ := strings.Cut(string(g), ":")
		if Gift(name) != GiftTitles {
			continue
		}
		n, err := strconv.Atoi(bound)
		if err != nil {
			return maxTitles
		}
		return max(0, n)
	}
	return 0
}

func (e *extras) on() Extras {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.want
}

// SetExtras takes what a client says of the extras; what it says nothing of stays as it is.
// Of several editors on one brain the last one counts.
func (s *Base) SetExtras(said ExtraSettings) {
	s.Extras.mu.Lock()
	defer s.Extras.mu.Unlock()
	s.Extras.said = ExtraSettings{cmp.Or(said.Editor, s.Extras.said.Editor), cmp.Or(said.Environment, s.Extras.said.Environment)}
	s.Extras.want = s.Extras.said.wanted(s.Mine())
}
