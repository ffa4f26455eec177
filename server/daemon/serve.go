package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/daemon/socket"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

const (
	// DefaultIdle is how long a daemon without clients waits for the next one.
	DefaultIdle = 10 * time.Minute
	// pulse is how often a daemon looks whether its brain and its socket are still there: three system calls each time.
	pulse = 3 * time.Second
	// lockWait is how long a new daemon waits for the one that is ending.
	lockWait = 5 * time.Second
	// retry is how soon something is tried again that takes a few milliseconds.
	retry = 5 * time.Millisecond
	// grace is how long calls at work may still take when the daemon ends.
	grace = 2 * time.Second
	// maxSessions bounds the clients of one daemon; a person has a dozen windows and agents.
	maxSessions = 256
)

// Config says which brain is meant and how its daemon is found. Both ends must agree on the folders.
type Config struct {
	Brain    string // the brain's folder
	CacheDir string // as in brain.Config
	StateDir string // as in brain.Config
	RunDir   string // where the socket is; "" means the user's run folder
	Build    Build  // of the program this is
	Log      *slog.Logger

	// Of a client alone.
	Start []string // program and arguments that start a daemon, before --brain; none: only one that runs is used
	Find  bool     // none is started where none runs; an older one is replaced
	Haste bool     // none is started where one failed to start a moment ago

	// Of a daemon alone.
	Idle    time.Duration    // without clients it ends after this time; 0 means DefaultIdle
	Now     func() time.Time // nil means time.Now
	Program Program          // what it runs for its clients; nil runs nothing
	Report  io.WriteCloser   // told in one line when the daemon serves or why it does not, then closed; may be nil

	protocol  int           // 0 means socket.Protocol
	pulse     time.Duration // 0 means pulse
	startWait time.Duration // 0 means startWait
}

// Build says which build of the program a process is.
type Build = socket.Build

// Run is what a client has the daemon run.
type Run = socket.Run

// locate returns the place of the daemon of cfg.Brain, and that folder behind all links.
func locate(cfg Config) (p socket.Place, root string, err error) {
	b, err := lessons.OpenBrain(cfg.Brain)
	if err != nil {
		return p, "", err
	}
	folders := socket.Folders{State: cfg.StateDir, Cache: cfg.CacheDir, Run: cfg.RunDir}
	p, err = socket.Locate(folders, b.Root(), cmp.Or(cfg.protocol, socket.Protocol))
	return p, b.Root(), errors.Join(err, b.Close())
}

// OpenLog opens the log of the daemon that cfg names. Its lines hold no secrets.
func OpenLog(cfg Config) (*side.Log, error) {
	p, _, err := locate(cfg)
	if err != nil {
		return nil, err
	}
	log, err := side.OpenLog(filepath.Join(p.Dir, p.Name+".log"), leaks.Keep)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return log, nil
}

// The lines of a Report.
const (
	saysServing = "serving"
	saysRunning = "running"
	saysOwned   = "owned"
	saysFailed  = "failed: "
)

// Serve is the daemon of cfg.Brain. It returns nil when it ended in order: because ctx is done, nobody came for a
// while, the brain or the socket is gone, or a newer build asked for its place. ErrRunning says that another one
// serves, ErrOwned that a process which is no daemon owns the brain's index.
func Serve(ctx context.Context, cfg Config) (err error) {
	report := cfg.Report
	tell := func(line string) {
		if report != nil {
			_, _ = fmt.Fprintln(report, line) // whoever started us may be gone
			_ = report.Close()
		}
		report = nil
	}
	var place socket.Place
	defer func() {
		switch {
		case errors.Is(err, ErrRunning):
			tell(saysRunning)
		case err != nil:
			tell(noteFailure(ctx, place, err))
		}
	}()
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p, root, err := locate(cfg)
	if err != nil {
		return err
	}
	place = p
	lock, err := take(ctx, p)
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // released by the system at the latest
	dead, _ := p.Owner()
	if err := p.Withdraw(); err != nil {
		return err
	}
	srv, err := own(ctx, brain.Config{
		Brain: root, CacheDir: cfg.CacheDir, StateDir: cfg.StateDir, Watch: true, Now: cfg.Now, Log: cfg.Log,
	}, cmp.Or(cfg.startWait, startWait)*3/4) // who started this daemon waits a little longer
	if err != nil {
		return fmt.Errorf("open the brain: %w", err)
	}
	defer func() { err = errors.Join(err, srv.Close()) }()
	ln, path, err := openSocket(p, dead.Socket)
	if err != nil {
		return err
	}
	d := &daemon{
		cfg: cfg, place: p, srv: srv, log: cfg.Log,
		asked: make(chan string, 1), sessions: map[*session]struct{}{},
		brain: noted(root), socket: noted(path), lock: noted(p.Lock()),
	}
	if err := p.Announce(socket.Note{Socket: path, PID: os.Getpid(), Protocol: p.Protocol}); err != nil {
		cfg.Log.Warn("clients with another run folder will not find this daemon", "err", err)
	}
	_ = os.Remove(p.Failed()) // mostly it is not there
	d.log.Info("serving", "brain", root, "pid", os.Getpid(), "build", cfg.Build.Version, "socket", path)
	tell(saysServing)
	d.log.Info("ended", "why", d.run(ctx, ln))
	return nil
}

