package daemon

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/daemon/socket"
)

const (
	// startWait is how long a client waits for a daemon, whether it is there and silent or must be started.
	startWait = 2 * time.Second
	// maxStarts is how many daemons are started for one client; one that serves and is gone
	// at once would be started again for ever.
	maxStarts = 3
)

// Connect finds the daemon of cfg.Brain, or starts it where there is none and cfg.Start says how, and has it run the
// program as run says; [socket.Conn.Pipe] is to follow. It waits two seconds at most. Errors of the brain itself are those of
// lessons.OpenBrain; every other one means that the caller has to do without a daemon.
func Connect(ctx context.Context, cfg Config, run Run) (*socket.Conn, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p, root, err := locate(cfg)
	if errors.Is(err, socket.ErrStranger) {
		return nil, fmt.Errorf("%w: %w", ErrBeyond, err)
	}
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(cfg.startWait, startWait)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("no answer within "+limit.String()))
	defer cancel()
	f := finder{cfg, p, root}
	return f.find(ctx, run)
}

// finder looks for the daemon of one brain.
type finder struct {
	cfg   Config
	place socket.Place
	root  string
}

// find connects to the brain's daemon and has it run a program. It starts one when there is none, and
// one of this build where an older one makes room.
func (f *finder) find(ctx context.Context, run Run) (*socket.Conn, error) {
	starter := flock.New(f.place.Starter(), flock.SetPermissions(0o600))
	defer starter.Close() //nolint:errcheck // released by the system at the latest
	tick := time.Tick(retry)
	var told <-chan error // about the daemon that this client started
	replaces := false
	hello := socket.Greeting{Protocol: f.place.Protocol, Run: &run}
	if len(f.cfg.Start) > 0 {
		hello.Build = f.cfg.Build // who starts none asks none to make room
	}
	for starts, misses := 0, 0; ; {
		note, noted := f.place.Owner()
		var c *socket.Conn
		var there socket.Welcome
		err := ErrNone
		if note.Socket != "" {
			c, there, err = socket.Dial(ctx, note.Socket, hello)
		}
		switch {
		case err != nil:
		case there.Ends:
			f.cfg.Log.Info("an older build makes room", "old", there.Build.Version, "new", f.cfg.Build.Version)
			replaces = true
			_ = c.Close()
		case there.Protocol != f.place.Protocol:
			return nil, errors.Join(ErrNewer, c.Close())
		default:
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("wait for the daemon: %w", context.Cause(ctx))
		}
		owned := isLocked(f.place)
		_, gone := os.Lstat(note.Socket)
		if misses++; !noted || !owned || gone == nil {
			misses = 0
		}
		if errors.Is(err, socket.ErrStranger) || misses > maxMisses {
			return nil, fmt.Errorf("%w: %w", ErrBeyond, err)
		}
		if len(f.cfg.Start) == 0 || f.cfg.Find && !replaces {
			return nil, ErrNone
		}
		// One client at a time starts one; the others find what it started.
		err = nil
		first := !owned
		if first {
			first, err = starter.TryLock()
			if err != nil {
				err = fmt.Errorf("start the daemon: %w", err)
			}
		}
		if first && err == nil && told == nil && starts < maxStarts {
			starts++
			told, err = f.start()
		}
		if err != nil {
			return nil, err
		}
		select {
		case err := <-told:
			told = nil
			if err != nil && !errors.Is(err, ErrRunning) {
				return nil, err
			}
		case <-tick:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the daemon: %w", context.Cause(ctx))
		}
	}
}

// start starts a daemon, unless who is in haste knows that one failed a moment ago.
func (f *finder) start() (told <-chan error, err error) {
	if f.cfg.Haste {
		err = failure(f.place)
	}
	if _, statErr := os.Stat(f.root); errors.Is(statErr, os.ErrNotExist) {
		err = &lessons.PathError{Path: f.root, Err: lessons.ErrNoBrain}
	}
	if err != nil {
		return nil, err
	}
	f.cfg.Log.Debug("starting the daemon", "brain", f.root)
	return spawn(append(slices.Clip(f.cfg.Start), "--brain", f.root))
}

// maxMisses is how often the socket of a daemon that holds its lock is looked for in vain where its note says that it is,
// before that counts as elsewhere: in the run folder of a container. One that ends takes the note back before its socket,
// and one that was killed leaves both.
const maxMisses = 3

// isLocked reports whether a daemon holds the brain: it serves, begins or ends.
func isLocked(p socket.Place) bool {
	if _, err := os.Stat(p.Lock()); err != nil {
		return false // nothing is made where perhaps another user looks
	}
	lock := flock.New(p.Lock(), flock.SetPermissions(0o600))
	defer lock.Close() //nolint:errcheck // released by the system at the latest
	free, err := lock.TryRLock()
	return err == nil && !free
}

// spawn starts a daemon that outlives this process, and returns a channel that tells how that went: nil when it serves,
// ErrRunning when another one does, else why there is none.
func spawn(args []string) (<-chan error, error) {
	cmd := exec.Command(args[0], args[1:]...) //nolint:forbidigo // Handrail itself
	cmd.Args[0] = "handrail"
	cmd.Dir = filepath.VolumeName(args[0]) + string(filepath.Separator) // holds on to nobody's folder
	out, err := cmd.StdoutPipe()                                        // standard input and error are the null device
	if err != nil {
		return nil, fmt.Errorf("start the daemon: %w", err)
	}
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the daemon: %w", err), out.Close())
	}
	told := make(chan error, 1) // nobody may listen
	go func() {                 // as long as the daemon lives, so that it does not stay as a zombie
		line, err := bufio.NewReader(out).ReadString('\n')
		told <- reported(strings.TrimSpace(line), err)
		_ = cmd.Wait() // its log says more than its status
	}()
	return told, nil
}

// reported reads the line of a Report.
func reported(line string, err error) error {
	switch reason, failed := strings.CutPrefix(line, saysFailed); {
	case failed:
		return fmt.Errorf("the daemon did not start: %s", reason)
	case line == saysServing:
		return nil
	case line == saysRunning:
		return ErrRunning
	case line == saysOwned:
		return ErrOwned
	default:
		return errors.Join(errors.New("the daemon did not start"), err)
	}
}

// Why there is no daemon to be had.
var (
	ErrRunning = errors.New("another daemon serves this brain")
	ErrOwned   = errors.New("another process owns this brain's index and state")
	ErrNewer   = errors.New("a daemon of another build serves this brain in a way this one does not know")
	ErrBeyond  = errors.New("the daemon of this brain cannot be reached from here")
	ErrNone    = errors.New("no daemon serves this brain")
	ErrSilent  = errors.New("the daemon of this brain does not answer")
)

// ErrStranger says that the daemon, or the folder of what it leaves, is another user's; ErrLost that a daemon ended before
// the program it ran came to its end.
var (
	ErrStranger = socket.ErrStranger
	ErrLost     = socket.ErrLost
)
