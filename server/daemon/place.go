package daemon

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

// maxSocket is how long a socket's path may be, in bytes. The tightest system, macOS,
// gives it 104 with the zero at the end.
const maxSocket = 103

// place says where one brain's daemon is found. A brain has one daemon whatever its
// protocol, hence one lock; the protocol in the socket's name tells a client whether it
// could talk to it.
type place struct {
	dir      string
	name     string // of the brain and its side data
	protocol int
}

func (p place) socket() string  { return p.socketOf(p.protocol) }
func (p place) lock() string    { return filepath.Join(p.dir, p.name+".lock") }  // held by the daemon while it lives
func (p place) starter() string { return filepath.Join(p.dir, p.name+".start") } // held by the client that starts one
func (p place) pattern() string { return filepath.Join(p.dir, p.name+"-*.sock") }
func (p place) socketOf(protocol int) string {
	return filepath.Join(p.dir, p.name+"-"+strconv.Itoa(protocol)+".sock")
}

// other is the socket of a daemon that speaks another protocol.
type other struct {
	socket   string
	protocol int
}

// others returns the sockets of this brain for other protocols, alive or not.
func (p place) others() []other {
	paths, err := filepath.Glob(p.pattern())
	if err != nil {
		return nil // only a bad pattern; ours is made of letters and digits
	}
	var out []other
	for _, path := range paths {
		number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), p.name+"-"), ".sock")
		if n, err := strconv.Atoi(number); err == nil && n != p.protocol {
			out = append(out, other{path, n})
		}
	}
	return out
}

// locate returns the place for a brain whose folder, without links, is root. Both ends find
// it by themselves, so it depends on the brain and the user alone.
func locate(cfg Config, root string) (place, error) {
	state := cmp.Or(cfg.StateDir, filepath.Join(xdg.StateHome, "handrail"))
	cache := cmp.Or(cfg.CacheDir, filepath.Join(xdg.CacheHome, "handrail"))
	sum := sha256.Sum256([]byte(root + "\x00" + state + "\x00" + cache))
	p := place{name: hex.EncodeToString(sum[:8]), protocol: cmp.Or(cfg.protocol, protocol)}

	var errs []error
	for _, dir := range runFolders(cfg, cache) {
		p.dir = dir
		if len(p.socket()) > maxSocket {
			errs = append(errs, fmt.Errorf("%s: the path is too long for a socket", dir))
			continue
		}
		if err := private(dir); err != nil {
			errs = append(errs, err)
			continue
		}
		return p, nil
	}
	return place{}, fmt.Errorf("find a folder for the socket: %w", errors.Join(errs...))
}

// runFolders lists where sockets may be, best first.
func runFolders(cfg Config, cache string) []string {
	if cfg.RunDir != "" {
		return []string{cfg.RunDir}
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
