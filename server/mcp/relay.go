package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"handrail/lessons"
)

// Ends are the places where an agent's session can be served.
type Ends struct {
	// Find returns the brain of the folders that the agent named, none: of where the program
	// was started. Its error is lessons.ErrNoBrain while there is none.
	Find func(folders []string) (brain string, err error)
	// Daemon has the daemon of the folders' brain serve the session until the input ends. ran
	// is false where there is no daemon to be had.
	Daemon func(ctx context.Context, folders []string, in io.Reader, out io.Writer) (ran bool, err error)
	// Here serves the session in this process.
	Here func(ctx context.Context, in io.Reader, out io.Writer, open Open) error
	// Alone opens the brain in this process.
	Alone Open

	Lost string // what is said of a call whose daemon ended before it answered
	Log  *slog.Logger
}

// Relay passes an agent's messages on to the daemon of its brain. While it has no brain the
// session is served here, since it may name its folders yet; then, and when a daemon has
// ended, the session begins anew in another daemon without the agent's noticing: what it
// began with is said again. It returns when the input has ended and everything is answered.
func Relay(ctx context.Context, in io.Reader, out io.Writer, ends Ends) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &relay{ctx: ctx, Ends: ends, out: out}
	lines := make(chan []byte)
	ended := make(chan struct{})
	go func() { // until the input ends; a terminal's read cannot be broken off
		reader := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := readLine(reader)
			if errors.Is(err, errLineTooLong) {
				line, err = []byte("-"), nil // no message either: the session says so
			}
			if len(bytes.TrimSpace(line)) > 0 {
				select {
				case lines <- append(bytes.TrimRight(line, "\r\n"), '\n'):
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				close(ended)
				return
			}
		}
	}()
	for {
		select {
		case line := <-lines:
			r.pass(line)
		case <-ended:
			return r.finish()
		case <-ctx.Done():
			return r.finish()
		}
	}
}

// relay is one agent's session, wherever it is served now.
type relay struct {
	Ends
	ctx context.Context

	mu      sync.Mutex // guards the fields below
	out     io.Writer
	folders []string   // that the agent named
	hello   [][]byte   // what the session began with
	waiting []asked    // calls without an answer, in their order
	asks    []question // what sessions asked the agent and have no answer to
	asked   int        // how many there were
	now     *served    // nil before the first message, and after a daemon has ended
}

// asked is a call of the agent's.
type asked struct {
	id   string
	line []byte
}

// question is a call of a session's to the agent. Each session counts its calls from one, so that they are counted anew here.
type question struct {
	from    *served
	own, id string // as the session and as the agent know it
}

// served is the session at one place.
type served struct {
	in     *queue
	cancel context.CancelFunc
	over   chan struct{}
	skip   string // id of an answer that the agent has already had
}

// envelope is what of a message the relay goes by.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"` // of a cancellation
	} `json:"params"`
}

// pass hands a message of the agent's on.
func (r *relay) pass(line []byte) {
	var m envelope
	_ = json.Unmarshal(line, &m) // what is no message is the session's to refuse
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Method == "" && len(m.ID) > 0 {
		r.answered(string(m.ID), line)
		return
	}
	if r.now == nil {
		r.serve(true)
	}
	r.now.in.put(line)
	if m.Method == "initialize" || m.Method == "notifications/initialized" {
		r.hello = append(r.hello, line)
	}
	if m.Method != "" && len(m.ID) > 0 {
		r.waiting = append(r.waiting, asked{string(m.ID), line})
	}
}

// answered hands the agent's answer to the session that asked; one that has ended asks no more. The caller holds mu.
func (r *relay) answered(id string, line []byte) {
	i := slices.IndexFunc(r.asks, func(q question) bool { return q.id == id })
	if i < 0 {
		return
	}
	q := r.asks[i]
	r.asks = slices.Delete(r.asks, i, i+1)
	if q.from == r.now {
		r.now.in.put(renamed(line, "id", q.own))
	}
}

// asking returns a session's call to the agent, or the end of one, under the agent's id of it. The caller holds mu.
func (r *relay) asking(from *served, m envelope, line []byte) []byte {
	if len(m.ID) > 0 {
		r.asked++
		q := question{from, string(m.ID), strconv.Itoa(r.asked)}
		r.asks = append(r.asks, q)
		return renamed(line, "id", q.id)
	}
	i := slices.IndexFunc(r.asks, func(q question) bool { return q.from == from && q.own == string(m.Params.RequestID) })
	if i < 0 {
		return line
	}
	q := r.asks[i]
	r.asks = slices.Delete(r.asks, i, i+1)
	return renamed(line, "params", cancelled(q.id))
}

// cancelled are the parameters of the notification that a call is not waited for any more.
func cancelled(id string) string { return `{"requestId":` + id + `}` }

// renamed returns a message with another value of one of its keys.
func renamed(line []byte, key, value string) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(line, &m) != nil {
		return line
	}
	m[key] = json.RawMessage(value)
	out, err := json.Marshal(m)
	if err != nil {
		return line
	}
	return append(out, '\n')
}

