package learn

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/git"
)

// project is a project with all its work trees and clones on this disk.
type project struct {
	ctx    context.Context
	part   string // of a repository, "." for all of it: what names of files are relative to
	origin string // where the repository comes from, "" for nowhere
	ruled  []ruleFile

	mu    sync.Mutex
	roots []root
	known map[string]bool // folders that were asked for
}

// root is one tree of the project.
type root struct {
	top string // of the repository
	dir string // of the project in it: names of files are relative to it
}

// newProject returns the project that a folder holds.
func newProject(ctx context.Context, dir string) *project {
	p := &project{ctx: ctx, part: ".", known: map[string]bool{}}
	dir = realPath(dir)
	top, ok := find.Repository(dir)
	if !ok {
		p.roots = []root{{dir, dir}}
		return p
	}
	if rel, err := filepath.Rel(top, dir); err == nil {
		p.part = rel
	}
	p.add(top)
	p.origin = originOf(ctx, top)
	trees, _ := git.Output(ctx, top, "worktree", "list", "--porcelain") // fails before the first commit
	for line := range strings.Lines(trees) {
		if tree, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok {
			p.add(realPath(filepath.FromSlash(tree)))
		}
	}
	return p
}

func (p *project) add(top string) {
	r := root{top, filepath.Join(top, p.part)}
	if !slices.Contains(p.roots, r) {
		p.roots = append(p.roots, r)
	}
}

func (p *project) trees() []root {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.roots
}

// holds reports whether an agent that works in a folder works on the project: the folder lies in one of its trees, or in
// another clone of the same origin. A folder that is gone and was in none is not known.
func (p *project) holds(dir string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	is, asked := p.known[dir]
	if asked {
		return is
	}
	real := realPath(dir)
	is = slices.ContainsFunc(p.roots, func(r root) bool { return within(r.dir, real) || r.top == real })
	if top, ok := find.Repository(real); !is && ok && p.origin != "" && originOf(p.ctx, top) == p.origin {
		p.add(top)
		is = true
	}
	p.known[dir] = is
	return is
}

// name returns how cards name a file of the project; ok is false for any other.
func (p *project) name(file string) (name string, ok bool) {
	best := ""
	for _, r := range p.trees() {
		if within(r.dir, file) && len(r.dir) > len(best) {
			best = r.dir
		}
	}
	rel, err := filepath.Rel(best, file)
	if best == "" || err != nil || rel == "." {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

func (p *project) names(files []string) (out []string) {
	for _, f := range files {
		if name, ok := p.name(f); ok {
			out = append(out, name)
		}
	}
	return out
}

func within(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

func realPath(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

func originOf(ctx context.Context, top string) string {
	if _, err := os.Stat(find.GitDir(top)); err != nil {
		return ""
	}
	url, _ := git.Output(ctx, top, "config", "--get", "remote.origin.url") // fails where there is none
	return strings.TrimSuffix(strings.TrimSpace(url), ".git")
}
