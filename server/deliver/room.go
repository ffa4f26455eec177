// Package deliver says what an agent gets: titles, cards at a prompt and at an action, what the turn before left, and
// why a card comes or not.
package deliver

import (
	"github.com/handrail-dev/handrail/server/brain"
)

// Room says what an agent gets.
type Room struct{ *brain.Base }

// New returns the room of a brain.
func New(base *brain.Base) *Room { return &Room{base} }
