package server

import (
	"slices"
	"strings"
	"testing"
	"time"

	"handrail/server/ledger"
)

// playbooks returns two of them that speak to the request restart.
func playbooks() map[string]string {
	return map[string]string{
		"playbooks/a.md":   ofKind("playbook", "medium", "Add a telegram command that restarts the server", 1),
		"playbooks/b.md":   ofKind("playbook", "medium", "A telegram command that restarts", 1),
		"playbooks/far.md": ofKind("playbook", "medium", "Export a spreadsheet", 0),
		"lessons/allow.md": allowlist,
	}
}

// turn is a request and what an agent does about it.
func (w *workspace) turn(t *testing.T, session string, do ...Event) Preflight {
	t.Helper()
	p, err := w.Preflight(ctx, PreflightRequest{Query: restart, SessionID: session, CardsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range do {
		e.SessionID = session
		w.happens(t, e)
	}
	return p
}

func (w *workspace) happens(t *testing.T, e Event) {
	t.Helper()
	if _, err := w.Observe(ctx, e); err != nil {
		t.Fatal(err)
	}
}

func (w *workspace) answered(t *testing.T, r AnswerRequest) {
	t.Helper()
	if _, err := w.Answered(ctx, r); err != nil {
		t.Fatal(err)
	}
}

var (
	zero, one = 0, 1

	green = Event{Kind: CommandEvent, Command: "go test ./bot", ExitCode: &zero}
	red   = Event{Kind: CommandEvent, Command: "go test ./bot", ExitCode: &one, Output: "--- FAIL: TestRestart (0.00s)"}
)

func TestPlaybooksCountHowTheirTurnsEnd(t *testing.T) {
	edit := func(w *workspace) Event { return Event{Kind: EditEvent, Files: []string{w.dir + "/bot/telegram.go"}} }
	for _, c := range []struct {
		name              string
		do                func(w *workspace) []Event
		answer            AnswerRequest
		succeeded, failed int
	}{
		{"passing tests", func(w *workspace) []Event { return []Event{edit(w), green} }, AnswerRequest{}, 1, 0},
		{"failing tests", func(w *workspace) []Event { return []Event{edit(w), red} }, AnswerRequest{}, 0, 1},
		{"the last run counts", func(w *workspace) []Event { return []Event{red, edit(w), green} }, AnswerRequest{}, 1, 0},
		{"one of two fails", func(w *workspace) []Event {
			other := green
			other.Command = "npm test"
			return []Event{edit(w), red, other}
		}, AnswerRequest{}, 0, 1},
		{"an edit after the tests decides nothing", func(w *workspace) []Event { return []Event{green, edit(w)} }, AnswerRequest{}, 0, 0},
		{"no tests", func(w *workspace) []Event { return []Event{edit(w)} }, AnswerRequest{}, 0, 0},
		{"tests that do not say", func(*workspace) []Event { return []Event{{Kind: CommandEvent, Command: "go test ./bot"}} }, AnswerRequest{}, 0, 0},
		{"another command", func(*workspace) []Event { return []Event{{Kind: CommandEvent, Command: "ls", ExitCode: &zero}} }, AnswerRequest{}, 0, 0},
		{"a block that never arrived", func(*workspace) []Event { return []Event{green} }, AnswerRequest{Transcript: true}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkspace(t, playbooks())
			p := w.turn(t, "s1", c.do(w)...)
			c.answer.AnswerID, c.answer.Answer = p.AnswerID, "I wrote it as you asked."
			w.answered(t, c.answer)
			w.answered(t, c.answer) // said again: the same turn
			if got := w.stats(t, "playbooks/a.md"); got.Succeeded != c.succeeded || got.Failed != c.failed {
				t.Errorf("%d succeeded, %d failed", got.Succeeded, got.Failed)
			}
			if got := w.stats(t, "lessons/allow.md"); got.Succeeded != 0 || got.Failed != 0 {
				t.Errorf("a lesson counts them too: %+v", got)
			}
		})
	}

	t.Run("the next request ends a turn without an answer", func(t *testing.T) {
		w := newWorkspace(t, playbooks())
		w.turn(t, "s1", green)
		w.turn(t, "s1")
		if got := w.stats(t, "playbooks/a.md"); got.Succeeded != 1 || got.Served != 2 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("another conversation's tests, or a person's, say nothing", func(t *testing.T) {
		w := newWorkspace(t, playbooks())
		p := w.turn(t, "s2")
		w.happens(t, green)
		other := green
		other.SessionID = "s3"
		w.happens(t, other)
		w.answered(t, AnswerRequest{AnswerID: p.AnswerID, Answer: "I wrote it as you asked."})
		if got := w.stats(t, "playbooks/a.md"); got.Succeeded != 0 || got.Served != 1 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a look at an answer is no turn", func(t *testing.T) {
		w := newWorkspace(t, playbooks())
		p, err := w.Preflight(ctx, PreflightRequest{Query: restart, SessionID: "s1", Aside: true})
		if err != nil {
			t.Fatal(err)
		}
		green := green
		green.SessionID = "s1"
		w.happens(t, green)
		w.answered(t, AnswerRequest{AnswerID: p.AnswerID, Answer: "I wrote it as you asked."})
		if got := w.stats(t, "playbooks/a.md"); got.Succeeded != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// TestMistakeThatComesBackTurnsTheOutcome: a turn counts once, as what it came to in the end.
func TestMistakeThatComesBackTurnsTheOutcome(t *testing.T) {
	at := now()
	files := playbooks()
	files["playbooks/a.md"] = strings.Replace(files["playbooks/a.md"], "severity", "paths: [\"bot/**\"]\nseverity", 1)
	w := newWorkspace(t, files, func(c *Config) { c.Now = func() time.Time { return at } })
	p := w.turn(t, "s1", green)
	w.answered(t, AnswerRequest{AnswerID: p.AnswerID, Answer: "I wrote it as you asked."})
	for range 2 { // complained of twice
		at = at.Add(time.Hour)
		w.happens(t, Event{Kind: MessageEvent, SessionID: "s1", Text: "it still fails to add the server command, it broke again", Files: []string{w.dir + "/bot/telegram.go"}})
	}
	if got := w.stats(t, "playbooks/a.md"); got.Succeeded != 0 || got.Failed != 1 || got.Recurred != 1 {
		t.Errorf("%+v", got)
	}
	if got := w.stats(t, "playbooks/b.md"); got.Succeeded != 1 || got.Failed != 0 {
		t.Errorf("the other one: %+v", got)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	w.answered(t, AnswerRequest{AnswerID: p.AnswerID, Answer: "I wrote it as you asked."})
	if got := w.stats(t, "playbooks/a.md"); got.Succeeded != 0 || got.Failed != 1 {
		t.Errorf("after a restart %+v", got)
	}
}

func TestProvenPlaybooksGoFirst(t *testing.T) {
	w := newWorkspace(t, playbooks())
	order := func() []string {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: restart, Aside: true})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, h := range p.Lessons {
			if strings.HasPrefix(h.Path, "playbooks/") {
				out = append(out, h.Path)
			}
		}
		return out
	}
	set := func(path string, succeeded, failed int) {
		w.State.Credit(path, func(_ *ledger.Usage, t *ledger.Tally) {
			*t = ledger.Tally{Served: 1, Succeeded: succeeded, Failed: failed}
		})
	}
	a, b := []string{"playbooks/a.md", "playbooks/b.md"}, []string{"playbooks/b.md", "playbooks/a.md"}
	if got := order(); !slices.Equal(got, a) {
		t.Fatalf("by relevance alone: %q", got)
	}
	for _, c := range []struct {
		name              string
		path              string
		succeeded, failed int
		want              []string
	}{
		{"three outcomes say nothing", "playbooks/b.md", 3, 0, a},
		{"four do", "playbooks/b.md", 4, 0, b},
		{"half and half is no proof", "playbooks/b.md", 4, 4, a},
		{"one that fails goes behind", "playbooks/a.md", 1, 4, b},
		{"one that no word speaks for stays away", "playbooks/far.md", 50, 0, a},
	} {
		for path := range playbooks() {
			set(path, 0, 0)
		}
		if set(c.path, c.succeeded, c.failed); !slices.Equal(order(), c.want) {
			t.Errorf("%s: %q", c.name, order())
		}
	}
}
