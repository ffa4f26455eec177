// Package brain is what the rooms of the loop share over one open brain: its index, ledger, journal and trust, the
// clock, the log and the connections, and how paths and cards are named. It decides nothing about requests or answers.
package brain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adrg/xdg"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/index/near"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/journal"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/inbox"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/server/trust"
	"github.com/handrail-dev/handrail/server/watch"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// Config says which brain to serve and where its side data lives.
type Config struct {
	Brain      string           // the brain's folder
	CacheDir   string           // parent of the per-brain index; "" means the user's cache folder
	StateDir   string           // parent of the per-brain state; "" means the user's state folder
	Workspaces []string         // folders whose git history is watched for rollbacks
	Watch      bool             // watch the brain and git (an editor); one-shot commands leave it off
	Beside     bool             // another process owns index and state: the answers come from the files, and nothing is written
	FilesOnly  bool             // neither index nor state: for a command that only changes a file
	HeadsOnly  bool             // no first index is made: for a command that only lists
	Now        func() time.Time // nil means time.Now
	Log        *slog.Logger     // nil discards
	Embeddings *Embeddings      // more may follow by Embed
	Extras     ExtraSettings    // more may follow by SetExtras
	QueryWait  time.Duration    // how long a query waits for its vector; 0 means 150 ms
}

// Base is one open brain, and what all that is done with it shares: its index, ledger, journal and trust, the clock, the
// log and the connections. It is safe for concurrent use.
type Base struct {
	Files   *lessons.Brain
	Index   *index.Index
	vectors vectorTier
	State   *ledger.Ledger
	Journal *journal.Journal
	Logger  *slog.Logger
	Now     func() time.Time
	owner   bool
	opened  time.Time

	Ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // every goroutine that was started

	changes *watch.Funnel
	Git     watch.Git

	cards     atomic.Pointer[deck] // nil until somebody asks; Base.deck
	Proposals *inbox.Inbox

	notifyMu sync.Mutex // also keeps notifications in order
	notify   map[*Notify]struct{}

	Deeds   *ledger.Book
	noting  chan func() // what the ledger has yet to take up, in order
	Extras  extras
	Checked answers
	fresh   freshness
	Keeper  *trust.Keeper
	ready   chan struct{}
}

// Open returns the Base of cfg.Brain. Errors are those of server.New.
func Open(ctx context.Context, cfg Config) (*Base, error) {
	brain, err := lessons.OpenBrain(cfg.Brain)
	if err != nil {
		return nil, err
	}
	s := &Base{
		Files: brain, Logger: cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)), Now: cfg.Now, owner: true, opened: time.Now(),
		notify: make(map[*Notify]struct{}), changes: watch.NewFunnel(), ready: make(chan struct{}),
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	s.Ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))

	if err := s.open(cfg); err != nil {
		s.cancel()
		return nil, errors.Join(err, s.closeStores())
	}
	s.Proposals = &inbox.Inbox{
		Candidates: ledger.NewTable[Candidate](s.State.Store, "candidates"), Dismissed: ledger.NewTable[time.Time](s.State.Store, "dismissed"),
		Settled: ledger.NewTable[time.Time](s.State.Store, "settled"), Now: s.Now, Changed: func() { s.TellChanged(Changed{Candidates: true}) },
	}
	if cfg.FilesOnly {
		return s, nil
	}
	s.Deeds, s.noting = ledger.NewBook(leaks.Redact), make(chan func(), maxNoting)
	s.wg.Go(s.keepLedger)
	// What a process without the state undid, and what was cut short. Where the journal cannot be read, the next start will see.
	rows := sync.OnceValue(func() []journal.Row { rows, _ := s.Journal.Rows(); return rows })
	s.State.TakeBack(func(act string) bool {
		return slices.ContainsFunc(rows(), func(r journal.Row) bool {
			return r.Undoes == act && !r.Failed || r.Act == act && r.Failed
		})
	})
	if s.owner {
		s.vectors.opts = near.Options{
			File: filepath.Join(s.cacheDir(cfg), "vectors.db"), Wait: cmp.Or(cfg.QueryWait, queryWait), Log: s.Logger,
			Ready: s.Index.CaughtUp(), Names: s.contents, Text: s.embedded, Tell: s.noEmbeddings,
		}
		s.Embed(cfg.Embeddings)
	}
	s.wg.Go(s.becomeReady)
	s.SetExtras(cfg.Extras)
	s.wg.Go(func() { s.changes.Run(s.Ctx, s.indexChanged) })
	return s, nil
}

