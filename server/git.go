package server

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"handrail/triggers"
)

const (
	// gitTimeout bounds one call of git; what it would have told is then not known.
	gitTimeout = 5 * time.Second
	// maxTracked bounds the files one turn follows.
	maxTracked = 500
	// maxHashed is the largest file that is hashed, and how much of a patch is read, in bytes.
	maxHashed = 1 << 20
	// stashWithin is how long ago the log of stashes may have been written for a line in HEAD's to be of it.
	stashWithin = 10 * time.Second
)

// gitWatch notices rollbacks: revert and reset by the log git keeps of HEAD, restored
// files by their content, since git writes no line for those.
type gitWatch struct {
	followMu   sync.Mutex          // guards the three below; one workspace is taken up at a time
	asked      []string            // the workspaces of editors
	talks      []string            // the folders of conversations, the last at the end
	workspaces map[string][]string // followed folders → the logs of their repositories

	mu    sync.Mutex // guards what follows, but not a repository's size, which only followGit touches
	repos []*repository
	turn  *triggers.Turn    // contents at the start of the turn, of files that an agent edited
	dirty map[string]string // hashes at turn start of files that differed from the index
	watch *fsnotify.Watcher // nil when nothing is watched
	seen  map[string]bool   // folders watched for edited files
}

// watchGit follows the repositories of the workspaces. Without git, or outside a
// repository, it does nothing.
func (s *Server) watchGit(workspaces []string) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		s.log.Warn("rollbacks are not noticed", "err", err)
		return
	}
	g := &s.git
	g.watch, g.seen, g.turn, g.workspaces = w, map[string]bool{}, triggers.NewTurn(s.now()), map[string][]string{}
	s.Follow(workspaces)
	s.wg.Go(func() {
		defer w.Close() //nolint:errcheck // nothing is lost with a watch
		s.followGit(w)
	})
}

func (s *Server) followGit(w *fsnotify.Watcher) {
	grown := false                // a work tree was added
	returned := map[string]bool{} // files back at their content of the turn's start
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case ev, ok := <-w.Events:
			if !ok {
				return
			}
			if r := s.git.repositoryOf(ev.Name); r != nil {
				s.readLog(r)
				continue
			}
			if ev.Has(fsnotify.Create) && s.git.makesTree(ev.Name) {
				grown = true
				timer.Reset(settleLimit) // git has more to write there
				continue
			}
			if s.git.tracks(ev.Name) {
				returned[ev.Name] = true
				timer.Reset(settleLimit) // several files are restored together
			}
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			s.log.Warn("watching git", "err", err)
			for _, r := range s.git.followed() {
				s.readLog(r)
			}
		case <-timer.C:
			s.checkReturned(returned)
			clear(returned)
			if grown {
				grown = false
				s.followTrees()
				for _, r := range s.git.followed() {
					s.readLog(r) // what was written before it was watched
				}
			}
		}
	}
}

func (g *gitWatch) tracks(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.turn.Tracks(path)
}

// readLog reads the lines that were added to a log and reports what they undo.
func (s *Server) readLog(r *repository) {
	f, err := os.Open(r.log)
	if err != nil {
		return
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return
	}
	if info.Size() < r.size { // rewritten by expiry: what it says is history
		r.size = info.Size()
		return
	}
	added := make([]byte, info.Size()-r.size)
	if _, err := f.ReadAt(added, r.size); err != nil && !errors.Is(err, io.EOF) {
		s.log.Warn("git log of HEAD not read", "file", r.log, "err", err)
		return
	}
	end := bytes.LastIndexByte(added, '\n') + 1 // a line still being written waits
	r.size += int64(end)
	for line := range bytes.Lines(added[:end]) {
		e, ok := triggers.ParseReflog(line)
		if last := len(line) == end; ok && (last || e.Verdict() != triggers.NeedsAncestor) {
			s.judge(r, e)
		}
		end -= len(line)
	}
}

// judge finds out what the log line leaves open and reports a rollback.
func (s *Server) judge(r *repository, e triggers.Entry) {
	soft := false
	switch e.Verdict() {
	case triggers.No:
		return
	case triggers.Yes:
	case triggers.NeedsAncestor:
		// Back to an ancestor. "--soft" leaves every file as it was: the usual way to redo a commit, and only a sign.
		if _, err := git(s.ctx, r.tree, "merge-base", "--is-ancestor", e.New, e.Old); err != nil {
			return
		}
		soft = !s.filesMoved(r, e)
		if r.movedOn() { // asked last: the files may show a later state by now
			return
		}
	case triggers.NeedsWorktree:
		// "reset --hard" on the same commit is told by the files' content instead; a stash is the same line.
		if files, ok := stashed(s.ctx, r); ok {
			s.report(Event{Kind: RollbackEvent, At: s.now(), Text: "stash", Files: s.relFiles(files), Soft: true})
		}
		return
	}
	files, _ := git(s.ctx, r.tree, "diff", "--name-only", "-z", e.Old, e.New)
	subject, _ := git(s.ctx, r.tree, "log", "-1", "--format=%s", e.Old)
	ev := Event{
		Kind: RollbackEvent, At: s.now(), Text: strings.TrimSpace(e.Message + "\n" + strings.TrimSpace(subject)), Files: s.relFiles(absolute(r.tree, files)), Soft: soft,
	}
	if patch, err := git(s.ctx, r.tree, "diff", "--no-color", "--no-ext-diff", "-U0", e.Old, e.New); err == nil {
		ev.Changes = triggers.ParsePatch(head(patch, maxHashed))
		for i, c := range ev.Changes {
			ev.Changes[i].File = s.projectPath(filepath.Join(r.tree, filepath.FromSlash(c.File)))
		}
	}
	s.report(ev)
}

