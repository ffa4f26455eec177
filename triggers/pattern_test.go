package triggers

import "testing"

func TestPatternsMeetAndPart(t *testing.T) {
	said := func(t Trigger, words string) Candidate {
		return Candidate{Trigger: t, Title: "whatever it was about", Evidence: []string{words, "go test ./..."}}
	}
	files := func(t Trigger, files ...string) Candidate {
		return Candidate{Trigger: t, Title: "a title", Files: files, Evidence: []string{"reset: moving to HEAD~1"}}
	}
	green := func(command, title string) Candidate {
		return Candidate{Trigger: RedGreen, Title: title, Evidence: []string{command, "--- FAIL"}}
	}
	for _, c := range []struct {
		a, b  Candidate
		same  bool
		words string // of a
	}{
		{said(Complaint, "still fails"), said(Complaint, "  Still   FAILS! "), true, "still fails"},
		{said(Complaint, "또 안 돼요"), said(Complaint, "또 안 돼요."), true, "또 안 돼요"},
		{said(Complaint, "또 안 돼요"), said(Complaint, "또 안 돼"), false, "또 안 돼요"},
		{said(Complaint, "regression"), said(Complaint, "a regression again"), false, "regression"},
		{said(Complaint, "no, wrong"), said(Correction, "no, wrong"), false, "no, wrong"},
		{files(RolledBack, "b.go", "a.go"), files(RolledBack, "a.go", "b.go", "a.go"), true, "a.go, b.go"},
		{files(RolledBack, "a.go"), files(RolledBack, "a.go", "b.go"), false, "a.go"},
		{files(RolledBack, "a.go"), files(TurnedDown, "a.go"), false, "a.go"},
		{files(RolledBack), files(RolledBack), true, "a title"},
		{green("go test ./...", "TestFlaky: took 131 ms"), green("go test ./...", "TestFlaky: took 98 ms"), true, "go test ./...: TestFlaky: took 131 ms"},
		{green("go test ./...", "TestFlaky"), green("go test ./...", "TestOther"), false, "go test ./...: TestFlaky"},
		{green("go test ./a", "TestFlaky"), green("go test ./b", "TestFlaky"), false, "go test ./a: TestFlaky"},
		{green("npm test", "npm test"), green("npm test", "npm test"), true, "npm test"},
	} {
		a, b := PatternOf(c.a), PatternOf(c.b)
		if (a.Key == b.Key) != c.same || a.Words != c.words || a.Trigger != string(c.a.Trigger) {
			t.Errorf("%+v and %+v: same must be %v, words %q", a, b, c.same, c.words)
		}
	}
}
