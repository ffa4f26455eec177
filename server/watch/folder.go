package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// folder follows the files below root.
type folder struct {
	Host
	root    string
	ignored func(path string) bool
	changed func(paths ...string)
	watch   *notifier
}

// Folder calls changed with the path of every file or folder below root that changes, and
// with none when anything may have. It must not wait for the work that this causes: fsnotify
// stops delivering while its reader is busy. Ignored paths are neither watched nor told.
func Folder(h Host, root string, ignored func(path string) bool, changed func(paths ...string)) {
	w, err := notify(h)
	if err != nil {
		h.Log.Warn("brain not watched; saves in this editor are still noticed", "err", err)
		return
	}
	f := &folder{h, root, ignored, changed, w}
	h.Go(func() {
		defer w.Close() //nolint:errcheck // nothing is lost with a watch
		f.add(root)
		changed() // while the watches were being set
		f.receive()
	})
}

// receive tells of changes. While it adds folders the notifier keeps what comes.
func (f *folder) receive() {
	for {
		select {
		case <-f.Ctx.Done():
			return
		case ev := <-f.watch.Events:
			if f.ignored(ev.Name) || ev.Op == fsnotify.Chmod {
				continue
			}
			if ev.Has(fsnotify.Rename) || ev.Has(fsnotify.Remove) {
				f.forget(ev.Name)
			}
			if info, err := os.Lstat(ev.Name); ev.Has(fsnotify.Create) && err == nil && info.IsDir() {
				f.add(ev.Name)
			}
			f.changed(ev.Name) // with what a folder held before it was watched
		case err := <-f.watch.Errors:
			f.Log.Warn("watching the brain", "err", err)
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				f.add(f.root) // folders may be among what was lost
				f.changed()
			}
		}
	}
}

// forget drops the watches at and below a path that is gone. A folder that was moved
// would go on being reported under its old name.
func (f *folder) forget(path string) {
	for _, watched := range f.watch.WatchList() {
		if watched == path || strings.HasPrefix(watched, path+string(filepath.Separator)) {
			_ = f.watch.Remove(watched) // gone by itself when the folder was deleted
		}
	}
}

// add watches dir and the folders below it that are not ignored.
func (f *folder) add(dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case f.Ctx.Err() != nil:
			return f.Ctx.Err()
		case err != nil || !d.IsDir():
			return nil // gone or unreadable: who reads it says so
		case f.ignored(path):
			return fs.SkipDir
		}
		return f.watch.Add(path)
	})
	if err != nil && f.Ctx.Err() == nil {
		f.Log.Warn("some folders are not watched; the editor's own watcher still reports them", "dir", dir, "err", err)
	}
}

// notifier is fsnotify's watcher, whose methods may be called from anywhere. On Windows that
// one answers a call only while its events are read, and never once Close has begun.
type notifier struct {
	*fsnotify.Watcher
	Events chan fsnotify.Event
	Errors chan error
	mu     sync.Mutex // one call at a time
}

// notify returns a notifier that delivers until it is closed.
func notify(h Host) (*notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &notifier{Watcher: w, Events: make(chan fsnotify.Event), Errors: make(chan error, 16)}
	h.Go(n.deliver)
	return n, nil
}

// deliver reads all that fsnotify sends; what is not yet taken waits in memory.
func (n *notifier) deliver() {
	var queue []fsnotify.Event
	for {
		var out chan<- fsnotify.Event
		var next fsnotify.Event
		if len(queue) > 0 {
			out, next = n.Events, queue[0]
		}
		select {
		case ev, ok := <-n.Watcher.Events:
			if !ok {
				return
			}
			queue = append(queue, ev)
		case err, ok := <-n.Watcher.Errors:
			if !ok {
				return
			}
			select {
			case n.Errors <- err:
			default: // those before it have the same outcome
			}
		case out <- next:
			queue = queue[1:]
		}
	}
}

func (n *notifier) Add(path string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.Watcher.Add(path)
}

func (n *notifier) Remove(path string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.Watcher.Remove(path)
}

func (n *notifier) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.Watcher.Close()
}
