package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adrg/xdg"

	"handrail/index"
	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/lessons/journal"
	"handrail/server/inbox"
	"handrail/server/ledger"
	"handrail/server/trust"
	"handrail/server/watch"
	"handrail/triggers/leaks"
)

// Config says which brain to serve and where its side data lives.
type Config struct {
	Brain      string                // the brain's folder
	CacheDir   string                // parent of the per-brain index; "" means the user's cache folder
	StateDir   string                // parent of the per-brain state; "" means the user's state folder
	Workspaces []string              // folders whose git history is watched for rollbacks
	Watch      bool                  // watch the brain and git (an editor); one-shot commands leave it off
	Beside     bool                  // another process owns index and state: the answers come from the files, and nothing is written
	FilesOnly  bool                  // neither index nor state: for a command that only changes a file
	Now        func() time.Time      // nil means time.Now
	Log        *slog.Logger          // nil discards
	Progress   func(done, total int) // files indexed so far; may be nil
	Embeddings *Embeddings           // more may follow by Embed
	Extras     ExtraSettings         // more may follow by SetExtras
	QueryWait  time.Duration         // how long a query waits for its vector; 0 means 150 ms
}

// Base is one open brain, and what all that is done with it shares: its index, ledger, journal and trust, the clock, the
// log and the connections. It is safe for concurrent use.
type Base struct {
	brain   *lessons.Brain
	idx     *index.Index
	vectors vectorTier
	state   *ledger.Ledger
	journal *journal.Journal
	// unlogged says that a change is not in it.
	unlogged atomic.Bool
	log      *slog.Logger
	now      func() time.Time
	owner    bool
	opened   time.Time

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // every goroutine that was started

	changes *watch.Funnel
	git     watch.Git

	cards atomic.Pointer[deck] // nil until somebody asks; Base.deck
	inbox *inbox.Inbox

	notifyMu sync.Mutex // also keeps notifications in order
	notify   map[*Notify]struct{}

	deeds   *ledger.Book
	noting  chan func() // what the ledger has yet to take up, in order
	extras  extras
	answers answers
	trust   *trust.Keeper
	ready   chan struct{}
}

// Open returns the Base of cfg.Brain. Errors are those of server.New.
func Open(ctx context.Context, cfg Config) (*Base, error) {
	brain, err := lessons.OpenBrain(cfg.Brain)
	if err != nil {
		return nil, err
	}
	s := &Base{
		brain: brain, log: cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)), now: cfg.Now, owner: true, opened: time.Now(),
		notify: make(map[*Notify]struct{}), changes: watch.NewFunnel(), ready: make(chan struct{}),
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))

	if err := s.open(cfg); err != nil {
		s.cancel()
		return nil, errors.Join(err, s.closeStores())
	}
	s.inbox = s.newInbox()
	if cfg.FilesOnly {
		return s, nil
	}
	s.deeds, s.noting = ledger.NewBook(leaks.Redact), make(chan func(), maxNoting)
	s.wg.Go(s.keepLedger)
	// What a process without the state undid, and what was cut short. Where the journal cannot be read, the next start will see.
	rows := sync.OnceValue(func() []journal.Row { rows, _ := s.journal.Rows(); return rows })
	s.state.TakeBack(func(act string) bool {
		return slices.ContainsFunc(rows(), func(r journal.Row) bool {
			return r.Undoes == act && !r.Failed || r.Act == act && r.Failed
		})
	})
	if s.owner {
		s.startVectors(cfg)
	}
	s.wg.Go(s.becomeReady)
	s.SetExtras(cfg.Extras)
	s.wg.Go(func() { s.changes.Run(s.ctx, s.indexChanged) })
	return s, nil
}

// open opens state and index. Whoever holds the state file owns both; everybody else
// works without, in memory.
func (s *Base) open(cfg Config) error {
	stateDir := stateDir(cfg.StateDir, s.brain.Root())

	s.journal = journal.Open(stateDir)
	if !cfg.Beside {
		if err := s.journal.Recover(s.brain, s.log); err != nil {
			s.log.Warn("a change that was cut short is not taken back yet", "err", err)
		}
	}
	s.trust = trust.Keep(trust.Config{
		Brain: s.brain, Dir: stateDir, Journal: s.journal, Log: s.log, Now: s.now, Always: isBaseline,
		Cards:  func() iter.Seq[*lessons.Card] { return s.idx.All() },
		Review: func() bool { return s.extras.on().Review },
	})
	if cfg.FilesOnly {
		s.owner, s.state = false, ledger.New(ledger.InMemory(), s.now)
		return nil
	}
	store, err := ledger.InMemory(), error(nil)
	if s.owner = !cfg.Beside; s.owner {
		store, err = ledger.Open(stateDir, s.log)
	}
	if err != nil {
		store = ledger.InMemory()
		if s.owner = !errors.Is(err, ledger.ErrLocked); s.owner {
			// A state file that cannot be had (a full or read-only disk) costs counters and
			// dismissals, never an answer.
			s.log.Warn("state kept in memory only", "dir", stateDir, "err", err)
		}
	}
	s.state = ledger.New(store, s.now)

	icfg := index.Config{Dir: filepath.Join(s.cacheDir(cfg), "index"), Brain: s.brain, Log: s.log, Progress: cfg.Progress}
	if !s.owner {
		icfg.Dir = ""
	}
	s.idx, err = index.Open(s.ctx, icfg)
	if errors.Is(err, index.ErrLocked) { // by an owner of another state folder
		icfg.Dir = ""
		s.idx, err = index.Open(s.ctx, icfg)
	}
	if err != nil {
		return fmt.Errorf("open the index of %s: %w", s.brain.Root(), err)
	}
	return nil
}

