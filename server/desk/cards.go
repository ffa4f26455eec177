package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/life"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// Cards returns the cards that filter selects, those seen last first. An unknown
// kind, status or source is a *RequestError that names the allowed ones.
func (s *Room) Cards(ctx context.Context, f CardFilter) ([]brain.Card, error) {
	status := lessons.OneOf("status", f.Status, lessons.Statuses())
	if f.Status == lessons.Conflicted {
		status = nil
	}
	if err := cmp.Or(lessons.OneOf("kind", f.Kind, lessons.Kinds()), status, lessons.OneOf("source", f.Source, lessons.Sources())); err != nil {
		return nil, err
	}
	if err := s.Index.Known(ctx); err != nil {
		return nil, fmt.Errorf("list the cards: %w", err)
	}
	holds := func(*lessons.Card) bool { return true }
	if f.File != "" {
		files, project, broken := s.RelFiles([]string{f.File}), find.Project(filepath.Dir(f.File)), s.BrokenIn(f.File)
		holds = func(c *lessons.Card) bool {
			_, ok := lessons.MatchPaths(c.Paths, files)
			return (ok || broken[c.Path]) && (c.Project == "" || strings.EqualFold(c.Project, project))
		}
	}
	cards := slices.DeleteFunc(slices.Clone(s.Index.Heads()), func(c *lessons.Card) bool {
		return f.Kind != "" && c.Kind != f.Kind || f.Status != "" && c.Status != f.Status || f.Source != "" && c.Source != f.Source ||
			f.Project != "" && !strings.EqualFold(c.Project, f.Project) || !holds(c)
	})
	slices.SortFunc(cards, brain.NewestFirst)
	if f.Limit > 0 {
		cards = cards[:min(f.Limit, len(cards))]
	}
	out, today := make([]brain.Card, len(cards)), lessons.DateOf(s.Now())
	for i, c := range cards {
		row, use := brain.CardOf(*c), s.State.Record(c.Path)
		row.Served, row.Stale = use.Served, life.Aged(*c, use, today) != ""
		row.Waits = s.Keeper.Waits(c)
		out[i] = row
	}
	return out, nil
}

// Bump notes that a card's mistake was seen again: occurrences + 1, last-seen today. A candidate that was answered this
// way leaves the list. A card in quarantine is left as it is: ErrQuarantined.
func (s *Room) Bump(_ context.Context, path, candidateID string) (brain.Card, error) {
	today := lessons.DateOf(s.Now())
	c, err := s.Edit(s.Begin("bump"), "bump", path, func(src []byte) ([]byte, error) {
		if err := takesUp(src); err != nil {
			return nil, err
		}
		return lessons.Bump(src, today)
	})
	if err == nil && candidateID != "" {
		s.Proposals.Settle(candidateID)
	}
	return c, err
}

// SetStatus archives or restores (Active) a card. A draft that is to be active must clear the quality bar
// (*WeakError), as in Promote. Quarantine needs a reason and has a method of its own.
func (s *Room) SetStatus(_ context.Context, path string, status lessons.Status) (brain.Card, error) {
	if err := lessons.OneOf("status", status, slices.Sorted(maps.Keys(verbs))); err != nil {
		return brain.Card{}, err
	}
	today := lessons.DateOf(s.Now())
	return s.Edit(s.Begin(verbs[status]), "set the status of", path, func(src []byte) ([]byte, error) {
		c, _ := lessons.Parse(path, src)
		if weak := c.Weaknesses(); c.Status == lessons.Drafted && status == lessons.Active && len(weak) > 0 {
			return nil, &brain.WeakError{Problems: weak}
		}
		return lessons.SetStatus(src, status, today)
	})
}

// verbs says how the journal calls it that a card gets a status.
var verbs = map[lessons.Status]string{
	lessons.Active: "restore", lessons.Archived: "archive", lessons.Drafted: "draft",
}

