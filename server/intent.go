package server

import (
	"cmp"
	"slices"
	"time"

	"handrail/triggers/heard"
)

// An agent may draft one lesson of a conversation on its own. More of them, or one that the
// person has said not to make, is work that only the person's own current message starts, or
// a click. The words count as hooks and editors hand them over: what an agent says that the
// person said does not.

// nearby is how recently a person must have spoken for an agent's other connection to be
// taken for the same conversation: about one turn of work.
const nearby = 30 * time.Minute

// aloneAgent stands for the conversation of an agent that names none.
const aloneAgent = "agent"

// heard remembers what a person's message says of making lessons.
func (s *Server) heard(e Event) {
	intent := heard.IntentOf(e.Text)
	s.inSession(e.SessionID, func(row *session) { row.Told, row.Invited, row.Intent = false, false, intent })
}

// conversation returns the conversation that an agent's connection belongs to. Tools and hooks
// reach Handrail by different ways and under different names; where just one conversation was
// heard of lately, it is that. Of several none is taken for it.
func (s *Server) conversation(id string) session {
	id = cmp.Or(id, aloneAgent)
	now := s.now()
	own, ok := s.state.sessions.Get(id)
	if ok && !own.Told && own.Turn > 0 {
		return own
	}
	others := slices.DeleteFunc(s.state.sessions.All(nil), func(row session) bool {
		return row.Told || row.ID == id || row.Turn == 0 || now.Sub(row.At) > nearby
	})
	if len(others) == 1 {
		return others[0]
	}
	own.ID = id
	return own
}

// mayDraft is the guard before an agent's draft: ErrForbidden, or ErrNotAsked for one more.
func (c session) mayDraft(clicked bool) error {
	switch {
	case clicked || c.Intent == heard.Asks:
		return nil
	case c.Intent == heard.Forbids:
		return ErrForbidden
	case c.Drafts > 0 && !c.Invited:
		return ErrNotAsked
	}
	return nil
}
