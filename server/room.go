package server

import (
	"sync"

	"handrail/triggers"
)

// deliverRoom says what an agent gets.
type deliverRoom struct{ *Base }

// newDeliver returns the room of a brain.
func newDeliver(base *Base) *deliverRoom { return &deliverRoom{base} }

// hearRoom turns what happens into candidates for lessons.
type hearRoom struct {
	*Base

	detectorMu sync.Mutex // guards detector
	detector   *triggers.Detector
}

// newHear returns the room of a brain.
func newHear(base *Base) *hearRoom {
	return &hearRoom{Base: base, detector: triggers.NewDetector(triggers.Options{
		Dismissed: base.inbox.Dismissed.Has, Failing: base.state.Failing(), Memory: base.state.Memory(),
	})}
}

// judgeRoom says what became of each item.
type judgeRoom struct{ *Base }

// newJudge returns the room of a brain.
func newJudge(base *Base) *judgeRoom { return &judgeRoom{base} }

// deskRoom is what a person does with cards.
type deskRoom struct {
	*Base

	birthMu sync.Mutex // one review, or one draft of an agent, at a time
}

// newDesk returns the room of a brain.
func newDesk(base *Base) *deskRoom { return &deskRoom{Base: base} }
