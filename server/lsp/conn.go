package lsp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// stream is the library's, which ends with the session, and says when nothing more can be read and when an answer was
// written.
type stream struct {
	jsonrpc2.Stream
	heard         context.Context // done when nothing more is to be read
	end, answered func()
}

// Read returns the next message. What is none ends the connection.
func (s stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	if s.heard.Err() != nil {
		return nil, 0, io.EOF
	}
	msg, n, err := s.Stream.Read(ctx)
	if err != nil {
		s.end()
	}
	return msg, n, err
}

// Write sends one message of the connection's.
func (s stream) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	if bytes.HasPrefix(jsonrpc2.AppendMessage(nil, msg), []byte(answerPrefix)) {
		defer s.answered()
	}
	return s.Stream.Write(ctx, msg)
}

// answerPrefix begins an answer as the library writes it; calls and notifications have their method there.
const answerPrefix = `{"jsonrpc":"2.0","id":`

// codec encodes payloads as LSP does: unions by their arm, nil slices as [].
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(data, v) }

// phase is where a session stands between its first message and its last.
type phase int

const (
	fresh   phase = iota // initialize has not been answered
	running              // everything is allowed but initialize
	down                 // shutdown was asked for; only exit may follow
	left                 // it did
)

// dispatcher hands each message to its method. Notifications run one after another in the order they came, so that text
// is what the editor thinks it is; calls start in order and then run side by side, each with its own cancel. Nothing a
// client sends, and no panic, ends the connection.
type dispatcher struct {
	methods map[string]method
	session *session
	work    tasks
	paid    chan struct{} // holds one: an answer was written
	end     func()        // nothing more is read

	mu    sync.Mutex // guards the fields below
	phase phase
	calls map[jsonrpc2.ID]context.CancelFunc // calls at work
	owed  int                                // calls whose answer is not written
}

// lastWords is how long what is at work may still take when the editor has gone.
const lastWords = 500 * time.Millisecond

// handle is the library's handler. Its context dies with the call in ways that the race
// detector dislikes, so everything runs under the connection's instead.
func (d *dispatcher) handle(pooled context.Context, req *jsonrpc2.Request) (any, error) {
	ctx := jsonrpc2.DetachContext(pooled)
	if req.IsCall() {
		d.owe(1)
	}
	if !d.work.start() {
		return nil, jsonrpc2.ErrServerClosing
	}
	defer d.work.done()
	if !req.IsCall() {
		d.notified(ctx, req.Method(), req.Params())
		return nil, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, err := d.admit(req, cancel)
	if err != nil {
		return nil, err
	}
	defer func() {
		d.mu.Lock()
		delete(d.calls, req.ID())
		d.mu.Unlock()
	}()
	if !m.inOrder {
		jsonrpc2.Async(pooled) // the next message may be read now
	}
	result, err := d.run(ctx, m, req.Params())
	if err != nil {
		return nil, d.session.wireError(ctx, err)
	}
	if m.name == protocol.MethodInitialize {
		d.mu.Lock()
		d.phase = running
		d.mu.Unlock()
	}
	return result, nil
}

// admit decides whether a call may run now, and registers its cancel if so.
func (d *dispatcher) admit(req *jsonrpc2.Request, cancel context.CancelFunc) (method, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name, say := req.Method(), d.session.say
	switch {
	case d.phase == fresh && name != protocol.MethodInitialize:
		return method{}, jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, say(textNotInitialized))
	case d.phase == running && name == protocol.MethodInitialize:
		return method{}, jsonrpc2.NewError(jsonrpc2.InvalidRequest, say(textInitializedTwice))
	case d.phase >= down:
		return method{}, jsonrpc2.NewError(jsonrpc2.InvalidRequest, say(textShutDown))
	}
	m, ok := d.methods[name]
	if !ok || m.notification {
		return method{}, jsonrpc2.NewError(jsonrpc2.MethodNotFound, say(textUnknownMethod, clip(name)))
	}
	d.calls[req.ID()] = cancel
	if name == protocol.MethodShutdown {
		d.phase = down
	}
	return m, nil
}

// owe counts an answer in, or out, and returns how many are owed.
func (d *dispatcher) owe(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owed += n
	return d.owed
}

// answered notes that an answer was written.
func (d *dispatcher) answered() {
	d.owe(-1)
	select {
	case d.paid <- struct{}{}:
	default:
	}
}

// leave ends the session once what was asked before is answered, or takes too long: some send all they have and hang up.
func (d *dispatcher) leave() {
	for late := time.After(lastWords); d.owe(0) > 0; {
		select {
		case <-d.paid:
			continue
		case <-late:
		}
		break
	}
	d.end()
}

// run calls a method and turns a panic into an error that says nothing of the inside.
func (d *dispatcher) run(ctx context.Context, m method, params jsonrpc2.RawMessage) (result jsonrpc2.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			d.session.Log.Error("panic", "method", m.name, "value", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = jsonrpc2.NewError(jsonrpc2.InternalError, d.session.say(textPanic, m.name))
		}
	}()
	return m.call(ctx, d.session, params)
}

// notified runs a notification. Whatever goes wrong is logged: there is nobody to answer.
func (d *dispatcher) notified(ctx context.Context, name string, params jsonrpc2.RawMessage) {
	d.mu.Lock()
	now := d.phase
	if name == protocol.MethodExit && now == down {
		d.phase = left
	}
	d.mu.Unlock()
	switch name {
	case protocol.MethodExit:
		d.leave()
		return
	case protocol.MethodCancelRequest:
		d.cancel(params)
		return
	}
	m, ok := d.methods[name]
	if !ok || !m.notification || now != running {
		if !strings.HasPrefix(name, "$/") {
			d.session.Log.Debug("notification ignored", "method", clip(name))
		}
		return
	}
	if _, err := d.run(ctx, m, params); err != nil {
		d.session.Log.Warn("notification failed", "method", name, "err", err)
	}
}

func (d *dispatcher) cancel(params jsonrpc2.RawMessage) {
	// The library's own type takes 32-bit numbers only.
	var p struct {
		ID any `json:"id"`
	}
	if err := protocol.Unmarshal(params, &p); err != nil {
		d.session.Log.Warn("notification failed", "method", protocol.MethodCancelRequest, "err", err)
		return
	}
	var id jsonrpc2.ID
	switch v := p.ID.(type) {
	case float64:
		id = jsonrpc2.NewNumberID(int64(v))
	case string:
		id = jsonrpc2.NewStringID(v)
	}
	d.mu.Lock()
	cancel := d.calls[id]
	d.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// tasks counts what runs for a session, so that its end can wait for all of it.
type tasks struct {
	mu      sync.Mutex // guards closed
	closed  bool
	running sync.WaitGroup
}

// start reports whether new work may begin; who is told yes calls done.
func (t *tasks) start() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.running.Add(1)
	}
	return !t.closed
}

func (t *tasks) done() { t.running.Done() }

// spawn runs fn in a goroutine of its own, unless the session is ending.
func (t *tasks) spawn(logger *slog.Logger, fn func()) {
	if !t.start() {
		return
	}
	go func() {
		defer t.done()
		defer func() {
			if v := recover(); v != nil {
				logger.Error("panic", "value", fmt.Sprint(v), "stack", string(debug.Stack()))
			}
		}()
		fn()
	}()
}

// close lets nothing new begin and returns a channel that closes when the rest has ended.
func (t *tasks) close() <-chan struct{} {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		t.running.Wait()
		close(idle)
	}()
	return idle
}
