package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"handrail/lessons"
	"handrail/server"
	"handrail/server/daemon/socket"
)

const (
	// startWait is how long a call waits for a daemon, whether it is there and silent or
	// must be started.
	startWait = 2 * time.Second
	// quietWait bounds the calls of methods that have no context.
	quietWait = 5 * time.Second
	// maxStarts is how many daemons are started for one call; one that serves and is gone
	// at once would be started again for ever.
	maxStarts = 3
	// firstPause and lastPause bound how long a client that listens waits before it looks
	// for a new daemon again.
	firstPause = 100 * time.Millisecond
	lastPause  = 30 * time.Second
)

// Client is the loop over one brain that a daemon runs. Its methods are those of
// server.Server and do the same. It is safe for concurrent use.
//
// When the daemon dies the next call starts it anew; a client that has attached does so at
// once. A call that was under way is made again if that does no harm, else its error is
// server.ErrUncertain. When there is no daemon to be had it is server.ErrUnreachable.
type Client struct {
	cfg   Config
	place socket.Place
	log   *slog.Logger
	brain *lessons.Brain

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // every goroutine of the client

	connecting chan struct{} // held by who looks for a daemon
	ready      chan struct{}
	readyOnce  sync.Once

	notifyMu sync.Mutex // keeps notifications one at a time
	notify   map[*server.Notify]struct{}

	mu         sync.Mutex // guards the fields below
	link       *link      // nil before the first and between two
	looked     int        // how often a daemon was looked for
	lookErr    error      // how that went last
	closed     bool
	restoring  bool // a goroutine looks for a new daemon
	listening  bool // somebody has attached
	workspaces []string
	embeddings server.EmbeddingSettings
	extras     server.ExtraSettings
	waiting    []server.Candidate // what Candidates returned last
}

