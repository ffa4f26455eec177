package server

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"handrail/lessons"
)

// Cause says who changed files. It is for the log; every cause is treated alike.
type Cause string

// The causes of a change.
const (
	Watched       Cause = "watched"        // our own watcher saw it
	ClientWatched Cause = "client-watched" // the editor's watcher saw it
	Saved         Cause = "saved"          // the editor saved a document
	OwnWrite      Cause = "own-write"      // Handrail wrote the file
)

const (
	// settleDelay is how long the brain must be quiet before changed files are read: a
	// save by rename is two or three events within a millisecond.
	settleDelay = 15 * time.Millisecond
	// settleLimit bounds the wait while changes keep coming, as in a git checkout.
	settleLimit = 100 * time.Millisecond
)

// changeFunnel gathers changed paths until the brain is quiet, then has them indexed
// in one go. Whoever changes a file, this is the only way into the index.
type changeFunnel struct {
	wake chan struct{}

	mu      sync.Mutex // guards all below
	pending map[string]bool
	all     bool // events were lost: look at everything
	at      time.Time
	first   time.Time
	urgent  bool            // somebody waits: do not wait for quiet
	waiting []chan struct{} // closed once what is pending now is searchable
}

// FilesChanged reports that files or folders of the brain were written, moved or
// removed. paths are absolute; none means that anything may have changed. It returns at
// once; Settle waits.
func (s *Server) FilesChanged(_ context.Context, cause Cause, paths ...string) {
	s.log.Debug("files changed", "cause", string(cause), "count", len(paths))
	f := &s.changes
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pending == nil {
		f.pending = make(map[string]bool)
	}
	if len(paths) == 0 {
		f.all = true
	}
	for _, p := range paths {
		if rel, err := s.brainRel(p); err == nil {
			f.pending[rel] = true
		}
	}
	now := time.Now() // real time: this is about the disk, not about cards
	if f.first.IsZero() {
		f.first = now
	}
	f.at = now
	f.poke()
}

// poke wakes run. The caller holds mu.
func (f *changeFunnel) poke() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Settle waits until every change reported so far is searchable, and what is remembered of
// them and of conversations is on the disk.
func (s *Server) Settle(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.noted(ctx)
	s.state.Save()
	return ctx.Err()
}

// settle waits for the index alone.
func (s *Server) settle(ctx context.Context) error {
	f := &s.changes
	done := make(chan struct{})
	f.mu.Lock()
	f.urgent = true
	f.waiting = append(f.waiting, done)
	f.poke()
	f.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// wrote reports our own write and waits until it is searchable, so that the caller's
// next request finds it.
func (s *Server) wrote(rels ...string) {
	if s.idx == nil {
		return // FilesOnly: whoever owns the index sees the file change
	}
	paths := make([]string, len(rels))
	for i, rel := range rels {
		paths[i] = filepath.Join(s.brain.Root(), filepath.FromSlash(rel))
	}
	s.FilesChanged(s.ctx, OwnWrite, paths...)
	if err := s.settle(s.ctx); err != nil {
		s.log.Info("own writes not indexed yet", "files", rels, "err", err)
	}
}

// run is the funnel's one reader.
func (f *changeFunnel) run(s *Server) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-f.wake:
		case <-timer.C:
		}
		paths, all, waiting, wait := f.take(time.Now())
		if wait > 0 {
			timer.Reset(wait)
			continue
		}
		if all || len(paths) > 0 {
			f.index(s, paths, all)
		}
		for _, w := range waiting {
			close(w)
		}
	}
}

// take returns what is due, or how long to wait for quiet.
func (f *changeFunnel) take(now time.Time) (paths []string, all bool, waiting []chan struct{}, wait time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.urgent && !f.first.IsZero() {
		due := f.at.Add(settleDelay)
		if limit := f.first.Add(settleLimit); limit.Before(due) {
			due = limit
		}
		if wait := due.Sub(now); wait > 0 {
			return nil, false, nil, wait
		}
	}
	paths, all, waiting = slices.Sorted(maps.Keys(f.pending)), f.all, f.waiting
	f.pending, f.all, f.waiting, f.urgent, f.first = nil, false, nil, false, time.Time{}
	return paths, all, waiting, 0
}

