package daemon

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
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
func (st *stand) client(t testing.TB, run *Run) (*Conn, socket.Welcome) {
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

func TestAPanicCostsOneCall(t *testing.T) {
	st := serveHere(t, Config{})
	if out, status := st.pipe(t, "", "panic"); status != 1 || strings.Contains(out, "secret") {
		t.Errorf("status %d, %q", status, out)
	}
	if out, status := st.pipe(t, "a\nb", "cat"); status != 7 || out != "a\nb" {
		t.Errorf("status %d, %q", status, out)
	}
}

// TestTheInputIsReadOnlyWhereItIsWanted: that of a command in a loop belongs to the loop.
func TestTheInputIsReadOnlyWhereItIsWanted(t *testing.T) {
	st := serveHere(t, Config{})
	c, _ := st.client(t, &Run{Args: []string{"flood"}})
	in := strings.NewReader("the next line")
	if _, err := c.Pipe(t.Context(), in, io.Discard, io.Discard); err != nil || in.Len() != len("the next line") {
		t.Errorf("%d bytes are left, %v", in.Len(), err)
	}
}

// TestWhoHangsUpIsNotWorkedFor ends a program with its client.
func TestWhoHangsUpIsNotWorkedFor(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	st := serveHere(t, Config{Program: func(ctx context.Context, _ Process) int {
		close(begun)
		<-ctx.Done()
		close(ended)
		return 0
	}})
	c, _ := st.client(t, &Run{})
	<-begun
	_ = c.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
}

// TestRudeClients sends what no client of ours says. Each loses its own connection, and
// the others are served on.
func TestRudeClients(t *testing.T) {
	st := serveHere(t, Config{})
	hello := chunk(socket.Hello, fmt.Sprintf(`{"protocol":%d,"run":{"args":["cat"]}}`, socket.Protocol))
	for name, said := range map[string]string{
		"no JSON":          chunk(socket.Hello, `{"protocol":`),
		"no chunk":         "GET / HTTP/1.1\r\n\r\n",
		"no end":           strings.Repeat("x", 1<<16),
		"too large":        "\x06\x7f\xff\xff\xff",
		"half a greeting":  "\x06\x00\x01\x00\x00{",
		"no greeting":      chunk(socket.Stdin, "x"),
		"half a chunk":     hello + "\x00\x00\x00\x10\x00abc",
		"a large chunk":    hello + "\x00\xff\xff\xff\xff",
		"no such chunk":    hello + "\x09\x00\x00\x00\x00",
		"an answer":        hello + "\x02\x00\x00\x00\x00",
		"another greeting": hello + hello,
	} {
		t.Run(name, func(t *testing.T) {
			conn := st.dial(t)
			go func() {
				_, _ = io.WriteString(conn, said) // it may hang up in the middle
				if strings.HasPrefix(name, "half") {
					_ = conn.Close()
				}
			}()
			_, _ = io.Copy(io.Discard, conn) // until it hangs up
			if out, _ := st.pipe(t, "x", "cat"); out != "x" {
				t.Errorf("another client gets %q", out)
			}
		})
	}
}

func chunk(kind socket.Kind, data string) string {
	return string(binary.BigEndian.AppendUint32([]byte{byte(kind)}, uint32(len(data)))) + data
}

func TestGreetingsWithoutARunAreAnswered(t *testing.T) {
	st := serveHere(t, Config{})
	_, there := st.client(t, nil)
	if there.Protocol != socket.Protocol || there.PID != os.Getpid() || there.Ends {
		t.Errorf("welcome %+v", there)
	}
}

// TestNoClientIsWaitedFor has a client that never reads: the others are served.
func TestNoClientIsWaitedFor(t *testing.T) {
	st := serveHere(t, Config{})
	deaf, _ := st.client(t, &Run{Args: []string{"flood"}})
	for range 20 {
		st.pipe(t, "x", "cat")
	}
	_ = deaf.Close()
}

func TestTheEndAnswersWhatWasRead(t *testing.T) {
	begun, proceed := make(chan struct{}), make(chan struct{})
	st := serveHere(t, Config{Program: func(_ context.Context, p Process) int {
		close(begun)
		<-proceed
		rest, _ := io.ReadAll(p.In) // which has ended
		fmt.Fprint(p.Out, "done", len(rest))
		return 0
	}})
	c, _ := st.client(t, &Run{})
	got := make(chan string, 1)
	go func() {
		var out strings.Builder
		_, err := c.Pipe(t.Context(), strings.NewReader(""), &out, io.Discard)
		got <- fmt.Sprint(out.String(), err)
	}()
	<-begun
	st.stop()
	<-st.closed // it greets nobody from here on
	close(proceed)
	if out := <-got; out != "done0<nil>" {
		t.Errorf("it was answered %q", out)
	}
	if why := st.why(t); why != "told to" {
		t.Errorf("ended because %q", why)
	}
}

// endless is an input without an end, which tells when more was taken of it than a program that
// read a byte wants.
type endless struct {
	taken int
	ahead chan struct{}
}

func (e *endless) Read(p []byte) (int, error) {
	enough := len(p)
	if e.taken += len(p); e.taken > enough && e.taken <= enough+len(p) {
		close(e.ahead)
	}
	return len(p), nil
}

// TestInputThatNobodyReads: a program that ends before its input does not keep the daemon.
func TestInputThatNobodyReads(t *testing.T) {
	in := &endless{ahead: make(chan struct{})}
	st := serveHere(t, Config{Program: func(_ context.Context, p Process) int {
		if _, err := p.In.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		<-in.ahead
		return 3
	}})
	c, _ := st.client(t, &Run{})
	if status, err := c.Pipe(t.Context(), in, io.Discard, io.Discard); status != 3 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	st.stop()
	st.why(t)
}

// TestInputThatIsCutShort by the daemon's end is not taken for all of it.
func TestInputThatIsCutShort(t *testing.T) {
	for name, event := range map[string]string{"a command": "", "a hook": "1-1"} {
		t.Run(name, func(t *testing.T) {
			st := serveHere(t, Config{Program: func(_ context.Context, p Process) int {
				_, err := io.ReadAll(p.In)
				fmt.Fprint(p.Out, err)
				return 0
			}})
			c, _ := st.client(t, &Run{Event: event})
			in, feed := io.Pipe()
			got := make(chan error, 1)
			var out strings.Builder
			go func() {
				_, err := c.Pipe(t.Context(), in, &out, io.Discard)
				got <- err
			}()
			for range 2 { // when the second is taken the first is sent
				if _, err := feed.Write([]byte("half")); err != nil {
					t.Fatal(err)
				}
			}
			st.stop()
			switch err := <-got; {
			case event == "" && (out.String() != "unexpected EOF" || err != nil):
				t.Errorf("the program read %q, %v", out.String(), err)
			case event != "" && !errors.Is(err, ErrLost):
				t.Errorf("the hook believes that its event was heard: %v", err)
			}
			_ = feed.Close()
		})
	}
}

// TestIdle runs the daemon's clock in a bubble: it stays while there is a client, and for the
// whole time after the last one.
func TestIdle(t *testing.T) {
	srv, folder := quietServer(t)
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		d := &daemon{
			cfg: Config{Idle: 10 * time.Minute, Program: testProgram}, place: socket.Place{Protocol: socket.Protocol}, srv: srv, log: slog.New(slog.DiscardHandler),
			asked: make(chan string, 1), sessions: map[*session]struct{}{}, brain: noted(folder), socket: noted(folder), lock: noted(folder),
		}
		p := newPipes()
		ended := make(chan string, 1)
		d.socket.path = filepath.Join(folder, "lessons") // never removed by the end: it is not empty
		d.socket = noted(d.socket.path)
		go func() { ended <- d.run(t.Context(), p) }()
		time.Sleep(9 * time.Minute) //nolint:forbidigo // the bubble's clock
		here, there := net.Pipe()
		p.conns <- there
		c := socket.NewConn(here)
		if _, err := c.Greet(socket.Greeting{Protocol: socket.Protocol, Run: &Run{Args: []string{"cat"}}}); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, c.In) }() // it asks for its input
		time.Sleep(time.Hour)                            //nolint:forbidigo // the bubble's clock
		_ = here.Close()
		if got := <-ended; got != "idle" {
			t.Errorf("ended because %q", got)
		}
		if took := time.Since(begin) - time.Hour - 9*time.Minute; took != 10*time.Minute {
			t.Errorf("ended after %v", took)
		}
	})
}

