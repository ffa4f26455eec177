package daemon

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/handrail-dev/handrail/server/daemon/socket"
)

func TestAPanicCostsOneCall(t *testing.T) {
	st := serveHere(t, Config{})
	if out, status := st.pipe(t, "", "panic"); status != 1 || strings.Contains(out, "secret") {
		t.Errorf("status %d, %q", status, out)
	}
	if out, status := st.pipe(t, "a\nb", "cat"); status != 7 || out != "a\nb" {
		t.Errorf("status %d, %q", status, out)
	}
}

// TestTheInputIsReadOnlyWhereItIsWanted: that of a command in a loop belongs to the loop.
func TestTheInputIsReadOnlyWhereItIsWanted(t *testing.T) {
	st := serveHere(t, Config{})
	c, _ := st.client(t, &Run{Args: []string{"flood"}})
	in := strings.NewReader("the next line")
	if _, err := c.Pipe(t.Context(), in, io.Discard, io.Discard); err != nil || in.Len() != len("the next line") {
		t.Errorf("%d bytes are left, %v", in.Len(), err)
	}
}

// TestWhoHangsUpIsNotWorkedFor ends a program with its client.
func TestWhoHangsUpIsNotWorkedFor(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	st := serveHere(t, Config{Program: func(ctx context.Context, _ Process) int {
		close(begun)
		<-ctx.Done()
		close(ended)
		return 0
	}})
	c, _ := st.client(t, &Run{})
	<-begun
	_ = c.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
}

// TestRudeClients sends what no client of ours says. Each loses its own connection, and
// the others are served on.
func TestRudeClients(t *testing.T) {
	st := serveHere(t, Config{})
	hello := chunk(socket.Hello, fmt.Sprintf(`{"protocol":%d,"run":{"args":["cat"]}}`, socket.Protocol))
	for name, said := range map[string]string{
		"no JSON":          chunk(socket.Hello, `{"protocol":`),
		"no chunk":         "GET / HTTP/1.1\r\n\r\n",
		"no end":           strings.Repeat("x", 1<<16),
		"too large":        "\x06\x7f\xff\xff\xff",
		"half a greeting":  "\x06\x00\x01\x00\x00{",
		"no greeting":      chunk(socket.Stdin, "x"),
		"half a chunk":     hello + "\x00\x00\x00\x10\x00abc",
		"a large chunk":    hello + "\x00\xff\xff\xff\xff",
		"no such chunk":    hello + "\x09\x00\x00\x00\x00",
		"an answer":        hello + "\x02\x00\x00\x00\x00",
		"another greeting": hello + hello,
	} {
		t.Run(name, func(t *testing.T) {
			conn := st.dial(t)
			go func() {
				_, _ = io.WriteString(conn, said) // it may hang up in the middle
				if strings.HasPrefix(name, "half") {
					_ = conn.Close()
				}
			}()
			_, _ = io.Copy(io.Discard, conn) // until it hangs up
			if out, _ := st.pipe(t, "x", "cat"); out != "x" {
				t.Errorf("another client gets %q", out)
			}
		})
	}
}

func chunk(kind socket.Kind, data string) string {
	return string(binary.BigEndian.AppendUint32([]byte{byte(kind)}, uint32(len(data)))) + data
}

func TestGreetingsWithoutARunAreAnswered(t *testing.T) {
	st := serveHere(t, Config{})
	_, there := st.client(t, nil)
	if there.Protocol != socket.Protocol || there.PID != os.Getpid() || there.Ends {
		t.Errorf("welcome %+v", there)
	}
}

// endless is an input without an end, which tells when more was taken of it than a program that
// read a byte wants.
type endless struct {
	taken int
	ahead chan struct{}
}

func (e *endless) Read(p []byte) (int, error) {
	enough := len(p)
	if e.taken += len(p); e.taken > enough && e.taken <= enough+len(p) {
		close(e.ahead)
	}
	return len(p), nil
}

// TestInputThatNobodyReads: a program that ends before its input does not keep the daemon.
func TestInputThatNobodyReads(t *testing.T) {
	in := &endless{ahead: make(chan struct{})}
	st := serveHere(t, Config{Program: func(_ context.Context, p Process) int {
		if _, err := p.In.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		<-in.ahead
		return 3
	}})
	c, _ := st.client(t, &Run{})
	if status, err := c.Pipe(t.Context(), in, io.Discard, io.Discard); status != 3 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	st.stop()
	st.why(t)
}

