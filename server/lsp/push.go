package lsp

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"handrail/server"
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
	lost    bool            // something else than a log line did not fit
	changed server.Changed  // what the next handrail/changed says
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
		o.lost = o.lost || n.method != protocol.MethodWindowLogMessage
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
func (o *outbox) refresh(c server.Changed) {
	o.mu.Lock()
	o.changed.Cards = o.changed.Cards || c.Cards
	o.changed.Candidates = o.changed.Candidates || c.Candidates
	o.mu.Unlock()
	o.add(notice{method: changedNotice, key: changedNotice, params: func() any {
		o.mu.Lock()
		defer o.mu.Unlock()
		c := o.changed
		o.changed = server.Changed{}
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
		o.refresh(server.Changed{Cards: true, Candidates: true})
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

// editorLog shows the log in the editor (window/logMessage): the message, then its attributes as text.
type editorLog struct {
	slog.Handler // writes attributes to line
	to           *outbox
	line         *logLine
}

// logLine is the buffer that all descendants of one editorLog write to.
type logLine struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// newEditorLog returns a handler of records from level on.
func newEditorLog(to *outbox, level slog.Leveler) editorLog {
	line := &logLine{}
	return editorLog{to: to, line: line, Handler: slog.NewTextHandler(&line.buf, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
				return slog.Attr{} // the editor adds time and level, Handle the message
			}
			return a
		},
	})}
}

func (h editorLog) Handle(ctx context.Context, r slog.Record) error {
	h.line.mu.Lock()
	defer h.line.mu.Unlock()
	h.line.buf.Reset()
	err := h.Handler.Handle(ctx, r)
	h.to.push(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{
		Type: messageType(r.Level), Message: strings.TrimSpace(r.Message + " " + h.line.buf.String()),
	})
	return err
}

func (h editorLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.Handler = h.Handler.WithAttrs(attrs)
	return h
}

func (h editorLog) WithGroup(name string) slog.Handler {
	h.Handler = h.Handler.WithGroup(name)
	return h
}

// messageType maps a log level to the protocol's.
func messageType(l slog.Level) protocol.MessageType {
	switch {
	case l >= slog.LevelError:
		return protocol.MessageTypeError
	case l >= slog.LevelWarn:
		return protocol.MessageTypeWarning
	case l >= slog.LevelInfo:
		return protocol.MessageTypeInfo
	}
	return protocol.MessageTypeLog
}
