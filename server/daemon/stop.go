package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"handrail/server/daemon/socket"
)

// signWait is how long a daemon may take to greet before it counts as one that hangs.
const signWait = time.Second

// Silent reports whether the daemon of cfg.Brain takes connections and does not answer, and its process where it is known.
func Silent(cfg Config) (pid int, silent bool) {
	p, err := placeOf(cfg)
	if err != nil {
		return 0, false
	}
	return ask(p)
}

// ask returns the process of a daemon, 0 where none runs.
func ask(p socket.Place) (pid int, silent bool) {
	ctx, cancel := context.WithTimeout(context.Background(), signWait)
	defer cancel()
	c, there, err := greet(ctx, p.Socket(), socket.Greeting{Protocol: p.Protocol})
	if err == nil {
		_ = c.conn.Close()
		return there.PID, false
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, context.DeadlineExceeded) {
		return 0, false
	}
	src, _ := os.ReadFile(p.PID()) // a daemon that hangs as it starts has none yet
	pid, _ = strconv.Atoi(strings.TrimSpace(string(src)))
	return pid, true
}

// RunFolders returns the folders of sockets and what lies beside them.
func RunFolders() []string { return socket.RunFolders() }

// StopAll ends every daemon of this user and returns how many there were. One that hangs is killed.
func StopAll(ctx context.Context) (stopped int, err error) {
	for _, p := range socket.All() {
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
