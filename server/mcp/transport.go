package mcp

import (
	"context"
	"encoding/json"
	"errors"
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
)

// lines is the SDK's transport with a message a line, but that what was asked before the input
// ended is answered.
type lines struct {
	in  io.Reader // closed with the connection, if it can be
	out io.Writer
}

// Connect returns the one connection.
func (l lines) Connect(ctx context.Context) (sdk.Connection, error) {
	in, ok := l.in.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(l.in)
	}
	inner, err := (&sdk.IOTransport{Reader: in, Writer: keptOpen{l.out}}).Connect(ctx)
	c := &connection{Connection: inner, waiting: map[jsonrpc.ID]bool{}, idle: make(chan struct{}, 1)}
	c.closed, c.cancel = context.WithCancel(context.Background())
	return c, err
}

// keptOpen is an output that others may still write to.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

type connection struct {
	sdk.Connection
	closed context.Context
	cancel func()

	mu      sync.Mutex          // guards waiting
	waiting map[jsonrpc.ID]bool // requests without an answer
	idle    chan struct{}       // receives when none is left
}

// Close ends the connection.
func (c *connection) Close() error {
	c.cancel()
	return c.Connection.Close()
}

// Read returns the next message. The end of the input shows once everything before it
// is answered.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	c.mu.Lock()
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.IsCall() && r.Method != listening {
		c.waiting[r.ID] = true
	}
	busy := len(c.waiting) > 0
	c.mu.Unlock()
	if err == nil {
		return m, nil
	}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		err = say(textNoMessage)
	}
	for limit := time.After(grace); busy; {
		select {
		case <-c.idle:
			c.mu.Lock()
			busy = len(c.waiting) > 0
			c.mu.Unlock()
		case <-ctx.Done():
			busy = false
		case <-c.closed.Done():
			busy = false
		case <-limit:
			busy = false
		}
	}
	return nil, err
}

// Write sends a message.
func (c *connection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, r.ID)
	if len(c.waiting) == 0 {
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
	return err
}
