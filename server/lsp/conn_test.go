package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/judge"
)

const card = `---
type: lesson
---
# The allowlist is checked before a command runs

## Root Cause
Nobody looked at the sender.

## Prevention Checklist
- [ ] The allowlist is checked first
`

func oneCard() map[string]string { return map[string]string{".brain/lessons/allowlist.md": card} }

func TestExitStatus(t *testing.T) {
	for _, x := range []struct {
		name string
		end  func(*editor)
		want int
	}{
		{"shutdown, exit", func(e *editor) { call[any](e, "shutdown", "{}"); e.notify("exit", "{}") }, 0},
		{"exit alone", func(e *editor) { e.notify("exit", "{}") }, 1},
		{"hangs up", func(e *editor) { e.hangUp() }, 1},
		{"dies in the middle of a message", func(e *editor) { e.wire("Content-Length: 1000\r\n\r\n{"); e.hangUp() }, 1},
		{"no longer speaks the protocol", func(e *editor) { e.wire("GET / HTTP/1.1\r\n\r\n") }, 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			e := newEditor(t, oneCard(), testMethods()...)
			e.initialize()
			e.begin("test/wait", "{}") // work that must not outlive the session
			x.end(e)
			if got := e.exited(); got != x.want {
				t.Errorf("exit status %d, want %d", got, x.want)
			}
		})
	}
}

// TestAfterShutdown: what was asked before is answered, and nothing else may be asked.
func TestAfterShutdown(t *testing.T) {
	open := make(chan struct{})
	gate := request("test/gate", func(*session, context.Context, Nothing) (string, error) {
		<-open
		return "done", nil
	})
	e := newEditor(t, oneCard(), append(testMethods(), gate)...)
	e.initialize()
	slow := e.begin("test/gate", "{}")
	call[any](e, "shutdown", "{}")
	if code, _ := e.refused("test/sync", "{}"); code != jsonrpc2.InvalidRequest {
		t.Errorf("a call after shutdown: code %d", code)
	}
	close(open)
	if m := e.answer(slow); string(m.Result) != `"done"` {
		t.Errorf("the call at work is answered %s%s", m.Result, m.Error)
	}
	e.notify("exit", "{}")
	if got := e.exited(); got != 0 {
		t.Errorf("exit status %d", got)
	}
}

func TestExitBeforeInitialize(t *testing.T) {
	e := newEditor(t, nil)
	e.notify("exit", "{}")
	if got := e.exited(); got != 1 {
		t.Errorf("exit status %d", got)
	}
}

func TestOrder(t *testing.T) {
	read := request("test/text", func(s *session, _ context.Context, p protocol.TextDocumentIdentifier) (string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.docs[p.URI].text, nil
	})
	e := newEditor(t, oneCard(), read)
	e.initialize()
	u := e.uri(".brain/lessons/new.md")
	e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"markdown","version":0,"text":""}}`, u))
	var want strings.Builder
	for i := range 40 {
		fmt.Fprintf(&want, "%d ", i)
		e.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"text":%q}]}`, u, i+1, want.String()))
	}
	if got := call[string](e, "test/text", fmt.Sprintf(`{"uri":%q}`, u)); got != want.String() {
		t.Errorf("after 40 changes the text is %q, want %q", got, want.String())
	}
	e.await("textDocument/publishDiagnostics", `"version":40`)
}

func TestSlowDoesNotDelayFast(t *testing.T) {
	e := newEditor(t, oneCard(), testMethods()...)
	e.initialize()
	slow := e.begin("test/wait", "{}")
	for range 20 {
		call[any](e, "test/sync", "{}")
	}
	e.notify("$/cancelRequest", `{"id":`+slow+`}`)
	if m := e.answer(slow); !strings.Contains(string(m.Error), "-32800") {
		t.Errorf("cancelled: %s", m.Error)
	}
}

