// Package watch tells of changes on the disk by callbacks: of files below a folder, and of
// what git undoes. It does not know what the files are.
package watch

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// Host is what a watch runs in.
type Host struct {
	Ctx context.Context // ends every goroutine
	Go  func(func())    // starts one
	Log *slog.Logger
}

const (
	// settleDelay is how long files must be quiet before changed ones are read: a save by
	// rename is two or three events within a millisecond.
	settleDelay = 15 * time.Millisecond
	// settleLimit bounds the wait while changes keep coming, as in a git checkout.
	settleLimit = 100 * time.Millisecond
)

// Funnel gathers changed paths until they are quiet, then has them read in one go.
type Funnel struct {
	wake chan struct{}

	mu      sync.Mutex // guards all below
	pending map[string]bool
	all     bool // events were lost: look at everything
	at      time.Time
	first   time.Time
	urgent  bool            // somebody waits: do not wait for quiet
	waiting []chan struct{} // closed once what is pending now was read
}

// NewFunnel returns a Funnel; Run has its changes read.
func NewFunnel() *Funnel { return &Funnel{wake: make(chan struct{}, 1), pending: map[string]bool{}} }

// Add reports changed paths; none means that anything may have changed.
func (f *Funnel) Add(paths ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = f.all || len(paths) == 0
	for _, p := range paths {
		f.pending[p] = true
	}
	f.at = time.Now()
	if f.first.IsZero() {
		f.first = f.at
	}
	f.poke()
}

// poke wakes Run. The caller holds mu.
func (f *Funnel) poke() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Settle waits until everything that was added so far was read, or one of the contexts ends.
func (f *Funnel) Settle(ctx, run context.Context) error {
	done := make(chan struct{})
	f.mu.Lock()
	f.urgent = true
	f.waiting = append(f.waiting, done)
	f.poke()
	f.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-run.Done():
		return run.Err()
	}
}

// Run calls read with what has changed, sorted; with nothing when anything may have. It returns when ctx ends.
func (f *Funnel) Run(ctx context.Context, read func(paths []string)) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-timer.C:
		}
		paths, all, waiting, wait := f.take(time.Now())
		if wait > 0 {
			timer.Reset(wait)
			continue
		}
		if all {
			read(nil)
		} else if len(paths) > 0 {
			read(paths)
		}
		for _, w := range waiting {
			close(w)
		}
	}
}

// take returns what is due, or how long to wait for quiet.
func (f *Funnel) take(now time.Time) (paths []string, all bool, waiting []chan struct{}, wait time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.urgent && !f.first.IsZero() {
		due := f.at.Add(settleDelay)
		if limit := f.first.Add(settleLimit); limit.Before(due) {
			due = limit
		}
		if wait := due.Sub(now); wait > 0 {
			return nil, false, nil, wait
		}
	}
	paths, all, waiting = slices.Sorted(maps.Keys(f.pending)), f.all, f.waiting
	f.all, f.waiting, f.urgent, f.first = false, nil, false, time.Time{}
	clear(f.pending)
	return paths, all, waiting, 0
}
