package agents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/side"
)

// Use is what a file is to Handrail.
type Use string

// The uses of files.
const (
	Hooks          Use = "hooks"
	Server         Use = "mcp"
	HooksAndServer Use = "hooks+mcp"
)

// file is one file of a host and how Handrail gets into it and out.
type file struct {
	name    string
	use     Use
	whole   bool        // all of it is Handrail's
	strict  bool        // its host reads no JSON with comments
	mode    fs.FileMode // of one that is made; 0 means for the user alone
	edit    func(src []byte) ([]byte, error)
	without func(src []byte) ([]byte, error)
	empty   func(src []byte) bool // nothing of others is left in it; nil means JSON
}

// Change is what happens to one file. After is nil when the file goes.
type Change struct {
	Name          string
	Use           Use
	Before, After []byte // Before is nil when the file is made
	base          []byte // what an uninstallation restores
	made          bool
	mode          fs.FileMode // of a file that is made
}

// Plan is a list of changes that are not made yet.
type Plan struct {
	Changes []Change
	machine Machine
	remove  bool
}

// record is what is remembered of a file that was changed.
type record struct {
	Backup string `json:"backup,omitempty"` // copy of the file as it was
	Sum    string `json:"sum"`              // of the file as Handrail left it
	Made   bool   `json:"made,omitempty"`   // Handrail made the file
	// Folders are those that were made for the file, or for another below them that is gone, the deepest first.
	Folders []string `json:"folders,omitempty"`
}

func (m Machine) ledger() string { return filepath.Join(m.State, "agents.json") }

func (m Machine) records() (map[string]record, error) {
	out := map[string]record{}
	src, err := os.ReadFile(m.ledger())
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(src, &out); err != nil {
		return map[string]record{}, nil //nolint:nilerr // without it files are still edited in place, only the copies are not known
	}
	return out, nil
}

// ErrNotAFile reports that something else than a regular file of the user's stands where one is
// read or written: a device, a pipe, a folder, a link that leads to one of these, to nothing or
// to another user's file. It is wrapped in an [fs.PathError].
var ErrNotAFile = errors.New("not a regular file of this user")

// target returns the file that is read and replaced for name: the one behind a link, since
// people keep these files elsewhere. There need not be one yet.
func target(name string) (string, error) {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil
	}
	if err != nil {
		return "", err
	}
	linked := info.Mode()&fs.ModeSymlink != 0
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		info, err = os.Lstat(real)
	}
	if err != nil || !info.Mode().IsRegular() || linked && !find.IsOwn(info) {
		return "", &fs.PathError{Op: "replace", Path: name, Err: ErrNotAFile}
	}
	return real, nil
}

// read returns a file and its path behind all links; src is nil when there is none. Errors
// are ErrNotAFile or the file system's.
func read(name string) (real string, src []byte, err error) {
	real, err = target(name)
	if err != nil {
		return name, nil, err
	}
	src, err = os.ReadFile(real)
	if errors.Is(err, fs.ErrNotExist) {
		return real, nil, nil
	}
	return real, src, err
}

// Install plans to register an agent's hooks and its MCP server. A plan without changes says that all is there already.
func (m Machine) Install(a Agent, guard bool) (Plan, error) {
	return Plan{machine: m}.with(a, guard, func(f file, c *Change, r record, known bool) (err error) {
		c.After, err = f.edit(c.Before)
		switch {
		case err != nil:
			return err
		case f.strict && !json.Valid(bytes.TrimPrefix(c.After, bom)):
			return ErrComments
		}
		c.base, c.made, c.mode = c.Before, c.Before == nil || known && r.Made, cmp.Or(f.mode, 0o600)
		if known && r.Sum == side.Sum(c.Before) { // ours as we left it: what was before us still counts
			c.base, err = os.ReadFile(r.Backup)
			if err == nil || r.Made {
				return nil
			}
		}
		if c.Before != nil {
			c.base, err = f.without(c.Before)
		}
		return err
	})
}

// Uninstall plans to take an agent's hooks out: to the byte where the file is as Handrail
// left it and so is the copy from before, else only its own entries.
func (m Machine) Uninstall(a Agent) (Plan, error) {
	return Plan{machine: m, remove: true}.with(a, false, func(f file, c *Change, r record, known bool) (err error) {
		if known && r.Sum == side.Sum(c.Before) {
			c.After, err = os.ReadFile(r.Backup)
			if err == nil || r.Made { // of one that was made there is none, and nothing stays
				return nil
			}
		}
		if c.Before == nil {
			return nil
		}
		c.After, err = f.without(c.Before)
		empty := f.empty
		if empty == nil {
			empty = bare
		}
		if (known && r.Made || f.whole) && empty(c.After) {
			c.After = nil
		}
		return err
	})
}

// with plans what is to happen to each of an agent's files. One that stays as it is needs no change.
func (p Plan) with(a Agent, guard bool, plan func(f file, c *Change, r record, known bool) error) (Plan, error) {
	records, err := p.machine.records()
	if err != nil {
		return p, err
	}
	for _, f := range a.files(p.machine, guard) {
		name, src, err := read(f.name)
		if err != nil {
			return p, err
		}
		c := Change{Name: name, Use: f.use, Before: src}
		r, known := records[name]
		if err := plan(f, &c, r, known); err != nil {
			return p, &fs.PathError{Op: "edit", Path: f.name, Err: err}
		}
		if !bytes.Equal(c.After, src) || c.After == nil && src != nil {
			p.Changes = append(p.Changes, c)
		}
	}
	return p, nil
}