func TestLargeMessages(t *testing.T) {
	e := newEditor(t, oneCard(), testMethods()...)
	e.initialize()
	e.settle()
	got := call[brain.Retrieved](e, "handrail/retrieve", brain.RetrieveRequest{Query: "allowlist " + strings.Repeat("군더더기 말 ", 1<<20/15)})
	if len(got.Lessons) != 1 {
		t.Errorf("a query of 1 MB finds %d cards", len(got.Lessons))
	}
	answer := strings.Repeat("The answer goes on and \"on\".\n", 10<<20/29) + "The allowlist is checked first."
	footer := call[brain.Footer](e, "handrail/postcheck", judge.AnswerRequest{Lessons: []string{"lessons/allowlist.md"}, Answer: answer})
	if len(footer.Unaddressed) != 0 {
		t.Errorf("an answer of 10 MB: unaddressed %v", footer.Unaddressed)
	}

	call[any](e, "test/sync", "{}")
}

func TestGitCheckoutOf500Files(t *testing.T) {
	e := newEditor(t, map[string]string{"brain/lessons/first.md": card}, testMethods()...)
	git(t, e.dir, "init", "-q", "-b", "main")
	git(t, e.dir, "add", ".")
	git(t, e.dir, "commit", "-q", "-m", "one")
	git(t, e.dir, "checkout", "-q", "-b", "many")
	for i := range 500 {
		put(t, filepath.Join(e.dir, fmt.Sprintf("brain/lessons/n%03d.md", i)), strings.Replace(card, "# The", fmt.Sprintf("# Number %d: the", i), 1))
	}
	git(t, e.dir, "add", ".")
	git(t, e.dir, "commit", "-q", "-m", "many")
	git(t, e.dir, "checkout", "-q", "main")

	e.initialize()
	e.settle()
	count := func() int { return len(call[[]brain.Card](e, "handrail/lessons", "{}")) }
	until := func(n int) { // the server's own watch sees it
		for count() != n {
			e.await("handrail/changed", `"cards":true`)
		}
	}
	if n := count(); n != 1 {
		t.Fatalf("%d cards before", n)
	}
	git(t, e.dir, "checkout", "-q", "many")
	until(501)
	if n := count(); n != 501 {
		t.Errorf("%d cards after the checkout, want 501", n)
	}
	git(t, e.dir, "checkout", "-q", "main")
	until(1)
	if n := count(); n != 1 {
		t.Errorf("%d cards after going back, want 1", n)
	}
}

// The server's own watch reports a change that the editor does not.
func TestWatchesByItself(t *testing.T) {
	e := newEditor(t, oneCard(), testMethods()...)
	e.initialize()
	e.settle()
	put(t, filepath.Join(e.dir, ".brain/lessons/second.md"), strings.Replace(card, "allowlist", "umbrella", 1))
	e.await("handrail/changed", `"cards":true`)
	for len(call[[]brain.Card](e, "handrail/lessons", `{"query":"umbrella"}`)) == 0 {
		e.await("handrail/changed", `"cards":true`)
	}
}

func TestBrainFromConfiguration(t *testing.T) {
	files := map[string]string{".brain/lessons/a.md": card, "elsewhere/lessons/b.md": strings.Replace(card, "# The", "# Other: the", 1)}
	paths := func(e *editor) string {
		e.settle()
		var list []string
		for _, c := range call[[]brain.Card](e, "handrail/lessons", "{}") {
			list = append(list, c.Path)
		}
		return strings.Join(list, " ")
	}
	t.Run("named", func(t *testing.T) {
		e := newEditor(t, files, testMethods()...)
		e.initialize(`"initializationOptions":{"brain":{"path":"elsewhere"}}`)
		if got := paths(e); got != "lessons/b.md" {
			t.Errorf("cards %q", got)
		}
	})
	e := newEditor(t, files, testMethods()...)
	e.initialize()
	if got := paths(e); got != "lessons/a.md" {
		t.Fatalf("cards %q", got)
	}
}

