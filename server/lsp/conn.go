package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

const (
	maxHeader  = 8 << 10  // bytes of all header lines of one message; a real one has about 40
	maxBody    = 64 << 20 // bytes of one message; an answer of 10 MB must pass, with its escapes
	maxFree    = 8 << 20  // bytes of a message that may be read beside others; larger ones come one at a time
	maxPending = 512      // calls at work at the same time; an editor has a dozen
)

// stream frames messages as the base protocol says. It differs from the library's own
// in what it survives: a body that is too large, not JSON or not a request costs one
// error answer, and reading goes on. Only a broken header ends it, because nobody can
// tell where the next message starts.
type stream struct {
	in  *bufio.Reader
	rwc io.ReadWriteCloser

	answered func() // called after each answer to a call was written; may be nil

	endOnce sync.Once
	ended   chan struct{} // closed when nothing more can be read or written

	writeMu sync.Mutex // one message at a time
	out     []byte     // reused by Write, guarded by writeMu
}

func newStream(rwc io.ReadWriteCloser) *stream {
	return &stream{in: bufio.NewReader(rwc), rwc: rwc, ended: make(chan struct{})}
}

func (s *stream) end() { s.endOnce.Do(func() { close(s.ended) }) }

// Read returns the next message that can be dispatched.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		body, err := s.readBody()
		var refused *jsonrpc2.Error
		if err != nil && !errors.As(err, &refused) {
			s.end()
			return nil, 0, err
		}
		id := jsonrpc2.ID{}
		if refused == nil {
			// The library checks the envelope alone; a hole inside params is a parse
			// error too, not a wrong parameter.
			if !json.Valid(body) {
				refused = jsonrpc2.NewError(jsonrpc2.ParseError, "The message is not valid JSON.")
			} else {
				msg, err := jsonrpc2.DecodeMessage(body)
				if err == nil {
					return msg, int64(len(body)), nil
				}
				refused = jsonrpc2.NewError(jsonrpc2.InvalidRequest, "The message is not a JSON-RPC 2.0 request, notification or answer.")
				id = requestID(body)
			}
		}
		if _, _, err := s.send(jsonrpc2.NewResponse(id, nil, refused)); err != nil {
			return nil, 0, err
		}
	}
}

