// Package socket says where the socket of a brain's daemon is, and who is at its other end. Both ends use it, and the
// program of hooks with them, which is to start at once: so it needs the standard library alone.
package socket

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/side"
)

// Protocol is the version of what is said on the socket. It grows when builds before and
// after a change could misunderstand each other; a new method or field does not count.
const Protocol = 3

// MaxPath is how long a socket's path may be, in bytes. The tightest system, macOS,
// gives it 104 with the zero at the end.
const MaxPath = 103

// Place says where one brain's daemon is found: by what it leaves in the state folder, which all processes of a user
// share whatever run folder their environments name. A brain has one daemon whatever its protocol, hence one lock.
type Place struct {
	Dir      string // of the files of all daemons of this user
	Name     string // of the brain and its side data
	Protocol int
	runs     []string // where a daemon may listen, best first
}

// Folders are those of a brain's side data, as in server.Config; "" means the user's own.
type Folders struct {
	State string
	Cache string
	Run   string // where the socket is
}

// Note is what a daemon leaves for its clients.
type Note struct {
	Socket   string `json:"socket"` // where it listens
	PID      int    `json:"pid"`
	Protocol int    `json:"protocol"`
}

const noteEnd = ".at"

func (p Place) note() string { return filepath.Join(p.Dir, p.Name+noteEnd) }

// Lock is held by the daemon while it lives.
func (p Place) Lock() string { return filepath.Join(p.Dir, p.Name+".lock") }

// Starter is held by the client that starts one.
func (p Place) Starter() string { return filepath.Join(p.Dir, p.Name+".start") }

// Spool is the folder of the events that found no answer in time.
func (p Place) Spool() string { return filepath.Join(p.Dir, p.Name+".spool") }

// Failed is a file that says why the last daemon did not start.
func (p Place) Failed() string { return filepath.Join(p.Dir, p.Name+".failed") }

// Owner returns the note of the daemon that serves, or that died without taking it back. Where there is none
// it is false, with the place where a daemon of this environment would listen: a full disk takes no note.
func (p Place) Owner() (n Note, ok bool) {
	raw, err := os.ReadFile(p.note())
	if err == nil && json.Unmarshal(raw, &n) == nil && filepath.IsAbs(n.Socket) {
		return n, true
	}
	path, _ := p.Listen() // "" where no socket can be
	return Note{Socket: path, Protocol: p.Protocol}, false
}

// Announce leaves the note of the daemon that holds the lock.
func (p Place) Announce(n Note) error {
	if err := side.WriteJSON(p.note(), n); err != nil {
		return fmt.Errorf("say where the daemon listens: %w", err)
	}
	return nil
}

// Withdraw takes the note back, where there is one.
func (p Place) Withdraw() error {
	if err := os.Remove(p.note()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take back where the daemon listened: %w", err)
	}
	return nil
}

// All returns the places of all daemons of this user that may run.
func All() []Place {
	dir := filepath.Join(Own().State, daemons)
	paths, _ := filepath.Glob(filepath.Join(dir, "*"+noteEnd)) // only a bad pattern fails
	var out []Place
	for _, path := range paths {
		out = append(out, Place{Dir: dir, Name: strings.TrimSuffix(filepath.Base(path), noteEnd), Protocol: Protocol})
	}
	return out
}

// daemons is the folder in the state folder of what daemons have.
const daemons = "daemon"

// Locate returns the place for a brain whose folder, without links, is root. Both ends find
// it by themselves, so it depends on the brain and the state folder alone. A state folder of another
// user's is an error around [ErrStranger], beside the place.
func Locate(folders Folders, root string, protocol int) (Place, error) {
	own := Own()
	state := cmp.Or(folders.State, own.State)
	p := Place{
		Dir: filepath.Join(state, daemons), Name: side.Name(8, root, state), Protocol: protocol,
		runs: runFolders(folders.Run, own.Run, cmp.Or(folders.Cache, own.Cache)),
	}
	err := error(nil)
	if info, statErr := os.Stat(state); statErr == nil && !find.IsOwn(info) { // nothing is made in another user's
		err = fmt.Errorf("folder %s: %w", state, ErrStranger)
	}
	if err == nil {
		err = private(p.Dir)
	}
	return p, err
}

// Listen returns the path of the socket that a daemon opens, in a folder which only this user can look into.
func (p Place) Listen() (string, error) {
	var errs []error
	for _, dir := range p.runs {
		path := filepath.Join(dir, p.Name+"-"+strconv.Itoa(p.Protocol)+".sock")
		if len(path) > MaxPath {
			errs = append(errs, fmt.Errorf("%s: the path is too long for a socket", dir))
			continue
		}
		if err := private(dir); err != nil {
			errs = append(errs, err)
			continue
		}
		return path, nil
	}
	return "", fmt.Errorf("find a folder for the socket: %w", errors.Join(errs...))
}

// Own returns the user's own folders, where the XDG rules and the system have them. They need not be there.
func Own() Folders {
	return Folders{
		State: find.StateFolder(),
		Cache: find.UserFolder("XDG_CACHE_HOME", "cache", "Caches", ".cache"),
		Run:   find.UserFolder("XDG_RUNTIME_DIR", "", "Application Support", filepath.Join("/run/user", strconv.Itoa(os.Getuid()))),
	}
}

// runFolders lists where sockets may be, best first: where it was said, else in the user's
// own folder if the system has made one.
func runFolders(run, own, cache string) []string {
	if run != "" {
		return []string{run}
	}
	var dirs []string
	if info, err := os.Stat(filepath.Dir(own)); err == nil && info.IsDir() {
		dirs = append(dirs, own)
	}
	return append(dirs, filepath.Join(cache, "run"), filepath.Join(os.TempDir(), "handrail-"+strconv.Itoa(os.Getuid())))
}

// private makes a folder that only this user can look into and write to, or makes sure that it is one.
func private(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("make a private folder: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make a private folder: %w", err)
	}
	info, err := os.Lstat(dir) // a link could be someone else's
	if err != nil {
		return fmt.Errorf("look at a private folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: not a folder", dir)
	}
	return onlyOurs(dir, info)
}
