package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/server/hear"
	"github.com/handrail-dev/handrail/server/judge"
	"github.com/handrail-dev/handrail/triggers"
)

// testProgram is the program that the daemons of these tests run: "call METHOD" calls a method
// of the server with what is on its input, "listen" prints what the server notifies of.
func testProgram(ctx context.Context, p Process) int {
	switch p.Args[0] {
	case "call":
		<-p.Server.Ready()
		if err := callMethod(ctx, p); err != nil {
			fmt.Fprint(p.Err, err)
			return 1
		}
	case "listen":
		out := make(chan any, 10000)
		detach := p.Server.Attach(brain.Notify{
			Candidate: func(c brain.Candidate) { out <- notes{Candidate: &c} },
			Footer:    func(f brain.Footer) { out <- notes{Footer: &f} },
			Changed:   func(c brain.Changed) { out <- notes{Changed: &c} },
		})
		defer detach()
		out <- notes{}
		ended := make(chan struct{})
		go func() { _, _ = io.Copy(io.Discard, p.In); close(ended) }()
		for enc := json.NewEncoder(p.Out); ; {
			select {
			case n := <-out:
				if enc.Encode(n) != nil {
					return 1
				}
			case <-ended:
				return 0
			}
		}
	case "panic":
		panic("secret")
	case "flood":
		for range 1 << 12 {
			if _, err := p.Out.Write(make([]byte, 1<<12)); err != nil {
				return 1
			}
		}
	case "cat":
		_, _ = io.Copy(p.Out, p.In)
		return 7
	}
	return 0
}

// notes is a line that "listen" prints; the first one is empty.
type notes struct {
	Candidate *brain.Candidate
	Footer    *brain.Footer
	Changed   *brain.Changed
}

func callMethod(ctx context.Context, p Process) error {
	m := reflect.ValueOf(p.Server).MethodByName(p.Args[1])
	given := json.NewDecoder(p.In)
	in := []reflect.Value{reflect.ValueOf(ctx)}
	if m.Type().NumIn() == 0 {
		in = nil
	}
	for len(in) < m.Type().NumIn() {
		v := reflect.New(m.Type().In(len(in)))
		var fields map[string]json.RawMessage
		to := v.Interface()
		if v.Elem().Kind() == reflect.Struct {
			to = &fields
		}
		if err := given.Decode(to); err != nil {
			return err
		}
		for name, raw := range fields {
			if err := json.Unmarshal(raw, v.Elem().FieldByName(name).Addr().Interface()); err != nil {
				return err
			}
		}
		in = append(in, v.Elem())
	}
	out := m.Call(in)
	if last := out[len(out)-1]; last.Type() == reflect.TypeFor[error]() {
		if err, _ := last.Interface().(error); err != nil {
			return err
		}
		out = out[:len(out)-1]
	}
	if len(out) == 0 {
		return nil
	}
	return json.NewEncoder(p.Out).Encode(out[0].Interface())
}

// Client calls the server of a daemon, each time as a program of its own.
type Client struct {
	t   testing.TB
	cfg Config
}

// refused is what a method answered with.
type refused string

func (r refused) Error() string { return string(r) }

func call[R any](ctx context.Context, c *Client, method string, args ...any) (out R, err error) {
	var in bytes.Buffer
	for enc := json.NewEncoder(&in); len(args) > 0; args = args[1:] {
		if err := enc.Encode(whole(args[0])); err != nil {
			return out, err
		}
	}
	conn, err := Connect(ctx, c.cfg, Run{Args: []string{"call", method}})
	if err != nil {
		return out, err
	}
	var stdout, stderr bytes.Buffer
	status, err := conn.Pipe(ctx, &in, &stdout, &stderr)
	switch {
	case err != nil:
		return out, err
	case status != 0:
		return out, refused(stderr.String())
	case stdout.Len() == 0:
		return out, nil
	}
	return out, json.Unmarshal(stdout.Bytes(), &out)
}

