package daemon

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/daemon/socket"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/server/judge"
)

// TestMain lets the test binary be the daemon that clients start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "daemon" {
		os.Exit(serveForTests(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func serveForTests(args []string) int {
	f := flag.NewFlagSet("daemon", flag.ExitOnError)
	side := f.String("side", "", "")
	folder := f.String("brain", "", "")
	build := f.Int("build", 1, "")
	speaks := f.Int("protocol", 0, "")
	idle := f.Duration("idle", 0, "")
	wait := f.Duration("wait", patience, "")
	_ = f.Parse(args) // exits by itself
	cfg := sideConfig(*side, *folder, *build)
	cfg.Idle, cfg.protocol, cfg.pulse, cfg.startWait, cfg.Report = *idle, *speaks, 20*time.Millisecond, *wait, os.Stdout
	cfg.Program = testProgram
	log, err := OpenLog(cfg)
	if err != nil {
		return 3
	}
	defer log.Close()
	cfg.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := Serve(ctx, cfg); err != nil {
		return 1
	}
	return 0
}

// sideConfig is what both ends of a test agree on. A higher build is a newer one.
func sideConfig(side, folder string, build int) Config {
	return Config{
		Brain: folder, CacheDir: filepath.Join(side, "c"), StateDir: filepath.Join(side, "s"), RunDir: filepath.Join(side, "r"),
		Build:     Build{Version: fmt.Sprint("v", build), Time: time.Unix(int64(build), 0).UTC()},
		startWait: patience, // a process takes its time where many run
	}
}

// world is a brain and the folders of its daemon.
type world struct {
	t     testing.TB
	brain string
	side  string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	side, err := os.MkdirTemp("", "dmn") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, brain: makeBrain(t), side: side}
	t.Cleanup(func() {
		w.kill(syscall.SIGKILL)
		w.awaitEnd()
		if left := ours(); left != "" {
			t.Errorf("goroutines are left:\n%s", left)
		}
		if err := os.RemoveAll(side); err != nil {
			t.Error(err)
		}
	})
	return w
}

// config is that of a client which starts daemons of its own build.
func (w *world) config(build int, more ...string) Config {
	cfg := sideConfig(w.side, w.brain, build)
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cfg.Start = append([]string{exe, "daemon", "-side", w.side, "-build", fmt.Sprint(build)}, more...)
	cfg.Log = slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	return cfg
}

// connect returns a client whose daemon serves.
func (w *world) connect(cfg Config) *Client {
	w.t.Helper()
	c := &Client{w.t, cfg}
	if _, err := c.Cards(w.t.Context(), desk.CardFilter{}); err != nil {
		w.t.Fatalf("%v\n%s", err, w.log())
	}
	return c
}

func (w *world) log() string {
	files, _ := filepath.Glob(filepath.Join(w.side, "s", "daemon", "*.log"))
	var all strings.Builder
	for _, f := range files {
		text, _ := os.ReadFile(f)
		all.Write(text)
	}
	return all.String()
}

func (w *world) place() socket.Place {
	w.t.Helper()
	p, err := locateAt(sideConfig(w.side, w.brain, 1), w.brain)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// socket is where a daemon of these tests listens.
func (w *world) socket() string {
	w.t.Helper()
	path, err := w.place().Listen()
	if err != nil {
		w.t.Fatal(err)
	}
	return path
}

// hello asks whoever serves who it is; nobody has PID 0.
func (w *world) hello() (out socket.Welcome) {
	note, _ := w.place().Owner()
	if c, there, err := socket.Dial(context.Background(), note.Socket, socket.Greeting{Protocol: socket.Protocol}); err == nil {
		out = there
		_ = c.Close()
	}
	return out
}

func (w *world) kill(sig os.Signal) {
	pid := w.hello().PID
	if pid == 0 {
		return
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Signal(sig)
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		w.t.Error(err)
	}
}

// awaitEnd waits until no daemon serves: the lock is free.
func (w *world) awaitEnd() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock := flock.New(w.place().Lock())
	if ok, err := lock.TryLockContext(ctx, retry); err != nil || !ok {
		w.t.Fatalf("a daemon stays: %v\n%s", err, w.log())
	}
	if err := lock.Close(); err != nil {
		w.t.Error(err)
	}
}

func (w *world) preflight(c *Client) deliver.Preflight {
	w.t.Helper()
	p, err := c.Preflight(w.t.Context(), deliver.PreflightRequest{Query: "a telegram command that restarts the server"})
	if err != nil {
		w.t.Fatalf("%v\n%s", err, w.log())
	}
	if len(p.Lessons) != 1 {
		w.t.Fatalf("preflight: %+v", p)
	}
	return p
}

func TestStartsWhatIsMissing(t *testing.T) {
	w := newWorld(t)
	a := w.connect(w.config(1))
	w.preflight(a)
	first := w.hello()
	b := w.connect(w.config(1))
	w.preflight(b)
	if second := w.hello(); first.PID == 0 || first.PID != second.PID || first.PID == os.Getpid() {
		t.Errorf("process %d, then %d", first.PID, second.PID)
	}
	info, err := os.Stat(w.socket())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(w.side, "s", "daemon")); err != nil || !strings.Contains(w.log(), "serving") {
		t.Errorf("log: %v\n%s", err, w.log())
	}
}

