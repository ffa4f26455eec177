package server

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/handrail-dev/handrail/server/brain"
)

// TestJudge: a person's word on an item changes what is shown, counted and left over, and can be
// taken back.
func TestJudge(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	p, err := w.Preflight(ctx, PreflightRequest{Query: "add a telegram command that restarts the server", SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, SessionID: "s", Answer: "I added the telegram command with its handler, and it restarts the server when the message comes in."})
	if err != nil || len(f.Unaddressed) == 0 {
		t.Fatal(f, err)
	}
	if f.Asked != "add a telegram command that restarts the server" || !f.At.Equal(now()) {
		t.Errorf("the answer is named %q at %s", f.Asked, f.At)
	}
	count := func() string {
		t.Helper()
		stats, err := w.Stats(ctx)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(stats.Cards, func(c CardStats) bool { return c.Path == "lessons/allow.md" })
		return fmt.Sprintf("%d kept, %d not", stats.Cards[i].Addressed, stats.Cards[i].Unaddressed)
	}
	if got := count(); got != "0 kept, 1 not" {
		t.Fatal(got)
	}
	say := func(state string) {
		t.Helper()
		for _, v := range f.Verdicts {
			if v.State == "kept" {
				continue
			}
			if _, err := w.Judge(ctx, JudgeRequest{AnswerID: p.AnswerID, Path: v.Path, Item: v.Item, State: state}); err != nil {
				t.Fatal(err)
			}
		}
	}
	say("kept")
	if got, list := count(), w.Answers(); got != "1 kept, 0 not" || len(list) != 1 || len(list[0].Unaddressed) != 0 {
		t.Errorf("%s, %+v", got, list)
	}
	say("")
	if got, list := count(), w.Answers(); got != "0 kept, 1 not" || len(list[0].Unaddressed) != len(f.Unaddressed) {
		t.Errorf("taken back: %s, %+v", got, list[0].Unaddressed)
	}
	if text, _ := w.LeftOver("s"); text == "" {
		t.Error("taken back, the item no longer leads the next request")
	}
	say("not-here")
	if got := count(); got != "1 kept, 0 not" && got != "0 kept, 0 not" {
		t.Errorf("where nothing applies: %s", got)
	}
	again, err := w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, SessionID: "s", Answer: "I added the telegram command with its handler, and it restarts the server when the message comes in. It works now."})
	if err != nil || len(again.Unaddressed) != 0 {
		t.Errorf("checked again, the person's word is gone: %+v %v", again.Unaddressed, err)
	}
	if text, _ := w.LeftOver("s"); text != "" {
		t.Errorf("the next request gets %q", text)
	}
	for _, bad := range []JudgeRequest{
		{Path: f.Verdicts[0].Path, Item: f.Verdicts[0].Item, State: "kept"}, {AnswerID: p.AnswerID, Path: "lessons/no.md", Item: "No", State: "kept"},
	} {
		if _, err := w.Judge(ctx, bad); !errors.Is(err, ErrUnknownAnswer) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := w.Judge(ctx, JudgeRequest{AnswerID: p.AnswerID, Path: f.Verdicts[0].Path, Item: f.Verdicts[0].Item, State: "fine"}); Code(err) != "bad-request" {
		t.Errorf("a word that is none: %v", err)
	}
}

// TestJudgeOfACheckAside: where nothing was counted, a person's word earns nothing.
func TestJudgeOfACheckAside(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	p, err := w.Preflight(ctx, PreflightRequest{Query: "add a telegram command that restarts the server", Aside: true})
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, Answer: "I added the telegram command with its handler, and it restarts the server when the message comes in."})
	if err != nil || len(f.Unaddressed) == 0 {
		t.Fatal(f, err)
	}
	before, _ := w.Stats(ctx)
	for _, v := range f.Unaddressed {
		if _, err := w.Judge(ctx, JudgeRequest{AnswerID: p.AnswerID, Path: v.Path, Item: v.Item, State: "kept"}); err != nil {
			t.Fatal(err)
		}
	}
	if after, _ := w.Stats(ctx); !cmp.Equal(before.Cards, after.Cards) {
		t.Error(cmp.Diff(before.Cards, after.Cards))
	}
}

// TestAnswersAreBounded: the newest come first, and an answer that is checked again is one.
func TestAnswersAreBounded(t *testing.T) {
	s := &Server{Base: &Base{}}
	for i := range brain.MaxAnswers + 5 {
		s.Checked.Keep(Footer{AnswerID: fmt.Sprint(i)}, "", false)
	}
	s.Checked.Keep(Footer{AnswerID: "9", Asked: "again"}, "", false)
	if list := s.Answers(); len(list) != brain.MaxAnswers || list[0].AnswerID != fmt.Sprint(brain.MaxAnswers+4) || list[15].Asked != "again" {
		t.Errorf("%d, first %+v", len(list), list[0])
	}
}
