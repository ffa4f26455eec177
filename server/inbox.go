package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handrail/lessons"
	"handrail/lessons/journal"
	"handrail/server/ledger"
	"handrail/triggers"
	"handrail/triggers/leaks"
)

const (
	// candidateLife is how long a candidate waits: who has not answered for a month is not
	// going to. The journal keeps all of it.
	candidateLife = 30 * 24 * time.Hour
	// maxCandidates bounds how many wait; beyond it the oldest go to the journal, since
	// nobody answers a hundred.
	maxCandidates = 100
	// maxEvidence and maxSituation bound what candidates that were joined hold.
	maxEvidence  = 12
	maxSituation = 4000
	// minPrefix is how many characters of a candidate's id name it.
	minPrefix = 4
)

// joins reports whether c tells once more of what another candidate of the conversation asks
// already: a person is not asked twice.
func (c Candidate) joins(other Candidate) bool {
	switch {
	case c.Trigger != other.Trigger || c.SessionID != other.SessionID:
		return false
	case c.Trigger == string(triggers.RolledBack): // one after the other, of the same work
		return c.At.Sub(other.At).Abs() < joinWithin && slices.ContainsFunc(c.Files, func(f string) bool { return slices.Contains(other.Files, f) })
	}
	return c.SessionID != "" && lessons.Card{Title: c.Title}.Key() == lessons.Card{Title: other.Title}.Key()
}

// joinWithin is within what time two rollbacks of the same files are one.
const joinWithin = time.Minute

// join adds what another candidate saw.
func (c *Candidate) join(other Candidate) {
	c.Times = max(c.Times, 1) + 1
	c.At, c.Similar = other.At, other.Similar
	c.Evidence = slices.Clone(c.Evidence)
	for _, e := range other.Evidence {
		if len(c.Evidence) < maxEvidence && !slices.Contains(c.Evidence, e) {
			c.Evidence = append(c.Evidence, e)
		}
	}
	for _, r := range other.Rules {
		if !slices.Contains(c.Rules, r) {
			c.Rules = append(slices.Clone(c.Rules), r)
		}
	}
	for _, f := range other.Files {
		if !slices.Contains(c.Files, f) {
			c.Files = append(slices.Clone(c.Files), f)
		}
	}
	for _, text := range []struct {
		into *string
		more string
	}{{&c.Situation, other.Situation}, {&c.Mistake, other.Mistake}, {&c.Fix, other.Fix}} {
		if !strings.Contains(*text.into, text.more) && len(*text.into)+len(text.more) < maxSituation {
			*text.into = strings.TrimSpace(*text.into + "\n\n" + text.more)
		}
	}
}

// sweep takes off the list what has waited too long, and the oldest beyond the bound. What
// cannot be noted in the journal stays.
func (s *Server) sweep() {
	now := s.now()
	s.candidateMu.Lock()
	over := len(s.candidates) - maxCandidates
	var gone []string
	for i, c := range s.candidates {
		why := ""
		switch {
		case now.Sub(c.At) > candidateLife:
			why = "nobody answered for 30 days"
		case i < over:
			why = fmt.Sprintf("more than %d waited", maxCandidates)
		default:
			continue
		}
		if err := s.note(c, "expire", why, ""); err != nil {
			s.log.Warn("a candidate stays, for it cannot be kept in the journal", "candidate", c.ID, "err", err)
			continue
		}
		gone = append(gone, c.ID)
		s.state.candidates.Delete(c.ID)
	}
	s.candidates = slices.DeleteFunc(s.candidates, func(c Candidate) bool { return slices.Contains(gone, c.ID) })
	s.candidateMu.Unlock()
	if len(gone) > 0 {
		s.tellChanged(Changed{Candidates: true})
	}
}

// note puts into the journal what became of a candidate, with all of it.
func (s *Server) note(c Candidate, verb, why, made string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("note %s: %w", c.ID, err)
	}
	return s.journal.Note(journal.Row{At: s.now(), Verb: verb, Why: why, Origin: c.Origin, Made: made, Note: c.ID}, text)
}