func TestWithoutStartNoneIsStarted(t *testing.T) {
	w := newWorld(t)
	cfg := w.config(1)
	cfg.Start = nil
	if _, err := Connect(t.Context(), cfg, Run{}); !errors.Is(err, ErrNone) {
		t.Errorf("got %v", err)
	}
	if _, err := Connect(t.Context(), Config{Brain: filepath.Join(w.side, "none")}, Run{}); !errors.Is(err, lessons.ErrNoBrain) {
		t.Errorf("no brain: %v", err)
	}
}

func TestManyAtOnceFindOne(t *testing.T) {
	w := newWorld(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { w.preflight(w.connect(w.config(1))) })
	}
	wg.Wait()
	if n := strings.Count(w.log(), "msg=serving"); n != 1 {
		t.Errorf("%d daemons served\n%s", n, w.log())
	}
}

// TestOneOfTwoDaemonsWins starts both without a client between them.
func TestOneOfTwoDaemonsWins(t *testing.T) {
	w := newWorld(t)
	lines := make(chan string, 2)
	for range 2 {
		cfg := w.config(1)
		cmd := exec.Command(cfg.Start[0], append(cfg.Start[1:], "-brain", w.brain)...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.kill(syscall.SIGKILL); _ = cmd.Wait() })
		go func() {
			line, _ := bufio.NewReader(out).ReadString('\n')
			lines <- strings.TrimSpace(line)
		}()
	}
	got := map[string]int{<-lines: 1}
	got[<-lines]++
	if got[saysServing] != 1 || got[saysRunning] != 1 {
		t.Errorf("they said %v", got)
	}
}

// TestADeadSocketIsTakenOver has a daemon die that listened where the next one does not.
func TestADeadSocketIsTakenOver(t *testing.T) {
	w := newWorld(t)
	p := w.place()
	dead := filepath.Join(t.TempDir(), p.Name+"-7.sock")
	for _, path := range []string{w.socket(), dead} {
		ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		ln.SetUnlinkOnClose(false)
		if err := ln.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Announce(socket.Note{Socket: dead, PID: 1, Protocol: 7}); err != nil {
		t.Fatal(err)
	}
	w.preflight(w.connect(w.config(1)))
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the other dead socket: %v", err)
	}
	note, _ := p.Owner()
	if info, err := os.Stat(filepath.Join(p.Dir, p.Name+".at")); err != nil || info.Mode().Perm() != 0o600 || note.Socket != w.socket() || note.PID != w.hello().PID {
		t.Errorf("the note is %+v, %v", note, err)
	}
}

