package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/uri"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
)

// patience is how long a test waits for something that must come. It is far more than
// anything takes; nothing ever waits for it in a passing run.
const patience = 2 * time.Minute

// today is the clock of every session under test.
func today() time.Time { return time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC) }

// editor is the other end of a session: it sends what a test says, keeps what comes, and
// answers the server's requests as an editor would.
type editor struct {
	t      *testing.T
	dir    string // the workspace
	side   string // parent of index and state
	conn   net.Conn
	status chan int // the exit status of serve

	mu      sync.Mutex // guards the fields below and what is written to conn
	cond    *sync.Cond
	gone    bool // the server hung up
	lastID  int
	answers map[string]message
	notices []message
	asked   []message // the server's requests
	servers []*server.Server
}

// message is any JSON-RPC message.
type message struct {
	JSONRPC string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id,omitempty"`
	Method  string           `json:"method,omitempty"`
	Params  json.RawMessage  `json:"params,omitempty"`
	Result  json.RawMessage  `json:"result,omitempty"`
	Error   json.RawMessage  `json:"error,omitempty"`
}

// newEditor starts a session over a pipe, in a workspace of its own that holds files.
func newEditor(t *testing.T, files map[string]string, more ...method) *editor {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	side := t.TempDir()
	t.Cleanup(func() { // the last of all: every session has ended
		if leaked := ours(); leaked != "" {
			t.Errorf("goroutines are left:\n%s", leaked)
		}
	})
	return start(t, dir, side, more)
}

// another starts a second session on the same workspace and the same side data.
func (e *editor) another(more ...method) *editor { return start(e.t, e.dir, e.side, more) }