// present returns those of some files, as cards name them, that there are.
func (s *Server) present(files []string) []string {
	var out []string
	for _, f := range files {
		if _, err := os.Lstat(s.fileOf(f)); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// fileOf is the way back from projectPath.
func (s *Server) fileOf(name string) string {
	if path := filepath.FromSlash(name); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(s.brain.Root()), filepath.FromSlash(name))
}

// forgetGone clears what candidates say of cards that are not there any more.
func (s *Server) forgetGone(list []Candidate) {
	for i, c := range list {
		if c.Similar == "" {
			continue
		}
		if _, err := s.brain.Lstat(c.Similar); err != nil {
			list[i].Similar = ""
		}
	}
}

// revalidate looks again at what a candidate rests on. It returns the card that has come to
// say the same since the candidate arose.
func (s *Server) revalidate(ctx context.Context, c Candidate, r CreateRequest) (twin *lessons.Card, err error) {
	if len(c.Files) > 0 && !r.Fields.AllowGone && len(s.present(c.Files)) == 0 {
		return nil, fmt.Errorf("record %q: %w", c.ID, &lessons.PathError{Path: c.Files[0], Err: ErrStale})
	}
	if held := s.secretsIn(r); len(held) > 0 {
		return nil, &WeakError{Problems: held}
	}
	if !r.Fields.AllowTwins {
		if path, ok := s.idx.Similar(ctx, c.Title, c.Situation+"\n"+c.Mistake); ok && path != c.Similar {
			for card := range s.idx.All() {
				if card.Path == path {
					return card, nil
				}
			}
		}
	}
	return nil, nil
}

// secretsIn names the fields that hold what looks like a secret. What a candidate saw had
// them taken out when it arose; a person may paste one all the same.
func (s *Server) secretsIn(r CreateRequest) []lessons.Problem {
	f := r.Fields
	var out []lessons.Problem
	for _, field := range []struct{ name, text string }{
		{"title", r.Title},
		{"situation", r.Situation},
		{"mistake", f.Mistake},
		{"rootCause", f.RootCause},
		{"fix", f.Fix},
		{"checklist", strings.Join(f.Checklist, "\n")},
		{"appliesTo", f.AppliesTo},
	} {
		if field.text != "" && leaks.Found(field.text) {
			out = append(out, lessons.Problem{Code: lessons.HoldsSecret, Severity: lessons.Error, Args: []string{field.name}})
		}
	}
	return out
}

// Inbox is all that waits for a person's word.
type Inbox struct {
	Waiting    int         `json:"waiting"`    // candidates and drafts together
	Candidates []Candidate `json:"candidates"` // oldest first
	Drafts     []Draft     `json:"drafts"`     // cards that are not finished, never injected
	Muted      []Muted     `json:"muted"`      // patterns that are never asked about
	Never      []Never     `json:"never"`      // requests that cards are kept from
}

// Draft is an unfinished card and what it came from.
type Draft struct {
	Path     string   `json:"path"`
	Title    string   `json:"title"`
	Trigger  string   `json:"trigger,omitempty"` // of the candidate it was; absent: an agent or a person wrote it
	Evidence []string `json:"evidence"`
	Origin   string   `json:"origin,omitempty"` // answer id of the turn it comes from
	Weak     []string `json:"weak"`             // codes of what it lacks to become active
}

// Muted is a pattern that a person never wants to be asked about again.
type Muted struct {
	Pattern triggers.Pattern `json:"pattern"`
	Title   string           `json:"title"` // of the candidate that it was said about
	At      time.Time        `json:"at"`
}

// Inbox returns what waits: candidates, drafts with their evidence, and what is never asked
// about.
func (s *Server) Inbox(ctx context.Context) (Inbox, error) {
	out := Inbox{Candidates: s.Candidates(), Drafts: []Draft{}, Muted: s.muted(), Never: []Never{}}
	for _, n := range s.state.Nevers() {
		out.Never = append(out.Never, n.Never)
	}
	cards, err := s.Cards(ctx, CardFilter{Status: lessons.Drafted})
	if err != nil {
		return Inbox{}, err
	}
	past, err := s.past(0, func(n journal.Row) bool {
		return n.Verb == "record" && slices.ContainsFunc(cards, func(c Card) bool { return c.Path == n.Made })
	})
	if err != nil {
		return Inbox{}, err
	}
	for _, c := range cards {
		full, err := s.read(c.Path)
		if err != nil {
			continue // deleted a moment ago
		}
		d := Draft{Path: c.Path, Title: c.Title, Evidence: []string{}, Weak: []string{}}
		for _, p := range full.BelowBar() {
			d.Weak = append(d.Weak, string(p.Code))
		}
		if i := slices.IndexFunc(past, func(p Past) bool { return p.Made == c.Path }); i >= 0 {
			from := past[i].Candidate
			d.Trigger, d.Evidence, d.Origin = from.Trigger, orEmpty(from.Evidence), from.Origin
		} else if text, _ := full.Section(lessons.Situation); strings.TrimSpace(text) != "" {
			d.Evidence = append(d.Evidence, excerpt(text, nil, excerptChars))
		}
		out.Drafts = append(out.Drafts, d)
	}
	out.Waiting = len(out.Candidates) + len(out.Drafts)
	return out, nil
}

func (s *Server) muted() []Muted {
	return s.state.muted.All(func(a, b Muted) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Pattern.Key, b.Pattern.Key))
	})
}

