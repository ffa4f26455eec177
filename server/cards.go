package server

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/lessons/journal"
	"handrail/lessons/life"
	"handrail/lessons/terms"
)

// Cards returns the cards that filter selects, those seen last first. An unknown scope,
// kind, status or source is a *RequestError that names the allowed ones.
func (s *deskRoom) Cards(_ context.Context, f CardFilter) ([]Card, error) {
	since, err := s.since(f.Scope)
	if err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(terms.Normalize(f.Query)))
	cards := slices.Clone(s.idx.Heads())
	slices.SortStableFunc(cards, func(a, b *lessons.Card) int { return newestFirst(*a, *b) })
	holds := func(lessons.Card) bool { return true }
	if f.File != "" {
		files, project, broken := s.relFiles([]string{f.File}), find.Project(filepath.Dir(f.File)), s.brokenIn(f.File)
		holds = func(c lessons.Card) bool {
			_, ok := lessons.MatchPaths(c.Paths, files)
			return (ok || broken[c.Path]) && (c.Project == "" || strings.EqualFold(c.Project, project))
		}
	}
	out, today := []Card{}, lessons.DateOf(s.now())
	for _, head := range cards {
		c := *head
		switch {
		case f.Kind != "" && c.Kind != f.Kind,
			f.Status != "" && c.Status != f.Status,
			f.Source != "" && c.Source != f.Source,
			f.Project != "" && !strings.EqualFold(c.Project, f.Project),
			!since.IsZero() && (c.LastSeen.IsZero() || c.LastSeen.Time(since.Location()).Before(since)),
			!hasWords(c, words),
			!holds(c):
			continue
		}
		row, use := card(c), s.state.Record(c.Path)
		row.Served, row.Stale = use.Served, life.Aged(c, use, today) != ""
		if !s.trust.Approved(&c) {
			row.Waits = s.trust.Waits(&c)
		}
		out = append(out, row)
		if f.Limit > 0 && len(out) == f.Limit {
			break
		}
	}
	return out, nil
}

// Unread returns the cards that Cards leaves out because their files are too large or cannot be
// read, by path: what is known of them is what their paths say.
func (s *deskRoom) Unread() []Card {
	var out []Card
	for _, rel := range s.idx.Unread() {
		if c, _ := lessons.Parse(rel, nil); c.Kind.IsCard() {
			c.Broken = true
			out = append(out, card(c))
		}
	}
	return out
}

// since returns the first instant of a scope, zero for all time. A date in the future
// counts as today: someone's clock is ahead.
func (s *deskRoom) since(scope Scope) (time.Time, error) {
	now := s.now()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch scope {
	case "", All:
		return time.Time{}, nil
	case Today:
		return midnight, nil
	case Week:
		return midnight.AddDate(0, 0, -7), nil
	}
	return time.Time{}, &RequestError{Field: "scope", Value: string(scope), Allowed: []string{string(Today), string(Week), string(All)}}
}

func (f CardFilter) check() error {
	if err := oneOf("kind", f.Kind, lessons.Kinds()); err != nil {
		return err
	}
	if err := oneOf("status", f.Status, lessons.Statuses()); err != nil && f.Status != lessons.Conflicted {
		return err
	}
	return oneOf("source", f.Source, lessons.Sources())
}

