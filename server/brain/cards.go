package brain

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/postcheck/check"
	"github.com/handrail-dev/handrail/triggers"
)

// Read returns a card with its sections as the file stands now.
func (s *Base) Read(rel string) (lessons.Card, error) {
	src, err := s.Files.Read(rel)
	if err != nil {
		return lessons.Card{}, err
	}
	card := lessons.ParseCard(rel, src)
	s.Outdate(&card)
	return card, nil
}

// NewestFirst compares cards by the day they were last seen, then by how often, then by path.
func NewestFirst(a, b *lessons.Card) int {
	return cmp.Or(
		-a.LastSeen.Compare(b.LastSeen),
		-cmp.Compare(a.Occurrences, b.Occurrences),
		strings.Compare(a.Path, b.Path),
	)
}

// CardOf returns a card as lists show it.
func CardOf(c lessons.Card) Card {
	items := make([]CardItem, len(c.Items))
	for i, it := range c.Items {
		items[i] = CardItem{Text: it.Text, Line: it.Line}
	}
	return Card{
		Path: c.Path, Title: c.Title, Kind: c.Kind, Tags: OrEmpty(c.Tags), Paths: OrEmpty(c.Paths), Project: c.Project,
		Severity: c.Severity, Source: c.Source, Occurrences: c.Occurrences, LastSeen: c.LastSeen.String(),
		Status: c.Status, ArchivedAt: c.ArchivedAt.String(), Verified: c.Verified, Quarantine: c.Quarantine, Broken: c.Broken, Items: items,
	}
}

// CardAt returns the card at a path from outside: one of this brain, and no note.
func (s *Base) CardAt(path string) (lessons.Card, error) {
	rel, err := s.Files.Rel(path)
	if err != nil {
		return lessons.Card{}, err
	}
	c, err := s.Read(rel)
	if err == nil && !c.Kind.IsCard() {
		err = fmt.Errorf("%w: %w", &lessons.PathError{Path: rel}, ErrNotACard)
	}
	return c, err
}

// titles holds the cards that a person still has in use, by the key of their titles, each
// list in order and those in quarantine last.
type titles map[string][]*lessons.Card

// Titles returns the cards in use by their titles.
func (s *Base) Titles() titles {
	t := titles{}
	for _, quarantined := range []bool{false, true} {
		for _, c := range s.Index.Heads() {
			if c.Status != lessons.Archived && (c.Status == lessons.Quarantined) == quarantined {
				key := c.Key()
				t[key] = append(t[key], c)
			}
		}
	}
	return t
}

// Twin returns another card with the same key as title, else one whose title has nearly the same words, and is in
// quarantine only where no other has.
func (t titles) Twin(title, except string) (*lessons.Card, bool) {
	for _, c := range t[lessons.Card{Title: title}.Key()] {
		if c.Path != except {
			return c, true
		}
	}
	var best *lessons.Card
	order := func(c *lessons.Card) string { return ReasonOf(*c) + "\x00" + c.Path }
	for _, list := range t {
		for _, c := range list {
			if c.Path != except && lessons.SameTitle(title, c.Title) && (best == nil || order(c) < order(best)) {
				best = c
			}
		}
	}
	return best, best != nil
}

// FullText returns what a card or note says, and before it the sentences of other frontmatter
// keys, by which it may have been found.
func FullText(c lessons.Card) string {
	if c.Extra == "" {
		return c.Told()
	}
	return c.Extra + "\n" + c.Told()
}

