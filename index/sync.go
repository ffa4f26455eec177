package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Delta is what a sync found, as slash paths in the brain, sorted.
type Delta struct {
	Added, Changed, Removed []string
	Read                    int // files whose bytes were read
}

// batchDocs is how many files go into one batch: large batches make few segments, small
// ones bound memory. A thousand notes of 2 KB are about 20 MB while in work.
const batchDocs = 1000

// Sync brings the index up to date with the named files and folders, or with the whole
// brain when none is named. A named path that is gone takes what was below it out.
func (x *Index) Sync(ctx context.Context, paths ...string) (Delta, error) {
	x.syncMu.Lock()
	defer x.syncMu.Unlock()
	if x.damaged.Swap(false) {
		x.mu.Lock()
		broken := x.store
		x.store = nil
		x.mu.Unlock()
		if broken != nil {
			x.cfg.Log.Info("index is built anew", "reason", "damaged", "err", broken.close())
		}
	}
	if x.store == nil && x.lock != nil {
		return x.build(ctx)
	}
	work, removed, err := x.compare(ctx, paths)
	if err != nil {
		return Delta{}, err
	}
	return x.update(ctx, x.store, work, removed)
}

// build makes a new index of the whole brain while searches go on by scan.
func (x *Index) build(ctx context.Context) (Delta, error) {
	s, err := createStore(x.cfg.Dir)
	if err != nil {
		x.cfg.Log.Warn("no index; answering from the files", "err", err)
		work, removed, cerr := x.compare(ctx, nil)
		if cerr != nil {
			return Delta{}, cerr
		}
		return x.update(ctx, nil, work, removed)
	}
	x.mu.Lock()
	x.heads, x.length = map[string]*head{}, 0
	x.mu.Unlock()
	work, _, err := x.compare(ctx, nil)
	var delta Delta
	if err == nil {
		delta, err = x.update(ctx, s, work, nil)
	}
	if err == nil {
		err = s.publish(x.cfg.Dir)
	}
	if err != nil {
		return delta, errors.Join(err, s.close())
	}
	x.mu.Lock()
	x.store = s
	x.mu.Unlock()
	return delta, nil
}

// file is one that has to be read.
type file struct {
	rel  string
	info fs.FileInfo
}

// compare finds what differs between the disk and the heads by time and size.
func (x *Index) compare(ctx context.Context, paths []string) (work []file, removed []string, err error) {
	brain := x.cfg.Brain
	seen := map[string]bool{}
	visit := func(force bool) func(string, fs.FileInfo) error {
		return func(rel string, info fs.FileInfo) error {
			if seen[rel] {
				return nil
			}
			seen[rel] = true
			x.mu.RLock()
			h := x.heads[rel]
			x.mu.RUnlock()
			if force || h == nil || h.mtime != info.ModTime().UnixNano() || h.size != info.Size() {
				work = append(work, file{rel, info})
			}
			return nil
		}
	}
	skipped := func(rel string, err error) { x.cfg.Log.Info("not indexed", "file", rel, "reason", err.Error()) }
	gone := func(under func(string) bool) {
		x.mu.RLock()
		defer x.mu.RUnlock()
		for rel := range x.heads {
			if under(rel) && !seen[rel] {
				removed = append(removed, rel)
			}
		}
	}
	if len(paths) == 0 || slices.Contains(paths, ".") {
		if err := brain.Walk(ctx, visit(false), skipped); err != nil {
			return nil, nil, fmt.Errorf("walk the brain: %w", err)
		}
		gone(func(string) bool { return true })
		return work, removed, nil
	}
	for _, p := range paths {
		info, err := brain.Lstat(p)
		switch {
		case err == nil && info.IsDir():
			if brain.Hidden(p) {
				continue
			}
			if err := brain.WalkFolder(ctx, p, visit(false), skipped); err != nil && ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
		case err == nil && info.Mode().IsRegular() && brain.Counts(p):
			if err := brain.Fits(info); err != nil {
				skipped(p, err)
				break
			}
			_ = visit(true)(p, info) // visit never fails
		}
		prefix := p + "/"
		gone(func(rel string) bool { return rel == p || strings.HasPrefix(rel, prefix) })
	}
	slices.Sort(removed)
	return work, slices.Compact(removed), nil
}

// update reads files in parallel and hands them to the store in batches.
func (x *Index) update(ctx context.Context, s *store, work []file, removed []string) (Delta, error) {
	delta := Delta{Removed: removed, Read: len(work)}
	if len(work) == 0 && len(removed) == 0 {
		return delta, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var batch []*doc
	var failed error
	flush := func() {
		if failed == nil {
			failed = x.commit(ctx, s, batch, removed, &delta)
		}
		batch, removed = nil, nil
		if failed != nil {
			cancel()
		}
	}
	done := 0
	for d := range x.prepare(ctx, work) {
		done++
		x.cfg.Progress(done, len(work))
		if d == nil {
			continue
		}
		if batch = append(batch, d); len(batch) == batchDocs {
			flush()
		}
	}
	if failed == nil && ctx.Err() == nil && (len(batch) > 0 || len(removed) > 0) {
		flush()
	}
	slices.Sort(delta.Added)
	slices.Sort(delta.Changed)
	if failed != nil {
		return delta, failed
	}
	return delta, ctx.Err()
}

// prepare reads files in parallel; it yields nil for one that cannot be read. The
// channel is closed when all are done or ctx is.
func (x *Index) prepare(ctx context.Context, work []file) <-chan *doc {
	todo, docs := make(chan file), make(chan *doc, 64)
	var workers sync.WaitGroup
	for range min(len(work), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			var r reader
			for f := range todo {
				var d *doc
				if src, err := x.cfg.Brain.Read(f.rel); err != nil { // gone or unreadable meanwhile
					x.cfg.Log.Info("not indexed", "file", f.rel, "reason", err.Error())
				} else {
					d = r.read(f.rel, f.info, src, time.Now())
				}
				select {
				case docs <- d:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		defer close(docs)
		defer workers.Wait()
		defer close(todo)
		for _, f := range work {
			select {
			case todo <- f:
			case <-ctx.Done():
				return
			}
		}
	}()
	return docs
}

// commit makes a batch searchable. Files whose bytes are the same only get their new
// time noted.
func (x *Index) commit(ctx context.Context, s *store, batch []*doc, removed []string, delta *Delta) error {
	fresh := batch[:0:0]
	for _, d := range batch {
		x.mu.RLock()
		old := x.heads[d.head.card.Path]
		x.mu.RUnlock()
		switch {
		case old == nil:
			delta.Added = append(delta.Added, d.head.card.Path)
		case old.hash == d.head.hash && old.size == d.head.size:
			if old.mtime == d.head.mtime {
				continue
			}
		default:
			delta.Changed = append(delta.Changed, d.head.card.Path)
		}
		fresh = append(fresh, d)
	}
	if s != nil && len(fresh)+len(removed) > 0 {
		if err := s.apply(ctx, fresh, removed); err != nil {
			return err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	forget := func(path string) {
		if h := x.heads[path]; h != nil {
			x.length -= h.length
			delete(x.heads, path)
		}
	}
	for _, d := range fresh {
		forget(d.head.card.Path)
		x.heads[d.head.card.Path] = d.head
		x.length += d.head.length
	}
	for _, p := range removed {
		forget(p)
	}
	return nil
}
