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

// FollowTalk follows the repository of a folder that a conversation works in, in the background.
func (g *Git) FollowTalk(dir string) {
	if g.watch != nil {
		g.Go(func() { g.Follow([]string{filepath.Clean(dir)}) })
	}
}

// Follow follows the repositories of folders, with all their work trees, until the watch ends; without a watch it
// follows none. From its return on, no rollback there is missed.
func (g *Git) Follow(dirs []string) {
	if g.watch == nil {
		return
	}
	g.followMu.Lock()
	defer g.followMu.Unlock()
	for _, dir := range dirs {
		if !g.asked[dir] {
			g.asked[dir] = true
			g.follow(dir)
		}
	}
}

// follow follows the repository that dir belongs to. The caller holds followMu.
func (g *Git) follow(dir string) {
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
		if g.repositoryOf(r.log) != nil {
			continue
		}
		g.mu.Lock()
		g.repos = append(g.repos, r)
		g.mu.Unlock()
		// The folder of its log, and the one in which that is made with the first commit.
		for _, watched := range []string{filepath.Dir(r.log), filepath.Dir(filepath.Dir(r.log))} {
			if err := g.watch.Add(watched); err != nil && !errors.Is(err, fs.ErrNotExist) {
				g.Log.Warn("some rollbacks are not noticed", "repository", r.tree, "err", err)
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
	repos := g.followed()
	if i := slices.IndexFunc(repos, func(r *repository) bool { return r.log == log }); i >= 0 {
		return repos[i]
	}
	return nil
}
