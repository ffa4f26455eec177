package learn

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/git"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/triggers"
)

// project is a project with all its work trees and clones on this disk.
type project struct {
	ctx    context.Context
	part   string // of a repository, "." for all of it: what names of files are relative to
	origin string // where the repository comes from, "" for nowhere
	ruled  []ruleFile

	mu    sync.Mutex
	roots []root
	known map[string]place // folders that were asked for
	asked map[string]bool  // repositories that were, where they come from
}

// root is one tree of the project.
type root struct {
	top string // of the repository
	dir string // of the project in it: names of files are relative to it
}

// newProject returns the project that a folder holds.
func newProject(ctx context.Context, dir string) *project {
	p := &project{ctx: ctx, part: ".", known: map[string]place{}, asked: map[string]bool{}}
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

// place is where something was done, as far as that is known: here, elsewhere, both, or neither.
type place int

const (
	here place = 1 << iota
	elsewhere
)

// place returns where an agent is that works in a folder: here in one of the project's trees or in another clone of the same
// origin; in a folder above them nobody knows. A folder that is gone and was in none is elsewhere.
func (p *project) place(dir string) place {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, asked := p.known[dir]
	if asked {
		return at
	}
	real := realPath(dir)
	if top, ok := find.Repository(real); ok && p.origin != "" && !p.asked[top] {
		p.asked[top] = true
		if originOf(p.ctx, top) == p.origin {
			p.add(top)
		}
	}
	at = elsewhere
	for _, r := range p.roots {
		switch {
		case within(r.dir, real) || r.top == real:
			at = here
		case at == elsewhere && within(real, r.dir):
			at = 0
		}
	}
	p.known[dir] = at
	return at
}

// goesTo matches the folders to which a command goes.
var goesTo = lazyregexp.New(`(?:^|[;&|(\n]\s*)cd\s+["']?([^\s"';&|)]+)`)

// done returns where something was said or done: the files of an edit tell, and where a command runs.
func (p *project) done(e triggers.Event) (at place) {
	switch e.Kind {
	case triggers.Edit, triggers.Rejected:
		for _, f := range e.Files {
			at |= cmp.Or(p.place(filepath.Dir(f)), elsewhere)
		}
	case triggers.Message, triggers.Command, triggers.TestRun:
		at = p.place(e.Dir)
		for _, m := range goesTo().FindAllStringSubmatch(e.Command, -1) {
			at |= p.place(find.Absolute(e.Dir, filepath.FromSlash(m[1])))
		}
	}
	return at
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
