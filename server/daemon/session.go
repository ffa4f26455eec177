package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"handrail/server"
)

const (
	// maxCalls is how many calls of one client are at work at a time; the next one waits in
	// the socket. An editor has a dozen.
	maxCalls = 256
	// maxNotes is how many notifications wait for a client that reads slowly. What does not
	// fit is made up for by one "changed".
	maxNotes = 512
)

// errRude ends the connection of a client that does not keep to the protocol.
var errRude = errors.New("the client does not speak the protocol")

// session is one client as the daemon sees it.
type session struct {
	d      *daemon
	stream *stream
	notes  *notes
	slots  chan struct{}  // one for each call at work
	calls  sync.WaitGroup // calls at work
	wg     sync.WaitGroup // every other goroutine of the session

	// Of the reading goroutine alone.
	greeted bool
	last    int64 // id of the last call that was heard
	detach  func()

	mu      sync.Mutex // guards cancels
	cancels map[int64]context.CancelFunc
}

func newSession(d *daemon, conn net.Conn) *session {
	str := newStream(conn)
	str.max = cmp.Or(d.cfg.max, str.max)
	return &session{
		d: d, stream: str, notes: newNotes(), slots: make(chan struct{}, maxCalls),
		detach: func() {}, cancels: map[int64]context.CancelFunc{},
	}
}

// run serves the client until it hangs up, or until the daemon ends (see hush). Nothing of
// the session is left when it returns.
func (s *session) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.wg.Go(func() { s.notes.send(ctx, s.notify) })
	err := s.listen(ctx)
	ending := errors.Is(err, os.ErrDeadlineExceeded)
	if !ending {
		cancel() // nobody waits for the answers any more
	}
	s.calls.Wait()
	if ending {
		s.notify(byeNotice, byeParams{s.last})
	}
	s.detach()
	cancel()
	_ = s.stream.conn.Close() // whatever could not be said then is lost either way
	s.wg.Wait()
	if !ending && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		s.d.log.Info("a client was let go", "err", err)
	}
}

// listen hears the client out. os.ErrDeadlineExceeded means that the daemon hushed it.
func (s *session) listen(ctx context.Context) error {
	for {
		msg, err := s.stream.read()
		if err != nil {
			return err
		}
		switch m := msg.(type) {
		case *jsonrpc2.Call:
			id, ok := m.ID().Number()
			if !ok || id <= s.last {
				return fmt.Errorf("%w: call %v", errRude, m.ID())
			}
			s.last = id
			s.d.heard.Add(1)
			err = s.called(ctx, id, m.Method(), json.RawMessage(m.Params()))
		case *jsonrpc2.Notification:
			var p cancelParams
			if m.Method() == cancelNotice && json.Unmarshal(m.Params(), &p) == nil {
				s.mu.Lock()
				if cancel := s.cancels[p.ID]; cancel != nil {
					cancel()
				}
				s.mu.Unlock()
			}
		default: // an answer to nothing
			err = errRude
		}
		if err != nil {
			return err
		}
	}
}

// called starts one call. What the daemon itself is asked is answered at once and in
// order, the rest side by side.
func (s *session) called(ctx context.Context, id int64, name string, params json.RawMessage) error {
	if !s.greeted && name != helloMethod {
		return fmt.Errorf("%w: %q before %q", errRude, name, helloMethod)
	}
	switch name {
	case helloMethod:
		var p helloParams
		if err := json.Unmarshal(params, &p); err != nil || s.greeted {
			return fmt.Errorf("%w: %s", errRude, helloMethod)
		}
		s.greeted = true
		ready := s.awaitReady(ctx)
		if p.Listen {
			s.attach()
		}
		s.reply(id, helloResult{Protocol: s.d.place.Protocol, Build: s.d.cfg.Build, PID: os.Getpid(), Ready: ready}, nil)
		return nil
	case pingMethod:
		s.reply(id, nothing{}, nil)
		return nil
	case listen.name:
		s.attach()
		s.reply(id, nothing{}, nil)
		return nil
	case endMethod:
		var p helloParams
		if err := json.Unmarshal(params, &p); err != nil {
			return fmt.Errorf("%w: %s", errRude, endMethod)
		}
		gives := p.Protocol > s.d.place.Protocol || p.Build.newer(s.d.cfg.Build)
		s.reply(id, gives, nil)
		if gives {
			s.d.end("a newer build takes over: " + p.Build.Version)
		}
		return nil
	}
	if name == follow.name { // of this client, beside those of the others
		var p followParams
		if err := json.Unmarshal(params, &p); err != nil {
			return fmt.Errorf("%w: %s", errRude, name)
		}
		s.calls.Go(func() {
			s.d.follow(s, p.Workspaces)
			s.reply(id, nothing{}, nil)
		})
		return nil
	}
	row, ok := s.d.rows[name]
	if !ok {
		s.reply(id, nil, fmt.Errorf("daemon: there is no method %q", name))
		return nil
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.cancels[id] = cancel
	s.mu.Unlock()
	s.calls.Go(func() {
		defer func() {
			cancel()
			s.mu.Lock()
			delete(s.cancels, id)
			s.mu.Unlock()
			<-s.slots
		}()
		result, err := s.d.answer(ctx, row, params)
		if err != nil && ctx.Err() != nil {
			err = ctx.Err() // whatever it says, it failed because nobody waits for it
		}
		s.reply(id, result, err)
	})
	return nil
}

// answer runs a method and turns a panic into an error that says nothing of the inside.
func (d *daemon) answer(ctx context.Context, row row, params json.RawMessage) (result json.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			d.log.Error("panic", "method", row.called(), "value", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = fmt.Errorf("%s: the daemon's log says what went wrong", row.called())
		}
	}()
	return row.answer(ctx, d.srv, params)
}

