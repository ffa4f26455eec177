package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// repository is one git work tree whose history is followed.
type repository struct {
	tree   string // top of the work tree
	common string // the git folder all work trees share
	log    string // logs/HEAD; a linked work tree has one of its own
	size   int64  // how much of log was read
}

// maxFollowed bounds the folders of conversations whose repositories are followed beside the workspaces.
const maxFollowed = 16

// followSession follows the repository that a conversation works in, for users without an editor. The last ones are followed; it is done in the background.
func (s *Server) followSession(e Event) {
	g := &s.git
	if g.watch == nil || e.Dir == "" || e.SessionID == "" {
		return
	}
	dir := filepath.Clean(e.Dir)
	g.followMu.Lock()
	known := slices.Contains(g.talks, dir)
	g.talks = append(slices.DeleteFunc(g.talks, func(d string) bool { return d == dir }), dir)
	g.talks = g.talks[max(0, len(g.talks)-maxFollowed):]
	asked := slices.Clone(g.asked)
	g.followMu.Unlock()
	if !known {
		s.wg.Go(func() { s.Follow(asked) })
	}
}

// Follow makes these the workspaces whose repositories are followed, and lets go of the
// others; a Server that does not watch follows none. From its return on, no rollback there
// is missed.
func (s *Server) Follow(workspaces []string) {
	g := &s.git
	if g.watch == nil {
		return
	}
	g.followMu.Lock()
	defer g.followMu.Unlock()
	g.asked = slices.Clone(workspaces)
	workspaces = append(slices.Clone(workspaces), g.talks...)
	for dir := range g.workspaces {
		if !slices.Contains(workspaces, dir) {
			delete(g.workspaces, dir)
		}
	}
	for _, dir := range workspaces {
		if _, ok := g.workspaces[dir]; !ok {
			g.workspaces[dir] = s.followRepository(dir)
		}
	}
	s.letGo()
	g.watchTrees()
}

// followTrees takes up the work trees that were added to followed repositories.
func (s *Server) followTrees() {
	g := &s.git
	g.followMu.Lock()
	defer g.followMu.Unlock()
	g.watchTrees() // first: what git writes from here on has them looked at again
	for dir := range g.workspaces {
		g.workspaces[dir] = s.followRepository(dir)
	}
	g.watchTrees()
}

// watchTrees watches the folders of work trees that are not followed yet, since git may
// still be making them, and no other.
func (g *gitWatch) watchTrees() {
	for _, r := range g.followed() {
		trees := filepath.Join(r.common, "worktrees")
		_ = g.watch.Add(trees) // fails where there is none
		dirs, _ := os.ReadDir(trees)
		for _, d := range dirs {
			dir := filepath.Join(trees, d.Name())
			if _, err := os.Stat(filepath.Join(dir, "logs")); err != nil || g.repositoryOf(filepath.Join(dir, "logs", "HEAD")) == nil {
				_ = g.watch.Add(dir) // gone again, or not a folder
			} else {
				_ = g.watch.Remove(dir) // fails where it was not watched
			}
		}
	}
}

// makesTree reports whether something at this path is part of making a work tree or its log.
func (g *gitWatch) makesTree(path string) bool {
	for _, r := range g.followed() {
		rel, err := filepath.Rel(r.common, path)
		if err != nil {
			continue
		}
		switch names := strings.Split(filepath.ToSlash(rel), "/"); names[0] {
		case "worktrees":
			if len(names) <= 3 {
				return true
			}
		case "logs": // with the first commit
			if len(names) == 1 {
				return true
			}
		}
	}
	return false
}

// followRepository follows the repository that dir belongs to and all its work trees:
// agents like to make one for themselves. It returns their logs. The caller holds followMu.
func (s *Server) followRepository(dir string) (logs []string) {
	g := &s.git
	trees := []string{dir}
	if out, err := git(s.ctx, dir, "worktree", "list", "--porcelain"); err == nil {
		for line := range strings.Lines(out) {
			if tree, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok {
				trees = append(trees, filepath.FromSlash(tree))
			}
		}
	}
	for _, tree := range trees {
		r, err := openRepository(s.ctx, tree)
		if err != nil {
			s.log.Debug("no repository", "dir", tree, "err", err)
			continue
		}
		logs = append(logs, r.log)
		if g.repositoryOf(r.log) == nil {
			g.mu.Lock()
			g.repos = append(g.repos, r)
			g.mu.Unlock()
		}
		for _, watched := range r.watched() {
			if err := g.watch.Add(watched); err != nil && !errors.Is(err, fs.ErrNotExist) {
				s.log.Warn("some rollbacks are not noticed", "repository", r.tree, "err", err)
			}
		}
	}
	return logs
}

// watched returns the folders that tell of a repository: that of its log, and the common
// one, which tells of the first work tree, its "worktrees" of further ones.
func (r *repository) watched() []string {
	return []string{filepath.Dir(r.log), r.common, filepath.Join(r.common, "worktrees")}
}

// letGo stops following the repositories that no workspace has. The caller holds followMu.
func (s *Server) letGo() {
	g := &s.git
	logs := map[string]bool{}
	for _, list := range g.workspaces {
		for _, log := range list {
			logs[log] = true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var kept, gone []*repository
	needed := map[string]bool{}
	for _, r := range g.repos {
		if !logs[r.log] {
			gone = append(gone, r)
			continue
		}
		kept = append(kept, r)
		for _, dir := range r.watched() {
			needed[dir] = true
		}
	}
	g.repos = kept
	for _, r := range gone {
		s.log.Debug("a repository is not followed any more", "dir", r.tree)
		for _, dir := range r.watched() {
			if !needed[dir] && !g.seen[dir] {
				_ = g.watch.Remove(dir) // fails where nothing was watched
			}
		}
	}
}

func openRepository(ctx context.Context, dir string) (*repository, error) {
	out, err := git(ctx, dir, "rev-parse", "--path-format=absolute", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimRight(out, "\n"), "\n")
	if len(names) != 3 {
		return nil, fmt.Errorf("git rev-parse in %s: unexpected %q", dir, out)
	}
	r := &repository{
		tree: filepath.FromSlash(names[0]), common: filepath.FromSlash(names[2]),
		log: filepath.Join(filepath.FromSlash(names[1]), "logs", "HEAD"),
	}
	if info, err := os.Stat(r.log); err == nil {
		r.size = info.Size()
	}
	return r, nil
}

func (g *gitWatch) followed() []*repository {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.repos)
}

func (g *gitWatch) repositoryOf(path string) *repository {
	for _, r := range g.followed() {
		if r.log == path {
			return r
		}
	}
	return nil
}
