package triggers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/triggers/heard"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// first returns the first candidate of an event.
func (s Seen) first() (Candidate, bool) {
	if len(s.Candidates) == 0 {
		return Candidate{}, false
	}
	return s.Candidates[0], true
}

func code(n int) *int { return &n }

// after returns the moment n minutes past noon.
func after(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

func TestRedThenGreenRaisesACandidate(t *testing.T) {
	const red = "--- FAIL: TestExport (0.00s)\n    export_test.go:12: got \"\", want BOM\nFAIL\nFAIL\texample.com/app\t0.1s\n"
	for _, c := range []struct {
		name   string
		events []Event
		want   bool
	}{
		{"red, edit, green", []Event{
			{Kind: Command, At: after(0), Command: "go test ./...", Dir: "/w", ExitCode: code(1), Output: red},
			{Kind: Edit, At: after(1), Files: []string{"app/export.go"}},
			{Kind: Command, At: after(2), Command: "go test ./...", Dir: "/w", ExitCode: code(0), Output: "ok  \texample.com/app\t0.1s\n"},
		}, true},
		{"no edit between", []Event{
			{Kind: Command, At: after(0), Command: "go test ./...", Dir: "/w", ExitCode: code(1), Output: red},
			{Kind: Command, At: after(2), Command: "go test ./...", Dir: "/w", ExitCode: code(0)},
		}, false},
		{"plain success", []Event{
			{Kind: Edit, At: after(0), Files: []string{"a.go"}},
			{Kind: Command, At: after(1), Command: "go test ./...", Dir: "/w", ExitCode: code(0)},
		}, false},
		{"another folder", []Event{
			{Kind: Command, At: after(0), Command: "go test ./...", Dir: "/w", ExitCode: code(1), Output: red},
			{Kind: Edit, At: after(1), Files: []string{"a.go"}},
			{Kind: Command, At: after(2), Command: "go test ./...", Dir: "/x", ExitCode: code(0)},
		}, false},
		{"a run that a person stopped", []Event{
			{Kind: Command, At: after(0), Command: "go test ./...", Dir: "/w", ExitCode: code(130), Output: "=== RUN   TestSlow\n"},
			{Kind: Edit, At: after(1), Files: []string{"a.go"}},
			{Kind: Command, At: after(2), Command: "go test ./...", Dir: "/w", ExitCode: code(0)},
		}, false},
		{"a run that was told to end", []Event{
			{Kind: TestRun, At: after(0), Command: "go test ./...", Dir: "/w", ExitCode: code(143), Output: "=== RUN   TestSlow\n"},
			{Kind: Edit, At: after(1), Files: []string{"a.go"}},
			{Kind: Command, At: after(2), Command: "go test ./...", Dir: "/w", ExitCode: code(0)},
		}, false},
		{"a run that Windows stopped", []Event{
			{Kind: Command, At: after(0), Command: "go test ./...", Dir: "/w", ExitCode: code(-1073741510), Output: "=== RUN   TestSlow\n"},
			{Kind: Edit, At: after(1), Files: []string{"a.go"}},
			{Kind: Command, At: after(2), Command: "go test ./...", Dir: "/w", ExitCode: code(0)},
		}, false},
		{"a run that crashed", []Event{
			{Kind: Command, At: after(0), Command: "go test ./...", Dir: "/w", ExitCode: code(139), Output: "=== RUN   TestSlow\n"},
			{Kind: Edit, At: after(1), Files: []string{"a.go"}},
			{Kind: Command, At: after(2), Command: "go test ./...", Dir: "/w", ExitCode: code(0)},
		}, true},
		{"another package", []Event{
			{Kind: Command, At: after(0), Command: "go test ./a", Dir: "/w", ExitCode: code(1), Output: red},
			{Kind: Edit, At: after(1), Files: []string{"a.go"}},
			{Kind: Command, At: after(2), Command: "go test ./b", Dir: "/w", ExitCode: code(0)},
		}, false},
		{"a test task that runs no known runner", []Event{
			{Kind: TestRun, At: after(0), Command: "./verify  all", Dir: "/w", ExitCode: code(1)},
			{Kind: Edit, At: after(1), Files: []string{"a.go"}},
			{Kind: TestRun, At: after(2), Command: "./verify all", Dir: "/w", ExitCode: code(0)},
		}, true},
		{"wrappers do not matter", []Event{
			{Kind: Command, At: after(0), Command: "cd /w && CI=1 timeout 60 go test -v ./... 2>&1 | tail -20", Dir: "/", ExitCode: code(0), Output: red},
			{Kind: Edit, At: after(1), Files: []string{"a.go"}},
			{Kind: TestRun, At: after(2), Command: "go test ./...", Dir: "/w", ExitCode: code(0)},
		}, true},
		{"a pipe hides the exit status", []Event{
			{Kind: Command, At: after(0), Command: "pytest | tee log", Dir: "/w", ExitCode: code(0), Output: "==== 1 failed, 3 passed in 0.1s ====\n"},
			{Kind: Edit, At: after(1), Files: []string{"a.py"}},
			{Kind: Command, At: after(2), Command: "pytest", Dir: "/w", Output: "==== 4 passed in 0.1s ====\n"},
		}, true},
		{"jest without exit status", []Event{
			{Kind: Command, At: after(0), Command: "npx jest", Dir: "/w", Output: "Tests:       1 failed, 4 passed, 5 total\n"},
			{Kind: Edit, At: after(1), Files: []string{"a.ts"}},
			{Kind: Command, At: after(2), Command: "npx jest", Dir: "/w", Output: "Tests:       5 passed, 5 total\n"},
		}, true},
		{"cargo", []Event{
			{Kind: Command, At: after(0), Command: "cargo test", Dir: "/w", Output: "test result: FAILED. 1 passed; 1 failed\n"},
			{Kind: Edit, At: after(1), Files: []string{"a.rs"}},
			{Kind: Command, At: after(2), Command: "cargo test", Dir: "/w", Output: "test result: ok. 2 passed; 0 failed\n"},
		}, true},
		{"maven", []Event{
			{Kind: Command, At: after(0), Command: "mvn -q test", Dir: "/w", Output: "[INFO] BUILD FAILURE\n"},
			{Kind: Edit, At: after(1), Files: []string{"A.java"}},
			{Kind: Command, At: after(2), Command: "mvn -q test", Dir: "/w", Output: "[INFO] BUILD SUCCESS\n"},
		}, true},
		{"unknown outcome", []Event{
			{Kind: Command, At: after(0), Command: "go test ./...", Dir: "/w", Output: "…"},
			{Kind: Edit, At: after(1), Files: []string{"a.go"}},
			{Kind: Command, At: after(2), Command: "go test ./...", Dir: "/w", ExitCode: code(0)},
		}, false},
		{"no tests at all", []Event{
			{Kind: Command, At: after(0), Command: "go build ./...", Dir: "/w", ExitCode: code(1)},
			{Kind: Edit, At: after(1), Files: []string{"a.go"}},
			{Kind: Command, At: after(2), Command: "go build ./...", Dir: "/w", ExitCode: code(0)},
		}, false},
	} {
		d := NewDetector(Options{})
		var last Candidate
		raised := false
		for _, e := range c.events {
			if got, ok := d.Observe(e).first(); ok {
				last, raised = got, true
			}
		}
		if raised != c.want {
			t.Errorf("%s: raised %v, want %v", c.name, raised, c.want)
		}
		if c.name == "red, edit, green" && (last.Trigger != RedGreen || !strings.Contains(last.Title, "TestExport") || last.Test != "TestExport" || !strings.Contains(last.Mistake, "want BOM") || !strings.Contains(last.Situation, "app/export.go")) {
			t.Errorf("candidate %+v", last)
		}
	}
}

func TestComplaintCarriesItsContext(t *testing.T) {
	d := NewDetector(Options{})
	d.Observe(Event{Kind: Message, At: after(0), SessionID: "s", Text: "CSV 내보내기에서 한글이 깨지지 않게 해줘"})
	d.Observe(Event{Kind: Edit, At: after(1), SessionID: "s", Files: []string{"export/csv.go"}})
	c, ok := d.Observe(Event{Kind: Message, At: after(2), SessionID: "s", Text: "또 안 돼요, 어제 고친 건데"}).first()
	if !ok || c.Trigger != Complaint || !strings.Contains(c.Title, "CSV") || !strings.Contains(c.Mistake, "또 안 돼요, 어제 고친 건데") || !c.Korean || len(c.Files) != 1 {
		t.Fatalf("candidate %+v, %v", c, ok)
	}
}

func TestGates(t *testing.T) {
	dismissed := map[string]bool{}
	d := NewDetector(Options{Dismissed: func(id string) bool { return dismissed[id] }})
	say := func(at time.Time, session, text string) (Candidate, bool) {
		return d.Observe(Event{Kind: Message, At: at, SessionID: session, Text: text}).first()
	}
	first, ok := say(after(0), "a", "it broke again")
	if !ok {
		t.Fatal("the first complaint raises nothing")
	}
	if _, ok := say(after(0).Add(10*time.Second), "a", "still broken after your fix"); ok {
		t.Error("a second complaint within the cool-down was raised")
	}
	if _, ok := say(after(2), "b", "why does it keep failing"); !ok {
		t.Error("another session is silenced")
	}
	if _, ok := say(after(3), "a", "it broke again"); ok {
		t.Error("the same event was raised twice")
	}
	dismissed[first.ID] = true
	if _, ok := say(after(60), "c", "it broke again"); ok {
		t.Error("a dismissed candidate came back")
	}
	if _, ok := say(after(60), "c", "record this lesson"); !ok {
		t.Error("an explicit request was not answered")
	}
}

// TestReflogOfRealGit runs each operation in a repository of its own and judges the line
// that git itself writes.
func TestReflogOfRealGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, c := range []struct {
		name string
		do   [][]string
		want Verdict
	}{
		{"revert", [][]string{{"revert", "--no-edit", "HEAD"}}, Yes},
		{"revert of a revert", [][]string{{"revert", "--no-edit", "HEAD"}, {"revert", "--no-edit", "HEAD"}}, No},
		{"reset --hard", [][]string{{"reset", "-q", "--hard", "HEAD~1"}}, Moved},
		{"reset --soft", [][]string{{"reset", "-q", "--soft", "HEAD~1"}}, Moved},
		{"reset to the same commit", [][]string{{"reset", "-q", "--hard"}}, No},
		{"amend", [][]string{{"commit", "-q", "--amend", "-m", "x"}}, No},
		{"switch", [][]string{{"switch", "-q", "-c", "topic"}}, No},
		{"cherry-pick", [][]string{{"switch", "-q", "-c", "t", "HEAD~1"}, {"cherry-pick", "main"}}, No},
		{"merge", [][]string{{"switch", "-q", "-c", "t", "HEAD~1"}, {"commit", "-q", "--allow-empty", "-m", "y"}, {"merge", "-q", "--no-edit", "main"}}, No},
		{"rebase", [][]string{{"switch", "-q", "-c", "t", "HEAD~1"}, {"commit", "-q", "--allow-empty", "-m", "y"}, {"rebase", "-q", "main"}}, No},
	} {
		dir := t.TempDir()
		git := func(args ...string) {
			t.Helper()
			cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: git %v: %v\n%s", c.name, args, err, out)
			}
		}
		git("init", "-q", "-b", "main")
		for _, text := range []string{"one", "two"} {
			if err := os.WriteFile(filepath.Join(dir, "f"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			git("add", "f")
			git("commit", "-q", "-m", text)
		}
		for _, args := range c.do {
			git(args...)
		}
		log, err := os.ReadFile(filepath.Join(dir, ".git", "logs", "HEAD"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(log)), "\n")
		e, ok := ParseReflog([]byte(lines[len(lines)-1]))
		if !ok || e.Verdict() != c.want {
			t.Errorf("%s: %q parsed %v, verdict %d, want %d", c.name, lines[len(lines)-1], ok, e.Verdict(), c.want)
		}
	}
}

func FuzzObserve(f *testing.F) {
	f.Add("go test ./... | tail", "FAIL\tx\n", "it broke again")
	f.Add("cd a && 'b", "\x1b[31m", "password=hunter22 기록해")
	f.Fuzz(func(t *testing.T, command, output, text string) {
		d := NewDetector(Options{})
		for i, e := range []Event{
			{Kind: Command, At: after(0), Command: command, Output: output},
			{Kind: Edit, At: after(1), Files: []string{text}},
			{Kind: Command, At: after(2), Command: command, Output: output, ExitCode: code(0)},
			{Kind: Message, At: after(3), Text: text},
			{Kind: Rollback, At: after(4), Text: text, Files: []string{command}},
		} {
			c, ok := d.Observe(e).first()
			if !ok {
				continue
			}
			if c.Title == "" && strings.TrimSpace(text+command) != "" && i < 4 || !utf8.ValidString(c.Title+c.Situation) || utf8.RuneCountInString(c.Title) > maxTitle {
				t.Fatalf("candidate %+v", c)
			}
		}
	})
}

func FuzzParseReflog(f *testing.F) {
	f.Add([]byte("0000000000000000000000000000000000000000 1111111111111111111111111111111111111111 A <a@b> 1 +0000\treset: moving to HEAD~1"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if e, ok := ParseReflog(line); ok {
			e.Verdict()
		}
	})
}

func TestTitlesSayWhatItIsAbout(t *testing.T) {
	const red = "--- FAIL: TestExport (0.00s)\n    export_test.go:12: got \"\", want BOM\nFAIL\n"
	for _, c := range []struct {
		name   string
		events []Event
		want   string
	}{
		{"a request to record that says it", []Event{
			{Kind: Message, At: after(0), SessionID: "s", Text: "CSV 내보내기를 추가해 줘"},
			{Kind: Message, At: after(1), SessionID: "s", Text: "이번 실수는 꼭 기록해 줘: 배포 전에 마이그레이션을 빠뜨렸어"},
		}, "배포 전에 마이그레이션을 빠뜨렸어"},
		{"one that does not", []Event{
			{Kind: Message, At: after(0), SessionID: "s", Text: "CSV 내보내기를 추가해 줘"},
			{Kind: Message, At: after(1), SessionID: "s", Text: "이거 교훈으로 기록해 줘"},
		}, "CSV 내보내기를 추가해 줘"},
		{"a complaint", []Event{
			{Kind: Message, At: after(0), SessionID: "s", Text: "CSV 내보내기를 추가해 줘"},
			{Kind: Message, At: after(1), SessionID: "s", Text: "또 안 돼요, 어제 고친 건데"},
		}, "CSV 내보내기를 추가해 줘"},
		{"a correction that lays down a rule, and goes on", []Event{
			{Kind: Message, At: after(0), SessionID: "s", Text: "write a test for an empty value"},
			{Kind: Message, At: after(1), SessionID: "s", Text: "no, never put type: ignore without a code. and again you forgot the changelog, I told you last time!"},
		}, "never put type: ignore without a code"},
		{"a Go test", []Event{
			{Kind: Command, At: after(0), Command: "go test ./...", Dir: "/w", ExitCode: code(1), Output: red},
			{Kind: Edit, At: after(1), Files: []string{"export.go"}},
			{Kind: Command, At: after(2), Command: "go test ./...", Dir: "/w", ExitCode: code(0)},
		}, `TestExport: got "", want BOM`},
	} {
		d := NewDetector(Options{})
		var last Candidate
		for _, e := range c.events {
			if found, ok := d.Observe(e).first(); ok {
				last = found
			}
		}
		if last.Title != c.want || len(last.Rules) > 0 && last.Rules[0] != c.want {
			t.Errorf("%s: title %q, rules %q, want %q", c.name, last.Title, last.Rules, c.want)
		}
	}
}

// TestFailingOutlivesADetector holds that a run which was red when the process ended still
// makes the question when it passes.
func TestFailingOutlivesADetector(t *testing.T) {
	red := Event{Kind: Command, At: after(0), Command: "TOKEN=s3cr3t go test ./...", Dir: "/w", ExitCode: code(1), Output: "--- FAIL: TestExport (0.00s)\n    export_test.go:12: password=hunter22\n"}
	first := NewDetector(Options{})
	first.Observe(red)
	first.Observe(Event{Kind: Edit, At: after(1), Files: []string{"app/export.go"}})
	kept := first.Failing()
	if text := fmt.Sprintf("%+v", kept); strings.Contains(text, "hunter22") || strings.Contains(text, "s3cr3t") {
		t.Errorf("a secret is kept: %s", text)
	}
	second := NewDetector(Options{Failing: kept})
	c, ok := second.Observe(Event{Kind: Command, At: after(2), Command: "go test ./...", Dir: "/w", ExitCode: code(0)}).first()
	if !ok || c.Trigger != RedGreen || c.Title == "" || !slices.Contains(c.Evidence, "export.go") {
		t.Errorf("got %+v, %v", c, ok)
	}
	if left := second.Failing(); len(left) != 0 {
		t.Errorf("it still waits for %+v", left)
	}
}

// TestACommandIsKeptWithoutItsSecrets: it stands in the state file.
func TestACommandIsKeptWithoutItsSecrets(t *testing.T) {
	run := Event{Kind: Command, At: after(0), Command: "npm test -- --api_key=sk_live_51HxQ0aZb7GkPq93nVw", Dir: "/w", ExitCode: code(1)}
	if r, ok := run.Tests(); !ok || strings.Contains(r.Command, "sk_live") || !strings.HasPrefix(r.Command, "npm test -- ") {
		t.Errorf("%+v, %v", r, ok)
	}
	d := NewDetector(Options{})
	d.Observe(run)
	if kept := d.Failing(); len(kept) != 1 || strings.Contains(kept[0].Command, "sk_live") {
		t.Errorf("kept %+v", kept)
	}
	d.Observe(Event{Kind: Edit, At: after(1), Files: []string{"a.ts"}})
	run.At, run.ExitCode = after(2), code(0)
	if c, ok := d.Observe(run).first(); !ok || c.Trigger != RedGreen {
		t.Errorf("%+v, %v", c, ok)
	}
}

// TestHalfASecret: what is cut in the middle of a secret keeps no part of it.
func TestHalfASecret(t *testing.T) {
	token := "ghp_" + strings.Repeat("aB3dE6gH9", 4)
	long := strings.Repeat("word ", maxQuote/5-3) + token + strings.Repeat(" word", maxQuote)
	for name, texts := range map[string]func() []string{
		"quote": func() []string { return []string{clipRunes(long, maxQuote)} },
		"line": func() []string {
			return clipChange(Change{Added: []string{strings.Repeat("w ", maxLine/2-5) + token}}).Added
		},
		"failed command": func() []string {
			d := NewDetector(Options{})
			d.Observe(Event{Kind: Command, At: noon, SessionID: "s", Command: "deploy " + long, ExitCode: code(1)})
			return []string{d.session("s").failed.shown()}
		},
		"what it printed": func() []string {
			d := NewDetector(Options{})
			d.Observe(Event{Kind: Command, At: noon, SessionID: "s", Command: "deploy", Output: long, ExitCode: code(1)})
			return []string{d.session("s").failed.shown()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range texts() {
				if strings.Contains(text, "ghp_") || text == "" {
					t.Errorf("%d characters: …%s", utf8.RuneCountInString(text), text[max(0, len(text)-60):])
				}
			}
		})
	}
	if r, _ := (Event{Kind: TestRun, Command: "go test " + long, ExitCode: code(1)}).Tests(); utf8.RuneCountInString(r.Command) > maxCommand {
		t.Errorf("a command of %d bytes is kept", len(r.Command))
	}
}

// TestComplaintLaysDownARule: who complains and says what holds from now on has laid down a rule, and what fell is still told.
func TestComplaintLaysDownARule(t *testing.T) {
	for text, rule := range map[string]string{
		"왜 자꾸 원본 csv를 지우는 거야? data 폴더는 절대 건드리지 마":                                                                         "data 폴더는 절대 건드리지 마",
		"why did you push to main again? always open a PR":                                                                "always open a PR",
		"why did you push to main again, never push to main, open a branch":                                               "never push to main, open a branch",
		"왜 자꾸 px로 바꾸는 거야, 우리는 rem만 써":                                                                                     "우리는 rem만 써",
		"That's wrong, you patched the mirror. Never edit the mirror by hand, it is made anew. Run the generator instead": "Never edit the mirror by hand, it is made anew",
	} {
		for _, weak := range []bool{false, true} {
			d := NewDetector(Options{Weak: weak})
			d.Observe(Event{Kind: Message, At: after(0), SessionID: "s", Text: "clean the export up"})
			d.Observe(Event{Kind: Edit, At: after(1), SessionID: "s", Files: []string{"a.py"}, Changes: []Change{{File: "a.py", Added: []string{"drop(raw)"}}}})
			seen := d.Observe(Event{Kind: Message, At: after(2), SessionID: "s", Text: text, Context: heard.Context{Later: true, Edited: true}})
			c, ok := seen.first()
			if !ok || len(seen.Candidates) > 1 || c.Trigger != Constraint && c.Trigger != Preference || c.Title != rule || !slices.Equal(c.Rules, []string{rule}) ||
				c.Kind != lessons.Policy && c.Kind != lessons.Preference || !strings.Contains(c.Mistake, "drop(raw)") || !strings.Contains(c.Situation, "clean the export up") {
				t.Errorf("%q: %v, %+v", text, ok, c)
			}
			seen = d.Observe(Event{Kind: Edit, At: after(3), SessionID: "s", Files: []string{"a.py"}, Changes: []Change{{File: "a.py", Removed: []string{"drop(raw)"}, Added: []string{"drop(copy)"}}}})
			if len(seen.Candidates) > 0 || seen.Mended == nil || seen.Mended.ID != c.ID {
				t.Errorf("%q: what mends it: %+v", text, seen)
			}
		}
	}
	for _, text := range []string{"Stop using moment, use date-fns", "왜 자꾸 px로 바꾸는 거야? 이 파일은 아직 건드리지 마"} {
		if j := heard.Judge(text, heard.Context{Later: true}); (j.Kind == heard.Correction || j.Kind == heard.Complaint) && len(j.Rules) > 0 {
			t.Errorf("%q: %+v", text, j)
		}
	}
}

func TestCorrectionSaysWhatIsRight(t *testing.T) {
	for text, title := range map[string]string{
		"아니야, 포트는 8080이 아니라 3000이야":                            "포트는 8080이 아니라 3000이야",
		"That's wrong, the endpoint is /v2/orders and not /v1": "the endpoint is /v2/orders and not /v1",
		"틀렸어요.\n그 함수는 동기 함수가 아니라 비동기 함수예요":                     "그 함수는 동기 함수가 아니라 비동기 함수예요",
	} {
		d := NewDetector(Options{})
		d.Observe(Event{Kind: Message, At: after(0), SessionID: "s", Text: "write the client"})
		c, ok := d.Observe(Event{Kind: Message, At: after(1), SessionID: "s", Text: text}).first()
		if !ok || c.Trigger != Correction || c.Title != title || len(c.Evidence) == 0 {
			t.Errorf("%q: %v, %+v", text, ok, c)
			continue
		}
		for _, quoted := range append(strings.Split(text, "\n"), "write the client") {
			if !strings.Contains(c.Situation+"\n"+c.Mistake, "> "+quoted) {
				t.Errorf("%q: %q is not in the situation %q", text, quoted, c.Situation)
			}
		}
	}
}

// TestTheReasonOfARefusalIsAboutTheRefusedFile: not about one that was changed before.
func TestTheReasonOfARefusalIsAboutTheRefusedFile(t *testing.T) {
	d := NewDetector(Options{})
	d.Observe(Event{Kind: Message, At: after(0), SessionID: "s", Text: "write the client"})
	d.Observe(Event{Kind: Edit, At: after(1), SessionID: "s", Files: []string{"CHANGES.md"}, Changes: []Change{{File: "CHANGES.md", Added: []string{"a client"}}}})
	d.Observe(Event{Kind: Rejected, At: after(2), SessionID: "s", Text: "denied", Files: []string{"fixtures.py"}})
	c, ok := d.Observe(Event{Kind: Message, At: after(3), SessionID: "s", Text: "That's wrong, the fixtures are shared and not this test's own"}).first()
	if !ok || !slices.Equal(c.Files, []string{"fixtures.py"}) || strings.Contains(c.Mistake, "a client") {
		t.Errorf("%v, %+v", ok, c)
	}
}

func TestCorrectionGates(t *testing.T) {
	const right = "No, the port is 5433, not 5432."
	for name, text := range map[string]string{
		"a secret":  right + " password = hunter2hunter2",
		"too short": "not 80, it's 81",
		"too long":  right + strings.Repeat(" And the answer says more about it.", 60),
	} {
		if c, ok := NewDetector(Options{}).Observe(Event{Kind: Message, At: noon, SessionID: "s", Text: text}).first(); ok && c.Trigger == Correction {
			t.Errorf("%s: raised %+v", name, c)
		}
	}
	d := NewDetector(Options{})
	if c, ok := d.Observe(Event{Kind: Message, At: noon, SessionID: "s", Text: right}).first(); !ok || c.Trigger != Correction {
		t.Fatalf("%q: %v %+v", right, ok, c)
	}
	if c, ok := d.Observe(Event{Kind: Message, At: noon.Add(10 * time.Second), SessionID: "s", Text: "You got it backwards: the client signs, the server verifies"}).first(); ok {
		t.Errorf("a second correction within the cool-down: %+v", c)
	}
}

// TestARequestToRecordTakesNothingOfOtherWork: what it says it is about may be no part of what was asked before.
func TestARequestToRecordTakesNothingOfOtherWork(t *testing.T) {
	const red = "--- FAIL: TestExport (0.00s)\n    export_test.go:12: got \"\", want BOM\nFAIL\n"
	for text, want := range map[string]string{
		"이번 실수는 꼭 기록해 줘: 배포 전에 마이그레이션을 빠뜨렸어":      "",
		"이번 실수는 꼭 기록해 줘: CSV 파일에 BOM을 빠뜨렸어":       "> CSV 내보내기를 추가해 줘",
		"이거 교훈으로 기록해 줘":                           "> CSV 내보내기를 추가해 줘",
		"record this: migrate before each deploy": "",
	} {
		d := NewDetector(Options{})
		d.Observe(Event{Kind: Message, At: after(0), SessionID: "s", Text: "CSV 내보내기를 추가해 줘"})
		d.Observe(Event{Kind: Edit, At: after(1), SessionID: "s", Files: []string{"export.go"}, Changes: []Change{{File: "export.go", Added: []string{"bom := false"}}}})
		d.Observe(Event{Kind: Command, At: after(2), SessionID: "s", Command: "go test ./...", Dir: "/w", ExitCode: code(1), Output: red})
		c, ok := d.Observe(Event{Kind: Message, At: after(3), SessionID: "s", Text: text}).first()
		if !ok || c.Trigger != Record || c.Situation != want || (len(c.Files) > 0) != (want != "") || (c.Test != "") != (want != "") {
			t.Errorf("%q: %v, %+v", text, ok, c)
		}
	}
}
