// Package hear turns what happens (messages, edits, commands, what is taken back) into candidates for lessons.
package hear

import (
	"sync"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers"
)

// Room turns what happens into candidates for lessons.
type Room struct {
	*brain.Base

	detectorMu sync.Mutex // guards detector
	detector   *triggers.Detector
}

// New returns the room of a brain.
func New(base *brain.Base) *Room {
	return &Room{Base: base, detector: triggers.NewDetector(triggers.Options{
		Dismissed: base.Proposals.Dismissed.Has, Failing: base.State.Failing(), Memory: base.State.Memory(),
	})}
}

// Observed is what came of an event.
type Observed struct {
	Candidate *brain.Candidate `json:"candidate,omitempty"` // it is asked about; of several the first
	// Hint says that a message may be a complaint or a correction, which somebody who has read the conversation can tell. No person is shown it.
	Hint bool `json:"hint,omitzero"`
	// Invite says that the agent has our tools and may be told so, once.
	Invite bool `json:"invite,omitzero"`
}