// failureCounts is how long nobody who is in haste tries to start a daemon again after one failed.
const failureCounts = time.Minute

// noteFailure keeps, for whoever comes next, why there is no daemon, and returns the line that says so.
func noteFailure(ctx context.Context, p socket.Place, err error) (line string) {
	line = saysFailed + err.Error()
	if errors.Is(err, ErrOwned) {
		line = saysOwned
	}
	if ctx.Err() == nil && p.Name != "" {
		_ = os.WriteFile(p.Failed(), []byte(line), 0o600) //nolint:forbidigo // side data; without it the next one tries again
	}
	return line
}

// failure returns why a daemon did not start a moment ago, nil where none failed.
func failure(p socket.Place) error {
	info, err := os.Stat(p.Failed())
	if err != nil {
		return nil //nolint:nilerr // mostly it is not there
	}
	if age := time.Since(info.ModTime()); age < 0 || age >= failureCounts {
		return nil
	}
	line, err := os.ReadFile(p.Failed())
	return reported(string(line), err)
}

// own opens a brain as the owner of its index and state. A command that owns them for a
// moment is waited for up to the limit; ErrOwned says that somebody keeps them.
func own(ctx context.Context, cfg brain.Config, limit time.Duration) (*server.Server, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrOwned)
	defer cancel()
	for {
		srv, err := server.New(ctx, cfg)
		if err != nil || srv.Owner() {
			return srv, err
		}
		if err := srv.Close(); err != nil {
			return nil, err
		}
		select {
		case <-time.After(10 * retry):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// take gets the brain's lock. A daemon that is ending is waited for, one that serves is left in peace.
func take(ctx context.Context, p socket.Place) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(p.Lock(), flock.SetPermissions(0o600))
	for tick := time.Tick(retry); ; {
		if ok, err := lock.TryLock(); err != nil {
			return nil, fmt.Errorf("lock the brain's daemon: %w", err)
		} else if ok {
			return lock, nil
		}
		if note, _ := p.Owner(); note.Socket != "" {
			if conn, err := net.Dial("unix", note.Socket); err == nil {
				return nil, errors.Join(ErrRunning, conn.Close())
			}
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return nil, ErrRunning // whatever it is doing, it is not ours to disturb
		}
	}
}

// openSocket opens the socket and returns its path. The lock is held, so every socket of this brain that is there
// belongs to a daemon that is dead, and so does the one that the last note named.
func openSocket(p socket.Place, dead string) (*net.UnixListener, string, error) {
	path, err := p.Listen()
	if err != nil {
		return nil, "", err
	}
	stale := []string{path}
	if strings.HasPrefix(filepath.Base(dead), p.Name+"-") {
		stale = append(stale, dead)
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, "", fmt.Errorf("remove a dead daemon's socket: %w", err)
		}
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, "", fmt.Errorf("open the socket: %w", err)
	}
	ln.SetUnlinkOnClose(false) // it may be another one's by then
	if err := closeToOthers(path); err != nil {
		return nil, "", errors.Join(fmt.Errorf("close the socket to others: %w", err), ln.Close())
	}
	return ln, path, nil
}

// daemon is one process's serving of a brain.
type daemon struct {
	cfg   Config
	place socket.Place
	srv   *server.Server
	log   *slog.Logger
	asked chan string // why it should end; the first reason counts

	brain, socket, lock file // as they were when it began

	ran atomic.Int64 // programs so far

	spoolMu sync.Mutex // one at a time takes up late events

	changed chan struct{} // a session began to run a program, or ended

	mu       sync.Mutex // guards the fields below
	sessions map[*session]struct{}
	taken    []string // names of the last events
	ending   bool
}