// stashed returns the files that were put aside a moment ago.
func stashed(ctx context.Context, r *repository) ([]string, bool) {
	info, err := os.Stat(filepath.Join(r.common, "logs", "refs", "stash"))
	if err != nil || time.Since(info.ModTime()) > stashWithin {
		return nil, false
	}
	files, err := git(ctx, r.tree, "stash", "show", "--name-only", "-z")
	return absolute(r.tree, files), err == nil && files != ""
}

// filesMoved reports whether the files that differ between the two commits now stand
// as in the new one, which a soft or mixed reset does not do.
func (s *Server) filesMoved(r *repository, e triggers.Entry) bool {
	out, err := git(s.ctx, r.tree, "diff", "--name-only", "-z", e.Old, e.New)
	if err != nil {
		return false
	}
	changed := strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
	if len(changed) == 0 {
		return false
	}
	changed = changed[:min(len(changed), maxTracked)]
	args := append([]string{"diff", "--quiet", e.New, "--"}, changed...)
	_, err = git(s.ctx, r.tree, args...)
	return err == nil
}

// movedOn reports whether git has written more to the log than was read. The files then
// show a later state, and a reset that was followed at once by a commit was most likely
// the way to that commit.
func (r *repository) movedOn() bool {
	info, err := os.Stat(r.log)
	return err != nil || info.Size() != r.size
}

func absolute(tree, zeroSeparated string) []string {
	var out []string
	for name := range strings.SplitSeq(zeroSeparated, "\x00") {
		if name != "" {
			out = append(out, filepath.Join(tree, filepath.FromSlash(name)))
		}
	}
	return out
}

func (s *Server) report(ev Event) {
	if _, err := s.observe(s.ctx, ev); err != nil && s.ctx.Err() == nil {
		s.log.Warn("event not observed", "err", err)
	}
}

// startTurn remembers, in the background, which files already differ from git's index,
// so that a file which later returns to this very content is seen to have been undone.
func (s *Server) startTurn() {
	g := &s.git
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.watch == nil || len(g.repos) == 0 {
		return
	}
	g.turn = triggers.NewTurn(s.now())
	g.dirty = nil
	for dir := range g.seen {
		_ = g.watch.Remove(dir)
	}
	clear(g.seen)
	turn, repos := g.turn, slices.Clone(g.repos)
	s.wg.Go(func() {
		dirty := map[string]string{}
		for _, r := range repos {
			out, err := git(s.ctx, r.tree, "diff", "--name-only", "-z")
			if err != nil {
				continue
			}
			for i, f := range absolute(r.tree, out) {
				if h, err := blobHash(f); i < maxTracked && err == nil {
					dirty[f] = h
				}
			}
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.turn == turn {
			g.dirty = dirty
		}
	})
}

// edited follows files an agent changed: what they held when the turn began, and what
// they hold now.
func (s *Server) edited(files []string) {
	g := &s.git
	if g.watch == nil {
		return
	}
	for _, f := range files {
		now, err := blobHash(f)
		if err != nil {
			continue
		}
		g.mu.Lock()
		start, known := g.dirty[f]
		tracked := g.turn.Tracks(f)
		g.mu.Unlock()
		if !tracked && (!known || start == now) { // the same: it was edited before git told of it
			start = s.indexHash(f)
		}
		g.mu.Lock()
		if start != "" {
			g.turn.Start(f, start)
		}
		g.turn.Edited(f, now, s.now())
		dir := filepath.Dir(f)
		if !g.seen[dir] && len(g.seen) < maxTracked {
			if err := g.watch.Add(dir); err != nil {
				s.log.Warn("edited file not followed", "file", f, "err", err)
			} else {
				g.seen[dir] = true
			}
		}
		g.mu.Unlock()
	}
}

// indexHash returns the hash git's index has for a file, "" when it has none.
func (s *Server) indexHash(file string) string {
	out, err := git(s.ctx, filepath.Dir(file), "ls-files", "-s", "--", filepath.Base(file))
	if err != nil {
		return ""
	}
	fields := strings.Fields(out) // mode, hash, stage, name
	if len(fields) < 4 {
		return ""
	}
	return fields[1]
}

// checkReturned reports the files whose content is that of the turn's start again.
func (s *Server) checkReturned(files map[string]bool) {
	g := &s.git
	var back []string
	for f := range files {
		h, err := blobHash(f)
		if err != nil {
			continue
		}
		g.mu.Lock()
		if g.turn.Returned(f, h, s.now()) {
			back = append(back, f)
		}
		g.mu.Unlock()
	}
	if len(back) == 0 {
		return
	}
	slices.Sort(back)
	s.report(Event{Kind: RollbackEvent, At: s.now(), Files: s.relFiles(back)})
}

// blobHash returns the name git gives a file's content (SHA-1 over "blob SIZE\0" and the
// bytes), so that it can be compared with git's index without reading objects.
func blobHash(file string) (string, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxHashed {
		return "", fmt.Errorf("hash %s: not a small regular file", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// git runs one git command in dir and returns what it printed.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	// The user's hooks, pagers and prompts have no place in a look at history.
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w", args[0], dir, err)
	}
	return string(out), nil
}
