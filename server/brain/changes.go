package brain

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/postcheck/check"
	"github.com/handrail-dev/handrail/server/watch"
	"github.com/handrail-dev/handrail/triggers"
)

// FilesChanged reports that files or folders of the brain were written, moved or removed. paths are absolute; none
// means that anything may have changed. It returns at once; Settle waits.
func (s *Base) FilesChanged(paths ...string) {
	s.Logger.Debug("files changed", "count", len(paths))
	var rels []string
	for _, p := range paths {
		if rel, ok := s.Files.Within(p); ok {
			rels = append(rels, rel)
		}
	}
	if len(rels) > 0 || len(paths) == 0 {
		s.changes.Add(rels...)
	}
}

// Settle waits until every change reported so far is searchable, and what is remembered of
// them and of conversations is on the disk.
func (s *Base) Settle(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.Flush(ctx)
	_ = s.State.Save() // it is logged
	return ctx.Err()
}

// catchUp is how long a request waits for changes that are being read. A prompt has 300 ms in all.
const catchUp = 150 * time.Millisecond

// CatchUp waits a moment until what has just changed on the disk can be found: a branch was switched, a card saved. Where
// the index is not ready, who asks has waited for that.
func (s *Base) CatchUp(ctx context.Context) {
	ctx, done := context.WithTimeout(ctx, catchUp)
	defer done()
	select {
	case <-s.ready:
		_ = s.settle(ctx) // what is late is found by the next request
	default:
	}
}

// settle waits for the index alone.
func (s *Base) settle(ctx context.Context) error { return s.changes.Settle(ctx, s.Ctx) }

// wrote reports our own write and waits until it is searchable, so that the caller's next request finds it.
func (s *Base) wrote(rels ...string) {
	if s.Index == nil {
		return // FilesOnly: whoever owns the index sees the file change
	}
	s.changes.Add(rels...)
	if err := s.settle(s.Ctx); err != nil {
		s.Logger.Info("own writes not indexed yet", "files", rels, "err", err)
	}
}

// indexChanged has files indexed and tells who depends on them; no path means all files.
func (s *Base) indexChanged(rels []string) {
	delta, err := s.Index.Sync(s.Ctx, rels...)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			s.Logger.Error("changed files not indexed", "err", err)
		}
		return
	}
	if len(delta.Added)+len(delta.Changed)+len(delta.Removed) > 0 {
		if m := s.vectors.model.Load(); m != nil {
			m.Changed()
		}
		s.Keeper.Changed()
		s.State.Renamed(delta.Gone, s.Index.Heads(), delta.Added)
		s.TellChanged(Changed{Cards: true})
	}
}

// Watch follows the brain's folders, the repositories of the workspaces and the trust in the brain until the Server
// closes. rolledBack is told what git undid.
func (s *Base) Watch(cfg Config, rolledBack func(triggers.Event)) {
	host := watch.Host{Ctx: s.Ctx, Go: s.wg.Go, Log: s.Logger}
	ignored := func(path string) bool { // in or a dot-folder, a temporary file or node_modules, none of which the brain reads
		rel, ok := s.Files.Within(path)
		return !ok || rel != "." && s.Files.Hidden(rel)
	}
	watch.Folder(host, s.Files.Root(), ignored, s.FilesChanged)
	s.Git.Start(host, s.Now, rolledBack)
	s.Git.Follow(cfg.Workspaces)
	s.later(s.Index.CaughtUp(), func(ctx context.Context) {
		first := s.Index.First()
		s.State.Renamed(first.Gone, s.Index.Heads(), first.Added)
		s.Keeper.Follow(ctx)
	})
	s.LookLater()
	if s.owner {
		s.wg.Go(func() {
			s.dropUnused(cfg)
			_ = s.Files.Sweep(s.Ctx) // fails when it is to end
		})
	}
}

// maxSource is the largest file that is looked through for a line, in bytes.
const maxSource = 1 << 20

// TextOf returns what a file holds now, "" where it is larger than a megabyte or cannot be read.
func TextOf(path string) string {
	if info, err := os.Stat(path); err != nil || info.Size() > maxSource {
		return ""
	}
	data, _ := os.ReadFile(path)
	return string(data)
}

// Planned returns what an action adds, without the brain's own files: a card's examples break
// its check. A line that the same edit takes out elsewhere is there already.
func (s *Base) Planned(command string, changes []triggers.Change) check.Deeds {
	var out check.Deeds
	if command != "" {
		out.Commands = []check.Command{{Line: command}}
	}
	own := s.ProjectPath(s.Files.Root()) + "/"
	for i, c := range changes {
		e := check.Edit{File: s.ProjectPath(c.File), Seq: i}
		gone := map[string]int{}
		for _, l := range c.Removed {
			gone[l]++
		}
		for _, l := range c.Added {
			if gone[l]--; gone[l] < 0 {
				e.Added = append(e.Added, check.Line{Text: l})
			}
		}
		out.Edits = append(out.Edits, e)
	}
	out.Edits = slices.DeleteFunc(out.Edits, func(e check.Edit) bool { return strings.HasPrefix(e.File, own) })
	return out
}
