package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/daemon/socket"
)

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

// TestIdle runs the daemon's clock in a bubble: it stays while there is a client, and for the
// whole time after the last one.
func TestIdle(t *testing.T) {
	srv, folder := quietServer(t)
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		p, ended := inBubble(t, srv, folder)
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

// inBubble runs a daemon that waits ten minutes for clients, by the clock of the bubble that it is called in; ended says why it ended.
func inBubble(t *testing.T, srv *server.Server, folder string) (p *pipes, ended chan string) {
	t.Helper()
	full := noted(filepath.Join(folder, "lessons")) // never removed by the end: it is not empty
	d := &daemon{
		cfg: Config{Idle: 10 * time.Minute, Program: testProgram}, place: socket.Place{Protocol: socket.Protocol}, srv: srv, log: slog.New(slog.DiscardHandler),
		asked: make(chan string, 1), sessions: map[*session]struct{}{}, brain: noted(folder), socket: full, lock: noted(folder),
	}
	p, ended = newPipes(), make(chan string, 1)
	go func() { ended <- d.run(t.Context(), p) }()
	return p, ended
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
