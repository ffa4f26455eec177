// Package desk is what a person does with cards and candidates: record, review, change, merge, tidy and undo.
package desk

import (
	"sync"

	"github.com/handrail-dev/handrail/server/brain"
)

// Room is what a person does with cards.
type Room struct {
	*brain.Base

	birthMu sync.Mutex // one review, or one draft of an agent, at a time
}

// New returns the room of a brain.
func New(base *brain.Base) *Room { return &Room{Base: base} }