// open opens state and index. Whoever holds the state file owns both; everybody else works without, in memory.
func (s *Base) open(cfg Config) error {
	stateDir := stateDir(cfg.StateDir, s.Files.Root())

	s.Journal = journal.Open(stateDir)
	if !cfg.Beside {
		if err := s.Journal.Recover(s.Files, s.Logger); err != nil {
			s.Logger.Warn("a change that was cut short is not taken back yet", "err", err)
		}
	}
	s.Keeper = trust.Keep(trust.Config{
		Brain: s.Files, Dir: stateDir, Journal: s.Journal, Log: s.Logger, Always: IsBaseline,
		Cards:  func() []*lessons.Card { return s.Index.Heads() },
		Review: func() bool { return s.Extras.on().Review },
	})
	if cfg.FilesOnly {
		s.owner, s.State = false, ledger.New(ledger.InMemory(), s.Now)
		return nil
	}
	store, err := ledger.InMemory(), error(nil)
	s.owner = !cfg.Beside
	if s.owner {
		store, err = ledger.Open(stateDir, s.Logger)
	}
	if err != nil {
		store = ledger.InMemory()
		s.owner = !errors.Is(err, ledger.ErrLocked)
		if s.owner {
			// A state file that cannot be had (a full or read-only disk) costs counters and
			// dismissals, never an answer.
			s.Logger.Warn("state kept in memory only", "dir", stateDir, "err", err)
		}
	}
	s.State = ledger.New(store, s.Now)

	icfg := index.Config{Dir: filepath.Join(s.cacheDir(cfg), "index"), Brain: s.Files, Log: s.Logger, HeadsOnly: cfg.HeadsOnly}
	if !s.owner {
		icfg.Dir = ""
	}
	s.Index, err = index.Open(s.Ctx, icfg)
	if errors.Is(err, index.ErrLocked) { // by an owner of another state folder
		icfg.Dir = ""
		s.Index, err = index.Open(s.Ctx, icfg)
	}
	if err != nil {
		return fmt.Errorf("open the index of %s: %w", s.Files.Root(), err)
	}
	return nil
}

// UnusedAfter is how long nobody may have used a brain before what is kept of it goes. Whoever comes back after a year
// misses no counter.
const UnusedAfter = 365 * 24 * time.Hour

// dropUnused removes counters, candidates, index and vectors of the brains that nobody used for unusedAfter, there or
// not. Their trust and their journal stay: they are a person's word, and the way back.
func (s *Base) dropUnused(cfg Config) {
	own := stateDir(cfg.StateDir, s.Files.Root())
	states, caches := filepath.Dir(own), filepath.Dir(s.cacheDir(cfg))
	err := os.Chtimes(filepath.Join(own, ledger.File), s.Now(), s.Now()) // to open it is to use it
	brains, readErr := os.ReadDir(states)
	if err := errors.Join(err, readErr); err != nil {
		s.Logger.Warn("what is kept of brains that nobody uses was not looked at", "err", err)
		return
	}
	for _, b := range brains {
		file := filepath.Join(states, b.Name(), ledger.File)
		if info, err := os.Lstat(file); err == nil && s.Now().Sub(info.ModTime()) >= UnusedAfter {
			err := errors.Join(os.Remove(file), os.RemoveAll(filepath.Join(caches, b.Name())))
			s.Logger.Info("nobody used the brain for a year: its counters, candidates and index are gone", "state", file, "err", err)
		}
	}
}

// cacheDir returns the folder of what can be made anew.
func (s *Base) cacheDir(cfg Config) string {
	return filepath.Join(cmp.Or(cfg.CacheDir, filepath.Join(xdg.CacheHome, "handrail")), brainID(s.Files.Root()))
}

// learned is the file of what was read of conversations that were held before, in the folder of what can be made anew.
const learned = "learned.json"

// Learned returns that file of the brain in a folder.
func Learned(root string) string {
	return filepath.Join(xdg.CacheHome, "handrail", brainID(root), learned)
}