// TestAnotherRunFolderFindsTheSame has clients whose environments name other run folders, and one whose
// cache is elsewhere.
func TestAnotherRunFolderFindsTheSame(t *testing.T) {
	w := newWorld(t)
	w.preflight(w.connect(w.config(1)))
	first := w.hello().PID
	for _, other := range []func(*Config){
		func(c *Config) { c.RunDir = filepath.Join(w.side, "other") },
		func(c *Config) { c.RunDir = filepath.Join(w.side, strings.Repeat("x", socket.MaxPath)) },
		func(c *Config) { c.CacheDir = filepath.Join(w.side, "c2") },
	} {
		cfg := w.config(1)
		other(&cfg)
		w.preflight(w.connect(cfg))
	}
	if n := strings.Count(w.log(), "msg=serving"); n != 1 || w.hello().PID != first {
		t.Errorf("%d daemons served\n%s", n, w.log())
	}
}

// TestAnOwnerOutOfReach has a daemon listen where a client cannot come. The client knows at once, and
// starts none beside it.
func TestAnOwnerOutOfReach(t *testing.T) {
	w := newWorld(t)
	w.preflight(w.connect(w.config(1)))
	p := w.place()
	note, _ := p.Owner()
	if _, why := Beyond(w.config(1)); why != nil {
		t.Errorf("it can be reached: %v", why)
	}
	elsewhere := note
	elsewhere.Socket = filepath.Join(w.side, "elsewhere", filepath.Base(note.Socket))
	if err := p.Announce(elsewhere); err != nil {
		t.Fatal(err)
	}
	if _, err := Connect(t.Context(), w.config(1), Run{}); !errors.Is(err, ErrBeyond) {
		t.Errorf("got %v", err)
	}
	if got, why := Beyond(w.config(1)); got.PID != note.PID || !errors.Is(why, os.ErrNotExist) {
		t.Errorf("%+v: %v", got, why)
	}
	if err := p.Announce(note); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(w.log(), "msg=serving"); n != 1 {
		t.Errorf("%d daemons served\n%s", n, w.log())
	}
}

// TestKilledAgainAndAgain kills the daemon in the middle of calls. Each is answered or said
// to be lost, and no bump that was said to be done is.
func TestKilledAgainAndAgain(t *testing.T) {
	w := newWorld(t)
	c := w.connect(w.config(1))
	const kills = 6
	calls := make(chan struct{})
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				case calls <- struct{}{}:
				}
				p, err := c.Preflight(t.Context(), deliver.PreflightRequest{Query: "a telegram command that restarts the server"})
				if !errors.Is(err, ErrLost) && (err != nil || len(p.Lessons) != 1) {
					t.Errorf("preflight: %+v, %v", p, err)
				}
			}
		})
	}
	bumped, uncertain := 0, 0
	for kill := range kills {
		for range 10 + 7*kill {
			<-calls
		}
		finished := make(chan struct{})
		go func() { // in the middle of what follows
			defer close(finished)
			w.kill(syscall.SIGKILL)
		}()
		for range 5 {
			<-calls
			switch _, err := c.Bump(t.Context(), "lessons/telegram.md"); {
			case err == nil:
				bumped++
			case errors.Is(err, ErrLost):
				uncertain++
			default:
				t.Errorf("bump: %v", err)
			}
		}
		<-finished
	}
	close(done)
	wg.Wait()
	list, err := c.Cards(t.Context(), desk.CardFilter{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	src, err := os.ReadFile(filepath.Join(w.brain, "lessons", "telegram.md"))
	if err != nil {
		t.Fatal(err)
	}
	onDisk, problems := lessons.Parse("lessons/telegram.md", src)
	if n := onDisk.Occurrences - 1; n < bumped || n > bumped+uncertain || len(problems) > 0 {
		t.Errorf("%d bumps counted, %d done and %d uncertain; %v\n%s", n, bumped, uncertain, problems, src)
	}
	if n := strings.Count(w.log(), "msg=serving"); n != kills+1 {
		t.Errorf("%d daemons for %d kills", n, kills)
	}
}

// TestAProgramEndsWithItsDaemon tells who waits for one at once.
func TestAProgramEndsWithItsDaemon(t *testing.T) {
	for name, tt := range map[string]struct {
		sig  os.Signal
		lost bool
	}{"killed": {syscall.SIGKILL, true}, "told to end": {syscall.SIGTERM, false}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := w.connect(w.config(1)).listen()
			w.kill(tt.sig)
			select {
			case err := <-p.over:
				if errors.Is(err, ErrLost) != tt.lost {
					t.Errorf("got %v", err)
				}
			case <-time.After(patience):
				t.Fatalf("it goes on\n%s", w.log())
			}
		})
	}
}

