package server

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
	"sync"
	"time"

	"github.com/adrg/xdg"

	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/lessons/git"
	"handrail/server/ledger"
	"handrail/server/trust"
)

// ErrUntrusted says that others wrote cards of the brain, and that the person was not asked
// about it yet, or said no.
var ErrUntrusted = errors.New("the brain is not trusted")

// keeper is what a Server knows of the trust in its brain.
type keeper struct {
	*trust.Book
	wake chan struct{} // holds one: files changed since the last look

	mu     sync.Mutex          // one look at history at a time; guards those below
	others []Written           // who wrote its files, where that is why it is not trusted
	mine   bool                // nobody else did, and some are not committed
	judged map[string]judgment // of texts that the record does not hold, by path
	log    string              // git's log of HEAD, which grows behind the files of a pull
	logged fs.FileInfo         // the log as it was at the last look
}

// judgment is whether a text is the person's own.
type judgment struct {
	sum string
	own bool
}

// Written says how many files of the brain somebody else wrote.
type Written struct {
	Author string `json:"author"` // as commits name them, with the address
	Files  int    `json:"files"`
}

// WaitReason says why a card needs more than the trust in its brain.
type WaitReason string

// The reasons.
const (
	WaitAlways  WaitReason = "always"  // it comes with every request
	WaitGuard   WaitReason = "guard"   // it may stop an action
	WaitChanged WaitReason = "changed" // the person wants to see every change
)

// Waiting is a card that speaks only once the person has approved its text.
type Waiting struct {
	Path   string     `json:"path"`
	Title  string     `json:"title"`
	Author string     `json:"author,omitempty"` // of its last commit
	Reason WaitReason `json:"reason"`
	Before string     `json:"before,omitempty"` // the text that was approved before
	Now    string     `json:"now"`
}

// Trust says whether the cards of a brain come without being asked for, and which wait.
type Trust struct {
	Trusted bool         `json:"trusted"`
	Ground  trust.Ground `json:"ground,omitempty"` // made, own, agreed or revoked
	Others  []Written    `json:"others"`           // most files first
	Waiting []Waiting    `json:"waiting"`          // by path
	Paused  time.Time    `json:"paused,omitzero"`  // until when no card comes, whoever wrote it
}

// stateDir returns the folder of what is kept of a brain.
func stateDir(parent, root string) string {
	return filepath.Join(orDefault(parent, filepath.Join(xdg.StateHome, "handrail")), brainID(root))
}

// MakeBrain creates a brain's folder where there is none, and trusts what it made.
func MakeBrain(dir string) error {
	_, err := os.Stat(dir)
	made := errors.Is(err, fs.ErrNotExist)
	if err := lessons.MakeBrain(dir); err != nil || !made {
		return err
	}
	b, err := lessons.OpenBrain(dir)
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // nothing was written
	return trust.Open(stateDir("", b.Root())).Update(func(r *trust.Record) { r.Brain, r.Ground = b.Root(), trust.Made })
}

// TrustedBrains returns what is remembered of the brains of this machine, by folder.
func TrustedBrains() ([]trust.Record, error) {
	list, err := trust.All(filepath.Join(xdg.StateHome, "handrail"))
	slices.SortFunc(list, func(a, b trust.Record) int { return strings.Compare(a.Brain, b.Brain) })
	return list, err
}

// Trusted reports whether the brain's cards may come to agents without being asked for. A
// brain that was made here, one outside git, and one of which the person wrote every file
// need no word. It asks git once.
func (s *Server) Trusted(ctx context.Context) bool {
	switch s.trust.Get().Ground {
	case trust.Made, trust.Own, trust.Agreed:
		return true
	case trust.Revoked:
		return false
	case trust.Unknown:
	}
	if !s.inRepository() {
		return true
	}
	s.trust.mu.Lock()
	defer s.trust.mu.Unlock()
	s.forgetMoved()
	if s.trust.others != nil || s.trust.mine {
		return s.trust.mine
	}
	others, committed, err := s.writtenByOthers(ctx)
	if err != nil {
		s.log.Warn("nobody knows who wrote the cards", "brain", s.brain.Root(), "err", err)
		if ctx.Err() == nil {
			s.trust.others = []Written{}
		}
		return false
	}
	if len(others) > 0 {
		s.trust.others = others
		return false
	}
	if s.trust.mine = true; committed {
		s.keepTrust(func(r *trust.Record) { r.Ground = trust.Own })
	}
	return true
}

// forgetMoved forgets what history said where it went on since. A pull writes files before it
// moves HEAD: until then they look as if they were the person's. The caller holds trust.mu.
func (s *Server) forgetMoved() {
	if s.trust.log == "" {
		name, err := git.Output(s.ctx, s.brain.Root(), "rev-parse", "--git-path", "logs/HEAD")
		if err != nil {
			name = ".git/logs/HEAD" // no git: nobody asks it
		}
		if s.trust.log = strings.TrimSuffix(name, "\n"); !filepath.IsAbs(s.trust.log) {
			s.trust.log = filepath.Join(s.brain.Root(), s.trust.log)
		}
	}
	now, err := os.Stat(s.trust.log)
	if was := s.trust.logged; err == nil && (was == nil || was.Size() != now.Size() || !was.ModTime().Equal(now.ModTime())) {
		s.trust.logged = now
		s.trust.forget()
	}
}

