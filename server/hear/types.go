package hear

import (
	"github.com/handrail-dev/handrail/server/brain"
)

// Observed is what came of an event.
type Observed struct {
	Candidate *brain.Candidate `json:"candidate,omitempty"` // it is asked about; of several the first
	// Hint says that a message may be a complaint or a correction, which somebody who has read the conversation can tell. No person is shown it.
	Hint bool `json:"hint,omitzero"`
	// Invite says that the agent has our tools and may be told so, once.
	Invite bool `json:"invite,omitzero"`
}
