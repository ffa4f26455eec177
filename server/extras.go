package server

import (
	"cmp"
	"sync"
)

// Extras are what Handrail does only where a person asks for it.
type Extras struct {
	Overview bool // BRAIN.md is written anew when the cards have changed
	// NoHints keeps what may be a lesson from the host's model: it is never told that it may draft one.
	NoHints bool
	// NoNotes keeps notes from agents that are asked by hooks, and Titles tells such an agent what cards may speak to a
	// request where none does for sure.
	NoNotes, Titles bool
	// NoDigest lets conversations begin without the titles of cards.
	NoDigest bool
	// Review wants every card that others changed approved before it speaks.
	Review bool
}

// ExtraSettings is what one client says of the extras; nil says nothing. What either the
// editor or the environment asks for is done.
type ExtraSettings struct {
	Editor      *Extras // the editor's settings
	Environment *Extras // the HANDRAIL_OVERVIEW, HANDRAIL_HINTS, HANDRAIL_DIGEST, HANDRAIL_NOTES, HANDRAIL_TITLES and HANDRAIL_TRUST variables
}

// wanted returns what counts.
func (s ExtraSettings) wanted() Extras {
	a, b := cmp.Or(s.Editor, &Extras{}), cmp.Or(s.Environment, &Extras{})
	return Extras{
		Overview: a.Overview || b.Overview, NoHints: a.NoHints || b.NoHints, NoDigest: a.NoDigest || b.NoDigest,
		NoNotes: a.NoNotes || b.NoNotes, Titles: a.Titles || b.Titles, Review: a.Review || b.Review,
	}
}

// With returns the settings with what a client says; what it says nothing of stays as it is.
func (s ExtraSettings) With(said ExtraSettings) ExtraSettings {
	return ExtraSettings{cmp.Or(said.Editor, s.Editor), cmp.Or(said.Environment, s.Environment)}
}

// extras is what all clients said.
type extras struct {
	mu   sync.Mutex // guards said
	said ExtraSettings
}

func (e *extras) on() Extras {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.said.wanted()
}

// SetExtras takes what a client says of the extras; what it says nothing of stays as it is.
// Of several editors on one brain the last one counts.
func (s *Server) SetExtras(said ExtraSettings) {
	s.extras.mu.Lock()
	before := s.extras.said.wanted()
	s.extras.said = s.extras.said.With(said)
	now := s.extras.said.wanted()
	s.extras.mu.Unlock()
	if s.owner && now.Overview && !before.Overview { // two processes never write over each other
		s.overview.changed()
	}
}