// TestInputThatIsCutShort by the daemon's end is not taken for all of it.
func TestInputThatIsCutShort(t *testing.T) {
	for name, event := range map[string]string{"a command": "", "a hook": "1-1"} {
		t.Run(name, func(t *testing.T) {
			st := serveHere(t, Config{Program: func(_ context.Context, p Process) int {
				_, err := io.ReadAll(p.In)
				fmt.Fprint(p.Out, err)
				return 0
			}})
			c, _ := st.client(t, &Run{Event: event})
			in, feed := io.Pipe()
			got := make(chan error, 1)
			var out strings.Builder
			go func() {
				_, err := c.Pipe(t.Context(), in, &out, io.Discard)
				got <- err
			}()
			for range 2 { // when the second is taken the first is sent
				if _, err := feed.Write([]byte("half")); err != nil {
					t.Fatal(err)
				}
			}
			st.stop()
			switch err := <-got; {
			case event == "" && (out.String() != "unexpected EOF" || err != nil):
				t.Errorf("the program read %q, %v", out.String(), err)
			case event != "" && !errors.Is(err, ErrLost):
				t.Errorf("the hook believes that its event was heard: %v", err)
			}
			_ = feed.Close()
		})
	}
}

// TestSilentClientsKeepNothing has clients connect again and again and never say what to run: the
// daemon hangs up after five seconds, whatever else they say, and ends when its time is up.
func TestSilentClientsKeepNothing(t *testing.T) {
	srv, folder := quietServer(t)
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		p, ended := inBubble(t, srv, folder)
		for {
			here, there := net.Pipe()
			select {
			case p.conns <- there:
			case why := <-ended:
				if took := time.Since(begin); why != "idle" || took > 11*time.Minute {
					t.Errorf("ended because %q after %v", why, took)
				}
				return
			}
			connected := time.Now()
			go func() { // it asks who is there every second, and for nothing else
				c := socket.NewConn(here)
				for {
					if _, err := c.Greet(socket.Greeting{Protocol: socket.Protocol}); err != nil {
						break
					}
					time.Sleep(time.Second) //nolint:forbidigo // the bubble's clock
				}
				_ = here.Close()
				if took := time.Since(connected); took > greetingWait+time.Second {
					t.Errorf("it was heard for %v", took)
				}
			}()
			time.Sleep(time.Minute) //nolint:forbidigo // the bubble's clock
			if time.Since(begin) > time.Hour {
				t.Fatal("silent clients keep it alive")
			}
		}
	})
}

// TestLargeEvents: a hook's event beyond the bound does not come whole, so its hook sees to it;
// one within is heard.
func TestLargeEvents(t *testing.T) {
	heard := make(chan int, 2)
	st := serveHere(t, Config{Program: func(_ context.Context, p Process) int {
		raw, _ := io.ReadAll(p.In)
		heard <- len(raw)
		return 0
	}})
	for i, c := range []struct {
		size  int
		whole bool
	}{{1 << 20, true}, {maxPayload, true}, {maxPayload + 1, false}} {
		conn, _ := st.client(t, &Run{Event: fmt.Sprint("1-", i)})
		_, err := conn.Pipe(t.Context(), strings.NewReader(strings.Repeat("x", c.size)), io.Discard, io.Discard)
		if c.whole {
			if n := <-heard; n != c.size || err != nil {
				t.Errorf("of %d bytes it heard %d, %v", c.size, n, err)
			}
		} else if !errors.Is(err, ErrLost) {
			t.Errorf("%d bytes: %v", c.size, err)
		}
	}
}

// TestWhatArrivedIsKnown holds that a program learns whether the hook of its event had the answer before it went.
func TestWhatArrivedIsKnown(t *testing.T) {
	came := make(chan bool, 1)
	st := serveHere(t, Config{pulse: time.Hour, Program: func(_ context.Context, p Process) int {
		_, _ = io.Copy(io.Discard, p.In)
		fmt.Fprint(p.Out, "answer")
		p.Delivered(func(c bool) { came <- c })
		return 0
	}})
	waits, _ := st.client(t, &Run{Args: []string{"hook"}, Event: "0-1"})
	if _, err := waits.Pipe(t.Context(), strings.NewReader("{}"), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !<-came {
		t.Error("an answer that was read did not arrive")
	}
	goes, _ := st.client(t, &Run{Args: []string{"hook"}, Event: "0-2"})
	if err := goes.Send(socket.Stdin, nil); err != nil {
		t.Fatal(err)
	}
	for kind := socket.Want; kind != socket.Exit; {
		var err error
		kind, _, err = socket.ReadChunk(goes.In)
		if err != nil {
			t.Fatal(err)
		}
	}
	_ = goes.Close() // its time was up
	if <-came {
		t.Error("an answer that came too late arrived")
	}
}
