package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// grace is how long the end of the input waits for answers that are still at work. It only
	// keeps a session from outliving a daemon that hangs: 10 s were too few for an answer of two
	// megabytes on a loaded machine. A host that does not wait sends a signal, which ends the
	// session at once.
	grace = time.Minute
	// listening is the one request that is answered only when the client takes it back.
	listening = "subscriptions/listen"
	// refused answers a line that is no message. The id of what cannot be read is null.
	refused = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,` +
		`"message":"The line is not one JSON-RPC 2.0 message; send one object a line."}}` + "\n"
)

// lines is a connection with a message a line. A line that is no message is refused and
// passed over, where the SDK's own would end the session; and what was asked before the
// input ended is answered.
type lines struct {
	in       io.Reader
	incoming chan jsonrpc.Message // closed at the end of the input
	ended    func()               // called at the end of the input
	closed   context.Context
	cancel   func()

	mu      sync.Mutex // guards all below
	out     io.Writer
	waiting map[jsonrpc.ID]bool // requests without an answer
	idle    chan struct{}       // closed when none is left; nil before the end of the input
}

// newLines returns a transport over in and out, which calls ended once at the end of in. It closes in alone, if it can.
func newLines(in io.Reader, out io.Writer, ended func()) *lines {
	l := &lines{in: in, ended: ended, out: out, incoming: make(chan jsonrpc.Message), waiting: map[jsonrpc.ID]bool{}}
	l.closed, l.cancel = context.WithCancel(context.Background())
	return l
}

// Connect returns the one connection.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go l.receive() // until the input ends; a terminal's read cannot be broken off
	return l, nil
}

// SessionID is for transports with more than one session.
func (l *lines) SessionID() string { return "" }

// Close ends the connection. Closing twice does nothing more.
func (l *lines) Close() error {
	in, ok := l.in.(io.Closer)
	again := l.closed.Err() != nil
	l.cancel()
	if again || !ok {
		return nil
	}
	return in.Close()
}

// Read returns the next message. The end of the input shows once everything before it
// is answered.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.closed.Done():
		return nil, io.EOF
	case m, ok := <-l.incoming:
		if ok {
			return m, nil
		}
	}
	l.ended()
	l.mu.Lock()
	idle := make(chan struct{})
	l.idle = idle
	if len(l.waiting) == 0 {
		close(idle)
	}
	l.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	case <-l.closed.Done():
	case <-time.After(grace):
	}
	return nil, io.EOF
}

// Write sends a message.
func (l *lines) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := m.(*jsonrpc.Response); ok && l.waiting[r.ID] {
		delete(l.waiting, r.ID)
		if len(l.waiting) == 0 && l.idle != nil {
			defer close(l.idle)
		}
	}
	if _, err := l.out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}

// receive hands the messages of the input over until it ends.
func (l *lines) receive() {
	defer close(l.incoming)
	in := bufio.NewReader(l.in)
	for l.closed.Err() == nil {
		line, err := in.ReadBytes('\n')
		line = bytes.TrimSpace(line)
		if len(line) > 0 {
			l.take(line)
		}
		if err != nil {
			return
		}
	}
}

func (l *lines) take(line []byte) {
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil || !json.Valid(line) { // the decoder passes over what follows a message
		l.mu.Lock()
		defer l.mu.Unlock()
		_, _ = io.WriteString(l.out, refused) // an output that is gone shows at the next answer
		return
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && r.Method != listening {
		l.mu.Lock()
		l.waiting[r.ID] = true
		l.mu.Unlock()
	}
	select {
	case l.incoming <- m:
	case <-l.closed.Done():
	}
}