func oneOf[T ~string](field string, v T, allowed []T) error {
	if v == "" || slices.Contains(allowed, v) {
		return nil
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	return &RequestError{Field: field, Value: string(v), Allowed: names}
}

func hasWords(c lessons.Card, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(terms.Normalize(strings.Join(append([]string{c.Title, c.Project, c.Path}, c.Tags...), "\n")))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func newestFirst(a, b lessons.Card) int {
	return cmp.Or(
		-a.LastSeen.Compare(b.LastSeen),
		-cmp.Compare(a.Occurrences, b.Occurrences),
		strings.Compare(a.Path, b.Path),
	)
}

func card(c lessons.Card) Card {
	items := make([]CardItem, len(c.Items))
	for i, it := range c.Items {
		items[i] = CardItem{Text: it.Text, Line: it.Line}
	}
	return Card{
		Path: c.Path, Title: c.Title, Kind: c.Kind, Tags: orEmpty(c.Tags), Paths: orEmpty(c.Paths), Project: c.Project,
		Severity: c.Severity, Source: c.Source, Occurrences: c.Occurrences, LastSeen: c.LastSeen.String(),
		Status: c.Status, ArchivedAt: c.ArchivedAt.String(), Verified: c.Verified, Quarantine: c.Quarantine, Broken: c.Broken, Items: items,
	}
}

// Bump notes that a card's mistake was seen again: occurrences + 1, last-seen today.
// A candidate that was answered this way leaves the list.
// A card in quarantine is left as it is: ErrQuarantined.
func (s *deskRoom) Bump(_ context.Context, path, candidateID string) (Card, error) {
	today := lessons.DateOf(s.now())
	c, err := s.edit("bump", "bump", path, func(src []byte) ([]byte, error) {
		if err := takesUp(src); err != nil {
			return nil, err
		}
		return lessons.Bump(src, today)
	})
	if err == nil && candidateID != "" {
		s.inbox.Settle(candidateID, "bump", c.Path)
	}
	return c, err
}

// SetStatus archives or restores (Active) a card. A draft that is to be active must clear the quality bar
// (*WeakError), as in Promote. Quarantine needs a reason and has a method of its own.
func (s *deskRoom) SetStatus(_ context.Context, path string, status lessons.Status) (Card, error) {
	if err := oneOf("status", status, slices.Sorted(maps.Keys(verbs))); err != nil {
		return Card{}, err
	}
	today := lessons.DateOf(s.now())
	return s.edit(verbs[status], "set the status of", path, func(src []byte) ([]byte, error) {
		c, _ := lessons.Parse(path, src)
		if weak := c.Weaknesses(); c.Status == lessons.Drafted && status == lessons.Active && len(weak) > 0 {
			return nil, &WeakError{Problems: weak}
		}
		return lessons.SetStatus(src, status, today)
	})
}

// verbs says how the journal calls it that a card gets a status.
var verbs = map[lessons.Status]string{
	lessons.Active: "restore", lessons.Archived: "archive", lessons.Drafted: "draft",
}

// act begins something that is done to cards, for the journal.
func (s *Base) act(verb string) *journal.Act {
	a := s.journal.Begin(s.brain, verb, s.now())
	a.Log = s.log
	return a
}

// do carries an act out and waits until what it changed is searchable.
func (s *Base) do(act *journal.Act, plan func() error) error {
	err := act.Do(plan)
	if err != nil {
		s.takeBack(act.Name())
	} else if act.Unlogged {
		s.unlogged.Store(true)
	}
	if changed := act.Paths(); len(changed) > 0 {
		s.wrote(changed...)
	}
	return err
}

// Unlogged reports, once, that a change of a card since the last call is not in the journal, so
// that undo does not know of it.
func (s *Base) Unlogged() bool { return s.unlogged.Swap(false) }

func (s *Base) edit(act, verb, path string, change func([]byte) ([]byte, error)) (Card, error) {
	return s.carryOut(s.act(act), verb, path, change)
}

func (s *Base) carryOut(act *journal.Act, verb, path string, change func([]byte) ([]byte, error)) (Card, error) {
	rel, err := s.cardPath(path)
	if err != nil {
		return Card{}, fmt.Errorf("%s %s: %w", verb, path, err)
	}
	if err := s.do(act, func() error { return act.Edit(rel, change) }); err != nil {
		return Card{}, fmt.Errorf("%s: %w", verb, &lessons.PathError{Path: rel, Err: err})
	}
	c, err := s.read(rel)
	if err != nil {
		return Card{}, fmt.Errorf("%s %s: %w", verb, rel, err)
	}
	return card(c), nil
}

// Delete moves a card to the brain's trash; Undo brings it back.
func (s *deskRoom) Delete(_ context.Context, path string) (Card, error) {
	rel, err := s.cardPath(path)
	if err != nil {
		return Card{}, fmt.Errorf("delete %s: %w", path, err)
	}
	c, err := s.read(rel)
	if err != nil {
		return Card{}, fmt.Errorf("delete %s: %w", rel, err)
	}
	act := s.act("delete")
	if err := s.do(act, func() error { return act.Trash(rel) }); err != nil {
		return Card{}, fmt.Errorf("delete %s: %w", rel, err)
	}
	return card(c), nil
}

// cardPath checks a path from outside: a card of this brain, not a note.
func (s *Base) cardPath(path string) (string, error) {
	rel, err := s.brain.Rel(path)
	if err != nil {
		return "", err
	}
	c, err := s.read(rel)
	if err != nil {
		return "", err
	}
	if !c.Kind.IsCard() {
		return "", fmt.Errorf("%w: %w", &lessons.PathError{Path: rel}, ErrNotACard)
	}
	return rel, nil
}

// Diagnose returns the problems of an open document: what the parser saw and, for a
// card, checks that do not run and another card with the same title key. path is relative
// to the brain.
func (s *deskRoom) Diagnose(path string, src []byte) []lessons.Problem {
	return s.Diagnoser()(path, src)
}

// Diagnoser returns a function that does as Diagnose does, for many files: it holds them
// against the titles as they stand now, which are gathered once.
func (s *deskRoom) Diagnoser() func(path string, src []byte) []lessons.Problem {
	titles := s.titles()
	return func(path string, src []byte) []lessons.Problem {
		c, problems := lessons.Parse(path, src)
		if c.Kind.IsCard() {
			problems = append(problems, Suspects(src)...)
			if c.Status == lessons.Conflicted {
				return problems
			}
			speaks := false
			for _, x := range checksOf(c) {
				problems = append(problems, x.problems...)
				speaks = speaks || x.check.Runs() && x.check.Forbids()
			}
			if c.Guard != "" && !speaks {
				problems = append(problems, lessons.Problem{Code: IdleGuard, Severity: lessons.Warning, Line: 1})
			}
			if twin, ok := titles.twin(c.Title, path); ok {
				p := lessons.Problem{Code: DuplicateTitle, Severity: lessons.Warning, Args: []string{twin.Path}}
				if twin.Status == lessons.Quarantined {
					p.Code, p.Args = QuarantinedTitle, append(p.Args, reasonOf(*twin))
				}
				problems = append(problems, p)
			}
			if c.Status == lessons.Drafted {
				problems = append(problems, lessons.Problem{Code: StillDraft, Severity: lessons.Info, Line: 1})
			}
		}
		return problems
	}
}

// projectPath returns a file's slash path relative to the folder that holds the brain,
// which is what the globs of a card's paths are written against. A file of a linked
// worktree has the path of its like in the main one.
func (s *Base) projectPath(file string) string {
	project := filepath.Dir(s.brain.Root())
	for _, place := range []func(string) string{filepath.Clean, find.InMain} {
		if rel, err := filepath.Rel(project, place(file)); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(file)
}
