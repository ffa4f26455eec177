package lsp

import (
	"context"
	"sync"

	"github.com/handrail-dev/handrail/server/brain"
)

// maxQueued is how many notices may wait for a slow editor. Indexing says a few hundred
// things at most; more than this means that nobody reads.
const maxQueued = 512

// notice is one notification on its way to the editor.
type notice struct {
	method string
	key    string     // not empty: one of this key is enough while it waits
	params func() any // called when the notice is sent, so that it tells the latest; nil = nothing to say any more
}

// outbox is the only writer of notifications: they leave in the order they came, and who
// has something to say never waits for the editor. When the editor is too slow, what it
// misses is made up for by one handrail/changed.
type outbox struct {
	wake chan struct{}

	mu      sync.Mutex // guards the fields below
	queue   []notice
	waiting map[string]bool // keys in queue
	lost    bool            // something did not fit
	changed brain.Changed   // what the next handrail/changed says
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1), waiting: map[string]bool{}}
}

// push queues a notice whose parameters are known.
func (o *outbox) push(method string, params any) {
	o.add(notice{method: method, params: func() any { return params }})
}

func (o *outbox) add(n notice) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case n.key != "" && o.waiting[n.key]:
		return
	case len(o.queue) >= maxQueued:
		o.lost = true
		return
	case n.key != "":
		o.waiting[n.key] = true
	}
	o.queue = append(o.queue, n)
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// refresh tells the editor that its views are out of date.
func (o *outbox) refresh(c brain.Changed) {
	o.mu.Lock()
	o.changed.Cards = o.changed.Cards || c.Cards
	o.changed.Candidates = o.changed.Candidates || c.Candidates
	o.mu.Unlock()
	o.add(notice{method: changedNotice, key: changedNotice, params: func() any {
		o.mu.Lock()
		defer o.mu.Unlock()
		c := o.changed
		o.changed = brain.Changed{}
		return c
	}})
}

// next takes the oldest notice.
func (o *outbox) next() (notice, bool) {
	o.mu.Lock()
	if len(o.queue) > 0 {
		defer o.mu.Unlock()
		n := o.queue[0]
		o.queue = o.queue[1:]
		delete(o.waiting, n.key)
		return n, true
	}
	lost := o.lost
	o.lost = false
	o.mu.Unlock()
	if lost {
		o.refresh(brain.Changed{Cards: true, Candidates: true})
	}
	return notice{}, false
}

// send delivers notices until ctx ends or the connection breaks.
func (o *outbox) send(ctx context.Context, notify func(ctx context.Context, method string, params any) error) error {
	for {
		for n, ok := o.next(); ok; n, ok = o.next() {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if params := n.params(); params != nil {
				if err := notify(ctx, n.method, params); err != nil {
					return err
				}
			}
		}
		select {
		case <-o.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