// quietServer is a Server whose goroutines are none of a bubble's business.
func quietServer(t *testing.T) (srv *server.Server, folder string) {
	t.Helper()
	side := t.TempDir()
	folder = makeBrain(t)
	srv, err := server.New(t.Context(), brain.Config{Brain: folder, CacheDir: filepath.Join(side, "c"), StateDir: filepath.Join(side, "s")})
	if err != nil {
		t.Fatal(err)
	}
	<-srv.Ready()
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv, folder
}

func TestPlace(t *testing.T) {
	base := t.TempDir()
	run, state := filepath.Join(base, "run"), filepath.Join(base, "s")
	a, err := locateAt(Config{RunDir: run, StateDir: state, CacheDir: "c"}, "/brain")
	if err != nil {
		t.Fatal(err)
	}
	path, err := a.Listen()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{run, a.Dir} {
		if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	for _, differs := range []struct {
		cfg  Config
		root string
	}{{Config{RunDir: run, StateDir: state}, "/brain2"}, {Config{RunDir: run, StateDir: filepath.Join(base, "t")}, "/brain"}} {
		if b, err := locateAt(differs.cfg, differs.root); err != nil || a.Lock() == b.Lock() {
			t.Errorf("%+v shares a lock: %v", differs, err)
		}
	}
	newer, err := locateAt(Config{RunDir: run, StateDir: state, protocol: socket.Protocol + 1}, "/brain")
	if other, _ := newer.Listen(); err != nil || newer.Lock() != a.Lock() || other == path {
		t.Errorf("%v and %v: %v", newer, a, err)
	}
	long, err := locateAt(Config{RunDir: filepath.Join(run, strings.Repeat("x", socket.MaxPath)), StateDir: state}, "/brain")
	if _, tooLong := long.Listen(); err != nil || tooLong == nil {
		t.Errorf("a socket with too long a path: %v, %v", err, tooLong)
	}
	file := filepath.Join(base, "file")
	put(t, file, "no folder")
	if _, err := locateAt(Config{RunDir: run, StateDir: file}, "/brain"); err == nil {
		t.Error("a daemon without a state folder")
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Listen(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(run); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder stays open: %v, %v", info.Mode(), err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(run, link); err != nil {
		t.Fatal(err)
	}
	linked, err := locateAt(Config{RunDir: link, StateDir: state}, "/brain")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := linked.Listen(); err == nil {
		t.Error("a link is followed")
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(state, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if _, err := locateAt(Config{RunDir: run, StateDir: state}, "/brain"); !errors.Is(err, socket.ErrStranger) {
		t.Errorf("another user's state folder: %v", err)
	}
}

// TestLogHoldsNoSecret: also where slog has quoted it.
func TestLogHoldsNoSecret(t *testing.T) {
	state := t.TempDir()
	l, err := OpenLog(Config{Brain: makeBrain(t), StateDir: state, RunDir: filepath.Join(t.TempDir(), "r")})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(l, nil))
	log.Warn("event not observed", "args", []string{"bump", "--token", "hunter2Zq77x9"}, "err", errors.New(`read {"user":"ops","password":"hunter2Zq77x9"}`), "panic", "Set-Cookie: sid=hunter2Zq77x9\nmysql -u root -phunter2Zq77x9")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(state, "daemon", "*.log"))
	if len(files) != 1 {
		t.Fatalf("logs: %v", files)
	}
	src, err := os.ReadFile(files[0])
	if err != nil || strings.Contains(string(src), "hunter2") || !strings.Contains(string(src), "event not observed") {
		t.Errorf("%s, %v", src, err)
	}
}

// TestSilentClientsKeepNothing has clients connect again and again and never say what to run: the
// daemon hangs up after five seconds, whatever else they say, and ends when its time is up.
func TestSilentClientsKeepNothing(t *testing.T) {
	srv, folder := quietServer(t)
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		d := &daemon{
			cfg: Config{Idle: 10 * time.Minute, Program: testProgram}, place: socket.Place{Protocol: socket.Protocol}, srv: srv, log: slog.New(slog.DiscardHandler),
			asked: make(chan string, 1), sessions: map[*session]struct{}{}, brain: noted(folder), socket: noted(folder), lock: noted(folder),
		}
		p := newPipes()
		ended := make(chan string, 1)
		d.socket.path = filepath.Join(folder, "lessons") // never removed by the end: it is not empty
		d.socket = noted(d.socket.path)
		go func() { ended <- d.run(t.Context(), p) }()
		for {
			here, there := net.Pipe()
			select {
			case p.conns <- there:
			case why := <-ended:
				if took := time.Since(begin); why != "idle" || took > 11*time.Minute {
					t.Errorf("ended because %q after %v", why, took)
				}
				return
			}
			connected := time.Now()
			go func() { // it asks who is there every second, and for nothing else
				c := socket.NewConn(here)
				for {
					if _, err := c.Greet(socket.Greeting{Protocol: socket.Protocol}); err != nil {
						break
					}
					time.Sleep(time.Second) //nolint:forbidigo // the bubble's clock
				}
				_ = here.Close()
				if took := time.Since(connected); took > greetingWait+time.Second {
					t.Errorf("it was heard for %v", took)
				}
			}()
			time.Sleep(time.Minute) //nolint:forbidigo // the bubble's clock
			if time.Since(begin) > time.Hour {
				t.Fatal("silent clients keep it alive")
			}
		}
	})
}

