package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// folder follows the files below root.
type folder struct {
	Host
	root    string
	ignored func(path string) bool
	changed func(path string)
	watch   *notifier
}

// Folder calls changed with the path of every file or folder below root that changes, and
// with "" when anything may have. It must not wait for the work that this causes: fsnotify
// stops delivering while its reader is busy. Ignored paths are neither watched nor told.
func Folder(h Host, root string, ignored func(path string) bool, changed func(path string)) {
	w, err := notify(h)
	if err != nil {
		h.Log.Warn("brain not watched; saves in this editor are still noticed", "err", err)
		return
	}
	f := &folder{h, root, ignored, changed, w}
	h.Go(func() {
		defer w.Close() //nolint:errcheck // nothing is lost with a watch
		f.add(root)
		changed("") // while the watches were being set
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
				f.changed("")
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
