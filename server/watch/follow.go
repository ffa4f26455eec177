package watch

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
	tree string // top of the work tree
	log  string // logs/HEAD; a linked work tree has one of its own
	size int64  // how much of log was read
}

// maxFollowed bounds the folders of conversations whose repositories are followed beside the workspaces.
const maxFollowed = 16

// FollowTalk follows the repository of a folder that a conversation works in, for users
// without an editor. The last ones are followed; it is done in the background.
func (g *Git) FollowTalk(dir string) {
	if g.watch == nil {
		return
	}
	dir = filepath.Clean(dir)
	g.followMu.Lock()
	known := slices.Contains(g.talks, dir)
	g.talks = append(slices.DeleteFunc(g.talks, func(d string) bool { return d == dir }), dir)
	g.talks = g.talks[max(0, len(g.talks)-maxFollowed):]
	g.followMu.Unlock()
	if known {
		return
	}
	g.Go(func() {
		g.followMu.Lock()
		defer g.followMu.Unlock()
		g.follow()
	})
}

// Follow makes these the workspaces whose repositories are followed, and lets go of the
// others. From its return on, no rollback there is missed.
func (g *Git) Follow(workspaces []string) {
	if g.watch == nil {
		return
	}
	g.followMu.Lock()
	defer g.followMu.Unlock()
	g.asked = slices.Clone(workspaces)
	g.follow()
}

// follow follows what was asked for and what conversations work in. The caller holds followMu.
func (g *Git) follow() {
	before := g.workspaces
	g.workspaces = map[string][]string{}
	for _, dir := range slices.Concat(g.asked, g.talks) {
		if logs, ok := before[dir]; ok {
			g.workspaces[dir] = logs
		} else {
			g.workspaces[dir] = g.followRepository(dir)
		}
	}
	g.letGo()
}

// followRepository follows the repository that dir belongs to and all its work trees. It returns their logs. The caller holds followMu.
func (g *Git) followRepository(dir string) (logs []string) {
	trees := []string{dir}
	out, _ := GitOutput(g.Ctx, dir, "worktree", "list", "--porcelain")
	for line := range strings.Lines(out) {
		if tree, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok {
			trees = append(trees, filepath.FromSlash(tree))
		}
	}
	for _, tree := range trees {
		r, err := openRepository(g.Ctx, tree)
		if err != nil {
			g.Log.Debug("no repository", "dir", tree, "err", err)
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
				g.Log.Warn("some rollbacks are not noticed", "repository", r.tree, "err", err)
			}
		}
	}
	return logs
}

// watched returns the folders that tell of a repository: that of its log, and the one in which
// that is made with the first commit.
func (r *repository) watched() []string {
	return []string{filepath.Dir(r.log), filepath.Dir(filepath.Dir(r.log))}
}

// letGo stops following the repositories that no workspace has. The caller holds followMu.
func (g *Git) letGo() {
	logs, needed := map[string]bool{}, map[string]bool{}
	for _, list := range g.workspaces {
		for _, log := range list {
			logs[log] = true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var gone []*repository
	g.repos = slices.DeleteFunc(slices.Clone(g.repos), func(r *repository) bool {
		if !logs[r.log] {
			gone = append(gone, r)
			return true
		}
		for _, dir := range r.watched() {
			needed[dir] = true
		}
		return false
	})
	for _, r := range gone {
		g.Log.Debug("a repository is not followed any more", "dir", r.tree)
		for _, dir := range r.watched() {
			if !needed[dir] && !g.seen[dir] {
				_ = g.watch.Remove(dir) // fails where nothing was watched
			}
		}
	}
}

func openRepository(ctx context.Context, dir string) (*repository, error) {
	out, err := GitOutput(ctx, dir, "rev-parse", "--path-format=absolute", "--show-toplevel", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimRight(out, "\n"), "\n")
	if len(names) != 2 {
		return nil, fmt.Errorf("git rev-parse in %s: unexpected %q", dir, out)
	}
	r := &repository{tree: filepath.FromSlash(names[0]), log: filepath.Join(filepath.FromSlash(names[1]), "logs", "HEAD")}
	if info, err := os.Stat(r.log); err == nil {
		r.size = info.Size()
	}
	return r, nil
}

func (g *Git) followed() []*repository {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.repos)
}

// Trees returns the tops of the work trees that are followed.
func (g *Git) Trees() (tops []string) {
	for _, r := range g.followed() {
		tops = append(tops, r.tree)
	}
	return tops
}

func (g *Git) repositoryOf(log string) *repository {
	for _, r := range g.followed() {
		if r.log == log {
			return r
		}
	}
	return nil
}