// scarce is a listener without files for some time.
type scarce struct {
	net.Listener
	left int
}

func (s *scarce) Accept() (net.Conn, error) {
	if s.left > 0 {
		s.left--
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return s.Listener.Accept()
}

// TestTooManyFiles holds that a daemon for which the system has no more files waits until it has.
func TestTooManyFiles(t *testing.T) {
	srv, folder := quietServer(t)
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{
			cfg: Config{Program: testProgram}, place: socket.Place{Protocol: socket.Protocol}, srv: srv, log: slog.New(slog.DiscardHandler),
			asked: make(chan string, 1), sessions: map[*session]struct{}{}, brain: noted(folder), socket: noted(folder), lock: noted(folder),
		}
		p := newPipes()
		ended := make(chan string, 1)
		d.socket = noted(filepath.Join(folder, "lessons")) // never removed by the end: it is not empty
		ctx, stop := context.WithCancel(t.Context())
		go func() { ended <- d.run(ctx, &scarce{p, 100}) }()
		here, there := net.Pipe()
		select {
		case p.conns <- there:
		case why := <-ended:
			t.Fatalf("it ended: %s", why)
		}
		c := socket.NewConn(here)
		if _, err := c.Greet(socket.Greeting{Protocol: socket.Protocol}); err != nil {
			t.Error(err)
		}
		_ = here.Close()
		stop()
		if why := <-ended; why != "told to" {
			t.Errorf("ended because %q", why)
		}
	})
}

