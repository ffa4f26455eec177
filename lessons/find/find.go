// Package find finds the brain that a folder belongs to. The editor, the command line, hooks
// and agents all use it, so that they share one brain. It imports the standard library alone:
// a hook asks before the rest of the program is loaded.
package find

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/handrail-dev/handrail/lessons/side"
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

// Reason says why a brain that was found is not known to be this person's.
type Reason string

// The reasons.
const (
	Elsewhere Reason = "elsewhere" // its real folder is not in the work tree, or folder, in which it was found
	Foreign   Reason = "foreign"   // another user owns it, or a folder on the way to it
	Above     Reason = "above"     // it lies above the work tree
)

// Stray is a brain that is none until this person trusts its real folder.
type Stray struct {
	Dir    string
	Reason Reason
}

// Brain returns the brain of a folder: the nearest one in it or in a folder above it. The
// search ends at the top of the repository and below the home folder. All worktrees of a
// repository share the brains of the main worktree, if that has them.
//
// What only looks like this person's brain is passed over, unless they trusted it: see Look.
func Brain(folder string) (brain string, ok bool) {
	brain, _ = Look(folder)
	return brain, brain != ""
}

// Look is Brain that also returns the nearest brain that was passed over. A clone may hold a
// link to a folder elsewhere, and everybody may put a brain into a folder that all may write
// to: so its real folder must lie where it was found, and it and all folders on the way to it
// must be this user's. One that lies above the work tree counts only where it is trusted.
func Look(folder string) (brain string, stray Stray) {
	top, inRepository := Repository(folder)
	main := top
	if inRepository {
		main = mainTree(top)
	}
	// try returns whether a place has a brain that counts.
	try := func(at, tree string, reason Reason) bool {
		dir, ok := In(at)
		if !ok {
			return false
		}
		if reason == "" {
			reason = misplaced(dir, tree)
		}
		switch {
		case reason == "" || Agreed(dir):
			brain = dir
		case reason == Above && foreign(dir) != "": // whoever may write there may put one there
		case stray.Dir == "":
			stray = Stray{dir, reason}
		}
		return brain != ""
	}
	var reason Reason
	if inRepository {
		reason = foreign(main)
	}
	folder = filepath.Clean(folder)
	home, noHome := os.UserHomeDir()
	for at := folder; at == folder || noHome != nil || !SameFile(at, home); at = filepath.Dir(at) {
		if reason == "" {
			reason = foreign(at)
		}
		tree := at
		if inRepository && reason != Above {
			tree = top
			if rel, err := filepath.Rel(top, at); main != top && err == nil && try(filepath.Join(main, rel), main, reason) {
				return brain, Stray{}
			}
		}
		if try(at, tree, reason) {
			return brain, Stray{}
		}
		if at == top {
			reason = Above
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return "", stray
}

// misplaced returns why a brain that was found in a tree may not be this person's.
func misplaced(dir, tree string) Reason {
	real, err := filepath.EvalSymlinks(dir)
	tree, terr := filepath.EvalSymlinks(tree)
	rel, rerr := filepath.Rel(tree, real)
	if errors.Join(err, terr, rerr) != nil || !filepath.IsLocal(rel) {
		return Elsewhere
	}
	for at := real; at != tree; at = filepath.Dir(at) {
		if reason := foreign(at); reason != "" {
			return reason
		}
	}
	return ""
}

// foreign returns Foreign for a folder that another user owns. One that is about to be made is nobody's.
func foreign(dir string) Reason {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) || owned(dir) {
		return ""
	}
	return Foreign
}

// Record is what a search needs of the record of the trust in a brain: trust.json in the folder
// of the brain's state, which package trust keeps.
type Record struct {
	Ground string `json:"ground"`
	Folder string `json:"folder"` // Identity
}

const (
	// RecordFile is the name of a Record.
	RecordFile = "trust.json"
	// agreed is the ground of a brain that the person said yes to.
	agreed = "agreed"
)

// Agreed reports whether the person said yes to the brain whose real folder this is, or leads to.
func Agreed(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	entries, _ := os.ReadDir(StateFolder()) // there may be none
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "-"+Key(real)) {
			continue
		}
		var r Record
		src, err := os.ReadFile(filepath.Join(StateFolder(), e.Name(), RecordFile))
		if err == nil && json.Unmarshal(src, &r) == nil && r.Ground == agreed && r.Folder == Identity(real) {
			return true
		}
	}
	return false
}

// Key names a brain by its real folder: the end of the name of its state's and cache's folders.
func Key(real string) string { return side.Name(6, real) }

