package desk

import (
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// An agent may draft one lesson of a conversation on its own. More of them, or one that the
// person has said not to make, is work that only the person's own current message starts, or
// a click. The words count as hooks and editors hand them over: what an agent says that the
// person said does not.

// mayDraft is the guard before an agent's draft: ErrForbidden, or ErrNotAsked for one more.
func mayDraft(c ledger.Session, clicked bool) error {
	switch {
	case clicked || c.Intent == heard.Asks:
		return nil
	case c.Intent == heard.Forbids:
		return brain.ErrForbidden
	case c.Drafts > 0 && !c.Invited:
		return brain.ErrNotAsked
	}
	return nil
}
