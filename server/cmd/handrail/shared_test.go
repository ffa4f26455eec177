package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
)

// patience is how long a test waits for something that must come.
const patience = 2 * time.Minute

// window is an editor with a language server of its own.
type window struct {
	t       *testing.T
	in      io.WriteCloser
	id      int
	answers chan envelope
	notices chan envelope
	ended   chan struct{} // closed when the server has ended
}

type envelope struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// newWindow starts "handrail lsp" in a workspace.
func newWindow(t *testing.T, workspace string, env []string) *window {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "lsp")
	cmd.Args[0] = "handrail" // by this name the test binary is the program
	cmd.Dir, cmd.Env, cmd.Stderr = workspace, env, t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &window{t: t, in: in, answers: make(chan envelope, 100), notices: make(chan envelope, 1000), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		w.read(bufio.NewReader(out))
	}()
	t.Cleanup(func() {
		_ = in.Close() // a server whose input ends goes
		<-w.ended
		_ = cmd.Wait()
	})
	w.call("initialize", fmt.Sprintf(`{"processId":null,"capabilities":{},"rootUri":"file://%s"}`, filepath.ToSlash(workspace)), nil)
	w.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return w
}

func (w *window) read(in *bufio.Reader) {
	for {
		head, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var m envelope
		if err := json.Unmarshal(body, &m); err != nil {
			w.t.Errorf("%s: %v", body, err)
			return
		}
		if m.Method == "" {
			w.answers <- m
		} else {
			w.notices <- m
		}
	}
}

func (w *window) send(message string) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.in, "Content-Length: %d\r\n\r\n%s", len(message), message); err != nil {
		w.t.Fatal(err)
	}
}

func (w *window) call(method, params string, result any) {
	w.t.Helper()
	w.id++
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, w.id, method, params))
	select {
	case m := <-w.answers:
		if len(m.Error) > 0 || m.ID == nil || *m.ID != w.id {
			w.t.Fatalf("%s: %+v %s", method, m, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				w.t.Fatal(err)
			}
		}
	case <-time.After(patience):
		w.t.Fatalf("%s is not answered", method)
	}
}

// await waits for a notification.
func (w *window) await(method string) json.RawMessage {
	w.t.Helper()
	limit := time.After(patience)
	for {
		select {
		case m := <-w.notices:
			if m.Method == method {
				return m.Params
			}
		case <-limit:
			w.t.Fatalf("%s does not come", method)
		}
	}
}

// TestTwoWindowsShareOneBrain lets two editors and the command line work on one brain: each
// hears what the others do, also when they were started again after the daemon was killed.
func TestTwoWindowsShareOneBrain(t *testing.T) {
	need(t, "sockets")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := copyBrain(filepath.Join(work, ".brain"), filepath.Join(dir, "XDG_STATE_HOME")); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "LANG=en_US.UTF-8")
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "LocalAppData"} {
		env = append(env, name+"="+filepath.Join(dir, name))
	}
	t.Cleanup(func() { stopDaemons(t, filepath.Join(dir, "XDG_STATE_HOME")) })
	a, b := newWindow(t, work, env), newWindow(t, work, env)

	// Each message is said once: what was dismissed does not come again, if the kill left time to save that.
	for _, message := range []string{"또 안 돼, 아까 고친 텔레그램 명령이 다시 망가졌어", "the csv export is broken again, it still loses its BOM"} {
		var p deliver.Preflight
		a.call("handrail/preflight", `{"query":"add a telegram command that restarts the server"}`, &p)
		if len(p.Lessons) == 0 {
			t.Fatalf("preflight: %+v", p)
		}
		var f brain.Footer
		b.call("handrail/postcheck", fmt.Sprintf(`{"answerId":%q,"answer":"I wrote it as you asked."}`, p.AnswerID), &f)
		if len(f.Unaddressed) == 0 {
			t.Fatalf("footer: %+v", f)
		}
		for _, w := range []*window{a, b} {
			if got := string(w.await("handrail/footer")); !strings.Contains(got, p.AnswerID) {
				t.Errorf("another footer: %s", got)
			}
		}
		b.call("handrail/report", fmt.Sprintf(`{"kind":"message","text":%q}`, message), nil)
		var c brain.Candidate
		if err := json.Unmarshal(a.await("handrail/candidate"), &c); err != nil || c.ID == "" {
			t.Errorf("candidate: %+v, %v", c, err)
		}
		b.call("handrail/review", fmt.Sprintf(`{"dismiss":[%q]}`, c.ID), nil)
		if n := stopDaemons(t, filepath.Join(dir, "XDG_STATE_HOME")); n != 1 {
			t.Errorf("%d daemons", n)
		}
		// Both servers end, as if they had crashed themselves; the editors start them again.
		<-a.ended
		<-b.ended
		a, b = newWindow(t, work, env), newWindow(t, work, env)
	}
}

// TestABrainThatTurnsUp: without a brain the server waits for one in its own process. When one
// is made it ends, and the editor starts it again beside the daemon.
func TestABrainThatTurnsUp(t *testing.T) {
	need(t, "sockets")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "LANG=en_US.UTF-8")
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "LocalAppData"} {
		env = append(env, name+"="+filepath.Join(dir, name))
	}
	w := newWindow(t, work, env)
	var made struct{ URI string }
	w.call("handrail/createBrain", `{}`, &made)
	if !strings.HasSuffix(made.URI, "/work/.brain") {
		t.Errorf("made %q", made.URI)
	}
	<-w.ended
	if n := stopDaemons(t, filepath.Join(dir, "XDG_STATE_HOME")); n != 0 {
		t.Errorf("%d daemons serve nobody", n)
	}
	w = newWindow(t, work, env)
	var found struct{ URI string }
	w.call("handrail/brain", `{}`, &found)
	if found != made {
		t.Errorf("found %q", found.URI)
	}
	if n := stopDaemons(t, filepath.Join(dir, "XDG_STATE_HOME")); n != 1 {
		t.Errorf("%d daemons serve the window", n)
	}
}

// stopDaemons kills the daemons whose logs are below a state folder and returns how many
// were alive.
func stopDaemons(t testing.TB, state string) (killed int) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(state, "handrail", "daemon", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "pid=")
		digits, _, _ := strings.Cut(lines[len(lines)-1], " ") // of the last that served
		pid, err := strconv.Atoi(digits)
		if err != nil {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			killed++
		}
	}
	return killed
}