// PastRequest selects what became of candidates.
type PastRequest struct {
	Limit int `json:"limit,omitempty"` // most of them; all when absent
}

// Past is what became of a candidate.
type Past struct {
	At        time.Time `json:"at"`
	Verb      string    `json:"verb"`           // record, bump, dismiss, mute, expire, reopen
	Why       string    `json:"why,omitempty"`  // of expire
	Made      string    `json:"made,omitempty"` // path of the card that it became or was added to
	Candidate Candidate `json:"candidate"`
}

// Past returns what became of candidates, the last first.
func (s *Server) Past(_ context.Context, r PastRequest) ([]Past, error) {
	return s.past(r.Limit, func(journal.Row) bool { return true })
}

// past returns those of the journal's notes on candidates that are wanted, the last first and
// at most limit of them unless that is 0. The text of each is a file of its own.
func (s *Server) past(limit int, wanted func(journal.Row) bool) ([]Past, error) {
	notes, err := s.journal.Notes()
	if err != nil {
		return nil, fmt.Errorf("past candidates: %w", err)
	}
	out := []Past{}
	for _, n := range slices.Backward(notes) {
		if !wanted(n) {
			continue
		}
		p := Past{At: n.At, Verb: n.Verb, Why: n.Why, Made: n.Made}
		text, err := s.journal.Kept(n.Before)
		if err == nil {
			err = json.Unmarshal(text, &p.Candidate)
		}
		if err != nil {
			s.log.Warn("a candidate of the journal cannot be read", "candidate", n.Note, "err", err)
			p.Candidate = Candidate{ID: n.Note, Evidence: []string{}}
		}
		out = append(out, p)
		if limit > 0 && len(out) == limit {
			break
		}
	}
	return out, nil
}

// reopen puts a candidate that was dismissed or has expired back on the list, for another 30
// days. One that became a card does not come back: undo takes the card back.
func (s *Server) reopen(id string) (Candidate, error) {
	past, err := s.past(0, func(n journal.Row) bool { return strings.HasPrefix(n.Note, id) })
	if err != nil {
		return Candidate{}, err
	}
	i, err := named(past, id, func(p Past) string { return p.Candidate.ID })
	if err != nil {
		return Candidate{}, fmt.Errorf("reopen: %w", err)
	}
	c := past[i].Candidate
	if c.Title == "" {
		return Candidate{}, fmt.Errorf("reopen %q: %w", id, ErrUnknownCandidate)
	}
	c.At = s.now()
	s.candidateMu.Lock()
	waits := s.candidateAt(c.ID) >= 0
	if !waits {
		s.candidates = append(s.candidates, c)
	}
	s.candidateMu.Unlock()
	if waits {
		return c, nil
	}
	if err := s.note(c, "reopen", "", ""); err != nil {
		s.log.Warn("not in the journal", "candidate", c.ID, "err", err)
	}
	s.state.candidates.Put(c.ID, c)
	s.state.dismissed.Delete(c.ID)
	s.tellChanged(Changed{Candidates: true})
	return c, nil
}

// named returns the position of the first that has an id, or whose id alone begins so.
func named[T any](list []T, id string, of func(T) string) (int, error) {
	at := -1
	for i, v := range list {
		switch have := of(v); {
		case have == id:
			return i, nil
		case len(id) < minPrefix || !strings.HasPrefix(have, id) || at >= 0 && of(list[at]) == have:
		case at >= 0:
			return -1, fmt.Errorf("%q names several: %w", id, ErrUnknownCandidate)
		default:
			at = i
		}
	}
	if at < 0 {
		return -1, fmt.Errorf("%q: %w", id, ErrUnknownCandidate)
	}
	return at, nil
}

// mute settles a candidate and every other of its pattern, which is never asked about again.
func (s *Server) mute(c Candidate) {
	s.state.muted.Put(c.Pattern.Key, Muted{Pattern: c.Pattern, Title: c.Title, At: s.now()})
	s.settleCandidate(c.ID, "mute", "")
	for _, other := range s.Candidates() {
		if other.Pattern.Key == c.Pattern.Key {
			s.settleCandidate(other.ID, "mute", "")
		}
	}
}

func (s *Server) unmute(id string) error {
	if rows := s.state.Nevers(); len(rows) > 0 {
		if i, err := named(rows, id, func(n ledger.NeverRow) string { return n.ID }); err == nil {
			return s.takeBackNever(rows[i])
		}
	}
	list := s.muted()
	i, err := named(list, id, func(m Muted) string { return m.Pattern.Key })
	if err != nil {
		return fmt.Errorf("unmute: %w", err)
	}
	s.state.muted.Delete(list[i].Pattern.Key)
	s.tellChanged(Changed{Candidates: true})
	return nil
}
