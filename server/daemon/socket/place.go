// Package socket says where the socket of a brain's daemon is, and who is at its other end.
// Both ends use it, and the program of hooks with them, which is to start at once: so it
// needs the standard library alone.
package socket

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Protocol is the version of what is said on the socket. It grows when builds before and
// after a change could misunderstand each other; a new method or field does not count.
const Protocol = 2

// MaxPath is how long a socket's path may be, in bytes. The tightest system, macOS,
// gives it 104 with the zero at the end.
const MaxPath = 103

// Place says where one brain's daemon is found. A brain has one daemon whatever its
// protocol, hence one lock; the protocol in the socket's name tells a client whether it
// could talk to it.
type Place struct {
	Dir      string
	Name     string // of the brain and its side data
	Protocol int
}

// Folders are those of a brain's side data, as in server.Config; "" means the user's own.
type Folders struct {
	State string
	Cache string
	Run   string // where the socket is
}

// Socket is where the daemon listens.
func (p Place) Socket() string { return p.SocketOf(p.Protocol) }

// SocketOf is where one that speaks another protocol listens.
func (p Place) SocketOf(protocol int) string {
	return filepath.Join(p.Dir, p.Name+"-"+strconv.Itoa(protocol)+".sock")
}

// Pattern matches all of them.
func (p Place) Pattern() string { return filepath.Join(p.Dir, p.Name+"-*.sock") }

// Lock is held by the daemon while it lives.
func (p Place) Lock() string { return filepath.Join(p.Dir, p.Name+".lock") }

// Starter is held by the client that starts one.
func (p Place) Starter() string { return filepath.Join(p.Dir, p.Name+".start") }

// Spool is the folder of the events that found no answer in time.
func (p Place) Spool() string { return filepath.Join(p.Dir, p.Name+".spool") }

// Silent is a file that is there while the daemon is known to give no answer.
func (p Place) Silent() string { return filepath.Join(p.Dir, p.Name+".silent") }

// PID is a file that names the process of the daemon.
func (p Place) PID() string { return filepath.Join(p.Dir, p.Name+".pid") }

// All returns the places of all daemons of this user that may run, of this protocol.
func All() []Place {
	own := Own()
	var out []Place
	for _, dir := range runFolders("", own.Run, own.Cache) {
		suffix := "-" + strconv.Itoa(Protocol) + ".sock"
		paths, _ := filepath.Glob(filepath.Join(dir, "*"+suffix)) // only a bad pattern fails
		for _, path := range paths {
			out = append(out, Place{Dir: dir, Name: strings.TrimSuffix(filepath.Base(path), suffix), Protocol: Protocol})
		}
	}
	return out
}

// RunFolders returns where sockets may be.
func RunFolders() []string {
	own := Own()
	return runFolders("", own.Run, own.Cache)
}

// Other is the socket of a daemon that speaks another protocol.
type Other struct {
	Socket   string
	Protocol int
}

// Others returns the sockets of this brain for other protocols, alive or not.
func (p Place) Others() []Other {
	paths, err := filepath.Glob(p.Pattern())
	if err != nil {
		return nil // only a bad pattern; ours is made of letters and digits
	}
	var out []Other
	for _, path := range paths {
		number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), p.Name+"-"), ".sock")
		if n, err := strconv.Atoi(number); err == nil && n != p.Protocol {
			out = append(out, Other{path, n})
		}
	}
	return out
}

// Locate returns the place for a brain whose folder, without links, is root. Both ends find
// it by themselves, so it depends on the brain and the user alone.
func Locate(folders Folders, root string, protocol int) (Place, error) {
	own := Own()
	state, cache := cmp.Or(folders.State, own.State), cmp.Or(folders.Cache, own.Cache)
	sum := sha256.Sum256([]byte(root + "\x00" + state + "\x00" + cache))
	p := Place{Name: hex.EncodeToString(sum[:8]), Protocol: protocol}

	var errs []error
	for _, dir := range runFolders(folders.Run, own.Run, cache) {
		p.Dir = dir
		if len(p.Socket()) > MaxPath {
			errs = append(errs, fmt.Errorf("%s: the path is too long for a socket", dir))
			continue
		}
		if err := private(dir); err != nil {
			errs = append(errs, err)
			continue
		}
		return p, nil
	}
	return Place{}, fmt.Errorf("find a folder for the socket: %w", errors.Join(errs...))
}

// Own returns the user's own folders, where the XDG rules and the system have them. They
// need not be there.
func Own() Folders {
	home, err := os.UserHomeDir()
	if err != nil {
		home = string(filepath.Separator)
	}
	var state, cache, run string
	switch runtime.GOOS {
	case "windows":
		state = cmp.Or(os.Getenv("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local"))
		cache, run = filepath.Join(state, "cache"), state
	case "darwin":
		state = filepath.Join(home, "Library", "Application Support")
		cache, run = filepath.Join(home, "Library", "Caches"), state
	default:
		state, cache = filepath.Join(home, ".local", "state"), filepath.Join(home, ".cache")
		run = filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	}
	named := func(name, dir string) string {
		if v := os.Getenv(name); filepath.IsAbs(v) {
			dir = v
		}
		return filepath.Join(dir, "handrail")
	}
	return Folders{State: named("XDG_STATE_HOME", state), Cache: named("XDG_CACHE_HOME", cache), Run: named("XDG_RUNTIME_DIR", run)}
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

// private makes a folder that only this user can look into, or makes sure that it is one.
func private(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("make the run folder: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the run folder: %w", err)
	}
	info, err := os.Lstat(dir) // a link could be someone else's
	if err != nil {
		return fmt.Errorf("look at the run folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("run folder %s: not a folder", dir)
	}
	return onlyOurs(dir, info)
}