// unusedAfter is how long nobody may have used a brain before what is kept of it goes. Whoever comes back after a year
// misses no counter.
const unusedAfter = 365 * 24 * time.Hour

// dropUnused removes counters, candidates, index and vectors of the brains that nobody used for unusedAfter, there or
// not. Their trust and their journal stay: they are a person's word, and the way back.
func (s *Base) dropUnused(cfg Config) {
	own := stateDir(cfg.StateDir, s.brain.Root())
	states, caches := filepath.Dir(own), filepath.Dir(s.cacheDir(cfg))
	err := os.Chtimes(filepath.Join(own, ledger.File), s.now(), s.now()) // to open it is to use it
	brains, readErr := os.ReadDir(states)
	if err = errors.Join(err, readErr); err != nil {
		s.log.Warn("what is kept of brains that nobody uses was not looked at", "err", err)
		return
	}
	for _, b := range brains {
		file := filepath.Join(states, b.Name(), ledger.File)
		if info, err := os.Lstat(file); err == nil && s.now().Sub(info.ModTime()) >= unusedAfter {
			err := errors.Join(os.Remove(file), os.RemoveAll(filepath.Join(caches, b.Name())))
			s.log.Info("nobody used the brain for a year: its counters, candidates and index are gone", "state", file, "err", err)
		}
	}
}

// cacheDir returns the folder of what can be made anew.
func (s *Base) cacheDir(cfg Config) string {
	return filepath.Join(orDefault(cfg.CacheDir, filepath.Join(xdg.CacheHome, "handrail")), brainID(s.brain.Root()))
}

// Caches returns what is kept of all brains of this user that can be made anew. What else lies beside it is not Handrail's.
func Caches() (names []string) {
	root := filepath.Join(xdg.CacheHome, "handrail")
	brains, _ := os.ReadDir(root) // none, then nothing is kept
	for _, b := range brains {
		for _, name := range []string{"index", "vectors.db"} {
			name = filepath.Join(root, b.Name(), name)
			if _, err := os.Lstat(name); err == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// brainID names a brain's side data: its folder's name for people, a hash of its whole
// path for uniqueness.
func brainID(root string) string {
	parent := filepath.Base(filepath.Dir(root))
	return lessons.Slug(parent) + "-" + find.Key(root)
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// Close stops watching, saves the state and releases the index. No goroutine of the
// Server is left when it returns.
func (s *Base) Close() error {
	s.cancel()
	s.wg.Wait()
	s.vectors.mu.Lock()
	s.vectors.close()
	s.vectors.mu.Unlock()
	return s.closeStores()
}

func (s *Base) closeStores() error {
	var errs []error
	if s.idx != nil {
		errs = append(errs, s.idx.Close())
	}
	if s.state != nil {
		errs = append(errs, s.state.Close())
	}
	errs = append(errs, s.brain.Close())
	return errors.Join(errs...)
}

// becomeReady closes ready. Where the first index could not be made, it tells when there is one after all.
func (s *Base) becomeReady() {
	select {
	case <-s.idx.Ready():
	case <-s.ctx.Done():
	}
	select {
	case <-s.idx.CaughtUp():
	default:
		close(s.ready)
		select {
		case <-s.idx.CaughtUp():
			s.tellChanged(Changed{Cards: true})
		case <-s.ctx.Done():
		}
		return
	}
	close(s.ready)
}

// Ready is closed when the index has caught up with the disk, or cannot be made yet.
func (s *Base) Ready() <-chan struct{} { return s.ready }

// firstWait is how long the first index of a brain is waited for: three times what 300 cards take on a machine of two
// cores with eight other programs at work.
const firstWait = 2 * time.Second

// Building reports whether nothing can be found yet, and has not for so long that nobody is to wait for it.
func (s *Base) Building() bool { return !s.idx.Built() && time.Since(s.opened) > firstWait }

// Owner reports whether this process owns the brain's index and state. One that does
// not keeps its own in memory and remembers nothing after it ends.
func (s *Base) Owner() bool { return s.owner }

// Brain returns the folder this Server serves.
func (s *Base) Brain() *lessons.Brain { return s.brain }

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

func (s *Base) tell(f func(*Notify)) {
	s.notifyMu.Lock()
	defer s.notifyMu.Unlock()
	for n := range s.notify {
		f(n)
	}
}

func (s *Base) tellChanged(c Changed) {
	s.tell(func(n *Notify) {
		if n.Changed != nil {
			n.Changed(c)
		}
	})
}

// hit turns what the index found into what people see.
func hit(h index.Hit, excerpt string) Hit {
	terms := h.Terms
	if terms == nil {
		terms = []string{}
	}
	boosts := h.Boosts
	if boosts == nil {
		boosts = map[string]float64{}
	}
	status := h.Card.Status
	if !h.Card.Kind.IsCard() || status == lessons.Active {
		status = ""
	}
	return Hit{
		Path: h.Card.Path, Title: h.Card.Title, Kind: h.Card.Kind, Score: h.Score, Excerpt: excerpt,
		Severity: h.Card.Severity, Occurrences: h.Card.Occurrences, Status: status,
		Why: Why{Terms: terms, Relevance: h.Relevance, Boosts: boosts, Similarity: h.Similarity},
	}
}

// read returns a card with its sections as the file stands now.
func (s *Base) read(rel string) (lessons.Card, error) {
	src, err := s.brain.Read(rel)
	if err != nil {
		return lessons.Card{}, err
	}
	card, _ := lessons.Parse(rel, src)
	return card, nil
}

// orEmpty keeps what is an array in JSON an array when it is empty.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return slices.Clone(list)
}