// forget has history asked anew.
func (k *keeper) forget() { k.others, k.mine, k.judged = nil, false, nil }

func (s *Server) inRepository() bool {
	_, ok := find.Repository(s.brain.Root())
	return ok
}

// keepTrust changes the record. Where it cannot be kept, the same question comes again.
func (s *Server) keepTrust(f func(*trust.Record)) {
	if err := s.setTrust(f); err != nil {
		s.log.Warn("trust not kept", "brain", s.brain.Root(), "err", err)
	}
}

func (s *Server) setTrust(f func(*trust.Record)) error {
	return s.trust.Update(func(r *trust.Record) {
		before := r.Ground
		f(r)
		if r.Brain = s.brain.Root(); r.Ground != before {
			r.At = s.now()
		}
	})
}

// writtenByOthers returns who else wrote files of the brain, most files first, and whether it has
// files and all are committed.
func (s *Server) writtenByOthers(ctx context.Context) (out []Written, committed bool, err error) {
	var files []string
	err = s.brain.Walk(ctx, func(rel string, _ fs.FileInfo) error { files = append(files, rel); return nil }, nil)
	if err != nil {
		return nil, false, fmt.Errorf("list the brain: %w", err)
	}
	authors, err := trust.Authors(ctx, s.brain.Root(), files)
	if err != nil {
		return nil, false, err
	}
	counts := map[string]int{}
	for _, a := range authors {
		if !a.Own {
			counts[a.String()]++
		}
	}
	for _, who := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, Written{who, counts[who]})
	}
	slices.SortStableFunc(out, func(a, b Written) int { return -cmp.Compare(a.Files, b.Files) })
	return out, len(files) > 0 && len(authors) == len(files), nil
}

// special returns why a card needs more than the trust in its brain, "" where it does not: it
// comes with every request, it may stop an action, or the person wants to see every change.
func (s *Server) special(c *lessons.Card) WaitReason {
	switch {
	case !c.Kind.IsCard() || c.Status != lessons.Active:
		return ""
	case c.Guard != "":
		return WaitGuard
	case isBaseline(*c):
		return WaitAlways
	case s.extras.on().Review:
		return WaitChanged
	}
	return ""
}

// approved reports whether trust lets a card come without being asked for: by its text as it
// stands now, where it needs more than the trust in its brain.
func (s *Server) approved(c *lessons.Card) bool {
	if s.special(c) == "" || !s.inRepository() {
		return true
	}
	src, err := s.brain.Read(c.Path)
	if err != nil {
		return false // gone a moment ago
	}
	sum := trust.Sum(src)
	if s.trust.Get().Texts[c.Path] == sum {
		return true
	}
	s.trust.mu.Lock()
	defer s.trust.mu.Unlock()
	if s.forgetMoved(); s.trust.judged[c.Path].sum != sum {
		s.judge(map[string][]byte{c.Path: src})
	}
	return s.trust.judged[c.Path] == judgment{sum, true}
}

// judge approves the texts that are the person's own, of some cards and of all others that were
// not looked at: one look at history costs as much as many. The caller holds trust.mu.
func (s *Server) judge(texts map[string][]byte) {
	known := s.trust.Get().Texts
	for c := range s.idx.All() {
		if texts[c.Path] != nil || s.special(c) == "" {
			continue
		}
		src, err := s.brain.Read(c.Path)
		if sum := trust.Sum(src); err == nil && known[c.Path] != sum && s.trust.judged[c.Path].sum != sum {
			texts[c.Path] = src
		}
	}
	authors, err := trust.Authors(s.ctx, s.brain.Root(), slices.Collect(maps.Keys(texts)))
	if err != nil {
		s.log.Warn("nobody knows who wrote the cards", "brain", s.brain.Root(), "err", err)
		return
	}
	if s.trust.judged == nil {
		s.trust.judged = map[string]judgment{}
	}
	for path, src := range texts {
		sum := trust.Sum(src)
		a, committed := authors[path]
		follows := s.followsApproved(path, sum)
		s.trust.judged[path] = judgment{sum, !committed || a.Own || follows}
		if !follows && (!a.Own || a.Blob != git.Blob(src)) { // what is not committed may be a pull's
			delete(texts, path)
		}
	}
	if len(texts) == 0 {
		return
	}
	if err := s.setApproved(texts); err != nil {
		s.log.Warn("an approved card is not remembered", "err", err)
	}
}

// followsApproved reports whether Handrail itself made a text of an approved one, as a person
// wanted: a counter, a status, an item.
func (s *Server) followsApproved(path, sum string) bool {
	approved := s.trust.Get().Texts[path]
	rows, err := s.journal.Rows()
	if err != nil || approved == "" {
		return false
	}
	for _, row := range slices.Backward(rows) {
		if row.Path == path && row.After == sum && !row.Failed && sum != approved {
			sum = row.Before
		}
	}
	return sum == approved
}

