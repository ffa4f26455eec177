package daemon

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/daemon/socket"
)

// keep puts an event into the spool, as a hook does that finds no daemon.
func keep(t testing.TB, place socket.Place, name string) {
	t.Helper()
	if err := place.Keep(socket.Event{Run: Run{Args: []string{"hook"}, Event: name}, Payload: []byte(name)}); err != nil {
		t.Fatal(err)
	}
}

// TestLateEventsAreTakenUp holds that events in the spool are heard in order, before the next
// one that comes, and each once.
func TestLateEventsAreTakenUp(t *testing.T) {
	heard := make(chan string, 100)
	now := time.Now()
	names := make([]string, 4)
	for i := range names {
		names[i] = fmt.Sprintf("%016x-1", now.Add(time.Duration(i)*time.Second).UnixNano())
	}
	st := serveHere(t, Config{pulse: time.Hour, Program: func(_ context.Context, p Process) int {
		payload, _ := io.ReadAll(p.In)
		heard <- fmt.Sprintf("%s %v", payload, slices.Contains(p.Args, "--late"))
		fmt.Fprint(p.Out, "answer")
		return 0
	}}, func(place socket.Place) {
		keep(t, place, names[1])
		keep(t, place, names[0])
		keep(t, place, fmt.Sprintf("%016x-1", now.Add(-48*time.Hour).UnixNano())) // nobody cares any more
		put(t, filepath.Join(place.Spool(), names[2]+".json"), "no JSON")
	})
	run := func(name string) string {
		t.Helper()
		c, _ := st.client(t, &Run{Args: []string{"hook"}, Event: name})
		var out strings.Builder
		if _, err := c.Pipe(t.Context(), strings.NewReader(name), &out, io.Discard); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if out := run(names[3]); out != "answer" {
		t.Errorf("it says %q", out)
	}
	if out := run(names[0]); out != "" {
		t.Errorf("an event of the spool is heard again: %q", out)
	}
	keep(t, st.d.place, names[3])
	st.d.takeUp(t.Context())
	close(heard)
	var got []string
	for h := range heard {
		got = append(got, h)
	}
	if want := []string{names[0] + " true", names[1] + " true", names[3] + " false"}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
	if left := st.d.place.Kept(); len(left) != 0 {
		t.Errorf("%q wait on", left)
	}
}

// TestTheNextDaemonHearsNothingAgain holds that an event which was heard while its hook gave up waiting is gone when the daemon ends.
func TestTheNextDaemonHearsNothingAgain(t *testing.T) {
	now := time.Now().UnixNano()
	old, mine, others := fmt.Sprintf("%016x-0", now), fmt.Sprintf("%016x-1", now), fmt.Sprintf("%016x-2", now)
	heard := make(chan string, 100)
	st := serveHere(t, Config{pulse: time.Hour, Program: func(_ context.Context, p Process) int {
		_, _ = io.Copy(io.Discard, p.In)
		heard <- p.Event
		return 0
	}}, func(place socket.Place) { keep(t, place, old) })
	<-heard // the daemon has looked at its spool
	c, _ := st.client(t, &Run{Args: []string{"hook"}, Event: mine})
	if _, err := c.Pipe(t.Context(), strings.NewReader("{}"), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	keep(t, st.d.place, mine)
	keep(t, st.d.place, others)
	st.stop()
	st.why(t)
	if left := st.d.place.Kept(); !slices.Equal(left, []string{others}) {
		t.Errorf("%q wait for the next", left)
	}
}

// TestHalfAnEventIsNotHeard holds that an event whose hook ends in the middle is the spool's.
func TestHalfAnEventIsNotHeard(t *testing.T) {
	st := serveHere(t, Config{Program: func(_ context.Context, p Process) int {
		if p.Event != "" {
			t.Error("half an event is heard")
		}
		return 0
	}})
	c, _ := st.client(t, &Run{Args: []string{"hook"}, Event: "0-1"})
	if err := c.Send(socket.Stdin, []byte(`{"half`)); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	st.pipe(t, "", "other")
}