// StateFolder returns the folder of what is kept of all brains.
func StateFolder() string {
	return UserFolder("XDG_STATE_HOME", "", "Application Support", filepath.Join(".local", "state"))
}

// UserFolder returns Handrail's folder in the one that a variable of the XDG rules names, or else the system has: on Windows
// and macOS below the user's data and library, elsewhere below the home folder or at the root. It need not be there.
func UserFolder(variable, windows, darwin, other string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = string(filepath.Separator)
	}
	dir := os.Getenv(variable)
	switch {
	case filepath.IsAbs(dir):
	case runtime.GOOS == "windows":
		dir = filepath.Join(cmp.Or(os.Getenv("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local")), windows)
	case runtime.GOOS == "darwin":
		dir = filepath.Join(home, "Library", darwin)
	default:
		dir = Absolute(home, other)
	}
	return filepath.Join(dir, "handrail")
}

// Mine returns the person's own brain, which stands behind those of all projects. It is none
// while it is not there; where it is a link, or another user's, until they trust its real folder.
func Mine() (brain string, ok bool) {
	brain = MinePlace()
	if info, err := os.Stat(brain); err != nil || !info.IsDir() {
		return "", false
	}
	return brain, misplaced(brain, filepath.Dir(brain)) == "" || Agreed(brain)
}

// MinePlace returns the place for the person's own brain, whether or not it exists yet: in the
// folder where the system, or XDG_CONFIG_HOME, has a user's settings.
func MinePlace() string {
	dir, err := os.UserConfigDir()
	if v := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(v) {
		dir = v
	} else if err != nil {
		dir = string(filepath.Separator)
	}
	return filepath.Join(dir, "handrail", "brain")
}

// IsMine reports whether a brain, whose real folder this is, is the person's own.
func IsMine(real string) bool {
	mine, err := filepath.EvalSymlinks(MinePlace())
	return err == nil && mine == real
}

// New returns the place for a folder's brain, whether or not it exists yet: in the folder
// itself, and for the top of a linked worktree in the main worktree.
func New(folder string) string {
	home := folder
	if IsTop(folder) {
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

// IsTop reports whether a folder is the top of a worktree.
func IsTop(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, ".git"))
	return err == nil
}

// Repository returns the top of the worktree that holds a folder.
func Repository(folder string) (top string, ok bool) {
	for at := filepath.Clean(folder); ; at = filepath.Dir(at) {
		if IsTop(at) {
			return at, true
		}
		if filepath.Dir(at) == at {
			return "", false
		}
	}
}

// GitDir returns the folder of git's own files for the top of a worktree, "" for none. It need not be there.
func GitDir(top string) string {
	at := filepath.Join(top, ".git")
	link, err := os.ReadFile(at)
	if err != nil { // a folder
		return at
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir:")
	if !ok {
		return ""
	}
	return Absolute(top, strings.TrimSpace(dir))
}

// mainTree returns the main worktree of the repository that a worktree belongs to.
func mainTree(top string) string {
	// REPOSITORY/.git/worktrees/NAME. A submodule has REPOSITORY/.git/modules/NAME and is a project of its own.
	dir := GitDir(top)
	trees := filepath.Dir(dir)
	if filepath.Base(trees) != "worktrees" || filepath.Base(filepath.Dir(trees)) != ".git" {
		return top
	}
	// The repository must know the worktree: a folder from an archive may name any repository as its own.
	back, err := os.ReadFile(filepath.Join(dir, "gitdir"))
	if known := Absolute(dir, strings.TrimSpace(string(back))); err != nil || !SameFile(known, filepath.Join(top, ".git")) {
		return top
	}
	return filepath.Dir(filepath.Dir(trees))
}

// Absolute returns a path as it is from a folder.
func Absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// SameFile reports whether two names lead to one file or folder.
func SameFile(one, other string) bool {
	a, aerr := os.Stat(one)
	b, berr := os.Stat(other)
	return aerr == nil && berr == nil && os.SameFile(a, b)
}

// FilePath returns the path that a file URI names; a plain absolute path is taken too.
func FilePath(name string) (string, bool) {
	if filepath.IsAbs(name) {
		return filepath.Clean(name), true
	}
	u, err := url.Parse(name)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	p := u.Path
	switch {
	case len(p) > 2 && p[0] == '/' && p[2] == ':': // file:///C:/…
		p = p[1:]
	case u.Host != "" && u.Host != "localhost":
		p = "//" + u.Host + p
	}
	p = filepath.Clean(filepath.FromSlash(p))
	return p, filepath.IsAbs(p)
}
