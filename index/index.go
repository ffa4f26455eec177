// Package index is an answerable picture of a brain: which cards and notes speak to
// this text, and why. It keeps a bleve index in the user's cache folder, follows the
// brain's files by [Index.Sync], and ranks with its own BM25 over bleve's postings.
//
// The index is disposable. Where its folder cannot be had or written to, or another process
// owns it, the index is kept in memory.
//
// Start with [Open]; rank.go holds the formula and floor.go the rule that keeps
// unrelated lessons out. The package writes nothing in the brain and injects nothing.
package index

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/handrail-dev/handrail/lessons"
)

// ErrLocked says that another process owns the index, ErrClosed that Close was called.
var (
	ErrLocked = errors.New("index is owned by another process")
	ErrClosed = errors.New("index is closed")
)

// Config says which brain to index and where.
type Config struct {
	Dir       string // the index's folder, Handrail's alone; "" keeps it in memory
	Brain     *lessons.Brain
	Log       *slog.Logger
	HeadsOnly bool // nobody will search: an index that is not there is not made
}

// Index is safe for concurrent use.
type Index struct {
	cfg    Config
	lock   *flock.Flock // nil without a folder
	ready  chan struct{}
	caught chan struct{} // closed by the first sync of catchUp that works

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	publishing sync.WaitGroup // begun by syncs, which have ended when Close waits for it

	readMu   sync.Mutex // one Known reads at a time, and no build meanwhile
	syncMu   sync.Mutex // one sync at a time; guards notUntil
	notUntil time.Time  // when a failed build may be tried again

	mu     sync.RWMutex  // guards the picture, what it holds, built and failed
	pic    *picture      // what searches answer from
	built  chan struct{} // closed when pic is another, or cannot be made
	failed error         // of the last attempt to catch up
	first  Delta         // of the first that did; what follows caught may read it

	damaged atomic.Bool   // a search or a write met unreadable segments: build anew at the next sync
	mend    chan struct{} // asks for that sync
}

// picture is a state of the brain: its files' heads and, once there is one, the store that holds their words.
type picture struct {
	store   *store
	heads   map[string]head
	length  int  // of all files, in weighted terms
	unsaved bool // a head is not as on the disk
	// sorted are the heads of all cards by path; nil when one has changed.
	sorted atomic.Pointer[[]*lessons.Card]
}

// set replaces a file's head.
func (p *picture) set(path string, h head) {
	p.remove(path)
	if h.Card != nil {
		p.sorted.Store(nil)
	}
	p.heads[path] = h
	p.length += int(h.Length)
	p.unsaved = true
}

func (p *picture) remove(path string) {
	old := p.heads[path]
	if old.Card != nil {
		p.sorted.Store(nil)
	}
	p.length -= int(old.Length)
	p.unsaved = true
	delete(p.heads, path)
}

// Open opens the index of a brain and begins to bring it up to date; it returns before
// that is done. ErrLocked when another process has it.
func Open(ctx context.Context, cfg Config) (*Index, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	x := &Index{cfg: cfg, ready: make(chan struct{}), caught: make(chan struct{}), mend: make(chan struct{}, 1), pic: &picture{heads: map[string]head{}}, built: make(chan struct{})}
	if cfg.Dir != "" {
		if err := x.openDir(); errors.Is(err, ErrLocked) {
			return nil, err
		} else if err != nil {
			// A cache folder that cannot be had costs speed, never an answer.
			cfg.Log.Warn("index kept in memory", "dir", cfg.Dir, "err", err)
			x.cfg.Dir = ""
		}
	}
	x.ctx, x.cancel = context.WithCancel(context.WithoutCancel(ctx))
	x.wg.Go(func() {
		again := x.catchUp()
		close(x.ready)
		for {
			select {
			case <-x.mend:
				again = x.catchUp()
			case <-again:
				again = x.catchUp()
			case <-x.ctx.Done():
				return
			}
		}
	})
	return x, nil
}