func start(t *testing.T, dir, side string, more []method) *editor {
	t.Helper()
	here, there := net.Pipe()
	e := &editor{t: t, dir: dir, side: side, conn: here, status: make(chan int, 1), answers: map[string]message{}}
	e.cond = sync.NewCond(&e.mu)
	open := func(ctx context.Context, cfg brain.Config) (*server.Server, func() error, error) {
		cfg.CacheDir, cfg.StateDir = filepath.Join(side, "cache"), filepath.Join(side, "state")
		srv, err := server.New(ctx, cfg)
		if err != nil {
			return nil, nil, err
		}
		if err := srv.Agree(ctx, false); err != nil { // the tests' own files
			return nil, nil, errors.Join(err, srv.Close())
		}
		e.mu.Lock()
		e.servers = append(e.servers, srv)
		e.mu.Unlock()
		return srv, srv.Close, nil
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	go func() {
		e.status <- serve(context.Background(), there, append(table(), more...), Config{Open: open, Log: log, Getenv: os.Getenv, Now: today})
	}()
	go e.listen()
	t.Cleanup(e.hangUp)
	return e
}

// hangUp closes the connection and waits for the end of the session.
func (e *editor) hangUp() {
	_ = e.conn.Close()
	e.exited()
}

func (e *editor) exited() int {
	e.t.Helper()
	select {
	case code := <-e.status:
		e.status <- code
		return code
	case <-time.After(patience):
		e.t.Fatalf("the session does not end:\n%s", stacks())
		return -1
	}
}

// ours returns the goroutines of the product that are still there once all that end have
// ended, "" for none.
func ours() string {
	deadline := time.Now().Add(patience / 10)
	for {
		var left []string
		for _, g := range strings.Split(stacks(), "\n\n") {
			if strings.Contains(g, "handrail/") && !strings.Contains(g, "testing.") || strings.Contains(g, "go.lsp.dev/jsonrpc2") {
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

// listen takes what the server sends until it hangs up.
func (e *editor) listen() {
	in := bufio.NewReader(e.conn)
	for {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			break
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			break
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			break
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			e.t.Errorf("the server sent %q: %v", body, err)
			break
		}
		e.took(m)
	}
	e.mu.Lock()
	e.gone = true
	e.cond.Broadcast()
	e.mu.Unlock()
}

func (e *editor) took(m message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.cond.Broadcast()
	switch {
	case m.Method == "":
		id := "null"
		if m.ID != nil {
			id = string(*m.ID)
		}
		e.answers[id] = m
	case m.ID == nil:
		e.notices = append(e.notices, m)
	default:
		e.asked = append(e.asked, m)
		result := json.RawMessage("null")
		raw, err := json.Marshal(message{JSONRPC: "2.0", ID: m.ID, Result: result})
		if err != nil {
			e.t.Error(err)
		}
		// Not from here: over a pipe the server may be writing, and only we read it.
		go e.raw(string(raw))
	}
}

// raw sends a body as it is.
func (e *editor) raw(body string) {
	e.wire(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

var wireMu sync.Mutex // one message at a time; a test has one editor at work

// wire sends bytes as they are.
func (e *editor) wire(bytes string) {
	wireMu.Lock()
	defer wireMu.Unlock()
	_, _ = io.WriteString(e.conn, bytes) // a server that hung up shows elsewhere
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	e.raw(e.marshal(message{JSONRPC: "2.0", Method: method, Params: json.RawMessage(e.marshal(params))}))
}

// begin sends a request and returns its id.
func (e *editor) begin(method string, params any) string {
	e.t.Helper()
	e.mu.Lock()
	e.lastID++
	id := strconv.Itoa(e.lastID)
	e.mu.Unlock()
	raw := json.RawMessage(id)
	e.raw(e.marshal(message{JSONRPC: "2.0", ID: &raw, Method: method, Params: json.RawMessage(e.marshal(params))}))
	return id
}

func (e *editor) marshal(v any) string {
	e.t.Helper()
	if s, ok := v.(string); ok {
		return s
	}
	raw, err := json.Marshal(v)
	if err != nil {
		e.t.Fatal(err)
	}
	return string(raw)
}

// wait blocks until done says so, under e.mu.
func (e *editor) wait(what string, done func() bool) {
	e.t.Helper()
	timer := time.AfterFunc(patience, func() {
		e.mu.Lock()
		e.gone = true
		e.cond.Broadcast()
		e.mu.Unlock()
	})
	defer timer.Stop()
	for !done() {
		if e.gone {
			e.mu.Unlock()
			defer e.mu.Lock()
			e.t.Fatalf("%s did not come", what)
		}
		e.cond.Wait()
	}
}

// answer waits for the answer to a request.
func (e *editor) answer(id string) message {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	var m message
	e.wait("the answer to "+id, func() (ok bool) { m, ok = e.answers[id]; return ok })
	delete(e.answers, id)
	return m
}

// await waits for a notification of a method that holds every one of the given pieces of
// JSON, drops the older ones of the method, and returns it.
func (e *editor) await(method string, holds ...string) message {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	var found message
	e.wait(fmt.Sprint(method, holds), func() bool {
		for i, m := range e.notices {
			if m.Method != method || slices.ContainsFunc(holds, func(h string) bool { return !strings.Contains(string(m.Params), h) }) {
				continue
			}
			found = m
			rest := slices.DeleteFunc(slices.Clone(e.notices[:i]), func(m message) bool { return m.Method == method })
			e.notices = append(rest, e.notices[i+1:]...)
			return true
		}
		return false
	})
	return found
}

// asks waits for a request of the server's.
func (e *editor) asks(method string) message {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	var found message
	e.wait(method, func() bool {
		i := slices.IndexFunc(e.asked, func(m message) bool { return m.Method == method })
		if i < 0 {
			return false
		}
		found = e.asked[i]
		e.asked = slices.Delete(e.asked, i, i+1)
		return true
	})
	return found
}

// call sends a request and decodes its result.
func call[R any](e *editor, method string, params any) R {
	e.t.Helper()
	m := e.answer(e.begin(method, params))
	var r R
	if m.Error != nil {
		e.t.Fatalf("%s: %s", method, m.Error)
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		e.t.Fatal(err)
	}
	return r
}

// refused sends a request and returns the error that must answer it.
func (e *editor) refused(method string, params any) (code jsonrpc2.Code, data ErrorData) {
	e.t.Helper()
	m := e.answer(e.begin(method, params))
	var x struct {
		Code    jsonrpc2.Code
		Message string
		Data    ErrorData
	}
	if m.Error == nil {
		e.t.Fatalf("%s was not refused: %s", method, m.Result)
	}
	if err := json.Unmarshal(m.Error, &x); err != nil || x.Message == "" {
		e.t.Fatalf("%s: bad error %s (%v)", method, m.Error, err)
	}
	return x.Code, x.Data
}

// initialize begins the session in English, with what a full editor can do.
func (e *editor) initialize(more ...string) {
	e.t.Helper()
	call[any](e, "initialize", fmt.Sprintf(`{%s"processId":null,"workspaceFolders":[{"uri":%q,"name":"ws"}],"capabilities":{
		"workspace":{"workspaceEdit":{"documentChanges":true}}}}`, strings.Join(append(more, ""), ","), e.uri("")))
	e.notify("initialized", "{}")
}

func (e *editor) uri(name string) string { return uri.File(filepath.Join(e.dir, name)).String() }

// settle waits until every change reported so far can be found.
func (e *editor) settle() {
	e.t.Helper()
	call[any](e, "test/sync", "{}") // the notifications before it are handled
	e.mu.Lock()
	servers := slices.Clone(e.servers)
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, srv := range servers[max(0, len(servers)-1):] {
		select {
		case <-srv.Ready():
		case <-ctx.Done():
			e.t.Fatal("the index is never ready")
		}
		if err := srv.Settle(ctx); err != nil {
			e.t.Fatal(err)
		}
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
