package desk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/journal"
	"github.com/handrail-dev/handrail/lessons/life"
	"github.com/handrail-dev/handrail/server/brain"
)

// TidyRequest asks what would tidy the brain, or that it be done.
type TidyRequest struct {
	Apply bool     `json:"apply,omitempty"` // do it; else only say what
	Paths []string `json:"paths,omitempty"` // only what is suggested about these cards; absent: all of it
}

// Tidied is what would tidy the brain, or what was done.
type Tidied struct {
	Suggestions []life.Suggestion `json:"suggestions"`
	Applied     bool              `json:"applied"`
	Failed      []string          `json:"failed"` // cards that were left alone; the log says why
	// Outdated are cards whose code is gone or was rewritten since their mistake was last seen.
	Outdated []brain.Outdated `json:"outdated,omitempty"`
}

// Tidy returns what would tidy the brain: cards to be merged into others that say the same and cards to be
// archived. With Apply it does that, all as one act for Undo.
func (s *Room) Tidy(ctx context.Context, r TidyRequest) (Tidied, error) {
	cards, err := s.fullCards(ctx)
	if err != nil {
		return Tidied{}, err
	}
	today := lessons.DateOf(s.Now())
	out := Tidied{Suggestions: life.Tidy(cards, s.State.Record, today), Failed: []string{}}
	if out.Suggestions == nil {
		out.Suggestions = []life.Suggestion{}
	}
	s.LookAfresh(ctx)
	for _, c := range cards {
		o, ok := s.OutdatedCard(c.Path)
		if !ok {
			continue
		}
		out.Outdated = append(out.Outdated, o)
		named := func(g life.Suggestion) bool { return g.Path == c.Path || g.Into == c.Path }
		if g, ok := life.OutOfUse(c, today); ok && !slices.ContainsFunc(out.Suggestions, named) {
			out.Suggestions = append(out.Suggestions, g)
		}
	}
	if len(r.Paths) > 0 {
		out.Suggestions = slices.DeleteFunc(out.Suggestions, func(g life.Suggestion) bool { return !slices.Contains(r.Paths, g.Path) })
	}
	if !r.Apply || len(out.Suggestions) == 0 {
		return out, nil
	}
	act := s.Begin("tidy")
	err = s.Do(act, func() error {
		for _, g := range out.Suggestions {
			act.Why = string(g.Reason)
			var err error
			if g.Into != "" {
				err = mergeIn(act, g.Into, g.Path)
			} else {
				err = act.Edit(g.Path, func(src []byte) ([]byte, error) { return lessons.SetStatus(src, lessons.Archived, today) })
			}
			if err != nil {
				s.Logger.Warn("not tidied", "card", g.Path, "err", err)
				out.Failed = append(out.Failed, g.Path)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return Tidied{}, fmt.Errorf("tidy: %w", err)
	}
	out.Applied = true
	return out, nil
}

// MergeRequest names two cards that say the same.
type MergeRequest struct {
	Into string `json:"into" names:"card"` // the card that stays
	From string `json:"from" names:"card"` // the card that goes
}

// Merge adds to one card what another that says the same has beside it, and takes the other
// away. See lessons.Merge for what is taken over.
func (s *Room) Merge(_ context.Context, r MergeRequest) (brain.Card, error) {
	into, err := s.CardAt(r.Into)
	if err != nil {
		return brain.Card{}, fmt.Errorf("merge into %s: %w", r.Into, err)
	}
	from, err := s.CardAt(r.From)
	if err != nil {
		return brain.Card{}, fmt.Errorf("merge %s: %w", r.From, err)
	}
	if into.Path == from.Path {
		return brain.Card{}, &brain.RequestError{Field: "from", Value: r.From, Need: brain.NeedTwo}
	}
	act := s.Begin("merge")
	if err := s.Do(act, func() error { return mergeIn(act, into.Path, from.Path) }); err != nil {
		return brain.Card{}, err
	}
	into, err = s.Read(into.Path)
	if err != nil {
		return brain.Card{}, fmt.Errorf("merge into %s: %w", r.Into, err)
	}
	return brain.CardOf(into), nil
}

// mergeIn plans a merge. Where it fails it has planned nothing.
func mergeIn(act *journal.Act, into, from string) error {
	other, err := act.Read(from)
	if err == nil {
		err = takesUp(other)
	}
	if err != nil {
		return fmt.Errorf("merge: %w", &lessons.PathError{Path: from, Err: err})
	}
	merge := func(src []byte) ([]byte, error) {
		if err := takesUp(src); err != nil {
			return nil, err
		}
		return lessons.Merge(src, other)
	}
	if err := act.Edit(into, merge); err != nil {
		return fmt.Errorf("merge %s into %s: %w", from, into, &lessons.PathError{Path: into, Err: err})
	}
	if err := act.Remove(from); err != nil {
		return fmt.Errorf("merge %s into %s: %w", from, into, err)
	}
	return nil
}

// Verify says of a card that a person has checked it, or takes that back. A verified card
// weighs more and is never suggested to be archived.
func (s *Room) Verify(_ context.Context, path string, verified bool) (brain.Card, error) {
	act := "verify"
	if !verified {
		act = "unverify"
	}
	return s.Edit(s.Begin(act), act, path, func(src []byte) ([]byte, error) { return lessons.SetVerified(src, verified) })
}

// SettleMerge settles what nobody has to choose in the conflicts that git left in a card, as [lessons.Settle] does.
func (s *Room) SettleMerge(_ context.Context, path string) (brain.Card, error) {
	return s.Edit(s.Begin("settle"), "settle the merge of", path, func(src []byte) ([]byte, error) {
		out, _ := lessons.Settle(src)
		return out, nil
	})
}

// Promote makes a draft a card: active, in the folder of its kind, and with another title unless that is empty. It must
// clear the quality bar (*WeakError); a card that is there already is not overwritten (fs.ErrExist).
func (s *Room) Promote(_ context.Context, path, title string) (brain.Card, error) {
	c, err := s.CardAt(path)
	if err != nil {
		return brain.Card{}, fmt.Errorf("promote %s: %w", path, err)
	}
	rel := c.Path
	if c.Status == lessons.Quarantined {
		return brain.Card{}, fmt.Errorf("promote: %w", &lessons.PathError{Path: rel, Err: brain.ErrQuarantined})
	}
	titled := c
	title = strings.TrimSpace(title)
	if title != "" {
		titled.Title, titled.Untitled = title, false
	}
	if weak := titled.Weaknesses(); len(weak) > 0 {
		return brain.Card{}, &brain.WeakError{Problems: weak}
	}
	today := lessons.DateOf(s.Now())
	act := s.Begin("promote")
	to := rel
	err = s.Do(act, func() error {
		if err := act.Edit(rel, func(src []byte) ([]byte, error) {
			if title != "" {
				named, err := lessons.SetTitle(src, title)
				if err != nil {
					return nil, err
				}
				src = named
			}
			return lessons.SetStatus(src, lessons.Active, today)
		}); err != nil {
			return err
		}
		c.Status = lessons.Active
		if place, leaves := s.Files.LeavesDrafts(c); leaves {
			to = place
			return act.Move(rel, to)
		}
		return nil
	})
	if err != nil {
		return brain.Card{}, fmt.Errorf("promote: %w", &lessons.PathError{Path: rel, Err: err})
	}
	c, err = s.Read(to)
	if err != nil {
		return brain.Card{}, fmt.Errorf("promote %s: %w", rel, err)
	}
	return brain.CardOf(c), nil
}

// Promoted records that an editor made a draft active and moved it, on a person's save. Undo makes
// it a draft again with the words that it has now.
func (s *Room) Promoted(from, to string) error {
	after, err := s.Files.Read(to)
	if err != nil {
		return fmt.Errorf("note that %s became active: %w", from, err)
	}
	now := s.Now()
	before, err := lessons.SetStatus(after, lessons.Drafted, lessons.DateOf(now))
	if err == nil {
		err = s.Journal.Saw("promote", now, from, to, before, after)
	}
	if err != nil {
		return fmt.Errorf("note that %s became active: %w", from, err)
	}
	return nil
}

// fullCards returns the brain's cards with their sections, by path.
func (s *Room) fullCards(ctx context.Context) ([]lessons.Card, error) {
	heads := s.Index.Heads()
	cards := make([]lessons.Card, len(heads))
	life.Parallel(len(heads), func(i int) { // to parse 12,000 cards takes a second and more
		if ctx.Err() == nil {
			cards[i], _ = s.Read(heads[i].Path) // one that is gone is no card
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(cards, func(c lessons.Card) bool { return !c.Kind.IsCard() }), nil
}