// Guarded reports whether an agent has the guard already.
func (m Machine) Guarded(a Agent) bool {
	flag := []byte(strings.TrimSpace(guardFlag))
	return slices.ContainsFunc(a.files(m, false), func(f file) bool {
		_, src, err := read(f.name)
		if err != nil {
			return false
		}
		rest, err := f.without(src)
		return err == nil && bytes.Count(src, flag) > bytes.Count(rest, flag)
	})
}

// Diff returns the plan as a unified diff.
func (p Plan) Diff() string {
	var b strings.Builder
	for _, c := range p.Changes {
		from, to := c.Name, c.Name
		if c.Before == nil {
			from = os.DevNull
		}
		if c.After == nil {
			to = os.DevNull
		}
		b.WriteString(udiff.Unified(from, to, string(c.Before), string(c.After)))
	}
	return b.String()
}

// Apply makes the changes, and keeps copies in Backups. A file that somebody changed since the plan was
// made is left alone.
func (p Plan) Apply() error {
	known, err := p.machine.records()
	if err != nil {
		return err
	}
	for _, c := range p.Changes {
		_, now, err := read(c.Name)
		if err != nil {
			return err
		}
		if !bytes.Equal(now, c.Before) {
			return &fs.PathError{Op: "edit", Path: c.Name, Err: ErrChanged}
		}
		r := record{Made: c.made, Folders: append(missing(c.Name), known[c.Name].Folders...)}
		if !p.remove && !c.made {
			r.Backup = filepath.Join(p.machine.Backups(), side.Sum([]byte(c.Name))[:8]+"-"+filepath.Base(c.Name))
			if err := write(r.Backup, c.base, 0o600); err != nil {
				return err
			}
		}
		if c.After == nil {
			if err := os.Remove(c.Name); err != nil {
				return err
			}
		} else if err := write(c.Name, c.After, c.mode); err != nil {
			return err
		}
		if p.remove {
			delete(known, c.Name)
			if c.After == nil {
				removeFolders(r.Folders, known)
			}
		} else {
			r.Sum = side.Sum(c.After)
			known[c.Name] = r
		}
		src, err := json.MarshalIndent(known, "", "  ")
		if err != nil {
			return err
		}
		if err := write(p.machine.ledger(), append(src, '\n'), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// ErrComments reports a file that its host does not read, because of comments or trailing commas.
var ErrComments = errors.New("its agent reads no JSON with comments, so it ignores the file")

// ErrChanged reports that a file changed between planning and writing.
var ErrChanged = errors.New("the file has just been changed by somebody else")

// missing returns the folders of a file that are not there, the deepest first.
func missing(name string) (folders []string) {
	for dir := filepath.Dir(name); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil {
			break
		}
		folders = append(folders, dir)
	}
	return folders
}

// removeFolders removes folders in which nothing is left. One that another known file is in goes with that.
func removeFolders(folders []string, known map[string]record) {
	slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) }) // those handed over come behind
	for _, dir := range folders {
		if os.Remove(dir) == nil {
			continue
		}
		for name, r := range known {
			if strings.HasPrefix(name, dir+string(filepath.Separator)) {
				r.Folders = append(r.Folders, dir)
				known[name] = r
				break
			}
		}
	}
}

// Stale reports whether the copy of a program that hooks call is not what stands at from.
func (m Machine) Stale(from string) bool {
	for copied, source := range map[string]string{m.Binary: from, Beside(m.Binary): Beside(from)} {
		_, now, err := read(copied)
		if want, werr := os.ReadFile(source); werr == nil && (err != nil || !bytes.Equal(now, want)) {
			return true
		}
	}
	return false
}

// Hook returns the program that hooks call, and the arguments that it begins with.
func (m Machine) Hook() (program string, args []string) {
	program, rest := m.hook()
	return program, strings.Fields(rest)
}

// Backups returns the folder in which files are kept as they were.
func (m Machine) Backups() string { return filepath.Join(m.State, "backups") }

// CopyPrograms puts a program, and handrail-hook from beside it if it is there, at the stable paths.
func (m Machine) CopyPrograms(from string) error {
	if err := copyProgram(from, m.Binary); err != nil || !m.Quick {
		return err
	}
	return copyProgram(Beside(from), Beside(m.Binary))
}

func copyProgram(from, to string) error {
	src, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if _, old, err := read(to); err != nil || old != nil && bytes.Equal(old, src) {
		return err
	}
	// Where a running program cannot be replaced it can still be moved aside.
	if err := write(to, src, 0o755); err != nil {
		_ = os.Remove(to + ".old")
		if os.Rename(to, to+".old") != nil {
			return err
		}
		return write(to, src, 0o755)
	}
	return nil
}

// write puts a file in place whole or not at all. One that is there keeps its mode, a link stays one.
func write(name string, src []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	name, err := target(name)
	if err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	return side.Write(name, src, mode)
}