// run serves until there is a reason to end, and returns it. It closes ln; no goroutine of
// the daemon's is left when it returns.
func (d *daemon) run(ctx context.Context, ln net.Listener) (why string) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var wg sync.WaitGroup
	d.changed = make(chan struct{}, 1)
	wg.Go(func() { d.accept(work, ln) })
	late := func() { wg.Go(func() { d.takeUp(work) }) }
	late()

	idle := time.NewTimer(cmp.Or(d.cfg.Idle, DefaultIdle))
	defer idle.Stop()
	look := time.Tick(cmp.Or(d.cfg.pulse, pulse))
	ready := d.srv.Ready()
	var last, tidied int64 // programs that had been run at the last look, and when memory was given back
	for why == "" {
		select {
		case <-ctx.Done():
			why = "told to"
		case <-ready:
			ready = nil
			debug.FreeOSMemory() // what building the index took is not needed again for hours
		case why = <-d.asked:
		case <-d.changed:
			idle.Reset(cmp.Or(d.cfg.Idle, DefaultIdle))
		case <-idle.C:
			if d.clients() == 0 {
				why = "idle"
			}
		case <-look:
			why = d.missing()
			late()
			ran := d.ran.Load()
			if ran == last && ran != tidied {
				debug.FreeOSMemory() // the person pauses; another process has a use for it
				tidied = ran
			}
			last = ran
		}
	}

	// Note and socket go first: who comes now finds none and waits for the lock. What was read is answered.
	if d.lock.there() { // the note is ours, then
		if err := d.place.Withdraw(); err != nil {
			d.log.Warn("clients will look for this daemon in vain", "err", err)
		}
	}
	_ = ln.Close() // what was not accepted finds a closed connection
	if d.socket.there() {
		if err := os.Remove(d.socket.path); err != nil {
			d.log.Warn("the socket was not removed", "err", err)
		}
	}
	d.hush()
	over := time.AfterFunc(grace, cancel)
	defer over.Stop()
	wg.Wait()
	d.clear()
	return why
}

// accept serves each client until the listener is closed and all sessions have ended.
func (d *daemon) accept(ctx context.Context, ln net.Listener) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for failed := 0; ; {
		conn, err := ln.Accept()
		switch {
		case err == nil:
			failed = 0
		case errors.Is(err, net.ErrClosed):
			return
		default: // mostly for want of files or memory, which others give back
			if failed++; failed == 1 {
				d.log.Warn("clients have to wait", "err", err)
			}
			select {
			case <-time.After(acceptPause):
			case <-ctx.Done():
			}
			continue
		}
		if err := socket.CheckPeer(conn); err != nil {
			d.log.Warn("a client was refused", "err", err)
			_ = conn.Close()
			continue
		}
		s := &session{Conn: socket.NewConn(conn), d: d, got: make(chan struct{})}
		s.read.PipeReader, s.input = io.Pipe()
		s.read.ask = sync.OnceFunc(func() { _ = s.Send(socket.Want, nil) }) // a client that has gone shows as the end
		if !d.admit(s) {
			_ = conn.Close()
			continue
		}
		wg.Go(func() {
			s.serve(ctx)
			d.mu.Lock()
			delete(d.sessions, s)
			d.mu.Unlock()
			if s.works {
				d.poke()
			}
		})
	}
}

// acceptPause is how long nobody is accepted after the system could not.
const acceptPause = 50 * time.Millisecond

// admit counts a session in, unless the daemon is full or ends.
func (d *daemon) admit(s *session) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ending || len(d.sessions) >= maxSessions {
		return false
	}
	d.sessions[s] = struct{}{}
	return true
}

// poke has the daemon begin its idle time anew.
func (d *daemon) poke() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

func (d *daemon) clients() (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for s := range d.sessions {
		if s.works {
			n++
		}
	}
	return n
}

// listen says how long a session may wait for its client; no time is for ever. While the
// daemon ends it does not wait at all.
func (d *daemon) listen(s *session, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ending {
		until = time.Unix(1, 0)
	}
	_ = s.SetReadDeadline(until) // fails on a closed connection alone
}

// hush ends the input of every session: each answers what it has read, and ends.
func (d *daemon) hush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ending = true
	for s := range d.sessions {
		_ = s.SetWriteDeadline(time.Now().Add(grace)) // both fail on a closed
		_ = s.SetReadDeadline(time.Unix(1, 0))        // connection alone
	}
}

// missing says what of the daemon's is gone, "" when all is there. Without its brain it has nothing to serve, without
// its socket nobody finds it, without its lock another one would start beside it.
func (d *daemon) missing() string {
	switch {
	case !d.brain.there():
		return "the brain is gone"
	case !d.socket.there():
		return "the socket is gone"
	case !d.lock.there():
		return "the lock is gone"
	}
	return ""
}

// file is a file or folder as it was once.
type file struct {
	path string
	info fs.FileInfo // nil where files cannot be told apart
}

func noted(path string) file {
	info, err := os.Lstat(path)
	if err != nil || !os.SameFile(info, info) { // asked at once: some systems look only then
		info = nil
	}
	return file{path, info}
}

// there reports whether the path still leads to the file. A disk that does not answer proves nothing.
func (f file) there() bool {
	now, err := os.Lstat(f.path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return f.info == nil || os.SameFile(f.info, now)
}