// whole returns a request with the fields that its JSON leaves out.
func whole(request any) any {
	v := reflect.ValueOf(request)
	if v.Kind() != reflect.Struct {
		return request
	}
	fields := map[string]any{}
	for i := range v.NumField() {
		fields[v.Type().Field(i).Name] = v.Field(i).Interface()
	}
	return fields
}

func (c *Client) Preflight(ctx context.Context, r deliver.PreflightRequest) (deliver.Preflight, error) {
	return call[deliver.Preflight](ctx, c, "Preflight", r)
}

func (c *Client) Observe(ctx context.Context, e triggers.Event) (hear.Observed, error) {
	return call[hear.Observed](ctx, c, "Observe", e)
}

func (c *Client) Touch(ctx context.Context, r deliver.TouchRequest) (deliver.Touch, error) {
	return call[deliver.Touch](ctx, c, "Touch", r)
}

func (c *Client) Answered(ctx context.Context, r judge.AnswerRequest) (brain.Footer, error) {
	return call[brain.Footer](ctx, c, "Answered", r)
}

func (c *Client) Cards(ctx context.Context, f desk.CardFilter) ([]brain.Card, error) {
	return call[[]brain.Card](ctx, c, "Cards", f)
}

func (c *Client) Confirm(ctx context.Context, r desk.CreateRequest) (brain.Created, error) {
	return call[brain.Created](ctx, c, "Confirm", r)
}

func (c *Client) Bump(ctx context.Context, path string) (brain.Card, error) {
	return call[brain.Card](ctx, c, "Bump", path, "")
}

func (c *Client) Stats(ctx context.Context) (desk.Stats, error) {
	return call[desk.Stats](ctx, c, "Stats")
}

func (c *Client) Settle(ctx context.Context) error {
	_, err := call[any](ctx, c, "Settle")
	return err
}

func (c *Client) Candidates() []brain.Candidate {
	c.t.Helper()
	list, err := call[[]brain.Candidate](c.t.Context(), c, "Candidates")
	if err != nil {
		c.t.Error(err)
	}
	return list
}

// program is one that runs in a daemon until end is called.
type program struct {
	lines chan string
	end   func()
	feed  func(text string) error
	over  chan error // receives how Pipe ended
}

func (c *Client) run(args ...string) *program {
	c.t.Helper()
	conn, err := Connect(c.t.Context(), c.cfg, Run{Args: args})
	if err != nil {
		c.t.Fatal(err)
	}
	in, feed := io.Pipe()
	p := &program{lines: make(chan string, 10000), over: make(chan error, 1), end: func() { _ = feed.Close() }}
	p.feed = func(text string) error { _, err := io.WriteString(feed, text); return err }
	go func() {
		_, err := conn.Pipe(context.Background(), in, &lineWriter{to: p.lines}, io.Discard)
		_ = in.Close()
		p.over <- err
	}()
	c.t.Cleanup(p.end)
	return p
}

type lineWriter struct {
	to   chan string
	part string
}

func (w *lineWriter) Write(b []byte) (int, error) {
	w.part += string(b)
	for {
		line, rest, found := strings.Cut(w.part, "\n")
		if !found {
			return len(b), nil
		}
		w.to <- line
		w.part = rest
	}
}

// next returns the next line.
func (p *program) next(t testing.TB) string {
	t.Helper()
	select {
	case line := <-p.lines:
		return line
	case <-time.After(patience):
		t.Fatal("nothing is heard")
		return ""
	}
}

// listen returns a program that hears the server's notifications.
func (c *Client) listen() *program {
	c.t.Helper()
	p := c.run("listen")
	p.next(c.t)
	return p
}

// await returns the next notification that wanted accepts.
func (p *program) await(t testing.TB, wanted func(notes) bool) notes {
	t.Helper()
	for {
		var n notes
		if err := json.Unmarshal([]byte(p.next(t)), &n); err != nil {
			t.Fatal(err)
		}
		if wanted(n) {
			return n
		}
	}
}

func isFooter(n notes) bool { return n.Footer != nil }

// noBrain reports whether an error says so, however it came.
func noBrain(err error) bool { return errors.Is(err, lessons.ErrNoBrain) }
