package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"

	"handrail/server/daemon/socket"
)

// How a call can fail without an answer.
var (
	errUnheard = errors.New("the daemon ended before it heard the call")
	errLost    = errors.New("the daemon ended before it answered")
)

// silence is how long a daemon may say nothing at all while a call waits: as long until it
// is asked for a sign of life, and as long again for the sign. One that gives none hangs.
const silence = 3 * time.Second

// link is one connection to a daemon, as a client sees it.
type link struct {
	stream  *stream
	silence time.Duration
	notice  func(name string, params json.RawMessage) // called one at a time
	over    chan struct{}                             // closed when nothing more comes

	mu    sync.Mutex // guards the fields below
	calls map[int64]chan<- reply
	next  int64
	last  int64 // the last call that the daemon heard, as far as it told
	done  bool  // no call will be answered any more
}

type reply struct {
	result json.RawMessage
	err    error
}

// newLink returns a link over conn. The caller runs read.
func newLink(conn net.Conn, notice func(string, json.RawMessage)) *link {
	return &link{
		stream: newStream(conn), silence: silence, notice: notice, over: make(chan struct{}),
		calls: map[int64]chan<- reply{}, last: math.MaxInt64,
	}
}

// call asks and waits for the answer, however long it takes a daemon that lives. errUnheard
// and errLost mean that the link has ended, ctx's error that the caller gave up; the daemon
// then gives up too.
func (l *link) call(ctx context.Context, name string, params json.RawMessage) (json.RawMessage, error) {
	silent := time.NewTicker(l.silence)
	defer silent.Stop()
	return l.ask(ctx, name, params, silent.C)
}

// lives reports whether the daemon still hears. Its reading end answers a ping by itself,
// whatever it is busy with.
func (l *link) lives(ctx context.Context) bool {
	wait, cancel := context.WithTimeout(ctx, l.silence)
	defer cancel()
	_, err := l.ask(wait, pingMethod, nil, nil)
	return !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil // an error is an answer too
}

// ask asks and waits for the answer; at each tick of silent it makes sure that there is
// somebody to answer.
func (l *link) ask(ctx context.Context, name string, params json.RawMessage, silent <-chan time.Time) (json.RawMessage, error) {
	answer := make(chan reply, 1)
	var id int64
	writing, written := context.WithTimeout(ctx, l.silence)
	defer written()
	err := l.stream.write(writing, func(buf []byte) []byte { // numbered here: calls are heard in the order of their ids
		id = l.expect(answer)
		return jsonrpc2.AppendCall(buf, jsonrpc2.NewNumberID(id), name, jsonrpc2.RawMessage(params))
	})
	if err != nil {
		l.forget(id)
		switch {
		case errors.Is(err, errTooLarge):
			return nil, err
		case id != 0:
			l.hangUp() // half a message may be on its way
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %w", errUnheard, err)
	}
	for {
		select {
		case r := <-answer:
			return r.result, r.err
		case <-silent:
			if !l.lives(ctx) {
				l.hangUp() // the answer is then that it is lost
			}
		case <-ctx.Done():
			l.forget(id)
			l.cancel(id)
			return nil, ctx.Err()
		}
	}
}

// expect registers a call and names it.
func (l *link) expect(answer chan<- reply) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	if l.done {
		answer <- reply{err: errUnheard}
		return l.next
	}
	l.calls[l.next] = answer
	return l.next
}

func (l *link) forget(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, id)
}

// cancel tells the daemon that nobody waits for a call any more.
func (l *link) cancel(id int64) {
	raw, err := marshal(cancelParams{id})
	if err != nil {
		return // a number alone
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*retry) // the caller is in a hurry
	defer stop()
	_ = l.stream.write(ctx, func(buf []byte) []byte { // else the answer comes and is dropped
		return jsonrpc2.AppendNotification(buf, cancelNotice, jsonrpc2.RawMessage(raw))
	})
}

// read takes what comes until the connection ends.
func (l *link) read() {
	defer close(l.over)
	for {
		msg, err := l.stream.read()
		if err != nil {
			l.end()
			return
		}
		switch m := msg.(type) {
		case *jsonrpc2.Response:
			id, _ := m.ID().Number()
			l.mu.Lock()
			answer := l.calls[id]
			delete(l.calls, id)
			l.mu.Unlock()
			switch {
			case answer == nil: // nobody waits for it
			case m.Err() != nil:
				answer <- reply{err: fromWire(m.Err())}
			default:
				answer <- reply{result: json.RawMessage(m.Result())}
			}
		case *jsonrpc2.Notification:
			var bye byeParams
			if m.Method() != byeNotice {
				l.notice(m.Method(), json.RawMessage(m.Params()))
			} else if json.Unmarshal(m.Params(), &bye) == nil {
				l.mu.Lock()
				l.last = bye.Last
				l.mu.Unlock()
			}
		}
	}
}

// end answers all calls that nobody else will.
func (l *link) end() {
	l.hangUp()
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, answer := range l.calls {
		err := errLost
		if id > l.last {
			err = errUnheard
		}
		answer <- reply{err: err}
	}
	clear(l.calls)
}

// hangUp closes the connection; read then ends. From its return on the link is not alive:
// who asks again finds another one. It is closed first: a call that is told that nobody
// heard it must not be written after all.
func (l *link) hangUp() {
	_ = l.stream.conn.Close() // a second time it fails, which is no news
	l.mu.Lock()
	l.done = true
	l.mu.Unlock()
}

// alive reports whether calls may still be answered.
func (l *link) alive() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.done
}

// dial connects to a socket and makes sure that its owner is this user.
func dial(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if err := socket.CheckPeer(conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
