package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"handrail/lessons"
)

const scoped = `---
type: lesson
title: A migration needs a backup
applies-to: [postgres, migration]
paths: ["db/migrations/**"]
severity: high
---

# A migration needs a backup

## Root Cause

The deploy had no backup step.

## Prevention Checklist

- [ ] pg_dump runs before the migration
- [ ] The backup is restored once
- [ ] A third item that a reminder has no room for
`

const refused = `---
type: lesson
title: The queue client retried a refused connection for ever
applies-to: [queue]
---

# The queue client retried a refused connection for ever

## Mistake / Risk

` + "`dial tcp: ECONNREFUSED` was retried without a limit.\n" + `
## Root Cause

No limit.

## Prevention Checklist

- [ ] The retry has a limit
`

func touchWorkspace(t *testing.T, change ...func(*Config)) *workspace {
	return newWorkspace(t, map[string]string{
		"lessons/backup.md": scoped, "lessons/queue.md": refused, "lessons/allowlist.md": allowlist,
		"lessons/shop.md": strings.Replace(strings.ReplaceAll(scoped, "migration", "stock"), "type: lesson\n", "type: lesson\nproject: shop\n", 1),
	}, change...)
}

func TestTouch(t *testing.T) {
	w := touchWorkspace(t)
	for _, tt := range []struct {
		name string
		req  TouchRequest
		want string
	}{
		{"a file that a card's paths hold", TouchRequest{Files: []string{w.dir + "/db/migrations/7.sql"}, Reads: true}, "lessons/backup.md"},
		{"a file that none holds", TouchRequest{Files: []string{w.dir + "/README.md"}}, ""},
		{"a file outside the project", TouchRequest{Files: []string{"/tmp/db/migrations/7.sql"}}, ""},
		{"an error that a card names", TouchRequest{Command: "./run", Output: "starting\nerror: dial tcp 127.0.0.1:5: connect: ECONNREFUSED\n"}, "lessons/queue.md"},
		{"an error that none names", TouchRequest{Command: "./run", Output: "error: ETIMEDOUT\n"}, ""},
		{"a common error", TouchRequest{Command: "./run", Output: "AssertionError: expected 1\n"}, ""},
		{"a word of the command that is a card's tag", TouchRequest{Command: "go run ./telegram --once"}, "lessons/allowlist.md"},
		{"a folder that is a card's tag", TouchRequest{Files: []string{w.dir + "/telegram/handlers.go"}}, "lessons/allowlist.md"},
		{"one tag of a card that has paths", TouchRequest{Command: "make migration"}, ""},
		{"both tags of it", TouchRequest{Command: "psql postgres -f migration.sql"}, "lessons/backup.md"},
		{"another project's card", TouchRequest{Command: "stock postgres", Project: "bank"}, ""},
		{"its own project's card", TouchRequest{Command: "stock postgres", Project: "Shop"}, "lessons/shop.md"},
		{"nothing", TouchRequest{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := w.Touch(ctx, tt.req)
			if err != nil {
				t.Fatal(err)
			}
			path := ""
			if got.Lesson != nil {
				path = got.Lesson.Path
			}
			if path != tt.want || (got.Text == "") != (tt.want == "") || strings.Count(got.Text, "\n") > 2 {
				t.Errorf("%s, want %s:\n%s", path, tt.want, got.Text)
			}
		})
	}
}

func TestACardIsHandedOverOnce(t *testing.T) {
	w := touchWorkspace(t)
	file := TouchRequest{SessionID: "s", Files: []string{w.dir + "/db/migrations/7.sql"}}
	ask := PreflightRequest{SessionID: "s", Query: "write a migration for postgres", Agent: "Claude Code"}

	first, err := w.Preflight(ctx, ask)
	if err != nil || len(first.Lessons) == 0 || first.Lessons[0].Path != "lessons/backup.md" {
		t.Fatalf("%+v, %v", first, err)
	}
	got, err := w.Touch(ctx, file)
	if err != nil || got.Lesson == nil || got.Receipt == "" {
		t.Fatalf("the action got %+v, %v", got, err)
	}
	if again, _ := w.Touch(ctx, file); again.Text != "" {
		t.Errorf("a second time: %q", again.Text)
	}
	second, err := w.Preflight(ctx, ask)
	if err != nil || slices.ContainsFunc(second.Lessons, func(h Hit) bool { return h.Path == "lessons/backup.md" }) {
		t.Errorf("the next turn got it again: %+v, %v", second.Lessons, err)
	}
	footer, err := w.Answered(ctx, AnswerRequest{SessionID: "s", Answer: "I wrote it as you asked."})
	if err != nil || footer.Turn != 2 || footer.Agent != "Claude Code" || len(footer.Unaddressed) != 3 {
		t.Errorf("the answer is still held against the card: %+v, %v", footer, err)
	}
	if other, _ := w.Touch(ctx, TouchRequest{SessionID: "t", Files: file.Files}); other.Text == "" {
		t.Error("another session got nothing")
	}
	if _, err := w.Observe(ctx, Event{Kind: SessionEvent, SessionID: "s"}); err != nil {
		t.Fatal(err)
	}
	if anew, _ := w.Touch(ctx, file); anew.Text == "" {
		t.Error("a conversation that began anew got nothing")
	}
}

