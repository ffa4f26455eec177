package index

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

// Delta is what a sync found, as slash paths in the brain, sorted.
type Delta struct {
	Added, Changed, Removed []string
	Gone                    []*lessons.Card // the heads of removed cards
	Read                    int             // files whose bytes were read
}

// A batch ends at batchDocs files or batchBytes of text, whichever comes first. Each worker fills one, so memory grows with
// them: the first index of 12,000 notes peaks at 126 MB with 500 files, and at 147 to 167 with 600 and 700.
const (
	batchDocs  = 500
	batchBytes = 1 << 20
)

// Sync brings the index up to date with the named files and folders, or with the whole
// brain when none is named. A named path that is gone takes what was below it out.
func (x *Index) Sync(ctx context.Context, paths ...string) (delta Delta, err error) {
	x.syncMu.Lock()
	defer x.syncMu.Unlock()
	if x.ctx.Err() != nil {
		return Delta{}, ErrClosed
	}
	if x.damaged.Swap(false) && x.dropStore() {
		x.notUntil = time.Now().Add(buildPause)
	}
	x.mu.RLock()
	pic := x.pic
	x.mu.RUnlock()
	onDisk := x.lock != nil && !time.Now().Before(x.notUntil)
	if !x.cfg.HeadsOnly && (pic.store == nil || onDisk && pic.store.dir == "") {
		if onDisk {
			delta, err := x.build(ctx, x.cfg.Dir)
			if !errors.Is(err, errNoStore) || ctx.Err() != nil {
				return delta, err
			}
			x.notUntil = time.Now().Add(buildPause)
			x.cfg.Log.Warn("index kept in memory", "err", err)
		}
		if pic.store == nil {
			return x.build(ctx, "")
		}
	}
	delta, err = x.refresh(ctx, pic, paths...)
	if err != nil && pic.store != nil && ctx.Err() == nil {
		x.rebuild()
	}
	return delta, err
}

// refresh brings a picture up to date with the named files and folders, or with the whole brain.
func (x *Index) refresh(ctx context.Context, pic *picture, paths ...string) (Delta, error) {
	work, removed, err := x.compare(ctx, pic, paths)
	if err != nil {
		return Delta{}, err
	}
	return x.update(ctx, pic, work, removed)
}

// dropStore gives a damaged store up and reports whether it could not be written to. Its
// heads stay to be shown until there is a new one.
func (x *Index) dropStore() (unwritable bool) {
	x.mu.Lock()
	s := x.pic.store
	x.pic = &picture{heads: x.pic.heads, length: x.pic.length}
	x.mu.Unlock()
	if s == nil {
		return false
	}
	select {
	case <-s.broken:
		unwritable = true
	default:
	}
	x.cfg.Log.Warn("index is given up", "unwritable", unwritable, "err", s.discard())
	return unwritable
}

// errNoStore says that there is no place for an index, or no room.
var errNoStore = errors.New("no index can be made")

// buildPause is how long nothing is tried after a build that failed.
const buildPause = time.Minute

// build makes a new index of the whole brain, in a folder or, with "", in memory.
func (x *Index) build(ctx context.Context, dir string) (Delta, error) {
	gen, merges := "", map[string]any(nil)
	if dir != "" { // publish makes it the good one
		gen, merges = filepath.Join(dir, "gen-"+rand.Text()[:12]), building
	}
	s, err := openGeneration(gen, x.rebuild, merges)
	if err != nil {
		return Delta{}, fmt.Errorf("%w: %w", errNoStore, err)
	}
	pic := &picture{store: s, heads: map[string]head{}}
	work, _, err := x.compare(ctx, pic, nil)
	if err != nil {
		return Delta{}, errors.Join(err, s.discard())
	}
	delta, err := x.update(ctx, pic, work, nil)
	if err != nil {
		return delta, fmt.Errorf("%w: %w", errNoStore, errors.Join(err, s.discard()))
	}
	x.mu.Lock()
	before := x.pic.store // one in memory
	x.pic = pic
	close(x.built)
	x.built = make(chan struct{})
	x.mu.Unlock()
	if before != nil {
		err = before.close()
	}
	if dir != "" {
		x.publishing.Go(func() { x.publish(s) })
	}
	return delta, err
}

// publish names a store as the good one when all of it is on disk. Until then the one
// before is, if there was one; Close does the same for a store that is still to be named.
func (x *Index) publish(s *store) {
	err := s.settle(x.ctx)
	if err == nil {
		err = s.merge(x.ctx)
	}
	if err == nil {
		x.syncMu.Lock()
		defer x.syncMu.Unlock()
		x.mu.RLock()
		current := x.pic.store == s
		x.mu.RUnlock()
		if !current {
			return // given up meanwhile
		}
		err = s.publish(x.cfg.Dir, "")
	}
	if err != nil && x.ctx.Err() == nil {
		x.cfg.Log.Warn("index not saved", "err", err)
	}
}