// serve begins the session where it can be served best, and says again what it began with.
// again leaves calls that wait for an answer to who asked them. The caller holds mu.
func (r *relay) serve(forget bool) {
	ctx, cancel := context.WithCancel(r.ctx)
	s := &served{in: newQueue(), cancel: cancel, over: make(chan struct{})}
	r.now = s
	folders := r.folders
	go func() {
		defer close(s.over)
		r.ended(s, r.run(ctx, folders, s))
	}()
	repeat := r.hello
	if !forget {
		for _, a := range r.waiting {
			repeat = append(repeat[:len(repeat):len(repeat)], a.line)
		}
	}
	for _, line := range repeat {
		var m envelope
		_ = json.Unmarshal(line, &m) // it was one before
		if m.Method == "initialize" && (forget || !r.waits(string(m.ID))) {
			s.skip = string(m.ID)
		}
		s.in.put(line)
	}
}

func (r *relay) waits(id string) bool {
	for _, a := range r.waiting {
		if a.id == id {
			return true
		}
	}
	return false
}

// run serves the session until its input ends.
func (r *relay) run(ctx context.Context, folders []string, s *served) error {
	out := &answers{relay: r, from: s}
	_, err := r.Find(folders)
	if err == nil {
		var ran bool
		if ran, err = r.Daemon(ctx, folders, s.in, out); ran {
			return err
		}
		if !errors.Is(err, lessons.ErrNoBrain) {
			r.Log.Warn("no daemon; this process works alone", "err", err)
			return r.Here(ctx, s.in, out, func(ctx context.Context, named []string) (Loop, error) {
				if len(named) == 0 {
					named = folders
				}
				return r.Alone(ctx, named)
			})
		}
	}
	return r.Here(ctx, s.in, out, func(ctx context.Context, named []string) (Loop, error) {
		if _, err := r.Find(named); err != nil {
			return nil, err
		}
		r.move(s, named)
		<-ctx.Done() // the call is answered by the daemon
		return nil, ctx.Err()
	})
}

// move serves the session where the brain is that the agent's folders name.
func (r *relay) move(from *served, folders []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == from {
		r.folders = folders
		from.cancel()
		r.serve(false)
	}
}

// ended answers what a session left without an answer.
func (r *relay) ended(s *served, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != s {
		return
	}
	r.now = nil
	s.in.end() // for who still waits for more of it
	if err != nil && r.ctx.Err() == nil {
		r.Log.Warn("the session begins anew", "err", err)
	}
	for _, a := range r.waiting {
		answer, err := json.Marshal(map[string]any{
			"jsonrpc": "2.0", "id": json.RawMessage(a.id), "error": map[string]any{"code": jsonrpc.CodeInternalError, "message": r.Lost},
		})
		if err == nil {
			_, _ = r.out.Write(append(answer, '\n')) // an agent that has gone needs none
		}
	}
	r.waiting = nil
	for _, q := range r.asks { // the person need not answer any more
		if q.from == s {
			_, _ = r.out.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + cancelled(q.id) + "}\n"))
		}
	}
	r.asks = nil
}

// finish ends the input of the session and waits for its end.
func (r *relay) finish() error {
	r.mu.Lock()
	s := r.now
	r.mu.Unlock()
	if s == nil {
		return nil
	}
	s.in.end()
	<-s.over
	return nil
}

// queue is the input of a session. Who fills it never waits.
type queue struct {
	mu    sync.Mutex // guards the fields below
	more  *sync.Cond
	data  bytes.Buffer
	ended bool
}

func newQueue() *queue {
	q := &queue{}
	q.more = sync.NewCond(&q.mu)
	return q
}

func (q *queue) put(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.data.Write(line)
	q.more.Broadcast()
}

func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.more.Broadcast()
}

// Read waits for a message or the end.
func (q *queue) Read(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.data.Len() == 0 && !q.ended {
		q.more.Wait()
	}
	return q.data.Read(p)
}

// Close ends the input for who reads it.
func (q *queue) Close() error {
	q.end()
	return nil
}

// answers passes on what a session says, a line at a time, while it is the one that counts.
type answers struct {
	*relay
	from *served
	part []byte // a line that has not ended
}

func (a *answers) Write(p []byte) (int, error) {
	a.part = append(a.part, p...)
	for {
		i := bytes.IndexByte(a.part, '\n')
		if i < 0 {
			return len(p), nil
		}
		if err := a.line(a.part[:i+1]); err != nil {
			return 0, err
		}
		a.part = a.part[i+1:]
	}
}

func (a *answers) line(line []byte) error {
	var m envelope
	_ = json.Unmarshal(line, &m) // it is passed on as it is
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now != a.from {
		return nil
	}
	if m.Method != "" {
		line = a.asking(a.from, m, line)
	} else if len(m.ID) > 0 {
		id := string(m.ID)
		if id == a.from.skip {
			a.from.skip = ""
			return nil
		}
		for i, w := range a.waiting {
			if w.id == id {
				a.waiting = append(a.waiting[:i], a.waiting[i+1:]...)
				break
			}
		}
	}
	if _, err := a.out.Write(line); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}
