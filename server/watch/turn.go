package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handrail/lessons/git"
	"handrail/triggers"
)

// StartTurn remembers, in the background, which files already differ from git's index,
// so that a file which later returns to this very content is seen to have been undone.
func (g *Git) StartTurn() {
	repos := g.followed()
	if g.watch == nil || len(repos) == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	turn := triggers.NewTurn(g.now())
	g.turn, g.dirty = turn, nil
	for dir := range g.seen {
		_ = g.watch.Remove(dir)
	}
	clear(g.seen)
	g.Go(func() {
		dirty := map[string]string{}
		for _, r := range repos {
			out, _ := GitOutput(g.Ctx, r.tree, "diff", "--name-only", "-z")
			for i, f := range r.absolute(out) {
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

// AtStart returns git's hash of what a file held when the turn began, "" where that was what
// the index has; known is false while git has not told, or could not.
func (g *Git) AtStart(file string) (hash string, known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dirty[file], g.dirty != nil
}

// Tracks reports whether an agent has edited a file in this turn.
func (g *Git) Tracks(file string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.turn.Tracks(file)
}

// Edited follows files an agent changed: what they held when the turn began, and what
// they hold now.
func (g *Git) Edited(files []string) {
	if g.watch == nil {
		return
	}
	for _, f := range files {
		now, err := blobHash(f)
		if err != nil {
			continue
		}
		start, _ := g.AtStart(f)
		if !g.Tracks(f) && (start == "" || start == now) { // the same: it was edited before git told of it
			start = g.indexHash(f)
		}
		g.mu.Lock()
		if start != "" {
			g.turn.Start(f, start)
		}
		g.turn.Edited(f, now, g.now())
		dir := filepath.Dir(f)
		if !g.seen[dir] && len(g.seen) < maxTracked {
			if err := g.watch.Add(dir); err != nil {
				g.Log.Warn("edited file not followed", "file", f, "err", err)
			} else {
				g.seen[dir] = true
			}
		}
		g.mu.Unlock()
	}
}

// indexHash returns the hash git's index has for a file, "" when it has none.
func (g *Git) indexHash(file string) string {
	out, _ := GitOutput(g.Ctx, filepath.Dir(file), "ls-files", "-s", "--", filepath.Base(file))
	fields := strings.Fields(out) // mode, hash, stage, name
	if len(fields) < 4 {
		return ""
	}
	return fields[1]
}

// checkReturned reports the files whose content is that of the turn's start again.
func (g *Git) checkReturned(files map[string]bool) {
	var back []string
	for f := range files {
		h, err := blobHash(f)
		g.mu.Lock()
		if err == nil && g.turn.Returned(f, h, g.now()) {
			back = append(back, f)
		}
		g.mu.Unlock()
	}
	if len(back) > 0 {
		slices.Sort(back)
		g.report(triggers.Event{Kind: triggers.Rollback, At: g.now(), Files: back})
	}
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
	return git.Blob(data), nil
}
