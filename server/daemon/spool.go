package daemon

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/handrail-dev/handrail/server/daemon/socket"
)

// Keep has a hook's event, named in run, wait for the brain's daemon: the one that runs, wherever it listens, or one that it
// starts and does not wait for.
func Keep(cfg Config, run Run, payload []byte) error {
	p, _, err := locate(cfg)
	if err != nil {
		return err
	}
	if err := p.Keep(socket.Event{Run: run, Payload: payload}); err != nil {
		return err
	}
	if isLocked(p) || failure(p) != nil {
		return nil
	}
	_, err = spawn(append(slices.Clip(cfg.Start), "--brain", cfg.Brain))
	return err
}

// maxTaken is how many names of events are remembered: more than can be on their way at once.
const maxTaken = 1000

// first reports whether an event was not taken before. A hook that gave up waiting leaves in the
// spool what may have arrived nevertheless.
func (d *daemon) first(event string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if slices.Contains(d.taken, event) {
		return false
	}
	d.taken = append(d.taken, event)
	d.taken = d.taken[max(0, len(d.taken)-maxTaken):]
	return true
}

// clear takes events out of the spool that this daemon heard: the next one would hear them again.
func (d *daemon) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range d.place.Kept() {
		if slices.Contains(d.taken, id) {
			d.place.Take(id)
		}
	}
}

// takeUp has the loop hear of the events in the spool, in order. Nobody waits for their answers.
func (d *daemon) takeUp(ctx context.Context) {
	if d.cfg.Program == nil || d.srv.Building() {
		return
	}
	d.spoolMu.Lock()
	defer d.spoolMu.Unlock()
	for _, id := range d.place.Kept() {
		if ctx.Err() != nil {
			return // the rest waits on
		}
		if e, ok := d.place.Take(id); ok && d.first(id) {
			d.log.Info("an event came late", "args", e.Run.Args)
			e.Run.Args = append(e.Run.Args, "--late")
			d.program(context.WithoutCancel(ctx), Process{
				Run: e.Run, Server: d.srv, In: bytes.NewReader(e.Payload), Out: io.Discard, Err: io.Discard, Log: d.log.Warn,
			})
		}
	}
}
