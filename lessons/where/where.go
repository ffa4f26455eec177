// Package where says which brain a folder belongs to. It is one rule for the editor, the
// command line, hooks and agents, so that all of them share one brain; and it loads next to
// nothing, since a hook asks before the rest of the program is there.
package where

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

// Brain returns the brain of a folder: the first that one of the folders from it upwards
// holds. A repository's top ends the search, and so does the home folder: a brain there is
// of no project below it. All worktrees of a repository share the brain of its main one, if
// that has one.
func Brain(folder string) (brain string, ok bool) {
	if top, ok := Repository(folder); ok {
		if main := mainTree(top); main != top {
			if brain, ok := In(main); ok {
				return brain, true
			}
		}
	}
	for at := folder; ; at = filepath.Dir(at) {
		if at != folder && isHome(at) {
			return "", false
		}
		if brain, ok := In(at); ok {
			return brain, true
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || filepath.Dir(at) == at {
			return "", false
		}
	}
}

// New returns where a folder's brain is to be made, or where it is: in the folder itself,
// and for the top of a linked worktree in the main one, which all of them share.
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

// Project names the project that a folder belongs to: its repository's main worktree, so
// that all worktrees are one project, else the folder itself.
func Project(folder string) string {
	if folder == "" {
		return ""
	}
	if top, ok := Repository(folder); ok {
		folder = mainTree(top)
	}
	return filepath.Base(folder)
}

// InMain returns the place in the main worktree that a file of a linked one corresponds to;
// every other file is where it is.
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
	// REPOSITORY/.git/worktrees/NAME; a submodule's is REPOSITORY/.git/modules/NAME and
	// stays a project of its own.
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
