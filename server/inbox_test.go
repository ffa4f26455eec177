package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/inbox"
)

// clocked returns a workspace whose clock is *at.
func clocked(t *testing.T, at *time.Time) *workspace {
	t.Helper()
	return newWorkspace(t, nil, func(c *Config) { c.Now = func() time.Time { return *at } })
}

// complains makes somebody ask for something and then complain about it.
func (w *workspace) complains(t *testing.T, at time.Time, session, about string) *Candidate {
	t.Helper()
	var c *Candidate
	for i, text := range []string{about, "it still fails, the same error again"} {
		var err error
		c, err = w.raised(Event{Kind: MessageEvent, SessionID: session, Text: text, At: at.Add(time.Duration(i) * time.Second)})
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (w *workspace) review(t *testing.T, r ReviewRequest) Reviewed {
	t.Helper()
	done, err := w.Review(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// TestCandidatesExpire: after 30 days a candidate leaves the list, and is not offered again.
func TestCandidatesExpire(t *testing.T) {
	at := now()
	w := clocked(t, &at)
	c := w.complains(t, at, "s1", "make the export write a BOM")
	if c == nil {
		t.Fatal("no candidate")
	}
	at = c.At.Add(inbox.Life)
	if n := len(w.Candidates()); n != 1 {
		t.Fatalf("%d wait on the last day", n)
	}
	at = at.Add(time.Second)
	heard := 0
	w.Attach(Notify{Changed: func(c Changed) {
		if c.Candidates {
			heard++
		}
	}})
	if n := len(w.Candidates()); n != 0 || heard != 1 {
		t.Fatalf("%d wait, %d were told", n, heard)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	if _, err := w.Confirm(ctx, CreateRequest{CandidateID: c.ID}); !errors.Is(err, ErrUnknownCandidate) {
		t.Errorf("an expired candidate was recorded: %v", err)
	}
	if again, err := w.Offer(ctx, []Candidate{*c}, 0, false); err != nil || len(again) != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	if done := w.review(t, ReviewRequest{Dismiss: []string{"none"}, Accept: []string{"none"}}); len(done.Left) != 2 || done.Left[0].Code != "unknown-candidate" {
		t.Errorf("%+v", done)
	}
}

// TestTheOldestGo: no more than inbox.Most wait.
func TestTheOldestGo(t *testing.T) {
	at := now()
	w := clocked(t, &at)
	for i := range inbox.Most + 2 {
		ev := Event{Kind: RollbackEvent, At: at.Add(time.Duration(i) * time.Second), SessionID: fmt.Sprint(i), Text: fmt.Sprintf("Revert number %d of the exporter", i)}
		if c, err := w.raised(ev); err != nil || c == nil {
			t.Fatalf("%d: %v, %v", i, c, err)
		}
	}
	list := w.Candidates()
	if len(list) != inbox.Most || !strings.Contains(list[0].Title, "number 2 ") {
		t.Errorf("%d wait, first %q", len(list), list[0].Title)
	}
}

// TestTheSameAgainJoins: what repeats a question that waits adds to it; another one waits too.
func TestTheSameAgainJoins(t *testing.T) {
	at := now()
	w := clocked(t, &at)
	asked := 0
	w.Attach(Notify{Candidate: func(Candidate) { asked++ }})
	first := w.complains(t, at, "s1", "make the export write a BOM")
	at = at.Add(5 * time.Minute)
	for _, text := range []string{"make the export write a BOM", "that did not work either, it broke again"} {
		if _, err := w.Observe(ctx, Event{Kind: MessageEvent, SessionID: "s1", Text: text, At: at}); err != nil {
			t.Fatal(err)
		}
	}
	list := w.Candidates()
	if len(list) != 1 || list[0].ID != first.ID || list[0].Times != 2 || len(list[0].Evidence) != 2 || !list[0].At.Equal(at) ||
		!strings.Contains(list[0].Mistake, "still fails") || !strings.Contains(list[0].Mistake, "broke again") {
		t.Errorf("%+v", list)
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	at = at.Add(5 * time.Minute)
	w.complains(t, at, "s1", "rename the login page")
	if n := len(w.Candidates()); n != 2 {
		t.Errorf("%d wait: something else must not join", n)
	}
}

// TestReviewMakesDrafts, each with what its candidate had.
func TestReviewMakesDrafts(t *testing.T) {
	at := now()
	w := clocked(t, &at)
	a := w.complains(t, at, "s1", "make the export write a BOM")
	b := w.complains(t, at.Add(5*time.Minute), "s1", "rename the login page")
	c := w.complains(t, at, "s2", "speed the tests up")
	done := w.review(t, ReviewRequest{Accept: []string{a.ID, b.ID, c.ID}})
	if len(done.Drafts) != 3 || len(done.Left) != 0 {
		t.Fatalf("%+v", done)
	}
	box, err := w.Inbox(ctx, English)
	if err != nil || box.Waiting != 3 || len(box.Candidates) != 0 || len(box.Drafts) != 3 {
		t.Fatalf("%+v, %v", box, err)
	}
	for _, d := range box.Drafts {
		if len(d.Evidence) == 0 || len(d.Weak) == 0 || !strings.HasPrefix(d.Path, "drafts/") {
			t.Errorf("%+v", d)
		}
	}
	if p, err := w.Preflight(ctx, PreflightRequest{Query: "make the export write a BOM"}); err != nil || p.Block != "" {
		t.Errorf("a draft is injected: %q, %v", p.Block, err)
	}
	if again := w.review(t, ReviewRequest{Accept: []string{b.ID}}); len(again.Left) != 1 {
		t.Errorf("%+v", again)
	}
}

// TestAcceptedIsLookedAtAgain: what was so when the candidate arose may not be any more.
func TestAcceptedIsLookedAtAgain(t *testing.T) {
	at := now()
	setup := func(t *testing.T) (*workspace, *Candidate) {
		t.Helper()
		w := clocked(t, &at)
		if err := os.WriteFile(filepath.Join(w.dir, "export.go"), []byte("package x"), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := w.raised(Event{Kind: RollbackEvent, At: at, SessionID: "s1", Text: "The export loses its BOM", Files: []string{filepath.Join(w.dir, "export.go"), filepath.Join(w.dir, "never.go")}})
		if err != nil || c == nil || !slices.Equal(c.Files, []string{"export.go"}) {
			t.Fatalf("%+v, %v", c, err)
		}
		return w, c
	}
	fields := CreateFields{RootCause: "The writer was opened twice.", Checklist: []string{"The first bytes are EF BB BF"}}

	t.Run("a twin", func(t *testing.T) {
		w, c := setup(t)
		twin, err := w.Confirm(ctx, CreateRequest{Title: "The export loses its BOM"})
		if err != nil {
			t.Fatal(err)
		}
		// The person's own title would hide it.
		made, err := w.Confirm(ctx, CreateRequest{Title: "Write the BOM once", CandidateID: c.ID, Fields: fields})
		if err != nil || made.DuplicateOf != twin.Path {
			t.Errorf("%+v, %v", made, err)
		}
		done := w.review(t, ReviewRequest{Accept: []string{c.ID}})
		if len(done.Left) != 1 || done.Left[0].Code != "duplicate" || done.Left[0].Path != twin.Path || !strings.Contains(done.Left[0].Why, "handrail bump") {
			t.Errorf("%+v", done)
		}
		done = w.review(t, ReviewRequest{Accept: []string{c.ID}, Anyway: true})
		if len(done.Drafts) != 1 {
			t.Errorf("%+v", done)
		}
	})
	t.Run("its files are gone", func(t *testing.T) {
		w, c := setup(t)
		if err := os.Remove(filepath.Join(w.dir, "export.go")); err != nil {
			t.Fatal(err)
		}
		_, err := w.Confirm(ctx, CreateRequest{Title: "The export lost its BOM", CandidateID: c.ID, Fields: fields})
		if !errors.Is(err, ErrStale) || !strings.Contains(English.Explain(err), `"export.go"`) || !strings.Contains(English.Explain(err), "--anyway") {
			t.Errorf("%v", err)
		}
		anyway := fields
		anyway.AllowGone = true
		if _, err := w.Confirm(ctx, CreateRequest{Title: "The export lost its BOM", CandidateID: c.ID, Fields: anyway}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a secret", func(t *testing.T) {
		w, c := setup(t)
		secret := fields
		secret.Fix, secret.Status = "Set password=hunter2secret99 in the URL", lessons.Drafted
		var weak *WeakError
		_, err := w.Confirm(ctx, CreateRequest{CandidateID: c.ID, Fields: secret})
		if !errors.As(err, &weak) || len(weak.Problems) != 1 || weak.Problems[0].Code != lessons.HoldsSecret || !strings.Contains(Korean.Explain(err), `"fix"`) {
			t.Errorf("%v", err)
		}
	})
	t.Run("the card it repeats is gone", func(t *testing.T) {
		w, _ := setup(t)
		twin, err := w.Confirm(ctx, CreateRequest{Title: "The export loses its BOM"})
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Hour)
		c, err := w.raised(Event{Kind: RollbackEvent, At: at, SessionID: "s2", Text: "The export loses its BOM", Files: []string{filepath.Join(w.dir, "export.go"), filepath.Join(w.dir, "never.go")}})
		if err != nil || c == nil || c.Similar != twin.Path {
			t.Fatalf("%+v, %v", c, err)
		}
		if _, err := w.Delete(ctx, twin.Path); err != nil {
			t.Fatal(err)
		}
		if list := w.Candidates(); len(list) != 1 || list[0].Similar != "" {
			t.Errorf("%+v", list)
		}
		if done := w.review(t, ReviewRequest{Accept: []string{c.ID}}); len(done.Drafts) != 1 {
			t.Errorf("%+v", done)
		}
	})
	t.Run("the quality bar", func(t *testing.T) {
		w, c := setup(t)
		var weak *WeakError
		if _, err := w.Confirm(ctx, CreateRequest{Title: "still failing", CandidateID: c.ID, Fields: fields}); !errors.As(err, &weak) || weak.Problems[0].Code != lessons.ChatTitle {
			t.Errorf("%v", err)
		}
	})
}
