package brain

import (
	"path/filepath"

	"github.com/handrail-dev/handrail/lessons/find"
)

// Mine reports whether this is the person's own brain, which stands behind those of all projects.
func (s *Base) Mine() bool { return find.IsMine(s.Files.Root()) }

// ProjectPath returns a file's slash path relative to the folder that holds the brain,
// which is what the globs of a card's paths are written against. A file of a linked
// worktree has the path of its like in the main one. In the person's own brain, which stands
// behind all projects, a path is relative to the file's repository.
func (s *Base) ProjectPath(file string) string {
	project := filepath.Dir(s.Files.Root())
	if s.Mine() {
		if top, ok := find.Repository(filepath.Dir(file)); ok {
			project = top
		}
	}
	for _, place := range []func(string) string{filepath.Clean, find.InMain} {
		if rel, err := filepath.Rel(project, place(file)); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(file)
}

// RelFiles turns absolute paths into the forms a card's paths globs are written
// against: relative to the folder that holds the brain.
func (s *Base) RelFiles(files []string) []string {
	if len(files) == 0 {
		return nil
	}
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = s.ProjectPath(f)
	}
	return out
}