// Delete takes a card away; Undo brings it back.
func (s *Room) Delete(_ context.Context, path string) (brain.Card, error) {
	c, err := s.CardAt(path)
	if err == nil {
		act := s.Begin("delete")
		err = s.Do(act, func() error { return act.Remove(c.Path) })
	}
	if err != nil {
		return brain.Card{}, fmt.Errorf("delete %s: %w", path, err)
	}
	return brain.CardOf(c), nil
}

// Diagnoser returns a function that returns the problems of a file: what the parser saw and, for a card, checks that do
// not run and another card with the same title key, as the titles stand now. path is relative to the brain.
func (s *Room) Diagnoser() func(path string, src []byte) []lessons.Problem {
	titles := s.Titles()
	return func(path string, src []byte) []lessons.Problem {
		c, problems := lessons.Parse(path, src)
		if c.Kind.IsCard() {
			problems = append(problems, Suspects(src)...)
			if c.Status == lessons.Conflicted {
				return problems
			}
			speaks := false
			for _, x := range brain.ChecksOf(c) {
				problems = append(problems, x.Problems...)
				speaks = speaks || x.Check.Runs() && x.Check.Forbids()
			}
			if c.Guard != "" && !speaks {
				problems = append(problems, lessons.Problem{Code: brain.IdleGuard, Severity: lessons.Warning, Line: 1})
			}
			if twin, ok := titles.Twin(c.Title, path); ok {
				p := lessons.Problem{Code: brain.DuplicateTitle, Severity: lessons.Warning, Args: []string{twin.Path}}
				if twin.Status == lessons.Quarantined {
					p.Code, p.Args = brain.QuarantinedTitle, append(p.Args, brain.ReasonOf(*twin))
				}
				problems = append(problems, p)
			}
			if p, topic := c.OnlyTopic(); topic {
				problems = append(problems, p)
			}
			if c.Status == lessons.Active || c.Status == lessons.Drafted {
				for _, glob := range s.nowhere(c.Paths) {
					problems = append(problems, lessons.Problem{Code: brain.NoSuchPath, Severity: lessons.Info, Line: 1, Args: []string{glob}})
				}
			}
			if c.Status == lessons.Drafted {
				problems = append(problems, lessons.Problem{Code: brain.StillDraft, Severity: lessons.Info, Line: 1})
			}
		}
		return problems
	}
}

// nowhere returns those paths of a card that name a file or folder that is not there.
func (s *Room) nowhere(paths []string) (out []string) {
	for _, glob := range paths {
		at, _ := doublestar.SplitPattern(glob + "/*")
		_, err := os.Lstat(filepath.Join(filepath.Dir(s.Files.Root()), at))
		if errors.Is(err, fs.ErrNotExist) && glob[0] != '!' && !s.Mine() {
			out = append(out, glob)
		}
	}
	return out
}

// QuarantineRequest takes a card out of everything that is put before a request.
type QuarantineRequest struct {
	Path   string `json:"path" names:"card"`
	Reason string `json:"reason,omitempty"` // why, on one line of 1 to 300 characters
}

// Quarantine puts a card in quarantine: for a lesson that a person holds to be
// wrong. It stays on disk, searchable and listed; a mistake that comes up again neither bumps
// it nor ends the quarantine, and whoever records it anew is told why this card is there.
func (s *Room) Quarantine(_ context.Context, r QuarantineRequest) (brain.Card, error) {
	reason := strings.Join(strings.Fields(r.Reason), " ")
	if n := utf8.RuneCountInString(reason); n == 0 || n > lessons.MaxReason {
		return brain.Card{}, &brain.RequestError{Field: "reason", Value: brain.Head(reason, 80), Need: brain.NeedReason}
	}
	act := s.Begin("quarantine")
	act.Why = leaks.Keep(reason)
	return s.Edit(act, "quarantine", r.Path, func(src []byte) ([]byte, error) { return lessons.SetQuarantine(src, reason) })
}

// takesUp returns ErrQuarantined for a card that nothing may be added to.
func takesUp(src []byte) error {
	if c, _ := lessons.Parse("lessons/card.md", src); c.Status == lessons.Quarantined {
		return brain.ErrQuarantined
	}
	return nil
}