// TestLargeEvents: a hook's event beyond the bound does not come whole, so its hook sees to it;
// one within is heard.
func TestLargeEvents(t *testing.T) {
	heard := make(chan int, 2)
	st := serveHere(t, Config{Program: func(_ context.Context, p Process) int {
		raw, _ := io.ReadAll(p.In)
		heard <- len(raw)
		return 0
	}})
	for i, c := range []struct {
		size  int
		whole bool
	}{{1 << 20, true}, {maxPayload, true}, {maxPayload + 1, false}} {
		conn, _ := st.client(t, &Run{Event: fmt.Sprint("1-", i)})
		_, err := conn.Pipe(t.Context(), strings.NewReader(strings.Repeat("x", c.size)), io.Discard, io.Discard)
		if c.whole {
			if n := <-heard; n != c.size || err != nil {
				t.Errorf("of %d bytes it heard %d, %v", c.size, n, err)
			}
		} else if !errors.Is(err, ErrLost) {
			t.Errorf("%d bytes: %v", c.size, err)
		}
	}
}

// TestWhatArrivedIsKnown holds that a program learns whether the hook of its event had the answer before it went.
func TestWhatArrivedIsKnown(t *testing.T) {
	came := make(chan bool, 1)
	st := serveHere(t, Config{pulse: time.Hour, Program: func(_ context.Context, p Process) int {
		_, _ = io.Copy(io.Discard, p.In)
		fmt.Fprint(p.Out, "answer")
		p.Delivered(func(c bool) { came <- c })
		return 0
	}})
	waits, _ := st.client(t, &Run{Args: []string{"hook"}, Event: "0-1"})
	if _, err := waits.Pipe(t.Context(), strings.NewReader("{}"), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !<-came {
		t.Error("an answer that was read did not arrive")
	}
	goes, _ := st.client(t, &Run{Args: []string{"hook"}, Event: "0-2"})
	if err := goes.Send(socket.Stdin, nil); err != nil {
		t.Fatal(err)
	}
	for kind := socket.Want; kind != socket.Exit; {
		var err error
		kind, _, err = socket.ReadChunk(goes.In)
		if err != nil {
			t.Fatal(err)
		}
	}
	_ = goes.Close() // its time was up
	if <-came {
		t.Error("an answer that came too late arrived")
	}
}