// readBody reads one frame. A [*jsonrpc2.Error] means that this frame alone is bad.
func (s *stream) readBody() ([]byte, error) {
	length, seen := int64(-1), 0
	for {
		line, err := s.in.ReadSlice('\n')
		if seen += len(line); err != nil || seen > maxHeader {
			if errors.Is(err, io.EOF) && seen == 0 {
				return nil, io.EOF
			}
			if err == nil || errors.Is(err, bufio.ErrBufferFull) {
				err = jsonrpc2.ErrInvalidHeader
			}
			return nil, fmt.Errorf("read header: %w", err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name, value, found := strings.Cut(string(line), ":")
		if !found {
			return nil, fmt.Errorf("read header: %w", jsonrpc2.ErrInvalidHeader)
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("read header: %w", jsonrpc2.ErrInvalidHeader)
			}
			length = n
		}
	}
	if length < 0 {
		return nil, fmt.Errorf("read header: %w", jsonrpc2.ErrInvalidHeader)
	}
	if length > maxBody {
		if _, err := io.CopyN(io.Discard, s.in, length); err != nil {
			return nil, fmt.Errorf("skip body: %w", err)
		}
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "The message has %d bytes, more than the %d that are read.", length, maxBody)
	}
	// Each message has its own buffer, so requests may outlive the next Read. It grows with what
	// comes, not with what the header says.
	var body bytes.Buffer
	_, err := io.CopyN(&body, s.in, min(length, maxFree))
	if err == nil && length > maxFree {
		select {
		case large <- struct{}{}:
			defer func() { <-large }()
		case <-time.After(largeWait):
		}
		_, err = io.CopyN(&body, s.in, length-maxFree)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	return body.Bytes(), nil
}

// large is held by the session of this process that reads a large message. Others wait for it,
// but not for one whose editor hangs.
var large = make(chan struct{}, 1)

const largeWait = 5 * time.Second

// requestID returns the id of a request that is wrong in another way. What is not a
// request has none: answering a bad answer with its id would answer a call of the client's.
func requestID(body []byte) jsonrpc2.ID {
	var head struct {
		ID     any     `json:"id"`
		Method *string `json:"method"`
	}
	if json.Unmarshal(body, &head) == nil && head.Method != nil {
		return idOf(head.ID)
	}
	return jsonrpc2.ID{}
}

// idOf turns a decoded JSON id into a request id; what is neither a number nor a string
// gives the unset one.
func idOf(v any) jsonrpc2.ID {
	switch v := v.(type) {
	case float64:
		return jsonrpc2.NewNumberID(int64(v))
	case string:
		return jsonrpc2.NewStringID(v)
	}
	return jsonrpc2.ID{}
}

// answerPrefix begins an answer as the library writes it; calls and notifications have
// their method there.
const answerPrefix = `{"jsonrpc":"2.0","id":`

// Write sends one message of the connection's. It does not look at ctx: the answer to a
// cancelled call is still an answer.
func (s *stream) Write(_ context.Context, msg jsonrpc2.Message) (int64, error) {
	n, answer, err := s.send(msg)
	if answer && s.answered != nil {
		s.answered()
	}
	return n, err
}

func (s *stream) send(msg jsonrpc2.Message) (n int64, answer bool, err error) {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	// The length comes first and is known last: leave room and fill it from the right.
	const room = len("Content-Length: 9223372036854775807\r\n\r\n")
	s.out = append(s.out[:0], make([]byte, room)...)
	buf := jsonrpc2.AppendMessage(s.out, msg)
	answer = bytes.HasPrefix(buf[room:], []byte(answerPrefix))
	header := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(buf)-room)
	start := room - len(header)
	copy(buf[start:], header)
	if s.out = buf; cap(buf) > 1<<20 {
		s.out = nil // a rare large answer is not kept
	}
	written, err := s.rwc.Write(buf[start:])
	if err != nil {
		s.end()
	}
	return int64(written), answer, err
}

// Close closes the connection, which also ends a Read that waits on a pipe or a socket.
func (s *stream) Close() error {
	s.end()
	return s.rwc.Close()
}

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
)

// dispatcher hands each message to its method. Notifications run one after another in
// the order they came, so that text is what the editor thinks it is; calls start in
// order and then run side by side, each with its own cancel. Nothing a client sends, and
// no panic, ends the connection.
type dispatcher struct {
	methods map[string]method
	session *session
	work    tasks
	exit    chan int // receives the exit status once

	mu     sync.Mutex // guards the fields below
	phase  phase
	calls  map[jsonrpc2.ID]context.CancelFunc // calls at work
	owed   int                                // calls whose answer is not written
	change chan struct{}                      // closed when owed changes; nil when nobody waits
}

// lastWords is how long calls at work may still take when shutdown is asked for. Then
// they are cancelled, which is an answer too.
const lastWords = 500 * time.Millisecond

// handle is the library's handler. Its context dies with the call in ways that the race
// detector dislikes, so everything runs under the connection's instead.
func (d *dispatcher) handle(pooled context.Context, req *jsonrpc2.Request) (any, error) {
	ctx := jsonrpc2.DetachContext(pooled)
	if req.IsCall() {
		d.mu.Lock()
		d.owed++
		d.mu.Unlock()
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
	defer d.finish(req.ID())
	if !m.inOrder {
		jsonrpc2.Async(pooled) // the next message may be read now
	}
	if m.name == protocol.MethodShutdown {
		d.drain(1) // all but its own answer
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
	case d.phase == down:
		return method{}, jsonrpc2.NewError(jsonrpc2.InvalidRequest, say(textShutDown))
	}
	m, ok := d.methods[name]
	if !ok || m.notification {
		return method{}, jsonrpc2.NewError(jsonrpc2.MethodNotFound, say(textUnknownMethod, clip(name)))
	}
	if _, twice := d.calls[req.ID()]; twice {
		return method{}, jsonrpc2.NewError(jsonrpc2.InvalidRequest, say(textSameID))
	}
	if len(d.calls) >= maxPending {
		return method{}, jsonrpc2.NewError(codeRequestFailed, say(textTooMany, maxPending))
	}
	d.calls[req.ID()] = cancel
	if name == protocol.MethodShutdown {
		d.phase = down
	}
	return m, nil
}

func (d *dispatcher) finish(id jsonrpc2.ID) {
	d.mu.Lock()
	delete(d.calls, id)
	d.mu.Unlock()
}

// answered notes that an answer was written.
func (d *dispatcher) answered() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owed = max(0, d.owed-1)
	if d.change != nil {
		close(d.change)
		d.change = nil
	}
}

