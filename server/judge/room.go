// Package judge says what became of each item of a card: verdicts, evidence and the closing line.
package judge

import (
	"github.com/handrail-dev/handrail/server/brain"
)

// Room says what became of each item.
type Room struct{ *brain.Base }

// New returns the room of a brain.
func New(base *brain.Base) *Room { return &Room{base} }