func TestAReadIsNotHeldAgainstTheAnswer(t *testing.T) {
	w := touchWorkspace(t)
	if _, err := w.Preflight(ctx, PreflightRequest{SessionID: "s", Query: "what do penguins eat in winter"}); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Touch(ctx, TouchRequest{SessionID: "s", Reads: true, Files: []string{w.dir + "/db/migrations/7.sql"}}); err != nil || got.Text == "" {
		t.Fatalf("%+v, %v", got, err)
	}
	footer, err := w.Answered(ctx, AnswerRequest{SessionID: "s", Answer: "Fish."})
	if err != nil || len(footer.Lessons) != 1 || len(footer.Unaddressed) != 0 {
		t.Errorf("%+v, %v", footer, err)
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
	ask.Agent = "B"
	if other, _ := w.Preflight(ctx, ask); other.Block == "" || other.AnswerID != first.AnswerID {
		t.Errorf("another agent of the session: %+v", other)
	}
	at = at.Add(doubleFire)
	if later, _ := w.Preflight(ctx, ask); later.Block == "" || later.AnswerID == first.AnswerID {
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
	if f := check("a"); f.Delivery != (Delivery{Selected: 1, Delivered: 1}) || strings.Contains(f.Summary, "reach") {
		t.Errorf("without a transcript: %+v %q", f.Delivery, f.Summary)
	}
	if f := check("b", "OTHERONE"); f.Delivery != (Delivery{Selected: 1, Lost: 1}) || !strings.Contains(f.Summary, "1 did not reach the agent") {
		t.Errorf("dropped: %+v %q", f.Delivery, f.Summary)
	}
	if f := check("c", "OTHERONE", Receipt(p.AnswerID)); f.Delivery != (Delivery{Selected: 1, Delivered: 1, Received: 1}) || f.Repeat {
		t.Errorf("received: %+v", f.Delivery)
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
	if err != nil || len(p.Lessons) != maxLessons {
		t.Fatalf("%d cards, %v", len(p.Lessons), err)
	}
	if f, err := w.Answered(ctx, AnswerRequest{SessionID: "s", Answer: "x"}); err != nil || f.Delivery != (Delivery{Selected: 8, Delivered: 5, Cut: 3}) {
		t.Errorf("%+v, %v", f.Delivery, err)
	}
}

func TestSessionsAreBoundedAndOutliveTheProcess(t *testing.T) {
	at := now()
	w := touchWorkspace(t, func(c *Config) { c.Now = func() time.Time { return at } })
	file := []string{w.dir + "/db/migrations/7.sql"}
	for i := range 2 * maxSessions {
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
	n := len(w.sessions.rows)
	if n > maxSessions+maxSessions/4 || n < maxSessions || len(w.sessions.rows["busy"].Open) != maxOpenCalls {
		t.Errorf("%d sessions, %d open calls", n, len(w.sessions.rows["busy"].Open))
	}
	last := fmt.Sprint(2*maxSessions - 1)
	if got, _ := w.Touch(ctx, TouchRequest{SessionID: last, Files: file}); got.Text != "" {
		t.Error("what was handed over is forgotten with the process")
	}
	at = at.Add(sessionLife + time.Second)
	if got, _ := w.Touch(ctx, TouchRequest{SessionID: last, Files: file}); got.Text == "" {
		t.Error("a session of the day before yesterday still counts")
	}
}

func TestDigest(t *testing.T) {
	w := touchWorkspace(t)
	d, err := w.Digest(ctx, DigestRequest{Project: "bank", Limit: 2})
	if err != nil || len(d.Lessons) != 2 || d.Lessons[0].Path != "lessons/allowlist.md" || d.Lessons[1].Path != "lessons/backup.md" {
		t.Errorf("%+v, %v", d.Lessons, err)
	}
	if d, _ := newWorkspace(t, nil).Digest(ctx, DigestRequest{}); d.Block != "" {
		t.Errorf("an empty brain gave %q", d.Block)
	}
}
