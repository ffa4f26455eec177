package daemon

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"handrail/server"
	"handrail/server/daemon/socket"
)

// patience is how long a test waits for something that must come. It is far more than
// anything takes; nothing ever waits for it in a passing run.
const patience = 30 * time.Second

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

func serveHere(t testing.TB, cfg Config) *stand {
	t.Helper()
	side := t.TempDir()
	brain := makeBrain(t)
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	srv, err := server.New(t.Context(), server.Config{Brain: brain, CacheDir: filepath.Join(side, "c"), StateDir: filepath.Join(side, "s"), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lock", "sock"} {
		put(t, filepath.Join(side, name), "")
	}
	d := &daemon{
		cfg: cfg, place: socket.Place{Dir: side, Name: "x", Protocol: socket.Protocol}, srv: srv, log: log, rows: table(cfg.Hook),
		asked: make(chan string, 1), sessions: map[*session]struct{}{}, workspaces: map[*session][]string{},
		brain: noted(brain), socket: noted(filepath.Join(side, "sock")), lock: noted(filepath.Join(side, "lock")),
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

// connect returns a link that has said hello.
func (st *stand) connect(t testing.TB, listens bool, notice func(string, json.RawMessage)) *link {
	t.Helper()
	if notice == nil {
		notice = func(string, json.RawMessage) {}
	}
	l := newLink(st.dial(t), notice)
	l.stream.max = cmp.Or(st.d.cfg.max, maxBody)
	go l.read()
	t.Cleanup(func() { l.hangUp(); <-l.over })
	ask[helloResult](t, l, helloMethod, helloParams{Protocol: socket.Protocol, Listen: listens})
	return l
}

func ask[R any](t testing.TB, l *link, name string, params any) R {
	t.Helper()
	var out R
	raw, err := l.call(t.Context(), name, encode(t, params))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func encode(t testing.TB, v any) json.RawMessage {
	t.Helper()
	raw, err := marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func ours() string {
	deadline := time.Now().Add(patience / 10)
	for {
		var left []string
		for _, g := range strings.Split(stacks(), "\n\n") {
			if strings.Contains(g, "handrail/") && !strings.Contains(g, "testing.") {
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

// TestSameSignatures holds Client to the methods that surfaces know from server.Server.
func TestSameSignatures(t *testing.T) {
	client, srv := reflect.TypeFor[*Client](), reflect.TypeFor[*server.Server]()
	for i := range srv.NumMethod() {
		want := srv.Method(i)
		got, ok := client.MethodByName(want.Name)
		if !ok {
			t.Errorf("Client has no %s", want.Name)
			continue
		}
		strip := func(f reflect.Type) string { return fmt.Sprint(f)[len("func("+f.In(0).String()):] }
		if strip(want.Type) != strip(got.Type) {
			t.Errorf("%s: %v, not %v", want.Name, got.Type, want.Type)
		}
	}
}

func TestCallsSideBySide(t *testing.T) {
	st := serveHere(t, Config{})
	l := st.connect(t, false, nil)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			p := ask[server.Preflight](t, l, "preflight", server.PreflightRequest{Query: "a telegram command that restarts the server"})
			if len(p.Lessons) != 1 || p.AnswerID == "" {
				t.Errorf("preflight: %+v", p)
			}
			f := ask[server.Footer](t, l, "answered", server.AnswerRequest{AnswerID: p.AnswerID, Answer: "I wrote it as you asked."})
			if len(f.Unaddressed) != 1 {
				t.Errorf("footer: %+v", f)
			}
		})
	}
	wg.Wait()
}

func TestEveryListenerHears(t *testing.T) {
	st := serveHere(t, Config{})
	const listeners = 3
	heard := make(chan string, 100)
	var first *link
	for i := range listeners {
		l := st.connect(t, true, func(name string, raw json.RawMessage) {
			if name == footerNotice {
				heard <- fmt.Sprint(i)
			}
		})
		if first == nil {
			first = l
		}
	}
	st.connect(t, false, func(name string, _ json.RawMessage) {
		if name != readyNotice {
			t.Errorf("%s, and nobody listens", name)
		}
	})
	ask[server.Footer](t, first, "answered", server.AnswerRequest{Lessons: []string{"lessons/telegram.md"}, Answer: "I wrote it as you asked."})
	got := map[string]bool{}
	for range listeners {
		select {
		case who := <-heard:
			got[who] = true
		case <-time.After(patience):
			t.Fatalf("only %v heard", got)
		}
	}
	if len(got) != listeners {
		t.Errorf("heard by %v", got)
	}
}

func TestACancelledCallIsCancelledThere(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan error, 1)
	st := serveHere(t, Config{})
	st.d.rows["wait"] = method[nothing, nothing]{"wait", true, func(_ *server.Server, ctx context.Context, _ nothing) (nothing, error) {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return nothing{}, ctx.Err()
	}}
	l := st.connect(t, false, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := l.call(ctx, "wait", encode(t, nothing{})); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the daemon goes on")
	}
}

// TestWhoIsUnheardFindsAnotherLink holds that a link which could not be written to is not
// used again, even before its reading end has noticed.
func TestWhoIsUnheardFindsAnotherLink(t *testing.T) {
	here, there := net.Pipe()
	l := newLink(here, nil)
	if err := there.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.call(t.Context(), "cards", encode(t, nothing{})); !errors.Is(err, errUnheard) {
		t.Errorf("got %v", err)
	}
	if l.alive() {
		t.Error("the next call would be made on the same link")
	}
}

// TestAWorkingDaemonIsWaitedFor holds that a call may take long where somebody still hears.
func TestAWorkingDaemonIsWaitedFor(t *testing.T) {
	done := make(chan struct{})
	st := serveHere(t, Config{})
	st.d.rows["wait"] = method[nothing, nothing]{"wait", true, func(_ *server.Server, ctx context.Context, _ nothing) (nothing, error) {
		select {
		case <-done:
		case <-ctx.Done():
		}
		return nothing{}, ctx.Err()
	}}
	l := st.connect(t, false, nil)
	l.silence = patience
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	silent := make(chan time.Time)
	go func() {
		defer close(done)
		for range 4 { // at the last one three signs of life have come
			select {
			case silent <- time.Time{}:
			case <-ctx.Done():
			}
		}
	}()
	if _, err := l.ask(ctx, "wait", encode(t, nothing{}), silent); err != nil {
		t.Error(err)
	}
	l.mu.Lock()
	if l.next < 5 { // hello, the call and the signs of life
		t.Errorf("%d calls were made", l.next)
	}
	l.mu.Unlock()
	if !l.alive() {
		t.Error("the daemon was given up")
	}
}

func TestAPanicCostsOneCall(t *testing.T) {
	st := serveHere(t, Config{})
	st.d.rows["panic"] = method[nothing, nothing]{"panic", true, func(*server.Server, context.Context, nothing) (nothing, error) { panic("secret") }}
	l := st.connect(t, false, nil)
	if _, err := l.call(t.Context(), "panic", encode(t, nothing{})); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	ask[[]server.Card](t, l, "cards", server.CardFilter{})
}

// TestRudeClients sends what no client of ours says. Each loses its own connection, and
// the others are served on.
func TestRudeClients(t *testing.T) {
	st := serveHere(t, Config{})
	good := st.connect(t, false, nil)
	hello := `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1}}`
	for name, said := range map[string]string{
		"no hello":        frame(`{"jsonrpc":"2.0","id":1,"method":"cards","params":{}}`),
		"hello twice":     frame(hello) + frame(strings.Replace(hello, `"id":1`, `"id":2`, 1)),
		"one id twice":    frame(hello) + frame(`{"jsonrpc":"2.0","id":1,"method":"cards","params":{}}`),
		"an answer":       frame(hello) + frame(`{"jsonrpc":"2.0","id":7,"result":{}}`),
		"no JSON":         frame(hello) + frame(`{"jsonrpc":`),
		"no header":       "GET / HTTP/1.1\r\n\r\n",
		"no end":          strings.Repeat("x", 1<<16),
		"negative length": "Content-Length: -5\r\n\r\n",
		"too large":       fmt.Sprintf("Content-Length: %d\r\n\r\n", maxBody+1),
		"far too large":   "Content-Length: 99999999999999999999\r\n\r\n",
		"half a message":  "Content-Length: 100000\r\n\r\n{",
		"bad end":         frame(hello) + frame(`{"jsonrpc":"2.0","id":2,"method":"end","params":[]}`),
		"a string id":     frame(strings.Replace(hello, `"id":1`, `"id":"x"`, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			conn := st.dial(t)
			go func() {
				_, _ = io.WriteString(conn, said) // it may hang up in the middle
				if name == "half a message" {
					_ = conn.Close()
				}
			}()
			_, _ = io.Copy(io.Discard, conn) // until it hangs up
			ask[[]server.Card](t, good, "cards", server.CardFilter{})
		})
	}
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func TestWrongCallsAreAnswered(t *testing.T) {
	st := serveHere(t, Config{})
	l := st.connect(t, false, nil)
	for _, c := range []struct{ method, params string }{{"nothing", `{}`}, {"cards", `"x"`}, {"cards", `{"Scope":"year"}`}, {"bump", `{"Path":"../x.md"}`}} {
		if _, err := l.call(t.Context(), c.method, json.RawMessage(c.params)); err == nil || errors.Is(err, errLost) {
			t.Errorf("%s %s: %v", c.method, c.params, err)
		}
	}
	if ask[bool](t, l, endMethod, helloParams{Protocol: socket.Protocol}) {
		t.Error("it makes room for a build that is not newer")
	}
}

func TestTooLargeIsSaidAndSurvived(t *testing.T) {
	st := serveHere(t, Config{max: 2 << 10})
	st.d.rows["large"] = method[nothing, []byte]{"large", true, func(*server.Server, context.Context, nothing) ([]byte, error) {
		return bytes.Repeat([]byte("x"), 2<<10), nil
	}}
	l := st.connect(t, false, nil)
	if _, err := l.call(t.Context(), "cards", encode(t, strings.Repeat("x", 2<<10))); !errors.Is(err, errTooLarge) {
		t.Errorf("asked: %v", err)
	}
	if _, err := l.call(t.Context(), "large", encode(t, nothing{})); !errors.Is(err, errTooLarge) {
		t.Errorf("answered: %v", err)
	}
	ask[bool](t, l, endMethod, helloParams{})
}

// TestNoClientIsWaitedFor has a client that listens and never reads: the others hear all.
func TestNoClientIsWaitedFor(t *testing.T) {
	st := serveHere(t, Config{})
	deaf := st.dial(t)
	defer deaf.Close()
	go func() {
		_, _ = io.WriteString(deaf, frame(`{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"listen":true}}`))
	}()
	heard := make(chan struct{}, 10*maxNotes)
	l := st.connect(t, true, func(name string, _ json.RawMessage) {
		if name == footerNotice {
			heard <- struct{}{}
		}
	})
	for range maxNotes + 100 {
		ask[server.Footer](t, l, "answered", server.AnswerRequest{Lessons: []string{"lessons/telegram.md"}, Answer: "I wrote it as you asked."})
		<-heard
	}
}

func TestNotesThatDoNotFitAreMadeUpFor(t *testing.T) {
	n := newNotes()
	n.push(note{changedNotice, server.Changed{Cards: true}})
	n.push(note{changedNotice, server.Changed{Candidates: true}})
	n.push(note{progressNotice, progressParams{1, 9}})
	n.push(note{progressNotice, progressParams{2, 9}})
	if got, want := fmt.Sprint(n.take()), fmt.Sprint([]note{{changedNotice, server.Changed{Cards: true, Candidates: true}}, {progressNotice, progressParams{2, 9}}}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for range 3 * maxNotes {
		n.push(note{footerNotice, server.Footer{}})
	}
	got := n.take()
	if len(got) != maxNotes+1 || got[maxNotes] != (note{changedNotice, server.Changed{Cards: true, Candidates: true}}) {
		t.Errorf("%d notes, the last %v", len(got), got[len(got)-1])
	}
	if len(n.take()) != 0 {
		t.Error("said twice")
	}
}

// TestTheEndAnswersWhatWasHeard ends a daemon while one call is at work: it is answered,
// and the one that was not heard is known not to have been.
func TestAWindowThatClosesFollowsNothing(t *testing.T) {
	st := serveHere(t, Config{})
	stays, goes := st.connect(t, false, nil), st.connect(t, false, nil)
	ask[nothing](t, stays, follow.name, followParams{[]string{"a", "b"}})
	ask[nothing](t, goes, follow.name, followParams{[]string{"b", "c"}})
	goes.hangUp()
	count := func() int {
		st.d.followMu.Lock()
		defer st.d.followMu.Unlock()
		return len(st.d.workspaces)
	}
	for deadline := time.Now().Add(patience); count() != 1; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("the workspaces of a client that has gone are still followed")
		}
	}
}

func TestTheEndAnswersWhatWasHeard(t *testing.T) {
	begun, proceed := make(chan struct{}), make(chan struct{})
	st := serveHere(t, Config{})
	st.d.rows["wait"] = method[nothing, nothing]{"wait", false, func(*server.Server, context.Context, nothing) (nothing, error) {
		close(begun)
		<-proceed
		return nothing{}, nil
	}}
	l := st.connect(t, false, nil)
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := l.call(t.Context(), "wait", encode(t, nothing{}))
		first <- err
	}()
	<-begun
	st.stop()
	<-st.closed // it hears no more from here on
	for {
		st.d.mu.Lock()
		ending := st.d.ending
		st.d.mu.Unlock()
		if ending {
			break
		}
		runtime.Gosched()
	}
	go func() {
		_, err := l.call(t.Context(), "wait", encode(t, nothing{}))
		second <- err
	}()
	close(proceed)
	if err := <-first; err != nil {
		t.Errorf("heard: %v", err)
	}
	if err := <-second; !errors.Is(err, errUnheard) {
		t.Errorf("not heard: %v", err)
	}
	if why := st.why(t); why != "told to" {
		t.Errorf("ended because %q", why)
	}
}

// TestWhatIsHeardIsPassedOn goes through all that a daemon says of its own.
func TestWhatIsHeardIsPassedOn(t *testing.T) {
	c := &Client{log: slog.New(slog.DiscardHandler), ready: make(chan struct{}), notify: map[*server.Notify]struct{}{}}
	var got []string
	c.notify[&server.Notify{}] = struct{}{} // wants to know nothing
	c.notify[&server.Notify{
		Candidate: func(x server.Candidate) { got = append(got, "candidate "+x.ID) },
		Footer:    func(x server.Footer) { got = append(got, "footer "+x.AnswerID) },
		Changed:   func(x server.Changed) { got = append(got, fmt.Sprintf("changed %v", x)) },
		Progress:  func(done, total int) { got = append(got, fmt.Sprintf("progress %d/%d", done, total)) },
		Notice:    func(x server.Notice) { got = append(got, "notice "+x.Subject) },
	}] = struct{}{}
	for _, said := range []struct {
		name   string
		params any
	}{
		{candidateNotice, server.Candidate{ID: "c"}},
		{footerNotice, server.Footer{AnswerID: "f"}},
		{changedNotice, server.Changed{Candidates: true}},
		{progressNotice, progressParams{3, 4}},
		{personNotice, server.Notice{Subject: "m"}},
		{readyNotice, nothing{}},
		{readyNotice, nothing{}},
		{footerNotice, "not a footer"},
		{"of a later build", nothing{}},
	} {
		c.heard(said.name, encode(t, said.params))
	}
	want := []string{"candidate c", "footer f", "changed {false true}", "progress 3/4", "notice m", "changed {true false}", "changed {true false}"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	<-c.Ready()
}

// TestWebPagesDoNotGrow sends what json.Marshal would write six times as long.
func TestWebPagesDoNotGrow(t *testing.T) {
	st := serveHere(t, Config{max: 1 << 20})
	l := st.connect(t, false, nil)
	page := strings.Repeat("<p>&</p>", 100<<10)
	ask[server.Footer](t, l, "answered", server.AnswerRequest{Lessons: []string{"lessons/telegram.md"}, Answer: page})
}

// TestIdle runs the daemon's clock in a bubble: it stays while there is a client, and
// for the whole time after the last one.
func TestIdle(t *testing.T) {
	srv, brain := quietServer(t)
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		d := &daemon{
			cfg: Config{Idle: 10 * time.Minute}, place: socket.Place{Protocol: socket.Protocol}, srv: srv, log: slog.New(slog.DiscardHandler), rows: table(nil),
			asked: make(chan string, 1), sessions: map[*session]struct{}{}, workspaces: map[*session][]string{}, brain: noted(brain), socket: noted(brain), lock: noted(brain),
		}
		p := newPipes()
		ended := make(chan string, 1)
		d.socket.path = filepath.Join(brain, "lessons") // never removed by the end: it is not empty
		d.socket = noted(d.socket.path)
		go func() { ended <- d.run(t.Context(), p) }()
		time.Sleep(9 * time.Minute) //nolint:forbidigo // the bubble's clock
		here, there := net.Pipe()
		p.conns <- there
		l := newLink(here, func(string, json.RawMessage) {})
		go l.read()
		if _, err := l.call(t.Context(), helloMethod, encode(t, helloParams{Protocol: socket.Protocol})); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) //nolint:forbidigo // the bubble's clock
		l.hangUp()
		if why := <-ended; why != "idle" {
			t.Errorf("ended because %q", why)
		}
		if took := time.Since(begin); took != time.Hour+19*time.Minute {
			t.Errorf("ended after %v", took)
		}
	})
}

// quietServer is a Server whose goroutines are none of a bubble's business.
func quietServer(t *testing.T) (srv *server.Server, brain string) {
	t.Helper()
	side := t.TempDir()
	brain = makeBrain(t)
	srv, err := server.New(t.Context(), server.Config{Brain: brain, CacheDir: filepath.Join(side, "c"), StateDir: filepath.Join(side, "s")})
	if err != nil {
		t.Fatal(err)
	}
	<-srv.Ready()
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv, brain
}

func TestPlace(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	a, err := locate(Config{RunDir: run, StateDir: "s", CacheDir: "c"}, "/brain")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(run); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, differs := range []struct {
		cfg  Config
		root string
	}{{Config{RunDir: run, StateDir: "s", CacheDir: "c"}, "/brain2"}, {Config{RunDir: run, StateDir: "t", CacheDir: "c"}, "/brain"}, {Config{RunDir: run, StateDir: "s", CacheDir: "d"}, "/brain"}} {
		if b, err := locate(differs.cfg, differs.root); err != nil || a.Lock() == b.Lock() {
			t.Errorf("%+v shares a lock: %v", differs, err)
		}
	}
	newer, err := locate(Config{RunDir: run, StateDir: "s", CacheDir: "c", protocol: socket.Protocol + 1}, "/brain")
	if err != nil || newer.Lock() != a.Lock() || newer.Socket() == a.Socket() {
		t.Errorf("%v and %v: %v", newer, a, err)
	}
	if _, err := locate(Config{RunDir: filepath.Join(run, strings.Repeat("x", socket.MaxPath))}, "/brain"); err == nil {
		t.Error("a socket with too long a path")
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := locate(Config{RunDir: run}, "/brain"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(run); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder stays open: %v, %v", info.Mode(), err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(run, link); err != nil {
		t.Fatal(err)
	}
	if _, err := locate(Config{RunDir: link}, "/brain"); err == nil {
		t.Error("a link is followed")
	}
}

func TestLogIsBounded(t *testing.T) {
	l, err := OpenLog(Config{Brain: makeBrain(t), StateDir: t.TempDir(), RunDir: filepath.Join(t.TempDir(), "r")})
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Repeat("x", 1000) + "\n")
	for range 3 * maxLog / len(line) {
		if _, err := l.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{l.path, l.path + ".old"} {
		if info, err := os.Stat(path); err != nil || info.Size() > maxLog || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
}