func TestIdleDaemonsEnd(t *testing.T) {
	w := newWorld(t)
	c := w.connect(w.config(1, "-idle", "300ms"))
	w.preflight(c)
	w.awaitEnd()
	if _, err := os.Stat(w.socket()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket stays: %v", err)
	}
	if !strings.Contains(w.log(), "why=idle") {
		t.Error(w.log())
	}
}

func TestSignalEndsInOrder(t *testing.T) {
	w := newWorld(t)
	c := w.connect(w.config(1))
	p := w.preflight(c)
	w.kill(syscall.SIGKILL)
	w.awaitEnd()
	q := w.preflight(c)
	w.kill(syscall.SIGTERM)
	if p.AnswerID == q.AnswerID {
		t.Error("one name for two answers")
	}
}

// TestWithoutWhatItNeedsItEnds takes from a daemon with a client what it cannot do without.
func TestWithoutWhatItNeedsItEnds(t *testing.T) {
	for name, path := range map[string]func(*world) string{
		"brain":  func(w *world) string { return w.brain },
		"socket": func(w *world) string { return w.socket() },
		"lock":   func(w *world) string { return w.place().Lock() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.connect(w.config(1))
			w.preflight(c)
			pid := w.hello().PID
			l := c.listen()
			if err := os.RemoveAll(path(w)); err != nil {
				t.Fatal(err)
			}
			select {
			case <-l.over:
			case <-time.After(patience):
				t.Fatalf("it goes on\n%s", w.log())
			}
			_, err := c.Preflight(t.Context(), deliver.PreflightRequest{Query: "telegram"})
			if name == "brain" {
				if !noBrain(err) {
					t.Errorf("without a brain: %v", err)
				}
				return
			}
			if next := w.hello().PID; err != nil || next == pid || next == 0 {
				t.Errorf("process %d after %d, %v\n%s", next, pid, err, w.log())
			}
		})
	}
}

