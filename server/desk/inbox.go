package desk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/journal"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/inbox"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/server/say"
)

// Inbox is all that waits for a person's word.
type Inbox struct {
	Waiting    int               `json:"waiting"`    // candidates and drafts together
	Candidates []brain.Candidate `json:"candidates"` // oldest first
	Drafts     []Draft           `json:"drafts"`     // cards that are not finished, never injected
	Never      []ledger.Never    `json:"never"`      // requests that cards are kept from
}

// Draft is an unfinished card.
type Draft struct {
	Path     string   `json:"path"`
	Title    string   `json:"title"`    // what it is listed by, where Weak has missing-title
	Evidence []string `json:"evidence"` // from what it says of the mistake, else of the situation
	Weak     []string `json:"weak"`     // codes of what it lacks to become active
}

// Inbox returns what waits: candidates, drafts with their evidence, and the requests that cards are kept from.
func (s *Room) Inbox(ctx context.Context, l say.Locale) (Inbox, error) {
	out := Inbox{Candidates: l.Named(s.Candidates()...), Drafts: []Draft{}, Never: []ledger.Never{}}
	for _, n := range s.State.Nevers() {
		out.Never = append(out.Never, n.Never)
	}
	cards, err := s.Cards(ctx, CardFilter{Status: lessons.Drafted})
	if err != nil {
		return Inbox{}, err
	}
	for _, c := range cards {
		full, err := s.Read(c.Path)
		if err != nil {
			continue // deleted a moment ago
		}
		d := Draft{Path: c.Path, Title: c.Title, Evidence: []string{}, Weak: []string{}}
		for _, p := range full.Weaknesses() {
			d.Weak = append(d.Weak, string(p.Code))
		}
		for _, name := range []lessons.SectionName{lessons.Mistake, lessons.Situation} {
			if text := full.Section(name).Text; len(d.Evidence) == 0 && strings.TrimSpace(text) != "" {
				d.Evidence = append(d.Evidence, strings.TrimPrefix(brain.Excerpt(text, nil, brain.ExcerptChars), "> "))
			}
		}
		out.Drafts = append(out.Drafts, d)
	}
	out.Waiting = len(out.Candidates) + len(out.Drafts)
	return out, nil
}

// ReviewRequest is a person's word about many candidates at once. Each is named by its id, or
// by the first characters of it, as long as no other begins so.
type ReviewRequest struct {
	Accept  []string `json:"accept,omitempty"`  // becomes a draft
	Dismiss []string `json:"dismiss,omitempty"` // the same event asks no more
	Unmute  []string `json:"unmute,omitempty"`  // kinds of requests that cards may come before again
	Anyway  bool     `json:"anyway,omitempty"`  // accept although a card says the same or the files are gone

	Language say.Locale `json:"language,omitempty"` // of the drafts' headings
}

// Reviewed is what came of a review. What is left waits as before.
type Reviewed struct {
	Drafts []Accepted   `json:"drafts"`
	Done   []string     `json:"done"` // the others that were named, as they were named
	Left   []brain.Left `json:"left"`
}

// Accepted is a candidate that is a draft now.
type Accepted struct {
	CandidateID string `json:"candidateId"`
	Path        string `json:"path"`
}

// Review carries out a person's word about many candidates.
func (s *Room) Review(ctx context.Context, r ReviewRequest) (Reviewed, error) {
	s.birthMu.Lock()
	defer s.birthMu.Unlock()
	out := Reviewed{Drafts: []Accepted{}, Done: []string{}, Left: []brain.Left{}}
	each := func(ids []string, do func(id string) error) {
		for _, id := range ids {
			if err := do(id); err != nil {
				l := brain.Left{ID: id, Code: say.Code(err), Why: r.Language.Explain(err)}
				if named, ok := errors.AsType[*lessons.PathError](err); ok {
					l.Path = named.Path
				}
				out.Left = append(out.Left, l)
			} else {
				out.Done = append(out.Done, id)
			}
		}
	}
	waiting := func(do func(brain.Candidate) error) func(id string) error {
		return func(id string) error {
			c, err := s.Proposals.Find(id)
			if err != nil {
				return err
			}
			return do(s.Reasoned([]brain.Candidate{c})[0])
		}
	}
	each(r.Unmute, s.unmute)
	each(r.Dismiss, waiting(func(c brain.Candidate) error { return s.Proposals.Dismiss(c.ID) }))
	done := out.Done
	each(r.Accept, waiting(func(c brain.Candidate) error {
		path, err := s.accept(ctx, c, r)
		if err == nil {
			out.Drafts = append(out.Drafts, Accepted{CandidateID: c.ID, Path: path})
		}
		return err
	}))
	out.Done = done // what became a draft is not named twice
	return out, nil
}

// accept makes a draft of a candidate and returns its path.
func (s *Room) accept(ctx context.Context, c brain.Candidate, r ReviewRequest) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if c.Similar != "" && !r.Anyway {
		return "", &lessons.PathError{Path: c.Similar, Err: brain.ErrTwin}
	}
	made, err := s.Confirm(ctx, CreateRequest{
		CandidateID: c.ID, Language: r.Language,
		Fields: CreateFields{Status: lessons.Drafted, AllowTwins: r.Anyway, AllowGone: r.Anyway},
	})
	if err == nil && made.DuplicateOf != "" {
		err = &lessons.PathError{Path: made.DuplicateOf, Err: brain.ErrTwin}
	}
	return made.Path, err
}

// unmute lets a card come again before some requests.
func (s *Room) unmute(id string) error {
	n, err := inbox.Named(s.State.Nevers(), id, func(n ledger.NeverRow) string { return n.ID })
	if err != nil {
		return fmt.Errorf("unmute: %w", err)
	}
	rows, err := s.Journal.Rows()
	if err != nil {
		return fmt.Errorf("take back: %w", err)
	}
	for _, act := range journal.Undoable(rows) {
		if act[0].Act == n.Act {
			_, err := s.UndoAct(act)
			return err
		}
	}
	s.TakeBack(n.Act) // the journal could not be written at the time
	return nil
}
