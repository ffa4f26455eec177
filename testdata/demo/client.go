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
	"sync"
	"time"
)

// client is the smallest editor there is: one connection over a child's stdin and stdout.
type client struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	id  int

	mu      sync.Mutex // guards answers
	answers map[int]chan message
	notices chan message
	ended   chan struct{}
}

type message struct {
	ID     *int            `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Code    int
		Message string
	} `json:"error,omitempty"`
}

// start trusts the brain of a workspace and runs "handrail lsp" for it, with side data of its own, and initializes it.
func start(exe, workspace, tmp string) (*client, error) {
	env := append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(tmp, "cache"), "XDG_STATE_HOME="+filepath.Join(tmp, "state"))
	yes := exec.Command(exe, "trust", "--yes") // the brain was not made here
	yes.Dir, yes.Env = workspace, env
	if out, err := yes.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("trust the brain: %w: %s", err, out)
	}
	cmd := exec.Command(exe, "lsp", "--standalone")
	cmd.Dir, cmd.Env = workspace, env
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", exe, err)
	}
	c := &client{cmd: cmd, in: in, answers: map[int]chan message{}, notices: make(chan message, 256), ended: make(chan struct{})}
	go c.read(bufio.NewReader(out))
	uri := "file://" + filepath.ToSlash(workspace)
	params := map[string]any{
		"processId": os.Getpid(), "locale": "en", "rootUri": uri, "capabilities": map[string]any{},
		"workspaceFolders": []map[string]string{{"uri": uri, "name": "chatops"}},
	}
	if err := c.call("initialize", params, nil); err != nil {
		return nil, err
	}
	return c, c.send(message{Method: "initialized", Params: json.RawMessage("{}")})
}

func (c *client) read(in *bufio.Reader) {
	defer close(c.ended)
	for {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var m message
		if json.Unmarshal(body, &m) != nil {
			return
		}
		switch {
		case m.Method != "" && m.ID != nil: // a question of the server's: agree
			_ = c.send(message{ID: m.ID, Result: json.RawMessage("null")})
		case m.Method != "":
			c.notices <- m
		case m.ID != nil:
			c.mu.Lock()
			ch := c.answers[*m.ID]
			delete(c.answers, *m.ID)
			c.mu.Unlock()
			if ch != nil {
				ch <- m
			}
		}
	}
}

func (c *client) send(m message) error {
	body, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		message
	}{"2.0", m})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// call sends a request and reads its result into result, which may be nil.
func (c *client) call(method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	if params == nil {
		raw = nil
	}
	c.mu.Lock()
	c.id++
	id := c.id
	ch := make(chan message, 1)
	c.answers[id] = ch
	c.mu.Unlock()
	if err := c.send(message{ID: &id, Method: method, Params: raw}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m := <-ch:
		if m.Error != nil {
			return fmt.Errorf("%s: %s (%d)", method, m.Error.Message, m.Error.Code)
		}
		if result == nil || len(m.Result) == 0 {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-c.ended:
		return fmt.Errorf("%s: the server is gone", method)
	case <-time.After(patience):
		return fmt.Errorf("%s: no answer within %v", method, patience)
	}
}

// await waits for the next notification of a kind.
func (c *client) await(method string, params any) error {
	limit := time.After(patience)
	for {
		select {
		case m := <-c.notices:
			if m.Method == method {
				return json.Unmarshal(m.Params, params)
			}
		case <-c.ended:
			return fmt.Errorf("%s: the server is gone", method)
		case <-limit:
			return fmt.Errorf("%s: did not come within %v", method, patience)
		}
	}
}

// stop ends the server by the book.
func (c *client) stop() error {
	if err := c.call("shutdown", nil, nil); err != nil {
		return err
	}
	if err := c.send(message{Method: "exit"}); err != nil {
		return err
	}
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("the server ended badly: %w", err)
	}
	return nil
}

// kill makes sure that nothing is left behind when a step failed.
func (c *client) kill() {
	if c.cmd.ProcessState == nil {
		_ = c.cmd.Process.Kill()
		_, _ = c.cmd.Process.Wait()
	}
}
