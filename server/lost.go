package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"handrail/lessons"
	"handrail/lessons/journal"
	"handrail/server/watch"
)

// Lost is what a rollback took out of the brain; Undo of any of its cards brings all back.
type Lost struct {
	Path  string // of one of the cards
	Cards int
}

// keepLost notes the cards that a revert or a reset took along. The commit that they were in
// is often undone for the code in it, and what was learned stays true. A checkout takes nothing
// along: another one brings it back.
func (s *Server) keepLost(ev Event) {
	if _, err := os.Stat(s.brain.Root()); err != nil || ev.Soft || ev.Commit == "" {
		return // without its folder there is no brain to bring them back to
	}
	var rows []journal.Lost
	for _, file := range ev.Files {
		rel, err := s.brainRel(file)
		if err != nil || s.brain.Hidden(rel) || !s.brain.Counts(rel) {
			continue
		}
		if _, err := s.brain.Lstat(rel); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		name, err := filepath.Rel(ev.Dir, file)
		if err != nil {
			continue
		}
		src, err := watch.GitOutput(s.ctx, ev.Dir, "show", ev.Commit+":"+filepath.ToSlash(name))
		if card, _ := lessons.Parse(rel, []byte(src)); err == nil && card.Kind.IsCard() && card.Status != lessons.Archived {
			rows = append(rows, journal.Lost{Path: rel, Text: []byte(src)})
		}
	}
	if len(rows) == 0 {
		return
	}
	why, _, _ := strings.Cut(ev.Text, "\n")
	if err := s.journal.Gone(s.now(), why, rows); err != nil {
		s.log.Warn("lessons went with a rollback, and undo does not know of it", "err", fmt.Errorf("keep %s: %w", rows[0].Path, err))
		return
	}
	s.tell(func(to *Notify) {
		if to.Lost != nil {
			to.Lost(Lost{rows[0].Path, len(rows)})
		}
	})
}
