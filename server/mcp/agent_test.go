package mcp

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	words "github.com/handrail-dev/handrail/server/say"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The versions of the protocol in which a server asks a client differently.
const (
	classic = "2025-11-25"
	newest  = "2026-07-28"
)

// today is the clock of every brain under test, the day after the demo's last card.
func today() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) }

// setup is how an agent and its brain come together.
type setup struct {
	brain   string // the demo brain when empty, none with "-"
	folders []string
	version string
	locale  words.Locale
	do      func(Do) Do
	opened  func(*server.Server)
}

// agent is the other end of a session, by the SDK's own client.
type agent struct {
	*sdk.ClientSession
	t     *testing.T
	dir   string     // the workspace
	ended chan error // what Serve returned
	tools map[string]*sdk.Tool

	mu   sync.Mutex     // guards loop
	loop *server.Server // nil until somebody asks
}

// open returns the server of the agent's brain, which set is told of when it is new.
func (a *agent) open(folder, side string, told func(*server.Server)) (*server.Server, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.loop != nil {
		return a.loop, nil
	}
	s, err := server.New(context.Background(), brain.Config{
		Brain: folder, CacheDir: filepath.Join(side, "cache"), StateDir: filepath.Join(side, "state"), Now: today, Watch: true,
	})
	if err == nil {
		err = s.Agree(context.Background(), false) // the test's own files
	}
	if err != nil {
		return nil, err
	}
	<-s.Ready() // the instructions name titles only then
	a.loop = s
	if told != nil {
		told(s)
	}
	return s, nil
}

// newAgent starts a session in a workspace of its own.
func newAgent(t *testing.T, set setup) *agent {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t: t, dir: dir, ended: make(chan error, 1), tools: map[string]*sdk.Tool{}}
	if set.brain == "" {
		if err := os.CopyFS(filepath.Join(a.dir, ".brain"), os.DirFS("../../testdata/brains/demo")); err != nil {
			t.Fatal(err)
		}
	}
	side := t.TempDir()
	do := func(ctx context.Context, folders []string, r Request) (Reply, error) {
		if set.folders == nil {
			folders = []string{a.dir}
		}
		for _, f := range folders {
			if folder, ok := find.In(f); ok {
				s, err := a.open(folder, side, set.opened)
				if err != nil {
					return Reply{}, err
				}
				return Answer(ctx, Loop{Server: s, Locale: set.locale}, r), nil
			}
		}
		return Reply{}, lessons.ErrNoBrain
	}
	if set.do != nil {
		do = set.do(do)
	}
	ours, theirs := pipe()
	go func() {
		a.ended <- Serve(context.Background(), Config{
			In: ours.in, Out: ours.out, Do: do, Locale: set.locale, Version: "test", Log: discard(),
		})
	}()
	c := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, &sdk.ClientOptions{})
	for _, f := range set.folders {
		c.AddRoots(&sdk.Root{URI: f}) //nolint:staticcheck // SA1019: what today's agents have
	}
	a.ClientSession, err = c.Connect(t.Context(), &sdk.IOTransport{Reader: theirs.in, Writer: theirs.out}, &sdk.ClientSessionOptions{ProtocolVersion: set.version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = a.Close()
		_ = ours.in.Close()
		if err := <-a.ended; err != nil {
			t.Errorf("the session ended with %v", err)
		}
		if a.loop != nil {
			if err := a.loop.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	for tool, err := range a.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		a.tools[tool.Name] = tool
	}
	return a
}

type end struct {
	in  *io.PipeReader
	out *io.PipeWriter
}

func pipe() (a, b end) {
	a.in, b.out = io.Pipe()
	b.in, a.out = io.Pipe()
	return a, b
}

// call calls a tool and returns text and structure.
func (a *agent) call(name string, args any) (text string, out map[string]any) {
	a.t.Helper()
	r := a.result(name, args)
	if r.IsError {
		a.t.Fatalf("%s: %s", name, textOf(r))
	}
	out, ok := r.StructuredContent.(map[string]any)
	if !ok {
		a.t.Fatalf("%s has no structured result", name)
	}
	return textOf(r), out
}

// refused calls a tool that must fail and returns its sentence.
func (a *agent) refused(name string, args any) string {
	a.t.Helper()
	r := a.result(name, args)
	if !r.IsError {
		a.t.Fatalf("%s(%v) succeeds: %s", name, args, textOf(r))
	}
	return textOf(r)
}

func (a *agent) result(name string, args any) *sdk.CallToolResult {
	a.t.Helper()
	r, err := a.CallTool(a.t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		a.t.Fatalf("%s: %v", name, err)
	}
	return r
}

func textOf(r *sdk.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// put writes a file of the brain.
func (a *agent) put(rel, text string) {
	a.t.Helper()
	path := filepath.Join(a.dir, ".brain", filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

func (a *agent) file(rel string) string {
	a.t.Helper()
	text, err := os.ReadFile(filepath.Join(a.dir, ".brain", filepath.FromSlash(rel)))
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text)
}

// has fails the test unless text holds every one of the wanted pieces.
func has(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in\n%s", w, text)
		}
	}
}
