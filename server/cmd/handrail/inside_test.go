package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/daemon"
	"github.com/handrail-dev/handrail/server/mcp"
)

// inside is a daemon's server over the demo brain, and a call that runs beside it in a folder
// without a brain.
func inside(t *testing.T, env ...string) (*server.Server, *daemon.Process) {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "brain")
	if err := copyBrain(folder, dir); err != nil {
		t.Fatal(err)
	}
	s, err := server.New(t.Context(), brain.Config{Brain: folder, CacheDir: filepath.Join(dir, "cache"), StateDir: filepath.Join(dir, "handrail")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	elsewhere := filepath.Join(dir, "elsewhere")
	if err := os.MkdirAll(filepath.Join(elsewhere, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return s, &daemon.Process{Run: daemon.Run{Dir: elsewhere, Env: env}, Server: s}
}

// agentInside speaks MCP with an agent whose requests run beside the daemon's server.
func agentInside(t *testing.T, p *daemon.Process, in io.Reader, out io.Writer) {
	a := &app{call: call{inside: p}, in: in, stdout: out}
	err := a.serveAgent(t.Context(), slog.New(slog.DiscardHandler), func(ctx context.Context, _ []string, r mcp.Request) (reply mcp.Reply, err error) {
		raw, err := json.Marshal(r)
		if err != nil {
			return reply, err
		}
		var answer bytes.Buffer
		if status := execute(ctx, call{args: []string{"mcp"}, inside: p}, bytes.NewReader(raw), &answer, t.Output()); status != 0 {
			t.Errorf("%s: status %d", raw, status)
		}
		err = json.Unmarshal(answer.Bytes(), &reply)
		return reply, err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAnAgentOfManyFolders: the first folder that an agent names need not be the one with the brain.
func TestAnAgentOfManyFolders(t *testing.T) {
	_, p := inside(t)
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lessons_preflight","arguments":{"query":"add a telegram command that restarts the server"}}}
`
	var out strings.Builder
	agentInside(t, p, strings.NewReader(in), &out)
	if !strings.Contains(out.String(), "ACTIVE LESSONS") {
		t.Error(out.String())
	}
}

// stuck is a terminal that takes nothing until it is let go.
type stuck struct {
	once  sync.Once
	asked chan struct{}
	letGo chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.asked) })
	<-s.letGo
	return len(p), nil
}

// TestATerminalThatStandsStill: what a command has to say of the embeddings model keeps nobody
// else from the server, even where nobody reads it.
func TestATerminalThatStandsStill(t *testing.T) {
	answered := make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-answered
		w.WriteHeader(http.StatusForbidden)
	}))
	defer model.Close()
	s, p := inside(t, "HANDRAIL_EMBEDDINGS_URL="+model.URL)
	p.Env = append(p.Env, "HANDRAIL_BRAIN="+s.Brain().Root())
	noticed := make(chan struct{})
	defer s.Attach(brain.Notify{NoEmbeddings: func(error) { close(noticed) }})()
	in, feed := io.Pipe()
	out, print := io.Pipe()
	terminal := &stuck{asked: make(chan struct{}), letGo: make(chan struct{})}
	ended := make(chan int, 1)
	go func() {
		ended <- execute(t.Context(), call{args: []string{"retrieve", "--jsonl"}, inside: p}, in, print, terminal)
	}()
	if _, err := io.WriteString(feed, `{"text":"telegram"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	close(answered)
	select {
	case <-noticed:
	case <-terminal.asked:
	}
	_ = feed.Close()
	<-terminal.asked
	attached := make(chan struct{})
	go func() {
		s.Attach(brain.Notify{})()
		close(attached)
	}()
	select {
	case <-attached:
	case <-time.After(patience):
		t.Error("another client waits for the terminal")
	}
	close(terminal.letGo)
	<-ended
}

// TestAPanicInTheDaemon tells its caller one sentence in their language; a hook's host hears nothing of it.
func TestAPanicInTheDaemon(t *testing.T) {
	s, p := inside(t)
	logged := 0
	p.Log = func(string, ...any) { logged++ }
	p.Server = nil // the command falls over it
	for lang, want := range map[string]string{"en": `handrail: Handrail failed inside "stats"`, "ko": `handrail: "stats" 처리 중`} {
		var out, errw strings.Builder
		status := execute(t.Context(), call{args: []string{"stats", "--lang", lang, "--brain", s.Brain().Root()}, inside: p}, strings.NewReader(""), &out, &errw)
		if status != exitFailed || out.Len() > 0 || !strings.HasPrefix(errw.String(), want) || strings.Count(errw.String(), "\n") != 1 {
			t.Errorf("status %d, %q, %q", status, out.String(), errw.String())
		}
	}
	if logged != 2 {
		t.Errorf("logged %d times", logged)
	}
}
