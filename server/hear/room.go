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