// Present returns those of some files, as cards name them, that there are.
func (s *Base) Present(files []string) []string {
	var out []string
	for _, f := range files {
		path := find.Absolute(filepath.Dir(s.Files.Root()), filepath.FromSlash(f)) // the way back from ProjectPath
		if _, err := os.Lstat(path); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// Candidates returns the lessons that wait for a person's word, oldest first.
func (s *Base) Candidates() []Candidate { return s.Reasoned(s.Proposals.Waiting()) }

const (
	// MaxLessons is how many lessons a block holds.
	MaxLessons = 3
	// MaxBaseline is how many cards that come with every request are in one block.
	MaxBaseline = 4
	// MaxCommand is how much of a command is read, in bytes.
	MaxCommand = 2000
	// MaxQuery is how much of a query is read, in bytes. Beyond it the words that matter have long been seen.
	MaxQuery = 64 << 10
)

// IsBaseline reports whether a card comes with every request, once it is active.
func IsBaseline(c lessons.Card) bool {
	return c.Severity == lessons.High && (c.Kind == lessons.Policy || c.Kind == lessons.Architecture || c.Kind == lessons.Preference)
}

// TextNow returns what a card or note says as the file stands now, "" when it is gone.
func (s *Base) TextNow(c lessons.Card) string {
	card, err := s.Read(c.Path)
	if err != nil {
		s.Logger.Warn("no excerpt", "file", c.Path, "err", err)
		return ""
	}
	return FullText(card)
}

// ReasonOf returns why a card is in quarantine, "" for one that is not.
func ReasonOf(c lessons.Card) string {
	if c.Status != lessons.Quarantined {
		return ""
	}
	return cmp.Or(c.Quarantine, "?") // somebody wrote the status by hand
}

// Reasoned says of candidates whose like is in quarantine why, and forgets a like that is gone. It is looked up each time,
// since a person may lift it while they wait.
func (s *Base) Reasoned(list []Candidate) []Candidate {
	for i := range list {
		c := &list[i]
		c.Quarantined = ""
		if c.Similar == "" {
			continue
		}
		if card, err := s.Read(c.Similar); err != nil {
			c.Similar = ""
		} else {
			c.Quarantined = ReasonOf(card)
		}
	}
	return list
}

// Mine reports whether this is the person's own brain, which stands behind those of all projects.
func (s *Base) Mine() bool { return find.IsMine(s.Files.Root()) }

// ProjectPath returns a file's slash path relative to the folder that holds the brain, which is what the globs of a
// card's paths are written against. A file of a linked worktree has the path of its like in the main one. In the
// person's own brain, which stands behind all projects, a path is relative to the file's repository.
func (s *Base) ProjectPath(file string) string {
	project := filepath.Dir(s.Files.Root())
	if s.Mine() {
		if top, ok := find.Repository(filepath.Dir(file)); ok {
			project = top
		}
	}
	for _, place := range []func(string) string{filepath.Clean, find.InMain} {
		if rel, err := filepath.Rel(project, place(file)); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(file)
}

// RelFiles turns absolute paths into the forms a card's paths globs are written
// against: relative to the folder that holds the brain.
func (s *Base) RelFiles(files []string) []string {
	var out []string
	for _, f := range files {
		out = append(out, s.ProjectPath(f))
	}
	return out
}

// itemCheck is the check that an item of a card carries.
type itemCheck struct {
	Item     lessons.Item
	Check    check.Check
	Problems []lessons.Problem // by their lines in the card
}

// ChecksOf reads the checks of a card.
func ChecksOf(c lessons.Card) []itemCheck {
	var out []itemCheck
	for _, it := range c.Items {
		if it.CheckLine == 0 {
			continue
		}
		x := itemCheck{Item: it}
		x.Check, x.Problems = check.Parse(it.Check)
		for i := range x.Problems {
			x.Problems[i].Line += it.CheckLine - 1
		}
		out = append(out, x)
	}
	return out
}

// AddedBy returns the lines that a change adds.
func AddedBy(c triggers.Change) []check.Line {
	out := make([]check.Line, len(c.Added))
	for i, l := range c.Added {
		out[i].Text = l
		if i < len(c.Lines) {
			out[i].N = c.Lines[i]
		}
	}
	return out
}

// MaxGuardItem bounds what a reason quotes of an item, in bytes.
const MaxGuardItem = 300
