package server

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"handrail/lessons/find"
)

// goneAfter is how long a brain must have been missing before what is kept of it goes. Its disk
// may only be unplugged.
const goneAfter = 30 * 24 * time.Hour

// homeFile is the name of a home in a brain's state folder.
const homeFile = "brain.json"

// home says whose a state folder is.
type home struct {
	Brain   string    `json:"brain"`            // its folder
	Seen    time.Time `json:"seen"`             // when it was last there
	Missing time.Time `json:"missing,omitzero"` // since when it is known to be gone
	Mount   string    `json:"mount,omitempty"`  // the folder where its disk begins
}

// forgetGone notes that the brain is there, and removes state and cache of those that were gone for
// goneAfter.
func (s *Server) forgetGone(cfg Config) {
	states, caches := orDefault(cfg.StateDir, filepath.Join(xdg.StateHome, "handrail")), filepath.Dir(s.cacheDir(cfg))
	s.keepHome(stateDir(cfg.StateDir, s.brain.Root()), home{Brain: s.brain.Root(), Seen: s.now(), Mount: mountOf(s.brain.Root())})
	entries, err := os.ReadDir(states)
	if err != nil {
		s.log.Warn("what is kept of other brains was not looked at", "err", err)
		return
	}
	for _, e := range entries {
		dir := filepath.Join(states, e.Name())
		src, err := os.ReadFile(filepath.Join(dir, homeFile))
		var h home
		if !e.IsDir() || err != nil || json.Unmarshal(src, &h) != nil || brainID(h.Brain) != e.Name() {
			continue
		}
		_, err = os.Stat(h.Brain)
		_, inRepository := find.Repository(h.Brain)
		switch now := s.now(); {
		case err == nil && !h.Missing.IsZero():
			s.keepHome(dir, home{Brain: h.Brain, Seen: now, Mount: mountOf(h.Brain)})
		case !errors.Is(err, fs.ErrNotExist), h.Mount != mountOf(h.Mount): // a disk that does not answer, or is not there, proves nothing
		case inRepository: // it may be in another branch
		case h.Missing.IsZero() || h.Missing.After(now):
			h.Missing = now
			s.keepHome(dir, h)
		case now.Sub(h.Missing) >= goneAfter:
			cache := filepath.Join(caches, e.Name())
			err := errors.Join(os.RemoveAll(cache), os.RemoveAll(dir))
			s.log.Info("the brain is gone, and so is what was kept of it: candidates, counters, undo", "brain", h.Brain, "seen", h.Seen, "missing", h.Missing, "state", dir, "cache", cache, "err", err)
		}
	}
}

// mountOf returns the folder where the disk begins that a folder is on, "" where that is not known.
func mountOf(dir string) string {
	on := device(dir)
	for on != 0 && filepath.Dir(dir) != dir && device(filepath.Dir(dir)) == on {
		dir = filepath.Dir(dir)
	}
	if on == 0 {
		return ""
	}
	return dir
}

func (s *Server) keepHome(dir string, h home) {
	src, err := json.Marshal(h)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, homeFile), src, 0o600) //nolint:forbidigo // side data, not a card
	}
	if err != nil {
		s.log.Warn("it is not noted that the brain is there or gone", "brain", h.Brain, "err", err)
	}
}
