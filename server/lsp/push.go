package lsp

import (
	"context"
	"sync"

	"github.com/handrail-dev/handrail/server/brain"
)

// notice is one notification on its way to the editor.
type notice struct {
	method string
	key    string     // not empty: one of this key is enough while it waits
	params func() any // called when the notice is sent, so that it tells the latest; nil = nothing to say any more
}

// outbox is the only writer of notifications: they leave in the order they came, and who
// has something to say never waits for the editor.
type outbox struct {
	wake chan struct{}

	mu      sync.Mutex // guards the fields below
	queue   []notice
	waiting map[string]bool // keys in queue
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
	if n.key != "" && o.waiting[n.key] {
		return
	}
	o.waiting[n.key] = true
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
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		return notice{}, false
	}
	n := o.queue[0]
	o.queue = o.queue[1:]
	delete(o.waiting, n.key)
	return n, true
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