// setApproved lets texts speak, by path, and keeps them to show what changes.
func (s *Server) setApproved(texts map[string][]byte) error {
	for _, src := range texts {
		if _, err := s.journal.Keep(src); err != nil {
			s.log.Warn("the next change of a card will be shown without the text before", "err", err)
		}
	}
	return s.setTrust(func(r *trust.Record) {
		for path, src := range texts {
			r.Texts[path] = trust.Sum(src)
		}
	})
}

// Trust says who else wrote the brain's files, and which cards wait for an approval.
func (s *Server) Trust(ctx context.Context) (Trust, error) {
	out := Trust{Trusted: s.Trusted(ctx), Ground: s.trust.Get().Ground, Others: []Written{}, Waiting: []Waiting{}, Paused: s.Paused(ctx).Until}
	others, _, err := s.writtenByOthers(ctx)
	if err != nil {
		return Trust{}, fmt.Errorf("look who wrote the cards: %w", err)
	}
	out.Others = append(out.Others, others...)
	waiting := s.waiting()
	paths := make([]string, len(waiting))
	for i, c := range waiting {
		paths[i] = c.Path
	}
	authors, err := trust.Authors(ctx, s.brain.Root(), paths)
	if err != nil {
		return Trust{}, fmt.Errorf("look who wrote the cards: %w", err)
	}
	texts := s.trust.Get().Texts
	for _, c := range waiting {
		src, err := s.brain.Read(c.Path)
		if err != nil {
			continue // gone a moment ago
		}
		before, _ := s.journal.Kept(texts[c.Path]) // without it the whole card is new
		out.Waiting = append(out.Waiting, Waiting{Path: c.Path, Title: c.Title, Author: authors[c.Path].String(), Reason: s.special(&c), Before: string(before), Now: string(src)})
	}
	return out, nil
}

// waiting returns the cards that do not speak for want of an approval, by path.
func (s *Server) waiting() []lessons.Card {
	return slices.DeleteFunc(s.idx.Cards(), func(c lessons.Card) bool { return s.approved(&c) })
}

// Agree trusts the brain, and approves the cards that wait, as they stand now.
func (s *Server) Agree(ctx context.Context) error {
	if err := s.setTrust(func(r *trust.Record) { r.Ground = trust.Agreed }); err != nil {
		return err
	}
	var paths []string
	for _, c := range s.waiting() {
		paths = append(paths, c.Path)
	}
	return s.Approve(ctx, paths)
}

// Approve lets cards speak with the text that they have now.
func (s *Server) Approve(ctx context.Context, paths []string) error {
	texts := map[string][]byte{}
	for _, path := range paths {
		rel, err := s.cardPath(path)
		if err != nil {
			return fmt.Errorf("approve a card: %w", err)
		}
		if texts[rel], err = s.brain.Read(rel); err != nil {
			return fmt.Errorf("approve a card: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.setApproved(texts); err != nil {
		return err
	}
	s.tellChanged(Changed{Cards: true})
	return nil
}

// Revoke takes the trust in the brain and every approval back.
func (s *Server) Revoke(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.setTrust(func(r *trust.Record) { r.Ground = trust.Revoked; clear(r.Texts) }); err != nil {
		return err
	}
	s.trust.mu.Lock()
	s.trust.forget()
	s.trust.mu.Unlock()
	s.tellChanged(Changed{Cards: true})
	return nil
}

// changed says that files of the brain are others than before.
func (k *keeper) changed() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// followTrust looks at the cards before a request needs to know, and at those that changed,
// until the Server closes.
func (s *Server) followTrust() {
	select {
	case <-s.idx.CaughtUp():
	case <-s.ctx.Done():
	}
	for s.ctx.Err() == nil {
		s.trust.mu.Lock()
		s.trust.forget() // who wrote a text can change too, once a merge is done
		s.trust.mu.Unlock()
		if s.Trusted(s.ctx) {
			s.waiting()
		}
		select {
		case <-s.trust.wake:
		case <-s.ctx.Done():
		}
	}
}

// distrust is what did not come for want of trust.
type distrust struct {
	files   int      // of the brain, that others wrote
	who     []string // wrote them
	waiting int      // cards of a trusted brain that wait for an approval
}

// untold returns what of a conversation did not come for want of trust, where its closing lines
// have not told of it.
func (s *Server) untold(ctx context.Context, session string) (d distrust) {
	if s.Trusted(ctx) {
		d.waiting = len(s.waiting())
	} else {
		s.trust.mu.Lock()
		for _, w := range s.trust.others {
			d.files += w.Files
			name, _, _ := strings.Cut(w.Author, " <")
			d.who = append(d.who, name)
		}
		s.trust.mu.Unlock()
	}
	s.state.InSession(session, func(row *ledger.Session) {
		if now := d.files + d.waiting; row.Untrusted == now {
			d = distrust{}
		} else {
			row.Untrusted = now
		}
	})
	return d
}