// Connect returns a client of the daemon of cfg.Brain, which it starts when there is none
// and cfg.Start says how. It waits for it two seconds at most. Errors of the brain itself
// are those of server.New; every other one means that the caller has to do without a
// daemon.
func Connect(ctx context.Context, cfg Config) (*Client, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	brain, err := lessons.OpenBrain(cfg.Brain)
	if err != nil {
		return nil, err
	}
	p, err := locate(cfg, brain.Root())
	if err != nil {
		return nil, errors.Join(err, brain.Close())
	}
	c := &Client{
		cfg: cfg, place: p, log: cfg.Log, brain: brain, connecting: make(chan struct{}, 1), ready: make(chan struct{}),
		notify: map[*server.Notify]struct{}{}, workspaces: slices.Clone(cfg.Workspaces), embeddings: cfg.Embeddings, extras: cfg.Extras,
	}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if _, err := c.connected(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close hangs up. No goroutine of the client is left when it returns; the daemon lives on.
func (c *Client) Close() error {
	c.cancel()
	c.mu.Lock()
	c.closed = true
	l := c.link
	c.mu.Unlock()
	if l != nil {
		l.hangUp()
	}
	c.wg.Wait()
	c.readyOnce.Do(func() { close(c.ready) })
	return c.brain.Close()
}

// connected returns a link to a daemon, made or found. Who waits while another caller looks
// for one goes by what that one finds: a dozen calls of an editor wait no longer than one.
func (c *Client) connected(ctx context.Context) (*link, error) {
	if l := c.current(); l != nil {
		return l, nil
	}
	c.mu.Lock()
	looked := c.looked
	c.mu.Unlock()
	select {
	case c.connecting <- struct{}{}:
		defer func() { <-c.connecting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l := c.current(); l != nil {
		return l, nil
	}
	c.mu.Lock()
	again, err := c.looked != looked, c.lookErr
	c.mu.Unlock()
	if again && err != nil {
		return nil, err
	}
	l, err := c.look(ctx)
	if ctx.Err() == nil { // else it says more of this caller than of the daemon
		c.mu.Lock()
		c.looked++
		c.lookErr = err
		c.mu.Unlock()
	}
	return l, err
}

// look makes or finds a link. One caller at a time looks.
func (c *Client) look(ctx context.Context) (*link, error) {
	limit := cmp.Or(c.cfg.startWait, startWait)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errors.New("no answer within "+limit.String()))
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	l, err := c.find(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	closed, again, workspaces, embeddings, asked := c.closed, c.link != nil, c.workspaces, c.embeddings, c.extras
	if !closed {
		c.link = l
	}
	c.mu.Unlock()
	if closed {
		l.hangUp()
		return nil, net.ErrClosed
	}
	say := func(name string, params any, lost string) {
		raw, err := marshal(params)
		if err == nil {
			_, err = l.call(ctx, name, raw)
		}
		if err != nil {
			c.log.Warn(lost, "err", err)
		}
	}
	if len(workspaces) > 0 {
		say(follow.name, followParams{workspaces}, "rollbacks are not noticed")
	}
	if embeddings != (server.EmbeddingSettings{}) {
		say(embed.name, embeddings, "embeddings are as they were")
	}
	if asked != (server.ExtraSettings{}) {
		say(extras.name, asked, "what is off by default is as it was")
	}
	if !l.alive() {
		c.restore(l) // it ended before it was ours
	}
	if again {
		c.log.Info("connected to a new daemon", "brain", c.brain.Root())
		c.tell(func(n *server.Notify) {
			if n.Changed != nil {
				n.Changed(server.Changed{Cards: true, Candidates: true})
			}
		})
	}
	return l, nil
}

func (c *Client) current() *link {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil && c.link.alive() {
		return c.link
	}
	return nil
}

// find connects to the brain's daemon. It starts one when there is none, and puts one of
// this build in the place of an older one.
func (c *Client) find(ctx context.Context) (*link, error) {
	starter := flock.New(c.place.Starter(), flock.SetPermissions(0o600))
	defer starter.Close() //nolint:errcheck // released by the system at the latest
	tick := time.NewTicker(retry)
	defer tick.Stop()
	var told <-chan error // about the daemon that this client started
	for starts := 0; ; {
		l, hello, err := c.greet(ctx, c.place.Socket())
		var old []socket.Other
		if err == nil {
			if len(c.cfg.Start) == 0 || !c.cfg.Build.newer(hello.Build) {
				return c.welcome(l, hello), nil
			}
		} else if old, err = c.strangers(ctx, err); err != nil {
			return nil, err
		}
		if len(c.cfg.Start) == 0 {
			return nil, ErrNone
		}
		// One client at a time makes room and starts; the others find what it started.
		first, lockErr := starter.TryLock()
		switch {
		case lockErr != nil:
			err = fmt.Errorf("start the daemon: %w", lockErr)
		case !first:
		case l != nil:
			c.log.Info("taking over from an older build", "old", hello.Build.Version, "new", c.cfg.Build.Version)
			err = c.replace(ctx, l)
			l = nil
		case len(old) > 0:
			err = c.replaceOther(ctx, old)
		case told == nil && starts < maxStarts:
			starts++
			if _, err = os.Stat(c.brain.Root()); errors.Is(err, os.ErrNotExist) {
				err = &lessons.PathError{Path: c.brain.Root(), Err: lessons.ErrNoBrain}
			} else if told, err = spawn(append(slices.Clip(c.cfg.Start), "--brain", c.brain.Root())); err == nil {
				c.log.Debug("starting the daemon", "brain", c.brain.Root())
			}
		}
		if l != nil {
			l.hangUp()
		}
		if err != nil {
			return nil, err
		}
		select {
		case err := <-told:
			if told = nil; err != nil && !errors.Is(err, ErrRunning) {
				return nil, err
			}
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the daemon: %w", context.Cause(ctx))
		}
	}
}

// greet connects to a socket and says hello.
func (c *Client) greet(ctx context.Context, path string) (*link, helloResult, error) {
	var hello helloResult
	conn, err := dial(ctx, path)
	if err != nil {
		return nil, hello, err
	}
	l := newLink(conn, c.heard)
	c.mu.Lock()
	closed, listening := c.closed, c.listening
	if !closed {
		c.wg.Go(func() {
			l.read()
			c.restore(l)
		})
	}
	c.mu.Unlock()
	if closed {
		return nil, hello, errors.Join(net.ErrClosed, conn.Close())
	}
	raw, err := marshal(helloParams{Protocol: c.place.Protocol, Build: c.cfg.Build, Listen: listening})
	if err == nil {
		raw, err = l.ask(ctx, helloMethod, raw, nil) // ctx is its limit
	}
	if err == nil {
		err = json.Unmarshal(raw, &hello)
	}
	if err != nil {
		l.hangUp()
		return nil, hello, fmt.Errorf("greet the daemon: %w", err)
	}
	return l, hello, nil
}

// welcome notes what a daemon said that this client will use.
func (c *Client) welcome(l *link, hello helloResult) *link {
	c.log.Debug("connected", "brain", c.brain.Root(), "pid", hello.PID, "build", hello.Build.Version)
	if hello.Ready {
		c.readyOnce.Do(func() { close(c.ready) })
	}
	return l
}

// strangers looks for daemons that speak another protocol, after no daemon of ours
// answered (err). It returns older ones; a newer one is ErrNewer, and an error that no
// other daemon can mend is returned as it is.
func (c *Client) strangers(ctx context.Context, err error) ([]socket.Other, error) {
	if errors.Is(err, socket.ErrStranger) || errors.Is(err, net.ErrClosed) {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("wait for the daemon: %w", context.Cause(ctx))
	}
	var old []socket.Other
	for _, o := range c.place.Others() {
		conn, err := dial(ctx, o.Socket)
		if err != nil {
			continue // dead
		}
		_ = conn.Close()
		if o.Protocol > c.place.Protocol {
			return nil, ErrNewer
		}
		old = append(old, o)
	}
	return old, nil
}

// replaceOther makes room where daemons of older protocols are.
func (c *Client) replaceOther(ctx context.Context, old []socket.Other) error {
	for _, o := range old {
		l, _, err := c.greet(ctx, o.Socket)
		if err != nil {
			continue // it ends by itself just now
		}
		if err := c.replace(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// replace asks an older daemon to end and waits until it lets its clients go.
func (c *Client) replace(ctx context.Context, l *link) error {
	defer l.hangUp()
	raw, err := marshal(helloParams{Protocol: c.place.Protocol, Build: c.cfg.Build})
	if err == nil {
		raw, err = l.call(ctx, endMethod, raw)
	}
	switch {
	case errors.Is(err, errLost), errors.Is(err, errUnheard):
		return nil // it was ending anyway
	case err != nil:
		return fmt.Errorf("take over: %w", err)
	case string(raw) != "true":
		return ErrNewer
	}
	select {
	case <-l.over:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("take over: %w", context.Cause(ctx))
	}
}

// restore looks for a new daemon after l has ended, if somebody listens: without a link
// nothing would be heard until the next call.
func (c *Client) restore(l *link) {
	c.mu.Lock()
	wanted := c.listening && !c.closed && !c.restoring && (l == nil || c.link == l)
	c.restoring = c.restoring || wanted
	if wanted {
		c.wg.Go(c.keepLooking)
	}
	c.mu.Unlock()
}

func (c *Client) keepLooking() {
	defer func() {
		c.mu.Lock()
		c.restoring = false
		c.mu.Unlock()
	}()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		_, err := c.connected(c.ctx)
		if c.current() != nil || c.ctx.Err() != nil {
			return
		}
		c.log.Debug("no daemon", "err", err)
		select {
		case <-time.After(pause):
		case <-c.ctx.Done():
			return
		}
	}
}

// heard takes what a daemon says of its own.
func (c *Client) heard(name string, params json.RawMessage) {
	switch name {
	case readyNotice:
		c.readyOnce.Do(func() { close(c.ready) })
		c.tell(func(n *server.Notify) {
			if n.Changed != nil { // some answers were made from half an index
				n.Changed(server.Changed{Cards: true})
			}
		})
	case candidateNotice:
		pass(c, params, func(n *server.Notify) func(server.Candidate) { return n.Candidate })
	case footerNotice:
		pass(c, params, func(n *server.Notify) func(server.Footer) { return n.Footer })
	case changedNotice:
		pass(c, params, func(n *server.Notify) func(server.Changed) { return n.Changed })
	case personNotice:
		pass(c, params, func(n *server.Notify) func(server.Notice) { return n.Notice })
	case progressNotice:
		pass(c, params, func(n *server.Notify) func(progressParams) {
			if n.Progress == nil {
				return nil
			}
			return func(p progressParams) { n.Progress(p.Done, p.Total) }
		})
	}
}

// pass hands a notification to everybody who wants this sort.
func pass[T any](c *Client, params json.RawMessage, to func(*server.Notify) func(T)) {
	var v T
	if err := json.Unmarshal(params, &v); err != nil {
		c.log.Warn("a notification was not understood", "err", err)
		return
	}
	c.tell(func(n *server.Notify) {
		if f := to(n); f != nil {
			f(v)
		}
	})
}

func (c *Client) tell(f func(*server.Notify)) {
	c.notifyMu.Lock()
	defer c.notifyMu.Unlock()
	for n := range c.notify {
		f(n)
	}
}

// call asks the daemon, and asks again where that is harmless.
func call[P, R any](ctx context.Context, c *Client, m method[P, R], p P) (R, error) {
	var out, none R
	raw, err := marshal(p)
	if err != nil {
		return none, fmt.Errorf("%s: %w", m.name, err)
	}
	const tries = 3 // a daemon that ends before it hears a call may do so twice
	for try := 1; ; try++ {
		l, err := c.connected(ctx)
		if ctx.Err() != nil {
			return none, ctx.Err()
		}
		if err != nil {
			return none, fmt.Errorf("%s: %w: %w", m.name, server.ErrUnreachable, err)
		}
		result, err := l.call(ctx, m.name, raw)
		switch {
		case err == nil:
			if err := json.Unmarshal(result, &out); err != nil {
				return none, fmt.Errorf("%s: read the result: %w", m.name, err)
			}
			return out, nil
		case errors.Is(err, errUnheard) && try < tries, errors.Is(err, errLost) && m.again && try == 1:
			c.log.Info("asking again", "method", m.name, "err", err)
		case errors.Is(err, errUnheard), errors.Is(err, errLost) && m.again:
			return none, fmt.Errorf("%s: %w: %w", m.name, server.ErrUnreachable, err)
		case errors.Is(err, errLost):
			return none, fmt.Errorf("%s: %w", m.name, server.ErrUncertain)
		default:
			return none, err
		}
	}
}

// quiet makes a call of a method that has no way to fail, and reports whether it was
// answered.
func quiet[P, R any](ctx context.Context, c *Client, m method[P, R], p P) (R, bool) {
	ctx, cancel := context.WithTimeout(ctx, quietWait)
	defer cancel()
	r, err := call(ctx, c, m, p)
	if err != nil && c.ctx.Err() == nil {
		c.log.Warn("the daemon did not answer", "method", m.name, "err", err)
	}
	return r, err == nil
}

// Ready is closed when the daemon's index has caught up with the disk for the first time,
// or when the client is closed.
func (c *Client) Ready() <-chan struct{} { return c.ready }

// Owner reports true: a daemon that does not own its brain's index does not serve.
func (c *Client) Owner() bool { return true }

// Brain returns the folder, for what needs no index.
func (c *Client) Brain() *lessons.Brain { return c.brain }

// Attach is server.Server's. After a daemon was lost and found, Changed says that anything
// may have happened meanwhile.
func (c *Client) Attach(n server.Notify) (detach func()) {
	c.notifyMu.Lock()
	c.notify[&n] = struct{}{}
	c.notifyMu.Unlock()
	c.mu.Lock()
	first := !c.listening
	c.listening = true
	c.mu.Unlock()
	if first {
		if _, ok := quiet(c.ctx, c, listen, nothing{}); !ok {
			c.restore(nil)
		}
	}
	return func() {
		c.notifyMu.Lock()
		defer c.notifyMu.Unlock()
		delete(c.notify, &n)
	}
}
