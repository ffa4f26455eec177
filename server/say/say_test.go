package say

import (
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers"
)

func TestIn(t *testing.T) {
	where, inner := Text{"%[2]s is in %[1]s", "%[1]s에 %[2]s이 있음"}, Text{"a card", "카드"}
	for language, want := range map[string]string{"en": "a card is in x", "": "a card is in x", "ko": "x에 카드이 있음"} {
		if got := where.In(language, "x", inner); got != want {
			t.Errorf("%q: %q", language, got)
		}
	}
}

// TestDeedsAreNamed: what a candidate says of deeds is in the language of its conversation.
func TestDeedsAreNamed(t *testing.T) {
	for _, deed := range []string{
		triggers.Denied + ": X1", "X1" + triggers.WentBack, "X1" + triggers.FailsNow, "X1: 3" + triggers.CameBack, "X1: 3" + triggers.Rewritten,
	} {
		c := brain.Candidate{Title: deed, Mistake: "> " + deed, Proof: deed, Evidence: []string{"X1", deed}}
		if got := English.Named(c)[0]; got.Evidence[1] != deed || got.Mistake != "> "+deed {
			t.Errorf("English: %q", got.Evidence)
		}
		c.Language = "ko"
		got := English.Named(c)[0]
		for _, text := range append(got.Evidence, got.Title, got.Mistake, got.Proof) {
			if !strings.Contains(text, "X1") || strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") {
				t.Errorf("%q: %q", deed, text)
			}
		}
		if c.Evidence[1] != deed {
			t.Errorf("changed what waits: %q", c.Evidence)
		}
	}
}

// TestNamed: what nobody has named is named by the person's words, by what was asked where they say nothing, and never by a file alone.
func TestNamed(t *testing.T) {
	files := []string{"src/app.py"}
	for want, c := range map[string]brain.Candidate{
		"Corrected: “You rewrote the whole of the parser”":          {Trigger: "correction", Title: "You rewrote the whole of the parser", Files: files},
		"Failed again: “the login page does not take the password”": {Trigger: "complaint", Title: "mend the login", Evidence: []string{"no, the login page does not take the password"}, Files: files},
		"Failed again: “mend the login”":                            {Trigger: "complaint", Title: "mend the login", Evidence: []string{"it still fails, the same error again"}, Files: files},
		"또 실패함: “로그인 화면이 아직 열리지 않아요 비밀번호를 넣어도”":                     {Trigger: "complaint", Title: "로그인 고쳐줘", Evidence: []string{"로그인 화면이 아직 열리지 않아요 비밀번호를 넣어도"}, Files: files, Language: "ko"},
		"Undone: Limit chats to three (app.py)":                     {Trigger: "rollback", Title: "Limit chats to three", Files: files},
		"Rejected: “sort the list” (app.py)":                        {Trigger: "rejected", Title: "denied or cancelled", Situation: "> sort the list", Files: files},
		"Tests failed, then passed: TestTotal":                      {Trigger: "red-green", Title: "total is 3", Test: "TestTotal", Files: files},
	} {
		c.Untitled = true
		if got := LocaleOf("en").Named(c)[0].Title; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
