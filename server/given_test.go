package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/ledger"
)

func TestACardComesOnce(t *testing.T) {
	const backup = "lessons/backup.md"
	w := touchWorkspace(t)
	comes := func(r PreflightRequest) bool {
		t.Helper()
		p, err := w.Preflight(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(deliver.PathsOf(p.Lessons), backup)
	}
	file := func(session string) TouchRequest {
		return TouchRequest{SessionID: session, Files: []string{w.dir + "/db/migrations/7.sql"}}
	}
	ask := func(session string) PreflightRequest {
		return PreflightRequest{SessionID: session, Query: "write a migration for postgres", Agent: "Claude Code", Compacts: true}
	}
	begins := func(session string) {
		t.Helper()
		if _, err := w.Observe(ctx, Event{Kind: SessionEvent, SessionID: session}); err != nil {
			t.Fatal(err)
		}
	}
	touched := func(session string) bool {
		t.Helper()
		got, err := w.Touch(ctx, file(session))
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(deliver.PathsOf(got.Lessons), backup)
	}

	if !comes(ask("block")) || touched("block") || comes(ask("block")) {
		t.Error("a card of a block came again, or never")
	}
	footer, err := w.Answered(ctx, AnswerRequest{SessionID: "block", Answer: "I wrote it as you asked."})
	if err != nil || footer.Turn != 2 || footer.Agent != "Claude Code" || len(footer.Unaddressed) != 3 {
		t.Errorf("the answer is still held against the card: %+v, %v", footer, err)
	}
	if begins("block"); !touched("block") {
		t.Error("a conversation that began anew got nothing")
	}

	w.next(t, "action")
	if !touched("action") || touched("action") || comes(ask("action")) {
		t.Error("a card of an action came again, or never")
	}

	// What tools were asked for in between stands in the conversation of the hooks.
	w = touchWorkspace(t)
	w.next(t, "tools")
	if w.Gave("mcp", backup); touched("tools") || comes(ask("tools")) {
		t.Error("a card that was read whole came again")
	}
	begins("tools")
	asked := ask("mcp")
	asked.Told = true
	if !comes(asked) || touched("tools") || comes(ask("tools")) {
		t.Error("a card that a tool's preflight brought came again, or never")
	}

	// Who seems to have lost it gets it again: a broken item, a transcript without it, many turns.
	w = touchWorkspace(t)
	comes(ask("lost"))
	receipt := ledger.Receipt(w.State.TurnOf("lost"))
	for _, tt := range []struct {
		receipts []string
		again    bool
	}{{nil, false}, {[]string{"OTHER", receipt}, false}, {[]string{"OTHER"}, true}} {
		if _, err := w.Heads(ctx, HeadsRequest{SessionID: "lost", Host: "claude", Resumed: true, Receipts: tt.receipts}); err != nil {
			t.Fatal(err)
		}
		if got := comes(ask("lost")); got != tt.again {
			t.Errorf("resumed with the receipts %q: it came again: %v", tt.receipts, got)
		}
	}
	comes(ask("dropped"))
	if _, err := w.Answered(ctx, AnswerRequest{SessionID: "dropped", Answer: "Done.", Transcript: true}); err != nil {
		t.Fatal(err)
	}
	if !comes(ask("dropped")) {
		t.Error("a card that never arrived did not come again")
	}
	forgets := ask("turns")
	forgets.Compacts = false
	comes(forgets)
	for i := range ledger.Forgetful {
		if last := i == ledger.Forgetful-1; comes(forgets) != last {
			t.Errorf("after %d turns it came again: %v", i+1, !last)
		}
	}
}

func TestTheSameRequestTwice(t *testing.T) {
	at := now()
	w := touchWorkspace(t, func(c *Config) { c.Now = func() time.Time { return at } })
	ask := PreflightRequest{SessionID: "s", Query: "write a migration for postgres", Agent: "A", Once: true}
	first, err := w.Preflight(ctx, ask)
	if err != nil || first.Block == "" || first.Repeat {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, _ := w.Preflight(ctx, ask); again.Block != "" || !again.Repeat || again.AnswerID != first.AnswerID {
		t.Errorf("fired twice: %+v", again)
	}
	w.State.Turns.Change(first.AnswerID, func(t *ledger.Turn) bool { t.Counted = true; return true })
	ask.Agent = "B"
	if other, _ := w.Preflight(ctx, ask); other.Block == "" || other.AnswerID != first.AnswerID {
		t.Errorf("another agent of the session: %+v", other)
	}
	if row, _ := w.State.Turns.Get(first.AnswerID); !row.Counted || len(row.Credited) == 0 {
		t.Errorf("what was counted is gone: %+v", row)
	}
	at = at.Add(ledger.DoubleFire)
	if later, _ := w.Preflight(ctx, ask); later.Repeat || later.AnswerID == first.AnswerID {
		t.Errorf("ten seconds later: %+v", later)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	ask.SessionID = "u"
	if _, err := w.Preflight(cancelled, ask); err == nil {
		t.Fatal("a cancelled request succeeded")
	}
	if next, _ := w.Preflight(ctx, ask); next.Block == "" {
		t.Error("a request that failed stands in the way of the next")
	}
}

func TestOrphanedCalls(t *testing.T) {
	w := touchWorkspace(t)
	begin := func(id, command string, files ...string) {
		if _, err := w.Observe(ctx, Event{Kind: CallEvent, SessionID: "s", CallID: id, Command: command, Files: files}); err != nil {
			t.Fatal(err)
		}
	}
	begin("1", "go vet ./...")
	begin("2", "rm -rf build")
	begin("3", "", w.dir+"/a.go")
	zero := 0
	if _, err := w.Observe(ctx, Event{Kind: MessageEvent, SessionID: "s", Text: "vet it", Late: true}); err != nil || len(w.Candidates()) > 0 {
		t.Fatalf("a message that was heard after the calls it led to: %+v, %v", w.Candidates(), err)
	}
	for _, e := range []Event{
		{Kind: CommandEvent, CallID: "1", Command: "go vet ./...", ExitCode: &zero},
		{Kind: EditEvent, CallID: "3", Files: []string{w.dir + "/a.go"}},
		{Kind: MessageEvent, Text: "use git clean instead"},
	} {
		e.SessionID = "s"
		if _, err := w.Observe(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	list := w.Candidates()
	if len(list) != 1 || list[0].Trigger != "rejected" || !strings.Contains(list[0].Title, "rm -rf build") {
		t.Fatalf("%+v", list)
	}
	if _, err := w.Observe(ctx, Event{Kind: MessageEvent, SessionID: "s", Text: "go on"}); err != nil || len(w.Candidates()) != 1 {
		t.Errorf("an orphan counted twice: %+v, %v", w.Candidates(), err)
	}
}

func TestReceipts(t *testing.T) {
	w := touchWorkspace(t)
	ask := PreflightRequest{SessionID: "s", Query: "write a migration for postgres", Agent: "Codex"}
	p, err := w.Preflight(ctx, ask)
	if err != nil || len(p.Lessons) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	check := func(answer string, receipts ...string) Footer {
		t.Helper()
		f, err := w.Answered(ctx, AnswerRequest{SessionID: "s", Answer: answer, Transcript: receipts != nil, Receipts: receipts})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if f := check("a"); f.Lost != 0 {
		t.Errorf("without a transcript: %d", f.Lost)
	}
	if f := check("b", "OTHERONE"); f.Lost != 1 {
		t.Errorf("dropped: %d", f.Lost)
	}
	if f := check("c", "OTHERONE", Receipt(p.AnswerID)); f.Lost != 0 || f.Repeat {
		t.Errorf("received: %d", f.Lost)
	}
	if f := check("c", Receipt(p.AnswerID)); !f.Repeat {
		t.Error("the same answer again is not told apart")
	}
	text := lessons.Receipted(p.Block, Receipt(p.AnswerID))
	if got := lessons.Receipts([]byte(fmt.Sprintf("%q", text))); !slices.Equal(got, []string{Receipt(p.AnswerID)}) || !strings.HasPrefix(text, "[ACTIVE LESSONS — verify before finalizing]\n") {
		t.Errorf("%v in %q", got, text)
	}
}

func TestCutByBudget(t *testing.T) {
	files := map[string]string{}
	for i := range 8 {
		files[fmt.Sprintf("lessons/%d.md", i)] = strings.ReplaceAll(scoped, "A migration needs a backup", fmt.Sprintf("A migration needs a backup %d", i))
	}
	w := newWorkspace(t, files)
	p, err := w.Preflight(ctx, PreflightRequest{SessionID: "s", Query: "write a migration for postgres"})
	if err != nil || len(p.Lessons) != brain.MaxLessons {
		t.Fatalf("%d cards, %v", len(p.Lessons), err)
	}
}

func TestSessionsAreBoundedAndOutliveTheProcess(t *testing.T) {
	at := now()
	w := touchWorkspace(t, func(c *Config) { c.Now = func() time.Time { return at } })
	file := []string{w.dir + "/db/migrations/7.sql"}
	for i := range 2 * ledger.MaxSessions {
		at = at.Add(time.Second)
		if _, err := w.Touch(ctx, TouchRequest{SessionID: fmt.Sprint(i), Files: file}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := w.Observe(ctx, Event{Kind: CallEvent, SessionID: "busy", CallID: fmt.Sprint("c", i, at.UnixNano()), Command: "x"}); err != nil {
				t.Fatal(err)
			}
			at = at.Add(time.Millisecond)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	n := len(w.State.Sessions.All(nil))
	busy, _ := w.State.Sessions.Get("busy")
	if n > ledger.MaxSessions+ledger.MaxSessions/4 || n < ledger.MaxSessions || len(busy.Open) != ledger.MaxOpenCalls {
		t.Errorf("%d sessions, %d open calls", n, len(busy.Open))
	}
	last := fmt.Sprint(2*ledger.MaxSessions - 1)
	if got, _ := w.Touch(ctx, TouchRequest{SessionID: last, Files: file}); got.Text != "" {
		t.Error("what was handed over is forgotten with the process")
	}
	at = at.Add(ledger.SessionLife + time.Second)
	if got, _ := w.Touch(ctx, TouchRequest{SessionID: last, Files: file}); got.Text == "" {
		t.Error("a session of the day before yesterday still counts")
	}
}
