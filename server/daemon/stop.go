package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/handrail-dev/handrail/server/daemon/socket"
)

// signWait is how long a daemon may take to greet before it counts as one that hangs.
const signWait = time.Second

// ask returns the process of a daemon, 0 where none runs.
func ask(p socket.Place) (pid int, silent bool) {
	note, _ := p.Owner()
	if note.Socket == "" {
		return 0, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), signWait)
	defer cancel()
	c, there, err := greet(ctx, note.Socket, socket.Greeting{Protocol: p.Protocol})
	if err == nil {
		_ = c.conn.Close()
		return there.PID, false
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, context.DeadlineExceeded) {
		return 0, false
	}
	return note.PID, true
}

// Beyond returns the note of a daemon that owns cfg.Brain and cannot be reached from here, and why; nil
// where there is none such. ErrSilent says that it takes connections and does not answer. Of a daemon that failed to start
// a moment ago it returns why, and no process.
func Beyond(ctx context.Context, cfg Config) (note socket.Note, why error) {
	root, err := rootOf(cfg.Brain)
	if err != nil {
		return note, nil //nolint:nilerr // no brain, no daemon
	}
	p, err := locate(cfg, root)
	note, noted := p.Owner()
	switch {
	case errors.Is(err, socket.ErrStranger):
		return note, err
	case err != nil:
		return note, nil //nolint:nilerr // no place for a daemon: none owns the brain
	case !noted || !isLocked(p):
		return note, failure(p)
	}
	ctx, cancel := context.WithTimeout(ctx, signWait)
	defer cancel()
	c, _, err := greet(ctx, note.Socket, socket.Greeting{Protocol: p.Protocol})
	switch {
	case err == nil:
		return note, c.conn.Close()
	case ctx.Err() != nil:
		return note, ErrSilent
	}
	return note, err
}

// StopAll ends every daemon of this user's state folder and returns how many there were. One that hangs is killed. Where
// they listened nothing is left but what other homes of this user have there.
func StopAll(ctx context.Context) (stopped int, err error) {
	defer func() { _ = os.Remove(socket.Own().Run) }() // not empty, then it stays
	for _, p := range socket.All() {
		note, _ := p.Owner()
		defer os.Remove(note.Socket) //nolint:errcheck // mostly it is gone
		pid, silent := ask(p)
		if pid == 0 {
			continue
		}
		process, err := os.FindProcess(pid)
		if err == nil && (silent || process.Signal(os.Interrupt) != nil) { // not every system knows the signal
			err = process.Kill()
		}
		if err != nil {
			return stopped, fmt.Errorf("end the daemon, process %d: %w", pid, err)
		}
		stopped++
		for tick := time.NewTicker(10 * retry); pid != 0; pid, _ = ask(p) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				tick.Stop()
				return stopped, ctx.Err()
			}
		}
	}
	return stopped, nil
}
