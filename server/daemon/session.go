package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/daemon/socket"
)

const (
	// greetingWait is how long a client may take to say what it wants.
	greetingWait = 5 * time.Second
	// maxPayload bounds a hook's event, in bytes; "handrail hook" hands over no more.
	maxPayload = 8 << 20
)

// Process is a run of the program inside the daemon, for another process: what that was
// called with, where, and its streams.
type Process struct {
	Run
	Server *server.Server
	In     io.Reader // the client's standard input; io.ErrUnexpectedEOF where client or daemon ends before it
	Out    io.Writer
	Err    io.Writer
	Log    func(msg string, args ...any)

	// Delivered has then called when the program has ended, and the client has what it printed or has gone without. Of an
	// event alone; nil for everything else.
	Delivered func(then func(came bool))
}

// Program runs the program for a client and returns its exit status. It ends soon after ctx
// is done: nobody waits any more.
type Program func(ctx context.Context, p Process) (status int)

// session is one connection as the daemon sees it.
type session struct {
	*socket.Conn
	d *daemon

	input *io.PipeWriter // what came of the client's standard input, as the program reads it
	read  wanted
	got   chan struct{} // closed when the client has all
	works bool          // it has said what to run; guarded by daemon.mu
}

// serve answers a greeting, and runs the program that it names.
func (s *session) serve(ctx context.Context) {
	defer s.Close() //nolint:errcheck // whatever came of it, it is over
	s.d.listen(s, time.Now().Add(greetingWait))
	g, err := socket.ReadGreeting(s.In)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			s.d.log.Debug("a client was left", "err", err)
		}
		return
	}
	answer := s.greeted(g)
	runs := g.Run != nil && s.d.cfg.Program != nil && !answer.Ends && g.Protocol == answer.Protocol
	if runs {
		s.d.mu.Lock()
		s.works = true // until then it keeps no daemon alive
		s.d.mu.Unlock()
		s.d.poke()
	}
	if socket.Send(s, answer) == nil && runs {
		s.run(ctx, *g.Run)
	}
}

// greeted answers a greeting. That of a newer build ends the daemon.
func (s *session) greeted(g socket.Greeting) socket.Welcome {
	w := socket.Welcome{Protocol: s.d.place.Protocol, Build: s.d.cfg.Build, PID: os.Getpid()}
	newer := g.Protocol > w.Protocol || g.Protocol == w.Protocol && g.Build.Time.After(w.Build.Time)
	w.Ends = newer && g.Build != (Build{}) // who names none asks for no room
	if w.Ends {
		select {
		case s.d.asked <- "a newer build takes over: " + g.Build.Version:
		default:
		}
	}
	return w
}

// run runs the program with the connection as its streams. Nothing of it is left when it returns.
func (s *session) run(ctx context.Context, run Run) {
	s.d.ran.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.d.listen(s, time.Time{})
	var reading sync.WaitGroup
	gone := make(chan struct{})
	reading.Go(func() {
		defer close(gone)
		if !s.receive() {
			cancel() // the client has gone
		}
	})
	status, err := 0, error(nil)
	var after []func(came bool)
	if run.Event != "" {
		status, err = s.event(ctx, run, func(then func(bool)) { after = append(after, then) })
	} else {
		status = s.program(ctx, run, &s.read, nil)
	}
	if err == nil {
		_ = s.Send(socket.Exit, []byte{byte(status)}) // a client that has gone needs none
	}
	if len(after) > 0 {
		came := s.arrived(gone)
		for _, then := range after {
			then(came)
		}
	}
	_ = s.Close()
	_ = s.read.Close() // what was not read may keep receive from its end
	reading.Wait()
}

// event runs the program for a hook's event, after those that came before it, unless the event was
// taken from the spool. Its error says that the event did not come whole: its hook sees to it.
func (s *session) event(ctx context.Context, run Run, delivered func(func(bool))) (status int, err error) {
	payload, err := io.ReadAll(io.LimitReader(&s.read, maxPayload+1))
	if err == nil && len(payload) > maxPayload {
		err = fmt.Errorf("the event has more than %d bytes", maxPayload)
	}
	if err != nil {
		return 0, err
	}
	if s.d.srv.Building() && s.d.place.Keep(socket.Event{Run: run, Payload: payload}) == nil {
		return 0, nil // it is heard when there is an index
	}
	s.d.takeUp(ctx)
	if !s.d.first(run.Event) {
		return 0, nil
	}
	return s.program(ctx, run, bytes.NewReader(payload), delivered), nil
}

// arrived reports whether the client says that it has all it was sent, before it goes.
func (s *session) arrived(gone <-chan struct{}) bool {
	select {
	case <-s.got:
	case <-gone:
	case <-time.After(grace):
	}
	select {
	case <-s.got:
		return true
	default:
		return false
	}
}

// program runs the program with the session's streams.
func (s *session) program(ctx context.Context, run Run, in io.Reader, delivered func(func(bool))) (status int) {
	return s.d.program(ctx, Process{
		Run: run, Server: s.d.srv, In: in, Out: socket.Stream{Conn: s.Conn, Kind: socket.Stdout}, Err: socket.Stream{Conn: s.Conn, Kind: socket.Stderr}, Log: s.d.log.Warn, Delivered: delivered,
	})
}

// program runs the program. A panic is the caller's misfortune alone.
func (d *daemon) program(ctx context.Context, p Process) (status int) {
	defer func() {
		if v := recover(); v != nil {
			d.log.Error("panic", "args", p.Args, "value", fmt.Sprint(v), "stack", string(debug.Stack()))
			status = 1
		}
	}()
	return d.cfg.Program(ctx, p)
}

// receive takes what the client sends until it hangs up, or has all. It returns true when the daemon ends:
// what was read before is then still answered.
func (s *session) receive() (ending bool) {
	for {
		kind, data, err := socket.ReadChunk(s.In)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			_ = s.input.CloseWithError(io.ErrUnexpectedEOF) // the first end counts
			return true
		case err == nil && kind == socket.Got:
			close(s.got)
			_ = s.input.Close()
			return true
		case err != nil || kind != socket.Stdin:
			_ = s.input.CloseWithError(io.ErrUnexpectedEOF)
			return false
		case len(data) == 0:
			_ = s.input.Close()
		default:
			_, _ = s.input.Write(data) // a program that reads no more passes it over
		}
	}
}

// wanted is a program's standard input. Its first Read asks for it: the input of a command
// that reads none belongs to whatever comes after it.
type wanted struct {
	*io.PipeReader
	ask func()
}

func (w *wanted) Read(p []byte) (int, error) {
	w.ask()
	return w.PipeReader.Read(p)
}