// file is one that has to be read.
type file struct {
	rel   string
	mtime time.Time
	size  int64
}

// compare finds what differs between the disk and a picture's heads by time and size.
func (x *Index) compare(ctx context.Context, pic *picture, paths []string) (work []file, removed []string, err error) {
	brain := x.cfg.Brain
	x.mu.RLock() // only a sync changes heads, and this is the one
	heads := pic.heads
	x.mu.RUnlock()
	seen := make(map[string]bool)
	visit := func(rel string, info fs.FileInfo) error {
		if !seen[rel] {
			seen[rel] = true
			if h, ok := heads[rel]; !ok || h.Mtime != info.ModTime().UnixNano() || h.Size != info.Size() {
				work = append(work, file{rel, info.ModTime(), info.Size()})
			}
		}
		return nil
	}
	skipped := func(rel string, err error) {
		x.cfg.Log.Info("not indexed", "file", rel, "reason", err.Error())
	}
	if len(paths) == 0 || slices.Contains(paths, ".") {
		if err := brain.Walk(ctx, visit, skipped); err != nil {
			return nil, nil, fmt.Errorf("walk the brain: %w", err)
		}
		for rel := range heads {
			if !seen[rel] {
				removed = append(removed, rel)
			}
		}
		slices.Sort(removed)
		return work, removed, nil
	}
	for _, p := range paths {
		info, err := brain.Lstat(p)
		switch {
		case err == nil && info.Mode().IsRegular():
			if !brain.Counts(p) || seen[p] {
				break
			}
			if err := brain.Fits(info); err != nil {
				skipped(p, err)
				break
			}
			// Whoever names a file knows that it changed: its time need not show it.
			seen[p] = true
			work = append(work, file{p, info.ModTime(), info.Size()})
			continue
		case err == nil && info.IsDir() && !brain.Hidden(p):
			if err := brain.WalkFolder(ctx, p, visit, skipped); err != nil && ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
		}
		prefix := p + "/"
		for rel := range heads {
			if (rel == p || strings.HasPrefix(rel, prefix)) && !seen[rel] {
				removed = append(removed, rel)
			}
		}
	}
	slices.Sort(removed)
	return work, slices.Compact(removed), nil
}

// update reads files in parallel and puts them into a picture.
func (x *Index) update(ctx context.Context, pic *picture, work []file, removed []string) (Delta, error) {
	delta := Delta{Removed: removed, Read: len(work)}
	if len(removed) > 0 {
		if err := x.commit(pic, nil, removed, &delta); err != nil {
			return delta, err
		}
	}
	if len(work) == 0 {
		return delta, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	commit := func(batch []*doc) {
		if ctx.Err() != nil {
			return
		}
		if err := x.commit(pic, batch, nil, &delta); err != nil {
			cancel(err)
		}
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(len(work), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			var r reader
			var batch []*doc
			bytes := 0
			for i := next.Add(1) - 1; i < int64(len(work)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if pic.store != nil {
					x.readMu.Lock()   // a list that somebody waits for goes first
					x.readMu.Unlock() //nolint:staticcheck // an empty critical section is the point
				}
				f, at := work[i], time.Now()
				src, err := x.cfg.Brain.Read(f.rel)
				if err != nil { // gone or unreadable meanwhile
					x.cfg.Log.Info("not indexed", "file", f.rel, "reason", err.Error())
					continue
				}
				batch = append(batch, r.read(f, src, at, pic.store != nil))
				bytes += len(src)
				if len(batch) == batchDocs || bytes > batchBytes {
					commit(batch)
					batch, bytes = nil, 0
				}
			}
			commit(batch)
		})
	}
	workers.Wait()
	slices.Sort(delta.Added)
	slices.Sort(delta.Changed)
	return delta, context.Cause(ctx)
}

// commit makes a batch searchable. A file whose bytes are the same only gets its new time.
func (x *Index) commit(pic *picture, batch []*doc, removed []string, delta *Delta) error {
	var fresh []*doc
	var added, changed []string
	x.mu.RLock()
	for _, d := range batch {
		old, ok := pic.heads[d.path]
		same := ok && old.Hash == d.head.Hash && old.Size == d.head.Size
		switch {
		case same && old.Mtime == d.head.Mtime:
			continue
		case same:
		case ok:
			changed = append(changed, d.path)
		default:
			added = append(added, d.path)
		}
		fresh = append(fresh, d)
	}
	x.mu.RUnlock()
	if len(fresh)+len(removed) > 0 && pic.store != nil {
		if err := pic.store.apply(fresh, removed); err != nil {
			return err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range fresh {
		pic.set(d.path, d.head)
	}
	for _, p := range removed {
		if c := pic.heads[p].Card; c != nil {
			delta.Gone = append(delta.Gone, c)
		}
		pic.remove(p)
	}
	delta.Added = append(delta.Added, added...)
	delta.Changed = append(delta.Changed, changed...)
	return nil
}
