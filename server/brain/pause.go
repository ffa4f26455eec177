package brain

import (
	"context"
	"strconv"
	"time"
)

// A pause keeps all cards from coming without being asked for, to every agent and editor of this
// brain. Searches answer as ever, and what happens is still noticed.

// PauseRequest begins a pause or ends it.
type PauseRequest struct {
	Minutes int  `json:"minutes,omitzero"` // how long it lasts; 0: until it is ended
	Off     bool `json:"off,omitzero"`     // ends it
}

// Paused says until when no card comes; the zero time where they do, Endless where a
// person has to end the pause.
type Paused struct {
	Until time.Time `json:"until,omitzero"`
}

const pauseKey = "until"

// Endless is the end of a pause that has none.
var Endless = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Pause begins a pause or ends it, and returns what holds then. It is kept beyond the process.
func (s *Base) Pause(ctx context.Context, r PauseRequest) (Paused, error) {
	switch {
	case r.Minutes < 0:
		return Paused{}, &RequestError{Field: "minutes", Value: strconv.Itoa(r.Minutes), Need: NeedMinutes}
	case r.Off:
		s.State.Pause.Delete(pauseKey)
	case r.Minutes > 0:
		s.State.Pause.Put(pauseKey, s.Now().Add(time.Duration(r.Minutes)*time.Minute).UTC().Truncate(time.Second))
	default:
		s.State.Pause.Put(pauseKey, Endless)
	}
	s.TellChanged(Changed{Cards: true})
	return s.Paused(ctx), nil
}

// Paused returns whether a pause is on.
func (s *Base) Paused(context.Context) Paused {
	until, on := s.State.Pause.Get(pauseKey)
	if !on || !s.Now().Before(until) {
		return Paused{}
	}
	return Paused{until}
}
