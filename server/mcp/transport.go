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
	// maxLine is how long a message may be, in bytes: an answer of some megabytes, quoted as JSON,
	// fits many times over.
	maxLine = 32 << 20
	// grace is how long the end of the input waits for answers that are still at work:
	// what a first look at a brain of 12,000 cards takes, twice. A host that does not wait
	// sends a signal, which ends the session at once.
	grace = 10 * time.Second
	// listening is the one request that is answered only when the client takes it back.
	listening = "subscriptions/listen"
)

// lines is a connection with a message a line. A line that is no message is refused and
// passed over, where the SDK's own would end the session; and what was asked before the
// input ended is answered.
type lines struct {
	in       io.ReadCloser
	incoming chan jsonrpc.Message // closed at the end of the input
	closed   chan struct{}        // by Close
	ended    func()               // called at the end of the input
	close    func() error

	mu      sync.Mutex // guards all below
	out     io.Writer
	waiting int           // requests without an answer
	idle    chan struct{} // closed when waiting falls to zero; nil while nobody looks
}

// newLines returns a transport over in and out, which calls ended once at the end of in. It closes in alone.
func newLines(in io.ReadCloser, out io.Writer, ended func()) *lines {
	l := &lines{in: in, ended: ended, out: out, incoming: make(chan jsonrpc.Message), closed: make(chan struct{})}
	l.close = sync.OnceValue(func() error {
		close(l.closed)
		return l.in.Close()
	})
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
func (l *lines) Close() error { return l.close() }

// Read returns the next message. The end of the input shows once everything before it
// is answered.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.closed:
		return nil, io.EOF
	case m, ok := <-l.incoming:
		if ok {
			return m, nil
		}
	}
	l.ended()
	select {
	case <-l.answered():
	case <-ctx.Done():
	case <-l.closed:
	case <-time.After(grace):
	}
	return nil, io.EOF
}

// answered returns a channel that is closed once no request waits.
func (l *lines) answered() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = make(chan struct{})
	if l.waiting <= 0 {
		close(l.idle)
	}
	return l.idle
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
	if _, ok := m.(*jsonrpc.Response); ok {
		l.waiting--
		if l.waiting == 0 && l.idle != nil {
			defer close(l.idle)
		}
	}
	return l.send(line)
}

// send writes a line. The caller holds mu.
func (l *lines) send(line []byte) error {
	if _, err := l.out.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}

// receive hands the messages of the input over until it ends.
func (l *lines) receive() {
	defer close(l.incoming)
	in := bufio.NewReader(l.in)
	for {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			l.take(line)
		}
		select {
		case <-l.closed:
			return
		default:
		}
		if err != nil {
			return
		}
	}
}

func (l *lines) take(line []byte) {
	if len(line) > maxLine {
		l.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("The message is longer than %d MiB; send less at a time.", maxLine>>20))
		return
	}
	if !json.Valid(line) { // the decoder passes over what follows a message
		l.refuse(nil, jsonrpc.CodeParseError, "The line is not JSON; send one JSON-RPC 2.0 message a line.")
		return
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		l.refuse(line, jsonrpc.CodeInvalidRequest, "The line is not one JSON-RPC 2.0 message; send one object a line.")
		return
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && r.Method != listening {
		l.mu.Lock()
		l.waiting++
		l.mu.Unlock()
	}
	select {
	case l.incoming <- m:
	case <-l.closed:
	}
}

// refuse answers a line that never reaches the session, by its id where it has one.
func (l *lines) refuse(line []byte, code int64, sentence string) {
	asked := struct {
		ID any `json:"id"`
	}{}
	if json.Unmarshal(line, &asked) != nil {
		asked.ID = nil
	}
	switch asked.ID.(type) {
	case string, float64:
	default:
		asked.ID = nil
	}
	answer, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": asked.ID, "error": map[string]any{"code": code, "message": sentence},
	})
	if err != nil {
		return // cannot be: all of it was JSON before
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.send(answer) // an output that is gone shows at the next answer
}