// catchUp brings the index up to date. Where that fails, and nothing else may ask for it, again tells when to try it next.
func (x *Index) catchUp() (again <-chan time.Time) {
	first, err := x.Sync(x.ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.failed = err
	if err == nil {
		select {
		case <-x.caught:
		default:
			x.first = first
			close(x.caught)
		}
	}
	if err == nil || x.ctx.Err() != nil {
		return nil
	}
	x.cfg.Log.Error("index not brought up to date", "err", err)
	close(x.built) // who waits for a store hears why there is none
	x.built = make(chan struct{})
	return time.After(buildPause)
}

// CaughtUp is closed when the index holds all of the brain as it was at some time since Open.
// Before, what it lists may be older, or nothing.
func (x *Index) CaughtUp() <-chan struct{} { return x.caught }

// First says what CaughtUp found changed.
func (x *Index) First() Delta { return x.first }

// Known returns when the index lists the brain as it is on the disk. It does not wait for a first index, but reads the
// heads by itself, which takes a fifth of that.
func (x *Index) Known(ctx context.Context) error {
	x.mu.RLock()
	pic := x.pic
	x.mu.RUnlock()
	if pic.store == nil && !x.cfg.HeadsOnly {
		x.readMu.Lock()
		defer x.readMu.Unlock()
		_, err := x.refresh(ctx, pic)
		return err
	}
	select {
	case <-x.ready: // closing it counts too
	case <-ctx.Done():
	}
	return ctx.Err()
}

func (x *Index) openDir() error {
	if err := os.MkdirAll(x.cfg.Dir, 0o700); err != nil {
		return fmt.Errorf("make the index's folder: %w", err)
	}
	lock := flock.New(filepath.Join(x.cfg.Dir, "lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock the index: %w", err)
	}
	if !ok {
		return ErrLocked
	}
	x.lock = lock
	var merges map[string]any
	if x.cfg.HeadsOnly {
		merges = listing
	}
	pic, err := openStore(x.cfg.Dir, x.rebuild, merges)
	if err != nil {
		x.cfg.Log.Info("index is built anew", "dir", x.cfg.Dir, "reason", err.Error())
		pic = loadHeads(x.cfg.Dir)
	}
	x.pic = pic
	return nil
}

// Built reports whether searches have something to answer from.
func (x *Index) Built() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.pic.store != nil
}

// Ready is closed when the index has caught up with the brain as it was at Open, or could not:
// then it is tried again, and until it works searches fail where there is no older picture.
func (x *Index) Ready() <-chan struct{} { return x.ready }

// Close waits for a running sync to stop and releases the index.
func (x *Index) Close() error {
	x.cancel()
	x.wg.Wait()
	x.syncMu.Lock()   // no sync begins after this one has ended
	x.syncMu.Unlock() //nolint:staticcheck // an empty critical section is the point
	x.publishing.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	var errs []error
	if s := x.pic.store; s != nil {
		errs = append(errs, s.closeClean(x.cfg.Dir))
		x.pic = &picture{heads: x.pic.heads, length: x.pic.length}
	} else if x.lock != nil && x.pic.unsaved {
		errs = append(errs, x.pic.saveHeads(x.cfg.Dir))
	}
	if x.lock != nil {
		errs = append(errs, x.lock.Unlock())
	}
	return errors.Join(errs...)
}

// Heads returns the heads of all cards, whatever their status, by path. A head has no body and no sections. Neither it nor
// the slice, which is the same one until a card changes, is to be changed.
func (x *Index) Heads() []*lessons.Card {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if known := x.pic.sorted.Load(); known != nil {
		return *known
	}
	out := []*lessons.Card{}
	for _, h := range x.pic.heads {
		if h.Card != nil {
			out = append(out, h.Card)
		}
	}
	slices.SortFunc(out, func(a, b *lessons.Card) int { return strings.Compare(a.Path, b.Path) })
	x.pic.sorted.Store(&out)
	return out
}

// File is a file of the brain as the index has read it: two of one size and hash say the same.
type File struct {
	Path string // slash path relative to the brain
	Size int64
	Hash uint64 // HashOf its bytes
}

// HashOf returns the hash that a File has of its bytes.
func HashOf(src []byte) uint64 {
	h := fnv.New64a()
	h.Write(src)
	return h.Sum64()
}

// Files returns every file of the brain, in no order.
func (x *Index) Files() []File {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make([]File, 0, len(x.pic.heads))
	for path, h := range x.pic.heads {
		out = append(out, File{Path: path, Size: h.Size, Hash: h.Hash})
	}
	return out
}

// Hit returns the file at path as a hit for a query that it was found for by other means than its words: with its
// boosts, and without relevance. ok is false where the query asks for other files.
func (x *Index) Hit(q Query, path string) (hit Hit, ok bool) {
	x.mu.RLock()
	h, ok := x.pic.heads[path]
	x.mu.RUnlock()
	if !ok || h.Card != nil && !q.Cards || h.Card == nil && !q.Notes {
		return Hit{}, false
	}
	c := h.at(path)
	if !q.admits(c) {
		return Hit{}, false
	}
	return Hit{Card: c, Boosts: boosts(c, q.Files)}, true
}
