package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"handrail/lessons"
)

// echo serves a session that answers every call with its name and the id. "die" ends it.
func echo(name string, in io.Reader, out io.Writer, heard func(method string)) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var m envelope
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return err
		}
		heard(name + " " + m.Method)
		if m.Method == "die" {
			return errors.New("killed")
		}
		if len(m.ID) > 0 {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":"%s"}`+"\n", m.ID, name)
		}
	}
	return nil
}

// relayed is an agent at the other end of a Relay.
type relayed struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *bufio.Scanner
	ended chan error

	mu    sync.Mutex
	heard []string
}

func (r *relayed) note(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = append(r.heard, s)
}

func startRelay(t *testing.T, ends func(*relayed) Ends) *relayed {
	in, feed := io.Pipe()
	out, print := io.Pipe()
	r := &relayed{t: t, in: feed, out: bufio.NewScanner(out), ended: make(chan error, 1)}
	e := ends(r)
	e.Log, e.Lost = discard(), "Ask again."
	go func() {
		r.ended <- Relay(t.Context(), in, print, e)
		_ = print.Close()
	}()
	return r
}

func (r *relayed) say(messages ...string) {
	r.t.Helper()
	for _, m := range messages {
		if _, err := io.WriteString(r.in, m+"\n"); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *relayed) expect(want string) {
	r.t.Helper()
	if !r.out.Scan() {
		r.t.Fatalf("it ends before %s", want)
	}
	if got := r.out.Text(); !strings.Contains(got, want) {
		r.t.Fatalf("got %s, not %s", got, want)
	}
}

func (r *relayed) end() {
	r.t.Helper()
	_ = r.in.Close()
	select {
	case err := <-r.ended:
		if err != nil {
			r.t.Error(err)
		}
	case <-time.After(30 * time.Second):
		r.t.Fatal("it does not end")
	}
}

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize"}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func ask(id int, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method)
}

// TestRelayOutlivesADaemon: the call that was under way is answered as lost, and the next one
// finds a session that begins as the first did.
func TestRelayOutlivesADaemon(t *testing.T) {
	daemons := 0
	r := startRelay(t, func(r *relayed) Ends {
		return Ends{
			Find: func([]string) (string, error) { return "brain", nil },
			Daemon: func(_ context.Context, _ []string, in io.Reader, out io.Writer) (bool, error) {
				daemons++
				return true, echo(fmt.Sprint("daemon ", daemons), in, out, r.note)
			},
		}
	})
	r.say(initialize, initialized)
	r.expect(`"daemon 1"`)
	r.say(ask(1, "die"))
	r.expect(`"Ask again."`)
	r.say(ask(2, "tools/call"))
	r.expect(`"id":2,"result":"daemon 2"`) // and not a second answer to initialize
	r.end()
	r.mu.Lock()
	defer r.mu.Unlock()
	if got := strings.Join(r.heard[len(r.heard)-3:], ", "); got != "daemon 2 initialize, daemon 2 notifications/initialized, daemon 2 tools/call" {
		t.Errorf("the second daemon heard %s", got)
	}
}

// TestRelayMovesToTheBrainOfTheFolders: the call that named them is answered there.
func TestRelayMovesToTheBrainOfTheFolders(t *testing.T) {
	r := startRelay(t, func(r *relayed) Ends {
		return Ends{
			Find: func(folders []string) (string, error) {
				if len(folders) == 0 {
					return "", lessons.ErrNoBrain
				}
				return "brain", nil
			},
			Daemon: func(_ context.Context, folders []string, in io.Reader, out io.Writer) (bool, error) {
				return true, echo("daemon of "+folders[0], in, out, r.note)
			},
			Here: func(ctx context.Context, in io.Reader, out io.Writer, open Open) error {
				return echo("here", in, out, func(said string) {
					if said != "here tools/call" {
						return
					}
					_, err := open(ctx, nil)
					if !errors.Is(err, lessons.ErrNoBrain) {
						t.Errorf("without folders: %v", err)
					}
					if _, err := open(ctx, []string{"home"}); !errors.Is(err, context.Canceled) {
						t.Errorf("with folders: %v", err)
					}
				})
			},
		}
	})
	r.say(initialize, initialized)
	r.expect(`"here"`)
	r.say(ask(1, "tools/call"))
	r.expect(`"id":1,"result":"daemon of home"`)
	r.end()
}

// TestRelayWorksAloneWithoutADaemon.
func TestRelayWorksAloneWithoutADaemon(t *testing.T) {
	r := startRelay(t, func(r *relayed) Ends {
		return Ends{
			Find: func([]string) (string, error) { return "brain", nil },
			Daemon: func(context.Context, []string, io.Reader, io.Writer) (bool, error) {
				return false, errors.New("none to be had")
			},
			Here: func(_ context.Context, in io.Reader, out io.Writer, _ Open) error {
				return echo("here", in, out, r.note)
			},
		}
	})
	r.say(initialize)
	r.expect(`"here"`)
	r.end()
}

// TestRelayNamesQuestionsAnew: each session counts what it asks the agent from one. The answer to
// a question of a daemon that has ended goes to nobody, and the agent is told that it is not waited for.
func TestRelayNamesQuestionsAnew(t *testing.T) {
	daemons := 0
	r := startRelay(t, func(r *relayed) Ends {
		return Ends{
			Find: func([]string) (string, error) { return "brain", nil },
			Daemon: func(_ context.Context, _ []string, in io.Reader, out io.Writer) (bool, error) {
				daemons++
				name := fmt.Sprint("daemon ", daemons)
				return true, echo(name, in, out, func(said string) {
					switch method := strings.TrimPrefix(said, name+" "); method {
					case "ask":
						fmt.Fprintln(out, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"<b>"}}`)
					case "stop":
						fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
					}
					r.note(said)
				})
			},
		}
	})
	answer := func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"action":"accept"}}`, id) }
	r.say(initialize, ask(1, "ask"))
	r.expect(`"daemon 1"`)
	r.expect(`"id":1,"jsonrpc":"2.0","method":"elicitation/create"`)
	r.expect(`"id":1,"result":"daemon 1"`)
	r.say(ask(2, "die"))
	r.expect(`"Ask again."`)
	r.expect(`"method":"notifications/cancelled","params":{"requestId":1}`)
	r.say(answer(1), ask(3, "ask"))
	r.expect(`"id":2,"jsonrpc":"2.0","method":"elicitation/create"`)
	r.expect(`"id":3,"result":"daemon 2"`)
	r.say(answer(1), answer(7), answer(2), ask(4, "ask"))
	r.expect(`"id":1,"result":"daemon 2"`) // which heard the one answer to its question, by its own number
	r.expect(`"id":3,"jsonrpc":"2.0","method":"elicitation/create"`)
	r.say(ask(5, "stop"))
	r.expect(`"id":4,"result":"daemon 2"`)
	r.expect(`"requestId":3`)
	r.expect(`"id":5,"result":"daemon 2"`)
	r.end()
}
