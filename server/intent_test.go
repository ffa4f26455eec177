package server

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/ledger"
)

// wish is what an agent wants to record by itself.
func wish(title string) CreateRequest {
	return CreateRequest{Title: title, Auto: true, SessionID: "mcp", Fields: CreateFields{
		Mistake: "The first row was lost.", RootCause: "The reader skips a header that is not there.", Checklist: []string{"A file without a header keeps its first row"},
		AllowTwins: true, // they say the same, and that is not what is tried here
	}}
}

// TestTheGuardBeforeAnAgentsDrafts: one by itself, more when the person's own current message
// or a click asks, none when it forbids.
func TestTheGuardBeforeAnAgentsDrafts(t *testing.T) {
	for name, c := range map[string]struct {
		person string // what hooks heard in the conversation
		agent  string // what the agent says that the person said
		click  bool
		want   []error // of drafts one after the other
	}{
		"nothing is known":               {want: []error{nil, ErrNotAsked, ErrNotAsked}},
		"the message is about something": {person: "fix the importer", want: []error{nil, ErrNotAsked}},
		"it asks":                        {person: "fix it and record the lessons", want: []error{nil, nil, nil}},
		"it asks in Korean":              {person: "교훈들 모두 기록해 줘", want: []error{nil, nil}},
		"it forbids":                     {person: "fix it, but don't record lessons", want: []error{ErrForbidden, ErrForbidden}},
		"it forbids in Korean":           {person: "고치기만 하고 교훈은 남기지 마", want: []error{ErrForbidden}},
		"the agent says that it asks":    {agent: "record the lessons", want: []error{nil, ErrNotAsked}},
		"… and the person does not":      {person: "fix the importer", agent: "record the lessons", want: []error{nil, ErrNotAsked}},
		"a click":                        {person: "fix the importer", click: true, want: []error{nil, nil}},
		"a click after a no":             {person: "don't record lessons", click: true, want: []error{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, nil)
			if c.person != "" {
				if _, err := w.Preflight(ctx, PreflightRequest{Query: c.person, SessionID: "talk"}); err != nil {
					t.Fatal(err)
				}
			}
			if c.agent != "" {
				if _, err := w.Preflight(ctx, PreflightRequest{Query: c.agent, SessionID: "mcp", Told: true}); err != nil {
					t.Fatal(err)
				}
			}
			for i, want := range c.want {
				r := wish(fmt.Sprintf("Importer drops row number %d", i))
				r.Asked = c.click
				if made, err := w.Confirm(ctx, r); !errors.Is(err, want) || (err == nil) != (made.Path != "") {
					t.Errorf("draft %d: %+v, %v, want %v", i, made, err, want)
				}
			}
		})
	}
}

// TestTheCurrentMessageCounts, not one before it, and only where it is clear whose it is.
func TestTheCurrentMessageCounts(t *testing.T) {
	at := now()
	w := clocked(t, &at)
	n := 0
	draft := func(want error) {
		t.Helper()
		n++
		if _, err := w.Confirm(ctx, wish(fmt.Sprintf("Importer drops row number %d", n))); !errors.Is(err, want) {
			t.Errorf("draft %d: %v, want %v", n, err, want)
		}
	}
	says := func(session, text string) {
		t.Helper()
		at = at.Add(time.Minute)
		if _, err := w.Preflight(ctx, PreflightRequest{Query: text, SessionID: session}); err != nil {
			t.Fatal(err)
		}
	}
	says("talk", "record the lessons")
	draft(nil)
	draft(nil)
	says("talk", "now fix the login page")
	draft(ErrNotAsked)
	if err := w.Close(); err != nil { // what was drafted is remembered
		t.Fatal(err)
	}
	w.open(t)
	draft(ErrNotAsked)
	says("talk", "record the lessons")
	says("another", "rename the button")
	draft(nil)         // whose agent it is cannot be told, and it has made none yet
	draft(ErrNotAsked) // … so nobody's words count
	at = at.Add(ledger.Nearby + time.Second)
	says("talk", "record the lessons")
	draft(nil)
}

func TestTwoDraftsAtOnceAreTwo(t *testing.T) {
	w := newWorkspace(t, nil)
	var mu sync.Mutex
	made := 0
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if _, err := w.Confirm(ctx, wish(fmt.Sprintf("Importer drops row number %d", i))); err == nil {
				mu.Lock()
				made++
				mu.Unlock()
			} else if !errors.Is(err, ErrNotAsked) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made != 1 {
		t.Errorf("%d drafts", made)
	}
}