// TestMakesNothingWhereItWas takes a daemon's brain and all its folders away, as setup's trial does.
func TestMakesNothingWhereItWas(t *testing.T) {
	w := newWorld(t)
	w.preflight(w.connect(w.config(1)))
	gone, lock := w.side+".gone", w.place().Lock()
	defer os.RemoveAll(gone)
	if err := errors.Join(os.Rename(w.side, gone), os.RemoveAll(w.brain)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	held := flock.New(strings.Replace(lock, w.side, gone, 1))
	if ok, err := held.TryLockContext(ctx, retry); err != nil || !ok {
		t.Fatalf("it goes on: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(w.side, "*"))
	if err := errors.Join(err, held.Close()); err != nil || len(left) > 0 {
		t.Errorf("it made %v anew, %v", left, err)
	}
}

// TestUpgrade has a newer build come while clients of the older one are connected.
func TestUpgrade(t *testing.T) {
	w := newWorld(t)
	old := w.connect(w.config(1))
	window := old.listen()
	p := w.preflight(old)
	before := w.hello()

	once := w.config(2)
	once.Start = nil
	w.preflight(w.connect(once))
	if w.hello().PID != before.PID {
		t.Error("a client that starts none took over")
	}
	finds := w.config(2)
	finds.Find = true
	fresh := w.connect(finds)
	after := w.hello()
	if after.PID == before.PID || after.Build.Version != "v2" {
		t.Errorf("%+v after %+v\n%s", after, before, w.log())
	}
	if err := <-window.over; err != nil {
		t.Errorf("the old client: %v", err)
	}
	window = old.listen()
	if _, err := fresh.Answered(t.Context(), judge.AnswerRequest{AnswerID: p.AnswerID, Answer: "I wrote it as you asked."}); err != nil {
		t.Errorf("the turn was lost: %v", err)
	}
	window.await(t, isFooter)
	w.preflight(old)
	if w.hello().PID != after.PID {
		t.Error("an older build took the place of a newer one")
	}
}

func TestOtherProtocols(t *testing.T) {
	w := newWorld(t)
	speaks := func(protocol int) Config {
		cfg := w.config(1, "-protocol", fmt.Sprint(protocol))
		cfg.protocol = protocol
		return cfg
	}
	w.preflight(w.connect(speaks(socket.Protocol + 1)))
	pid := w.hello().PID
	if _, err := Connect(t.Context(), w.config(9), Run{}); !errors.Is(err, ErrNewer) {
		t.Errorf("an older protocol: %v", err)
	}
	w.preflight(w.connect(speaks(socket.Protocol + 2)))
	if got := w.hello(); got.PID == pid || got.Protocol != socket.Protocol+2 {
		t.Errorf("a newer protocol: %+v", got)
	}
}

// TestWhatDoesNotStart says why, at once.
func TestWhatDoesNotStart(t *testing.T) {
	w := newWorld(t)
	owner, err := server.New(t.Context(), brain.Config{Brain: w.brain, CacheDir: filepath.Join(w.side, "c"), StateDir: filepath.Join(w.side, "s")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Connect(t.Context(), w.config(1, "-wait", "100ms"), Run{})
	if !errors.Is(err, ErrOwned) {
		t.Errorf("owned: %v", err)
	}
	hasty := w.config(1)
	hasty.Haste, hasty.Start = true, []string{filepath.Join(w.side, "no-such-program")}
	if _, err := Connect(t.Context(), hasty, Run{}); !errors.Is(err, ErrOwned) {
		t.Errorf("who is in haste tries again: %v", err)
	}
	if err := owner.Close(); err != nil {
		t.Fatal(err)
	}
	cfg := w.config(1)
	cfg.Start = []string{filepath.Join(w.side, "no-such-program")}
	if _, err := Connect(t.Context(), cfg, Run{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no program: %v", err)
	}
	cfg.Start = []string{w.config(1).Start[0], "-test.run=^$"}
	if _, err := Connect(t.Context(), cfg, Run{}); err == nil || !strings.Contains(err.Error(), "did not start") {
		t.Errorf("another program: %v", err)
	}
}

// TestWhoOwnsForAMomentIsWaitedFor has a command own the index while the daemon starts.
func TestWhoOwnsForAMomentIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	owner, err := server.New(t.Context(), brain.Config{Brain: w.brain, CacheDir: filepath.Join(w.side, "c"), StateDir: filepath.Join(w.side, "s")})
	if err != nil {
		t.Fatal(err)
	}
	told, err := spawn(append(w.config(1).Start, "--brain", w.brain))
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-told; err != nil {
		t.Errorf("%v\n%s", err, w.log())
	}
	w.preflight(w.connect(w.config(1)))
}

// TestASilentDaemonIsNotWaitedForForever connects to a socket where nobody answers.
func TestASilentDaemonIsNotWaitedForForever(t *testing.T) {
	w := newWorld(t)
	ln, err := net.Listen("unix", w.socket())
	if err == nil {
		err = w.place().Announce(socket.Note{Socket: w.socket(), PID: os.Getpid(), Protocol: socket.Protocol})
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	accepted := make(chan net.Conn, 1)
	go func() {
		conn, err := ln.Accept()
		if err == nil {
			accepted <- conn
		}
		cancel()
	}()
	if _, err := Connect(ctx, w.config(1), Run{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	_ = (<-accepted).Close()
	_ = ln.Close()
}

func BenchmarkPreflightThroughTheSocket(b *testing.B) {
	w := newWorld(b)
	c := w.connect(w.config(1))
	for b.Loop() {
		w.preflight(c)
	}
}

func BenchmarkPreflightInProcess(b *testing.B) {
	side := b.TempDir()
	srv, err := server.New(b.Context(), brain.Config{Brain: makeBrain(b), CacheDir: filepath.Join(side, "c"), StateDir: filepath.Join(side, "s")})
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	<-srv.Ready()
	for b.Loop() {
		if _, err := srv.Preflight(b.Context(), deliver.PreflightRequest{Query: "a telegram command that restarts the server"}); err != nil {
			b.Fatal(err)
		}
	}
}
