// Package socket says where the socket of a brain's daemon is, and who is at its other end.
// Both ends use it, and the relay, which reaches a daemon before the rest of the program is
// loaded: so it needs next to nothing.
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
	"strconv"
	"strings"

	"github.com/adrg/xdg"
)

// Protocol is the version of what is said on the socket. It grows when builds before and
// after a change could misunderstand each other; a new method or field does not count.
const Protocol = 1

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
	state := cmp.Or(folders.State, filepath.Join(xdg.StateHome, "handrail"))
	cache := cmp.Or(folders.Cache, filepath.Join(xdg.CacheHome, "handrail"))
	sum := sha256.Sum256([]byte(root + "\x00" + state + "\x00" + cache))
	p := Place{Name: hex.EncodeToString(sum[:8]), Protocol: protocol}

	var errs []error
	for _, dir := range runFolders(folders.Run, cache) {
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

// runFolders lists where sockets may be, best first.
func runFolders(run, cache string) []string {
	if run != "" {
		return []string{run}
	}
	var dirs []string
	if info, err := os.Stat(xdg.RuntimeDir); err == nil && info.IsDir() {
		dirs = append(dirs, filepath.Join(xdg.RuntimeDir, "handrail"))
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
