package server

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handrail/lessons"
	"handrail/lessons/life"
	"handrail/lessons/terms"
	"handrail/server/ledger"
	"handrail/triggers/leaks"
)

// Confirm records a lesson on a person's word. When a card says the same already it
// names that card and writes nothing. A candidate must clear the quality bar
// (*WeakError) unless it is saved as a draft; a person's own card need not. What an
// agent wishes to record (Auto) must clear it too, and is a draft until a person says more.
//
// An agent makes one draft of a conversation by itself; the person's own current message, or a
// click, allows more (ErrNotAsked) and may allow none (ErrForbidden).
//
// What was true when a candidate arose is looked at again: a card that has come to say the
// same is named as a twin is, files that are all gone are ErrStale (Fields.AllowGone), and a
// secret in what the person adds is a weakness, also of a draft.
func (s *Server) Confirm(ctx context.Context, r CreateRequest) (Created, error) {
	if r.EpisodeID != "" {
		var err error
		if r, err = s.fromEpisode(ctx, r); err != nil {
			return Created{}, err
		}
	}
	var talk ledger.Session
	if r.Auto {
		s.birthMu.Lock() // two at once are two
		defer s.birthMu.Unlock()
		r = s.unconfirmed(r)
		talk = s.state.Conversation(r.SessionID)
		r.Origin = cmp.Or(r.Origin, talk.Turn, s.state.TurnOf(r.SessionID), ledger.NewID())
	}
	var c Candidate
	if r.CandidateID != "" {
		s.sweep()
		var ok bool
		if c, ok = s.candidate(r.CandidateID); !ok {
			return Created{}, fmt.Errorf("record %q: %w", r.CandidateID, ErrUnknownCandidate)
		}
		r.Origin = c.Origin
	}
	d, err := s.draft(r)
	if err != nil {
		return Created{}, err
	}
	if r.CandidateID != "" {
		if twin, err := s.revalidate(ctx, c, r); err != nil {
			return Created{}, err
		} else if twin != nil {
			return saysTheSame(twin), nil
		}
	}
	if !r.Fields.AllowTwins {
		twin, err := s.twinOf(ctx, d)
		if err != nil {
			return Created{}, err
		}
		if twin != nil {
			return saysTheSame(twin), nil
		}
	}
	if r.Auto {
		if err := mayDraft(talk, r.Asked); err != nil {
			return Created{}, fmt.Errorf("draft: %w", err)
		}
	}
	if r.Auto || r.CandidateID != "" && d.Status != lessons.Drafted {
		weak := d.Weaknesses()
		if p, no := d.NotARule(); no && r.Auto {
			weak = append(weak, p)
		}
		if len(weak) > 0 {
			return Created{}, &WeakError{Problems: weak}
		}
	}
	rel := s.brain.NewPath(d)
	act := s.act("create")
	act.Origin = r.Origin
	if err := act.Create(rel, d.Render()); err != nil {
		return Created{}, fmt.Errorf("create %s: %w", rel, err)
	}
	s.wrote(rel)
	if r.Auto {
		s.state.InSession(talk.ID, func(row *ledger.Session) { row.Drafts++ })
	}
	if r.CandidateID != "" {
		s.settleCandidate(r.CandidateID, "record", rel)
	}
	return Created{Path: rel, EveryRequest: isBaseline(lessons.Card{Kind: d.Kind, Severity: d.Severity})}, nil
}

// unconfirmed returns a request as one that no person stands behind may be carried out.
// What an agent quotes has passed through its terminal, so secrets are taken out.
func (s *Server) unconfirmed(r CreateRequest) CreateRequest {
	f := &r.Fields
	f.Status, f.Checklist = lessons.Drafted, slices.Clone(f.Checklist)
	for i := range f.Checklist {
		f.Checklist[i] = leaks.Redact(f.Checklist[i])
	}
	for _, text := range []*string{&r.Title, &r.Situation, &f.Mistake, &f.RootCause, &f.Fix, &f.AppliesTo} {
		*text = leaks.Redact(*text)
	}
	return r
}

// maxScoped is up to how many files of a candidate become the paths of its card: more say that it is about none of them.
const maxScoped = 5

