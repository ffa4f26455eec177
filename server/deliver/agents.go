package deliver

import (
	"time"

	"github.com/handrail-dev/handrail/server/brain"
)

// hooksNoted is how often it is noted that an agent has hooks.
const hooksNoted = 24 * time.Hour

// noteHooks notes that a host has our hooks.
func (s *Room) noteHooks(r HeadsRequest) {
	for _, name := range []string{r.Host, r.Host + brain.AtPrompts} {
		if at, _ := s.State.Hooks.Get(name); r.Host != "" && (r.Served || name == r.Host) && s.Now().Sub(at) > hooksNoted {
			s.State.Hooks.Put(name, s.Now())
		}
	}
}
