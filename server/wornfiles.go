package server

import (
	"slices"
	"time"
)

// wornFile is a file that was changed after words that something was wrong, and in which conversations.
type wornFile struct {
	Path string    `json:"path"`
	At   time.Time `json:"at"` // the last time
	In   []string  `json:"in"` // conversations, oldest first
}

const (
	// maxWorn and wornLife bound the files that are remembered; maxWornIn the conversations of each.
	maxWorn   = 300
	wornLife  = 60 * 24 * time.Hour
	maxWornIn = 9
)

// wornOut notes that a file was changed after such words and returns in how many conversations it was, lately.
func (s *Server) wornOut(file, session string) int {
	now := s.now()
	row := s.state.worn.Update(file, func(row *wornFile) {
		if now.Sub(row.At) >= wornLife {
			row.In = nil
		}
		if !slices.Contains(row.In, session) {
			row.In = append(row.In, session)
			row.In = row.In[max(0, len(row.In)-maxWornIn):]
		}
		row.Path, row.At = file, now
	})
	return len(row.In)
}
