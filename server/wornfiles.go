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
	rows := decodeAll[wornFile](s.state, wornBucket)
	row := wornFile{Path: file}
	if i := slices.IndexFunc(rows, func(r wornFile) bool { return r.Path == file }); i >= 0 && s.now().Sub(rows[i].At) < wornLife {
		row = rows[i]
	} else if i < 0 && len(rows) >= maxWorn {
		s.state.put(wornBucket, slices.MinFunc(rows, func(a, b wornFile) int { return a.At.Compare(b.At) }).Path, nil)
	}
	if !slices.Contains(row.In, session) {
		row.In = append(row.In, session)
		row.In = row.In[max(0, len(row.In)-maxWornIn):]
	}
	row.At = s.now()
	s.state.put(wornBucket, file, row)
	return len(row.In)
}