// reply answers a call. A client that cannot be reached is noticed by the reading end.
func (s *session) reply(id int64, result any, err error) {
	raw, ok := result.(json.RawMessage)
	if !ok && err == nil {
		raw, err = marshal(result)
	}
	send := func(raw json.RawMessage, err error) error {
		return s.stream.write(context.Background(), func(buf []byte) []byte {
			if err != nil {
				return jsonrpc2.AppendResponse(buf, jsonrpc2.NewNumberID(id), nil, toWire(err))
			}
			return jsonrpc2.AppendResponse(buf, jsonrpc2.NewNumberID(id), jsonrpc2.RawMessage(raw), nil)
		})
	}
	if err := send(raw, err); errors.Is(err, errTooLarge) {
		_ = send(nil, err) // small now; the reading end notices the rest
	}
}

// notify says something of the daemon's own.
func (s *session) notify(name string, params any) {
	raw, err := marshal(params)
	if err != nil {
		s.d.log.Error("a notification was not sent", "name", name, "err", err)
		return
	}
	err = s.stream.write(context.Background(), func(buf []byte) []byte {
		return jsonrpc2.AppendNotification(buf, name, jsonrpc2.RawMessage(raw))
	})
	if err != nil {
		s.d.log.Debug("a notification was not sent", "name", name, "err", err)
	}
}

// awaitReady reports whether the index has caught up, and lets the client know when it
// does.
func (s *session) awaitReady(ctx context.Context) bool {
	ready := s.d.srv.Ready()
	select {
	case <-ready:
		return true
	default:
	}
	s.wg.Go(func() {
		select {
		case <-ready:
			s.notes.push(note{readyNotice, nothing{}})
		case <-ctx.Done():
		}
	})
	return false
}

// attach lets the client hear what happens.
func (s *session) attach() {
	s.detach() // once is enough
	s.detach = s.d.srv.Attach(server.Notify{
		Candidate: func(c server.Candidate) { s.notes.push(note{candidateNotice, c}) },
		Footer:    func(f server.Footer) { s.notes.push(note{footerNotice, f}) },
		Changed:   func(c server.Changed) { s.notes.push(note{changedNotice, c}) },
		Progress:  func(done, total int) { s.notes.push(note{progressNotice, progressParams{done, total}}) },
		Notice:    func(n server.Notice) { s.notes.push(note{personNotice, n}) },
	})
}

// note is a notification on its way to a client.
type note struct {
	name   string
	params any
}

// notes is what waits to be said to one client, in order. Who has something to say never
// waits for the client.
type notes struct {
	wake chan struct{}

	mu    sync.Mutex // guards the fields below
	queue []note
	lost  bool // something did not fit
}

func newNotes() *notes { return &notes{wake: make(chan struct{}, 1)} }

// push queues a notification; of refreshes and of progress in a row, the latest says it all.
func (n *notes) push(x note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch tail := len(n.queue) - 1; {
	case tail >= 0 && n.queue[tail].name == x.name && x.name == progressNotice:
		n.queue[tail] = x
	case tail >= 0 && n.queue[tail].name == x.name && x.name == changedNotice:
		n.queue[tail].params = either(n.queue[tail].params, x.params)
	case len(n.queue) >= maxNotes:
		n.lost = true
	default:
		n.queue = append(n.queue, x)
	}
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func either(a, b any) server.Changed {
	x, _ := a.(server.Changed)
	y, _ := b.(server.Changed)
	return server.Changed{Cards: x.Cards || y.Cards, Candidates: x.Candidates || y.Candidates}
}

// take returns what waits, and makes room.
func (n *notes) take() []note {
	n.mu.Lock()
	defer n.mu.Unlock()
	queue := n.queue
	n.queue = nil
	if n.lost {
		n.lost = false
		queue = append(queue, note{changedNotice, server.Changed{Cards: true, Candidates: true}})
	}
	return queue
}

// send says what waits until ctx ends.
func (n *notes) send(ctx context.Context, say func(name string, params any)) {
	for {
		select {
		case <-n.wake:
		case <-ctx.Done():
			return
		}
		for _, x := range n.take() {
			if ctx.Err() != nil {
				return
			}
			say(x.name, x.params)
		}
	}
}