// drain waits until no more than left answers are owed. What takes too long is cancelled,
// and what does not even end then is left.
func (d *dispatcher) drain(left int) {
	hurry, limit := time.NewTimer(lastWords), time.NewTimer(grace)
	defer hurry.Stop()
	defer limit.Stop()
	for {
		d.mu.Lock()
		if d.owed <= left {
			d.mu.Unlock()
			return
		}
		if d.change == nil {
			d.change = make(chan struct{})
		}
		change := d.change
		d.mu.Unlock()
		select {
		case <-change:
		case <-hurry.C:
			d.mu.Lock()
			for _, cancel := range d.calls {
				cancel()
			}
			d.mu.Unlock()
		case <-limit.C:
			return
		case <-d.session.base.Done():
			return
		}
	}
}

// run calls a method and turns a panic into an error that says nothing of the inside.
func (d *dispatcher) run(ctx context.Context, m method, params jsonrpc2.RawMessage) (result jsonrpc2.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			d.session.log.Error("panic", "method", m.name, "value", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = jsonrpc2.NewError(jsonrpc2.InternalError, d.session.say(textPanic, m.name))
		}
	}()
	return m.call(ctx, d.session, params)
}

// notified runs a notification. Whatever goes wrong is logged: there is nobody to answer.
func (d *dispatcher) notified(ctx context.Context, name string, params jsonrpc2.RawMessage) {
	d.mu.Lock()
	now := d.phase
	d.mu.Unlock()
	switch name {
	case protocol.MethodExit:
		code := 1
		if now == down {
			code = 0
			d.drain(0) // an editor need not wait for the answer to shutdown
		}
		d.leave(code)
		return
	case protocol.MethodCancelRequest:
		d.cancel(params)
		return
	}
	m, ok := d.methods[name]
	if !ok || !m.notification || now != running {
		if !strings.HasPrefix(name, "$/") {
			d.session.log.Debug("notification ignored", "method", clip(name))
		}
		return
	}
	if _, err := d.run(ctx, m, params); err != nil {
		d.session.log.Warn("notification failed", "method", name, "err", err)
	}
}

func (d *dispatcher) cancel(params jsonrpc2.RawMessage) {
	// The library's own type takes 32-bit numbers only.
	var p struct {
		ID any `json:"id"`
	}
	if err := protocol.Unmarshal(params, &p); err != nil {
		d.session.log.Warn("notification failed", "method", protocol.MethodCancelRequest, "err", err)
		return
	}
	d.mu.Lock()
	cancel := d.calls[idOf(p.ID)]
	d.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// leave ends the session with an exit status; the first one counts.
func (d *dispatcher) leave(code int) {
	select {
	case d.exit <- code:
	default:
	}
}

// tasks counts what runs for a session, so that its end can wait for all of it.
type tasks struct {
	mu     sync.Mutex
	n      int
	closed bool
	idle   chan struct{} // made by close
}

// start reports whether new work may begin; who is told yes calls done.
func (t *tasks) start() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.n++
	}
	return !t.closed
}

func (t *tasks) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n--; t.n == 0 && t.closed {
		close(t.idle)
	}
}

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
	defer t.mu.Unlock()
	if !t.closed {
		t.closed, t.idle = true, make(chan struct{})
		if t.n == 0 {
			close(t.idle)
		}
	}
	return t.idle
}

// clip shortens text from outside for a message or a log.
func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}
