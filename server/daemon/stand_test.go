package daemon

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/daemon/socket"
)

// patience is how long a test waits for something that must come. It is far more than
// anything takes; nothing ever waits for it in a passing run.
const patience = 2 * time.Minute

const card = `---
type: lesson
title: Telegram remote execution must require an allowlist
applies-to: [telegram]
severity: high
---

## Root Cause

The handler trusted every chat that knew the bot's name.

## Prevention Checklist

- [ ] The allowlist is checked before any telegram command runs
`

// makeBrain makes a brain with one card and returns its folder.
func makeBrain(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "brain")
	put(t, filepath.Join(dir, "lessons", "telegram.md"), card)
	return dir
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// pipes is a listener whose clients come over pipes.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// dial connects a client's end.
func (p *pipes) dial(t testing.TB) net.Conn {
	t.Helper()
	here, there := net.Pipe()
	select {
	case p.conns <- there:
	case <-p.closed:
		t.Fatal("nobody serves")
	}
	return here
}

// stand is a daemon in this process, with its Server at hand.
type stand struct {
	*pipes
	srv   *server.Server
	d     *daemon
	ended chan string // receives why it ended
	stop  context.CancelFunc
}

func serveHere(t testing.TB, cfg Config, before ...func(socket.Place)) *stand {
	t.Helper()
	if cfg.Program == nil {
		cfg.Program = testProgram
	}
	side := t.TempDir()
	folder := makeBrain(t)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	srv, err := server.New(t.Context(), brain.Config{Brain: folder, CacheDir: filepath.Join(side, "c"), StateDir: filepath.Join(side, "s"), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lock", "sock"} {
		put(t, filepath.Join(side, name), "")
	}
	d := &daemon{
		cfg: cfg, place: socket.Place{Dir: side, Name: "x", Protocol: socket.Protocol}, srv: srv, log: log,
		asked: make(chan string, 1), sessions: map[*session]struct{}{},
		brain: noted(folder), socket: noted(filepath.Join(side, "sock")), lock: noted(filepath.Join(side, "lock")),
	}
	for _, f := range before {
		f(d.place)
	}
	st := &stand{pipes: newPipes(), srv: srv, d: d, ended: make(chan string, 1)}
	ctx, stop := context.WithCancel(context.Background())
	st.stop = stop
	go func() { st.ended <- d.run(ctx, st.pipes) }()
	t.Cleanup(func() {
		stop()
		st.why(t)
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		if left := ours(); left != "" {
			t.Errorf("goroutines are left:\n%s", left)
		}
	})
	return st
}

// why waits for the daemon's end.
func (st *stand) why(t testing.TB) string {
	t.Helper()
	select {
	case why := <-st.ended:
		st.ended <- why
		return why
	case <-time.After(patience):
		t.Fatalf("the daemon does not end:\n%s", stacks())
		return ""
	}
}

// locateAt is locate for a brain that need not be there.
func locateAt(cfg Config, root string) (socket.Place, error) {
	folders := socket.Folders{State: cfg.StateDir, Cache: cfg.CacheDir, Run: cfg.RunDir}
	return socket.Locate(folders, root, cmp.Or(cfg.protocol, socket.Protocol))
}

// client is a connection whose daemon has greeted it.
func (st *stand) client(t testing.TB, run *Run) (*socket.Conn, socket.Welcome) {
	t.Helper()
	conn := st.dial(t)
	c := socket.NewConn(conn)
	t.Cleanup(func() { _ = conn.Close() })
	there, err := c.Greet(socket.Greeting{Protocol: socket.Protocol, Run: run})
	if err != nil {
		t.Fatal(err)
	}
	return c, there
}

// pipe runs a program and returns what it printed.
func (st *stand) pipe(t testing.TB, in string, args ...string) (out string, status int) {
	t.Helper()
	c, _ := st.client(t, &Run{Args: args})
	var stdout strings.Builder
	status, err := c.Pipe(t.Context(), strings.NewReader(in), &stdout, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return stdout.String(), status
}

func ours() string {
	deadline := time.Now().Add(patience / 10)
	for {
		var left []string
		for _, g := range strings.Split(stacks(), "\n\n") {
			if strings.Contains(g, "handrail/server") && !strings.Contains(g, "testing.") {
				left = append(left, g)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return strings.Join(left, "\n\n")
		}
		runtime.Gosched()
	}
}

func stacks() string {
	buf := make([]byte, 4<<20)
	return string(buf[:runtime.Stack(buf, true)])
}
