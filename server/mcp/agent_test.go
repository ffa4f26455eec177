package mcp

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/server"
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
	locale  server.Locale
	wrap    func(Loop) Loop
	answer  func(*sdk.ElicitParams) (*sdk.ElicitResult, error) // the person's, where the client can ask
}

// agent is the other end of a session, by the SDK's own client.
type agent struct {
	*sdk.ClientSession
	t       *testing.T
	dir     string        // the workspace
	changed chan struct{} // list-changed notifications
	ended   chan error    // what Serve returned
	opened  atomic.Int32  // brains that were opened
	tools   map[string]*sdk.Tool
}

// newAgent starts a session in a workspace of its own.
func newAgent(t *testing.T, set setup) *agent {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t: t, dir: dir, changed: make(chan struct{}, 100), ended: make(chan error, 1), tools: map[string]*sdk.Tool{}}
	if set.brain == "" {
		if err := os.CopyFS(filepath.Join(a.dir, ".brain"), os.DirFS("../../testdata/brains/demo")); err != nil {
			t.Fatal(err)
		}
	}
	side := t.TempDir()
	open := func(ctx context.Context, folders []string) (Loop, error) {
		if set.folders == nil {
			folders = []string{a.dir}
		}
		for _, f := range folders {
			if brain, ok := find.In(f); ok {
				s, err := server.New(ctx, server.Config{
					Brain: brain, CacheDir: filepath.Join(side, "cache"), StateDir: filepath.Join(side, "state"), Now: today, Watch: true,
				})
				if err == nil {
					err = s.Agree(ctx, false) // the test's own files
				}
				if err != nil {
					return nil, err
				}
				a.opened.Add(1)
				<-s.Ready() // the instructions name titles only then
				if set.wrap != nil {
					return set.wrap(s), nil
				}
				return s, nil
			}
		}
		return nil, lessons.ErrNoBrain
	}
	ours, theirs := pipe()
	go func() {
		a.ended <- Serve(context.Background(), Config{
			In: ours.in, Out: ours.out, Open: open, Locale: set.locale, Version: "test", Log: discard(),
		})
	}()
	options := &sdk.ClientOptions{
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { a.changed <- struct{}{} },
	}
	if set.answer != nil {
		options.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return set.answer(r.Params) }
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, options)
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

// uris lists the resources.
func (a *agent) uris() []string {
	a.t.Helper()
	var out []string
	for r, err := range a.Resources(a.t.Context(), nil) {
		if err != nil {
			a.t.Fatal(err)
		}
		out = append(out, r.URI)
	}
	return out
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