// draft gathers what is known of a new card: what the caller says, then what the
// candidate saw.
func (s *Server) draft(r CreateRequest) (lessons.Draft, error) {
	f := r.Fields
	d := lessons.Draft{
		Title: strings.TrimSpace(r.Title), Kind: f.Kind, Severity: f.Severity, Status: f.Status, Project: f.Project,
		Tags: f.Tags, Paths: f.Paths, On: lessons.DateOf(s.now()), Language: string(r.Language),
		Sections: map[lessons.SectionName]string{},
	}
	if r.Auto {
		d.Source = lessons.Auto
	}
	situation := r.Situation
	if c, ok := s.candidate(r.CandidateID); ok {
		d.Source = lessons.Auto
		if d.Title == "" {
			d.Title = c.Title
		}
		situation = cmp.Or(situation, c.Situation)
		f.Mistake, f.Fix = cmp.Or(f.Mistake, c.Mistake), cmp.Or(f.Fix, c.Fix)
		d.Language = string(cmp.Or(c.Language, r.Language)) // the words in it are the conversation's
		if d.Kind == lessons.Note {
			d.Kind = c.Kind
		}
		if len(f.Checklist) == 0 {
			f.Checklist = c.Rules
		}
		if len(d.Paths) == 0 && len(c.Rules) == 0 && len(c.Files) <= maxScoped { // what a card is about is what it is held against
			d.Paths = slices.DeleteFunc(slices.Clone(c.Files), func(f string) bool {
				return !filepath.IsLocal(filepath.FromSlash(f)) || strings.ContainsAny(f, "*?[]{}\\")
			})
		}
	}
	if d.Title == "" {
		return d, &WeakError{Problems: []lessons.Problem{{Code: lessons.MissingTitle, Severity: lessons.Error}}}
	}
	if d.Kind == lessons.Note {
		d.Kind = lessons.Lesson
	}
	if err := d.Check(); err != nil {
		return d, err
	}
	if d.Severity == "" && isHabit(d, f.Checklist) {
		d.Severity = lessons.High // it comes with every request, unless the person says otherwise
	}
	for name, text := range map[lessons.SectionName]string{
		lessons.Situation: situation, lessons.Mistake: f.Mistake, lessons.RootCause: f.RootCause, lessons.Fix: f.Fix, lessons.AppliesTo: f.AppliesTo,
	} {
		if text = strings.TrimSpace(text); text != "" {
			d.Sections[name] = text
		}
	}
	var items strings.Builder
	for _, it := range f.Checklist {
		if it = strings.Join(strings.Fields(it), " "); it != "" {
			items.WriteString("- [ ] " + it + "\n")
		}
	}
	if items.Len() > 0 {
		d.Sections[lessons.Prevention] = items.String()
	}
	return d, nil
}

// isHabit reports whether a draft is a rule for any request: a policy or preference that
// names no topic, neither by tags and paths nor by a code word, so that no request finds it.
func isHabit(d lessons.Draft, items []string) bool {
	return (d.Kind == lessons.Policy || d.Kind == lessons.Preference) && len(d.Tags)+len(d.Paths) == 0 &&
		!slices.ContainsFunc(terms.Words(strings.Join(append(items, d.Title), "\n")), func(t terms.Term) bool { return t.Class == terms.Code })
}

// twinOf returns the card that says what a draft says: by its title, or in nearly the same words.
func (s *Server) twinOf(ctx context.Context, d lessons.Draft) (*lessons.Card, error) {
	if twin, ok := s.titles().twin(d.Title, ""); ok {
		return twin, nil
	}
	card, _ := lessons.Parse("lessons/draft.md", d.Render())
	hits, err := s.search(ctx, told(card), nil, "", maxLessons)
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		if !h.Card.Kind.IsCard() || h.Card.Status == lessons.Archived {
			continue
		}
		if other, err := s.read(h.Card.Path); err == nil && life.Same(card, other) {
			return &other, nil
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

// titles holds the cards that a person still has in use, by the key of their titles, each
// list in order and those in quarantine last.
type titles map[string][]*lessons.Card

func (s *Server) titles() titles {
	t := titles{}
	for _, quarantined := range []bool{false, true} {
		for c := range s.idx.All() {
			if c.Status != lessons.Archived && (c.Status == lessons.Quarantined) == quarantined {
				key := c.Key()
				t[key] = append(t[key], c)
			}
		}
	}
	return t
}

// twin returns another card with the same key as title, else one whose title has nearly the same words.
func (t titles) twin(title, except string) (*lessons.Card, bool) {
	for _, c := range t[lessons.Card{Title: title}.Key()] {
		if c.Path != except {
			return c, true
		}
	}
	var best *lessons.Card
	for _, list := range t {
		for _, c := range list {
			if c.Path != except && lessons.SameTitle(title, c.Title) && (best == nil || c.Path < best.Path) {
				best = c
			}
		}
	}
	return best, best != nil
}

// saysTheSame tells of a new lesson that a card says the same.
func saysTheSame(c *lessons.Card) Created {
	return Created{Path: c.Path, DuplicateOf: c.Path, Quarantined: reasonOf(*c)}
}