// TestBrainThatCannotBe: one that is configured and is none is worth a message, and the editor lives on.
func TestBrainThatCannotBe(t *testing.T) {
	for name, want := range map[string][2]string{
		"README.md": {"not-a-folder", "폴더가 아닙니다"}, "nowhere": {"no-brain", "brain 폴더가 없습니다"}, "loop": {"link-loop", "링크가 제자리로 돌아옵니다"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditor(t, map[string]string{"README.md": "# A project\n"}, testMethods()...)
			if err := os.Symlink("loop", filepath.Join(e.dir, "loop")); errors.Is(err, errors.ErrUnsupported) {
				t.Skip("Wine 8 makes no links")
			}
			e.initialize(`"locale":"ko","initializationOptions":{"brain":{"path":"` + name + `"}}`)
			if m := e.await("window/showMessage"); !strings.Contains(string(m.Params), want[1]) || !strings.Contains(string(m.Params), `"type":1`) {
				t.Errorf("told %s", m.Params)
			}
			if _, data := e.refused("handrail/candidates", "{}"); data.Code != want[0] {
				t.Errorf("refused as %q", data.Code)
			}
		})
	}
}

// An editor that opened the workspace through a link is spoken to in its own paths.
func TestWorkspaceBehindALink(t *testing.T) {
	e := newEditor(t, map[string]string{
		"real/.brain/lessons/a.md": strings.Replace(card, "type: lesson", "type: lesson\npaths: [src/**]", 1),
		"real/src/x.go":            "package x\n",
	}, testMethods()...)
	if err := os.Symlink("real", filepath.Join(e.dir, "link")); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("Wine 8 makes no links")
	} else if err != nil {
		t.Fatal(err)
	}
	e.dir = filepath.Join(e.dir, "link")
	e.initialize()
	e.settle()
	u := e.uri(".brain/lessons/new.md")
	e.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"markdown","version":1,"text":%s}}`, u, quote(t, card)))
	m := e.await("textDocument/publishDiagnostics", "duplicate-title")
	if !strings.Contains(string(m.Params), e.uri(".brain/lessons/a.md")) {
		t.Errorf("the diagnostics speak of other paths: %s", m.Params)
	}
	if got := call[brain.Card](e, "handrail/bump", CardParams{Path: e.uri(".brain/lessons/a.md")}); got.Occurrences != 2 {
		t.Errorf("bumped to %d", got.Occurrences)
	}
	hits := call[brain.Retrieved](e, "handrail/retrieve", brain.RetrieveRequest{Query: "allowlist", Files: []string{e.uri("src/x.go")}}).Lessons
	plain := call[brain.Retrieved](e, "handrail/retrieve", brain.RetrieveRequest{Query: "allowlist"}).Lessons
	if len(hits) != 1 || len(plain) != 1 || hits[0].Score <= plain[0].Score {
		t.Errorf("the file's path does not count: %v, %v", hits, plain)
	}
}

// TestEmbeddingsOfTheEditor: the model that the editor's own settings name is asked, with
// the key of its environment, but in a workspace that is not trusted. The person is told once, in their language.
func TestEmbeddingsOfTheEditor(t *testing.T) {
	t.Setenv("HANDRAIL_EMBEDDINGS_KEY", "k-7")
	keys := make(chan string, 100)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys <- r.Header.Get("Authorization")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(model.Close)
	options := func(trusted bool) string {
		return fmt.Sprintf(`"locale":"ko","initializationOptions":{"trusted":%v,"embeddings":%q}`, trusted, model.URL+"#m")
	}
	t.Run("trusted", func(t *testing.T) {
		e := newEditor(t, oneCard(), testMethods()...)
		e.initialize(options(true))
		if key := <-keys; key != "Bearer k-7" {
			t.Errorf("asked with %q", key)
		}
		if m := e.await("window/showMessage"); !strings.Contains(string(m.Params), `임베딩 모델을 쓸 수 없습니다(401 Unauthorized)`) {
			t.Errorf("told %s", m.Params)
		}
		e.settle()
		if len(e.servers) != 1 || len(keys) > 0 {
			t.Errorf("%d servers, asked %d times more", len(e.servers), len(keys))
		}
	})
	t.Run("not trusted", func(t *testing.T) {
		e := newEditor(t, oneCard(), testMethods()...)
		e.initialize(options(false))
		e.settle()
		if _, err := e.servers[0].Rank(t.Context(), brain.RetrieveRequest{Query: "telegram"}); err != nil || len(keys) > 0 {
			t.Errorf("%v, asked %d times", err, len(keys))
		}
	})
}

// TestExtrasOfTheEditor: what agents get is changed by the editor's own settings where it
// starts the server, and by nothing that is not trusted.
func TestExtrasOfTheEditor(t *testing.T) {
	for _, c := range []struct {
		name, options string
		titles        bool
	}{
		{"off", `"initializationOptions":{"agents":["notes"]}`, false},
		{"not said", `"initializationOptions":{"trust":"first"}`, true},
		{"not trusted", `"initializationOptions":{"trusted":false,"agents":[]}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEditor(t, oneCard(), testMethods()...)
			e.initialize(c.options)
			e.settle()
			// Asked of the loop itself, which a session that is not trusted serves nothing of.
			got, err := e.servers[0].Heads(t.Context(), deliver.HeadsRequest{SessionID: "s", Host: "claude"})
			if err != nil || (got.Text != "") != c.titles {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestIndexInOtherHands(t *testing.T) {
	e := newEditor(t, oneCard(), testMethods()...)
	e.initialize()
	e.settle()
	other := e.another(testMethods()...)
	other.initialize()
	m := other.await("window/showMessage")
	if !strings.Contains(string(m.Params), `"type":3`) {
		t.Errorf("the message is no information: %s", m.Params)
	}
	if got := call[brain.Retrieved](other, "handrail/retrieve", `{"query":"allowlist"}`); len(got.Lessons) != 1 {
		t.Errorf("the second session finds %d cards", len(got.Lessons))
	}
}

// An editor that stops reading does not stop the server, and gets all of it afterwards, the same only once.
func TestOutboxSlowEditor(t *testing.T) {
	o := newOutbox()
	const many = 5000
	for i := range many {
		o.push(candidateNotice, i)
	}
	o.refresh(brain.Changed{Cards: true})
	o.refresh(brain.Changed{Candidates: true})
	ctx, cancel := context.WithCancel(t.Context())
	var sent []string
	err := o.send(ctx, func(_ context.Context, method string, params any) error {
		sent = append(sent, fmt.Sprint(method, params))
		if method == changedNotice {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || len(sent) != many+1 || sent[0] != candidateNotice+"0" || sent[many] != changedNotice+"{true true}" {
		t.Errorf("sent %d, last %q, %v", len(sent), sent[len(sent)-1], err)
	}
}

// BenchmarkRoundTrip measures a request through the whole session, in process.
func BenchmarkRoundTrip(b *testing.B) {
	here, there := net.Pipe()
	go serve(context.Background(), there, append(table(), testMethods()...), Config{Open: alone, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	s := jsonrpc2.NewConn(jsonrpc2.NewStream(here), jsonrpc2.WithCodec(codec{}))
	s.Go(context.Background(), func(context.Context, *jsonrpc2.Request) (any, error) { return nil, nil })
	if _, err := s.Call(b.Context(), "initialize", json.RawMessage(`{"processId":null,"capabilities":{}}`), nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Call(b.Context(), "test/sync", nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	_ = here.Close()
}

func alone(ctx context.Context, cfg brain.Config) (*server.Server, func() error, error) {
	s, err := server.New(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}
