// Package find finds the brain that a folder belongs to. The editor, the command line, hooks
// and agents all use it, so that they share one brain. It imports the standard library alone:
// a hook asks before the rest of the program is loaded.
package find

import (
	"os"
	"path/filepath"
	"strings"
)

// In returns the brain that a folder itself holds: the first of .brain and brain in it.
func In(folder string) (brain string, ok bool) {
	for _, name := range []string{".brain", "brain"} {
		dir := filepath.Join(folder, name)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, true
		}
	}
	return "", false
}

// Brain returns the brain of a folder: the nearest one in it or in a folder above it. The
// search ends at the top of the repository and below the home folder. All worktrees of a
// repository share the brains of the main worktree, if that has them.
func Brain(folder string) (brain string, ok bool) {
	top, main := "", ""
	if at, ok := Repository(folder); ok {
		top, main = at, mainTree(at)
	}
	for at := folder; ; at = filepath.Dir(at) {
		if at != folder && isHome(at) {
			return "", false
		}
		if rel, err := filepath.Rel(top, at); main != top && err == nil && filepath.IsLocal(rel) {
			if brain, ok := In(filepath.Join(main, rel)); ok {
				return brain, true
			}
		}
		if brain, ok := In(at); ok {
			return brain, true
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || filepath.Dir(at) == at {
			return "", false
		}
	}
}

// New returns the place for a folder's brain, whether or not it exists yet: in the folder
// itself, and for the top of a linked worktree in the main worktree.
func New(folder string) string {
	home := folder
	if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
		home = mainTree(folder)
	}
	for _, at := range []string{home, folder} {
		if brain, ok := In(at); ok {
			return brain
		}
	}
	return filepath.Join(home, ".brain")
}

// Project returns the name of the project that a folder belongs to: the folder name of its
// repository's main worktree, or of the folder itself outside a repository.
func Project(folder string) string {
	if folder == "" {
		return ""
	}
	if top, ok := Repository(folder); ok {
		folder = mainTree(top)
	}
	return filepath.Base(folder)
}

// InMain returns the path that a file of a linked worktree has in the main worktree. Other
// paths are returned unchanged.
func InMain(file string) string {
	top, ok := Repository(filepath.Dir(file))
	if !ok {
		return file
	}
	main := mainTree(top)
	rel, err := filepath.Rel(top, file)
	if main == top || err != nil {
		return file
	}
	return filepath.Join(main, rel)
}

// Repository returns the top of the worktree that holds a folder.
func Repository(folder string) (top string, ok bool) {
	for at := filepath.Clean(folder); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at, true
		}
		if filepath.Dir(at) == at {
			return "", false
		}
	}
}

// mainTree returns the main worktree of the repository that a worktree belongs to.
func mainTree(top string) string {
	link, err := os.ReadFile(filepath.Join(top, ".git"))
	if err != nil { // a folder: the main one itself
		return top
	}
	gitdir, ok := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir:")
	if !ok {
		return top
	}
	gitdir = strings.TrimSpace(gitdir)
	if !filepath.IsAbs(gitdir) {
		gitdir = filepath.Join(top, gitdir)
	}
	// REPOSITORY/.git/worktrees/NAME. A submodule has REPOSITORY/.git/modules/NAME and is a
	// project of its own.
	trees := filepath.Dir(gitdir)
	if filepath.Base(trees) != "worktrees" || filepath.Base(filepath.Dir(trees)) != ".git" {
		return top
	}
	return filepath.Dir(filepath.Dir(trees))
}

func isHome(dir string) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	a, aerr := os.Stat(dir)
	b, berr := os.Stat(home)
	return aerr == nil && berr == nil && os.SameFile(a, b)
}
