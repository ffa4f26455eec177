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

// probe returns the process of the daemon that a note names, and ErrSilent where it takes connections and does not answer.
func probe(note socket.Note) (pid int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), signWait)
	defer cancel()
	c, there, err := socket.Dial(ctx, note.Socket, socket.Greeting{Protocol: socket.Protocol})
	switch {
	case err == nil:
		return there.PID, c.Close()
	case ctx.Err() != nil:
		return note.PID, ErrSilent
	}
	return 0, err
}

// Beyond returns the note of a daemon that owns cfg.Brain and cannot be reached from here, and why; nil
// where there is none such. Of a daemon that failed to start a moment ago it returns why, and no process.
func Beyond(cfg Config) (note socket.Note, why error) {
	p, _, err := locate(cfg)
	if err != nil && !errors.Is(err, socket.ErrStranger) {
		return note, nil //nolint:nilerr // no brain, or no place for a daemon: none owns it
	}
	note, noted := p.Owner()
	switch {
	case err != nil:
	case !noted || !isLocked(p):
		err = failure(p)
	default:
		_, err = probe(note)
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
		pid, err := probe(note)
		silent := errors.Is(err, ErrSilent)
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
		for tick := time.Tick(10 * retry); pid != 0; pid, _ = probe(note) {
			select {
			case <-tick:
			case <-ctx.Done():
				return stopped, ctx.Err()
			}
		}
	}
	return stopped, nil
}