// Caches returns what is kept of all brains of this user that can be made anew. What else lies beside it is not Handrail's.
func Caches() (names []string) {
	root := filepath.Join(xdg.CacheHome, "handrail")
	brains, _ := os.ReadDir(root) // none, then nothing is kept
	for _, b := range brains {
		for _, name := range []string{"index", "vectors.db", learned} {
			name = filepath.Join(root, b.Name(), name)
			if _, err := os.Lstat(name); err == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// brainID names a brain's side data: its folder's name for people, a hash of its whole path for uniqueness.
func brainID(root string) string {
	parent := filepath.Base(filepath.Dir(root))
	return lessons.Slug(parent) + "-" + find.Key(root)
}

// Close stops watching, saves the state and releases the index. No goroutine of the Server is left when it returns.
func (s *Base) Close() error {
	s.cancel()
	s.wg.Wait()
	s.Embed(&Embeddings{})
	return s.closeStores()
}

func (s *Base) closeStores() error {
	var errs []error
	if s.Index != nil {
		errs = append(errs, s.Index.Close())
	}
	return errors.Join(append(errs, s.State.Close(), s.Files.Close())...)
}

// becomeReady closes ready. Where the first index could not be made, it tells when there is one after all.
func (s *Base) becomeReady() {
	select {
	case <-s.Index.Ready():
	case <-s.Ctx.Done():
	}
	defer close(s.ready)
	select {
	case <-s.Index.CaughtUp():
	default:
		s.later(s.Index.CaughtUp(), func(context.Context) { s.TellChanged(Changed{Cards: true}) })
	}
}

// later has do called in the background once a channel is closed, unless the Server closes before.
func (s *Base) later(closed <-chan struct{}, do func(context.Context)) {
	s.wg.Go(func() {
		select {
		case <-closed:
			do(s.Ctx)
		case <-s.Ctx.Done():
		}
	})
}

// Ready is closed when the index has caught up with the disk, or cannot be made yet.
func (s *Base) Ready() <-chan struct{} { return s.ready }

// firstWait is how long the first index of a brain is waited for: three times what 300 cards take on a machine of two
// cores with eight other programs at work.
const firstWait = 2 * time.Second

// Building reports whether nothing can be found yet, and has not for so long that nobody is to wait for it.
func (s *Base) Building() bool { return !s.Index.Built() && time.Since(s.opened) > firstWait }

// Owner reports whether this process owns the brain's index and state. One that does
// not keeps its own in memory and remembers nothing after it ends.
func (s *Base) Owner() bool { return s.owner }

// Brain returns the folder this Server serves.
func (s *Base) Brain() *lessons.Brain { return s.Files }

// Attach makes n hear of candidates, footers and changes until detach is called.
func (s *Base) Attach(n Notify) (detach func()) {
	s.notifyMu.Lock()
	defer s.notifyMu.Unlock()
	s.notify[&n] = struct{}{}
	if n.NoEmbeddings != nil {
		if missed := s.vectors.pending.Swap(nil); missed != nil {
			n.NoEmbeddings(*missed)
		}
	}
	return func() {
		s.notifyMu.Lock()
		defer s.notifyMu.Unlock()
		delete(s.notify, &n)
	}
}

// Tell calls f for every connection, one at a time.
func (s *Base) Tell(f func(*Notify)) {
	s.notifyMu.Lock()
	defer s.notifyMu.Unlock()
	for n := range s.notify {
		f(n)
	}
}

// TellChanged tells every connection what to refresh.
func (s *Base) TellChanged(c Changed) {
	s.Tell(func(n *Notify) {
		if n.Changed != nil {
			n.Changed(c)
		}
	})
}

// maxNoting bounds what waits for the ledger; who comes then waits too.
const maxNoting = 256

// keepLedger carries out what is noted, one after the other and beside the answers: secrets take time to look for.
func (s *Base) keepLedger() {
	for {
		select {
		case do := <-s.noting:
			do()
		case <-s.Ctx.Done():
			for len(s.noting) > 0 {
				(<-s.noting)()
			}
			return
		}
	}
}

// Flush waits until all that was told so far stands in the ledger.
func (s *Base) Flush(ctx context.Context) {
	done := make(chan struct{})
	s.Enqueue(func() { close(done) })
	select {
	case <-done:
	case <-ctx.Done():
	case <-s.Ctx.Done():
	}
}

// Enqueue has do carried out after all that waits for the ledger.
func (s *Base) Enqueue(do func()) {
	select {
	case s.noting <- do:
	case <-s.Ctx.Done():
	}
}

// Elsewhere stands in the ledger for what ran where nobody tells of it.
const Elsewhere = "sub-agent"

// Unaddressed returns the broken and the open ones of some verdicts, gravest first.
func Unaddressed(all []Verdict) []Verdict {
	out := []Verdict{}
	for _, v := range all {
		if v.State == string(postcheck.Broken) || v.State == string(postcheck.Open) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b Verdict) int {
		return cmp.Or(strings.Compare(a.State, b.State), cmp.Compare(lessons.Severity(b.Severity).Rank(), lessons.Severity(a.Severity).Rank())) // "broken" before "open"
	})
	return out
}