func (f *changeFunnel) index(s *Server, paths []string, all bool) {
	if all {
		paths = nil
	}
	delta, err := s.idx.Sync(s.ctx, paths...)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			s.log.Error("changed files not indexed", "err", err)
		}
		return
	}
	if len(delta.Added)+len(delta.Changed)+len(delta.Removed) > 0 {
		s.vectors.changed()
		s.overview.changed()
		s.tellChanged(Changed{Cards: true})
	}
}

// brainRel turns an absolute path into the index's form without asking the disk: the
// file may be gone. The brain itself is ".".
func (s *Server) brainRel(path string) (string, error) {
	rel, err := filepath.Rel(s.brain.Root(), path)
	if err != nil || !filepath.IsLocal(rel) {
		// The editor may know the folder by a link; try the name behind it.
		if real, err2 := filepath.EvalSymlinks(filepath.Dir(path)); err2 == nil {
			rel, err = filepath.Rel(s.brain.Root(), filepath.Join(real, filepath.Base(path)))
		}
	}
	if err != nil {
		return "", err
	}
	if !filepath.IsLocal(rel) {
		return "", fs.ErrInvalid
	}
	return filepath.ToSlash(rel), nil
}

// watchBrain follows the brain's folders. Its receiver never waits for the work an
// event causes, because fsnotify stops delivering while its reader is busy.
func (s *Server) watchBrain() {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		s.log.Warn("brain not watched; saves in this editor are still noticed", "err", err)
		return
	}
	dirs := make(chan string, 1)
	s.wg.Go(func() {
		defer w.Close() //nolint:errcheck // nothing is lost with a watch
		s.receive(w, dirs)
	})
	s.wg.Go(func() {
		s.watchDirs(w, s.brain.Root())
		s.FilesChanged(s.ctx, Watched) // what changed while the watches were being set
		for {
			select {
			case <-s.ctx.Done():
				return
			case dir := <-dirs:
				s.watchDirs(w, dir)
				s.FilesChanged(s.ctx, Watched, dir) // what it held before it was watched
			}
		}
	})
}

func (s *Server) receive(w *fsnotify.Watcher, dirs chan<- string) {
	var queue []string // new folders, until the other goroutine takes them
	for {
		var out chan<- string
		var next string
		if len(queue) > 0 {
			out, next = dirs, queue[0]
		}
		select {
		case <-s.ctx.Done():
			return
		case out <- next:
			queue = queue[1:]
		case ev, ok := <-w.Events:
			if !ok {
				return
			}
			if rel, err := s.brainRel(ev.Name); err == nil && lessons.IsIgnoreFile(rel) {
				s.FilesChanged(s.ctx, Watched) // other files count now
				continue
			}
			if s.ignored(ev.Name) || ev.Op == fsnotify.Chmod {
				continue
			}
			if ev.Has(fsnotify.Rename) || ev.Has(fsnotify.Remove) {
				forget(w, ev.Name)
			}
			if ev.Has(fsnotify.Create) {
				if info, err := os.Lstat(ev.Name); err == nil && info.IsDir() {
					queue = append(queue, ev.Name)
				}
			}
			s.FilesChanged(s.ctx, Watched, ev.Name)
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			s.log.Warn("watching the brain", "err", err)
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				s.FilesChanged(s.ctx, Watched)
				queue = append(queue, s.brain.Root()) // folders may be among what was lost
			}
		}
	}
}

// forget drops the watches at and below a path that is gone. A folder that was moved
// would go on being reported under its old name.
func forget(w *fsnotify.Watcher, path string) {
	below := path + string(filepath.Separator)
	for _, watched := range w.WatchList() {
		if watched == path || strings.HasPrefix(watched, below) {
			_ = w.Remove(watched) // gone by itself when the folder was deleted
		}
	}
}

// watchDirs watches dir and the folders below it that may hold cards.
func (s *Server) watchDirs(w *fsnotify.Watcher, dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if err != nil || !d.IsDir() {
			return nil // gone or unreadable: the index says so
		}
		if path != s.brain.Root() && s.ignored(path) {
			return fs.SkipDir
		}
		return w.Add(path)
	})
	if err != nil && s.ctx.Err() == nil {
		s.log.Warn("some folders are not watched; the editor's own watcher still reports them", "dir", dir, "err", err)
	}
}

// ignored reports whether a path lies in or is a dot-folder, a temporary file or
// node_modules, none of which the brain reads.
func (s *Server) ignored(path string) bool {
	rel, err := s.brainRel(path)
	return err != nil || rel != "." && s.brain.Hidden(rel)
}
