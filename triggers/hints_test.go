package triggers

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/triggers/heard"
)

// conversation hands events to a detector as one conversation with an agent that edits in every turn, and returns what the last one brings.
func conversation(d *Detector, events ...any) (last Seen) {
	heardBefore := false
	for i, e := range events {
		at := after(5 * i)
		switch e := e.(type) {
		case string:
			last = d.Observe(Event{Kind: Message, At: at, SessionID: "s", Text: e, Context: heard.Context{First: !heardBefore, Later: heardBefore, Edited: heardBefore}})
			heardBefore = true
		case Change:
			last = d.Observe(Event{Kind: Edit, At: at, SessionID: "s", Files: []string{e.File}, Changes: []Change{e}})
		case Event:
			last = d.Observe(e)
		}
	}
	return last
}

func change(file string, removed, added []string) Change {
	return Change{File: file, Removed: removed, Added: added}
}

var (
	first = []string{"const width = 320", "const height = 200", "render(width, height)"}
	again = []string{"const width = 640", "const height = 480", "renderAll(width, height)"}
	vague = "the map is off on the second page" // a hint, by itself
)

func TestAHintWaits(t *testing.T) {
	d := NewDetector(Options{})
	seen := conversation(d, "add a map to the second page", change("src/map.ts", nil, first), vague)
	if len(seen.Candidates) > 0 || seen.Hint == nil || seen.Hint.Trigger != Complaint || seen.Hint.Request != "add a map to the second page" || !slices.Equal(seen.Hint.Files, []string{"src/map.ts"}) {
		t.Fatalf("%+v", seen)
	}
	if m := d.Memory("s"); len(m.Hints) != 1 || m.Empty() {
		t.Errorf("remembered %+v", m)
	}
}

// TestAgreement: a hint becomes a candidate when a deed or a second hint about the same agrees.
func TestAgreement(t *testing.T) {
	ask, made := "add a map to the second page", change("src/map.ts", nil, first)
	run := Event{Kind: Command, SessionID: "s", Command: "go test ./...", Dir: "/w", ExitCode: code(0)}
	red := run
	red.ExitCode, red.Output = code(1), "--- FAIL: TestMap (0.00s)\n"
	for name, c := range map[string]struct {
		events []any
		want   string // in the evidence of the candidate; "" wants none
	}{
		"the lines are rewritten":             {[]any{ask, made, vague, change("src/map.ts", first, again)}, "3 lines written in this session were rewritten"},
		"other lines are":                     {[]any{ask, made, vague, change("src/map.ts", []string{"import a from 'b'"}, again)}, ""},
		"lines of another file are":           {[]any{ask, made, vague, change("src/nav.ts", first, again)}, ""},
		"within one turn":                     {[]any{ask, made, change("src/map.ts", first, again)}, ""},
		"the lines come back":                 {[]any{ask, change("src/map.ts", first, again), vague, change("src/map.ts", nil, first)}, "3 lines taken out in this session came back"},
		"they were rewritten before it":       {[]any{ask, made, "make it larger", change("src/map.ts", first, again), vague}, "were rewritten"},
		"they were at a word that raised one": {[]any{ask, made, "no, that is wrong: I told you to read the width from the config", change("src/map.ts", first, again), vague}, ""},
		"a test that passed fails":            {[]any{ask, run, made, vague, change("src/map.ts", []string{"x"}, again), red}, "passed before and fails now"},
		"a soft reset":                        {[]any{ask, made, vague, Event{Kind: Rollback, Text: "reset: moving to HEAD~1", Files: []string{"src/map.ts"}, Soft: true}}, "reset: moving to HEAD~1"},
		"a stash of another file":             {[]any{ask, made, vague, Event{Kind: Rollback, Text: "stash", Files: []string{"a.go"}, Soft: true}}, ""},
		"a second hint about the same":        {[]any{ask, made, vague, "the map on the second page does not show"}, "the map is off"},
		"one that says nothing of its own":    {[]any{ask, made, vague, "not working"}, "the map is off"},
		"one about something else":            {[]any{ask, made, vague, "the login form does not send the token"}, ""},
		"one about the same much later":       {[]any{ask, made, vague, "ok", "go on", "next", "go on", "go on", "the map does not show tiles"}, ""},
		"a hard reset speaks for itself":      {[]any{ask, Event{Kind: Rollback, Text: "reset: moving to HEAD~1\nAdd a map", Files: []string{"src/map.ts"}}}, "src"},
		"the agent admits it":                 {[]any{ask, made, vague, Event{Kind: Answer, SessionID: "s", Text: "You're right. I misread the offset, so I set it anew.\n\nDone."}}, "I misread the offset"},
		"an answer without a word of it":      {[]any{ask, made, vague, Event{Kind: Answer, SessionID: "s", Text: "The page shows \"Sorry, no map\". I'll look."}}, ""},
		"admitted after another message":      {[]any{ask, made, vague, "make it larger", Event{Kind: Answer, SessionID: "s", Text: "I apologize."}}, ""},
		"nothing else":                        {[]any{ask, made, vague, "thanks, looks good"}, ""},
	} {
		seen := conversation(NewDetector(Options{}), c.events...)
		got, ok := seen.first()
		switch {
		case ok != (c.want != "") && c.want != "src":
			t.Errorf("%s: %+v", name, seen)
		case ok && c.want != "src" && !strings.Contains(strings.Join(got.Evidence, "\n"), c.want):
			t.Errorf("%s: evidence %q", name, got.Evidence)
		case c.want == "src" && (!ok || got.Trigger != RolledBack):
			t.Errorf("%s: %+v", name, seen)
		}
	}
}

// TestHalfACard: a candidate brings what a person needs to write the card in a minute.
func TestHalfACard(t *testing.T) {
	d := NewDetector(Options{})
	seen := conversation(d, "add a map to the second page", change("src/map.ts", nil, first),
		Event{Kind: Command, SessionID: "s", Command: "npm test", Dir: "/w", ExitCode: code(1), Output: "  ✕ draws the map (3 ms)\nTests:       1 failed\n"}, "the map still does not show up")
	c, ok := seen.first()
	if !ok || c.Situation != "> add a map to the second page" || !strings.Contains(c.Mistake, "> the map still does not show up") ||
		!strings.Contains(c.Mistake, "+const width = 320") || c.Command != "npm test" || !strings.Contains(c.Mistake, "draws the map") {
		t.Fatalf("%+v", c)
	}
	seen = d.Observe(Event{Kind: Edit, At: after(30), SessionID: "s", Files: []string{"src/map.ts"}, Changes: []Change{change("src/map.ts", first, again)}})
	if seen.Mended == nil || seen.Mended.ID != c.ID || !strings.Contains(seen.Mended.Fix, "-const width = 320") || !strings.Contains(seen.Mended.Fix, "+const width = 640") {
		t.Errorf("mended %+v", seen.Mended)
	}
	d.Observe(Event{Kind: Message, At: after(31), SessionID: "s", Text: "thanks, now the footer"})
	seen = d.Observe(Event{Kind: Edit, At: after(32), SessionID: "s", Files: []string{"f.ts"}, Changes: []Change{change("f.ts", nil, again)}})
	if seen.Mended != nil {
		t.Errorf("what came later mends it: %+v", seen.Mended)
	}

	long := make([]string, 100)
	for i := range long {
		long[i] = strings.Repeat("a", i+10)
	}
	if diff := diffOf([]Change{change("a.go", long, long[:1])}); strings.Count(diff, "\n") > maxShown+3 {
		t.Errorf("%d lines", strings.Count(diff, "\n"))
	}
}

// TestAllLessonsOfTheSession: the request does not take its own words as a title.
func TestAllLessonsOfTheSession(t *testing.T) {
	alone := conversation(NewDetector(Options{}), "add a map to the second page", "record all the lessons from this session")
	if c, ok := alone.first(); !ok || c.Trigger != Record || c.Title != "add a map to the second page" {
		t.Errorf("%+v", alone)
	}
}

// TestTwoRollbacksInAMinuteAreTwo: nothing is dropped.
func TestTwoRollbacksInAMinuteAreTwo(t *testing.T) {
	d := NewDetector(Options{})
	for i, file := range []string{"a.go", "b.go"} {
		if c, ok := d.Observe(Event{Kind: Rollback, At: noon.Add(1000 * 1000 * 1000 * 5 * 1), Text: "revert: Revert \"" + file + "\"", Files: []string{file}}).first(); !ok || c.Title != file {
			t.Errorf("rollback %d: %+v", i, c)
		}
	}
}

func TestHintsOutliveTheProcess(t *testing.T) {
	d := NewDetector(Options{})
	conversation(d, "add a map to the second page", change("src/map.ts", nil, first), vague)
	d = NewDetector(Options{Memory: map[string]Memory{"s": d.Memory("s")}})
	if c, ok := d.Observe(Event{Kind: Message, At: after(60), SessionID: "s", Text: "the map on the second page does not show", Context: heard.Context{Later: true}}).first(); !ok || c.Trigger != Complaint {
		t.Errorf("%+v", c)
	}
}

// TestAHintHoldsNoSecret: what is kept of it may be on a disk.
func TestAHintHoldsNoSecret(t *testing.T) {
	d := NewDetector(Options{})
	conversation(d, "add a map", "the map is off, I used api_key=sk_live_51HxQ0aZb7GkPq93nVw for it")
	for _, h := range d.Memory("s").Hints {
		if strings.Contains(h.Words+h.Why, "sk_live") {
			t.Errorf("%+v", h)
		}
	}
}

func TestParsePatch(t *testing.T) {
	for name, c := range map[string]struct {
		patch string
		want  []Change
	}{
		"git": {"diff --git a/x/a.go b/x/a.go\nindex 1..2 100644\n--- a/x/a.go\n+++ b/x/a.go\n@@ -1,2 +1,2 @@ func a()\n-old\n+new\n same\n", []Change{{File: "x/a.go", Removed: []string{"old"}, Added: []string{"new"}}}},
		"made and deleted": {
			"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+one\ndiff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-two\n",
			[]Change{{File: "n", Added: []string{"one"}}, {File: "d", Removed: []string{"two"}}},
		},
		"plain, two files": {"--- a/x\t2026\n+++ b/x\t2026\n@@ -1 +1 @@\n-- a\n+++ b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n+c\n", []Change{{File: "x", Removed: []string{"- a"}, Added: []string{"++ b"}}, {File: "y", Added: []string{"c"}}}},
		"no patch":         {"hello\n+world\n", nil},
		"CRLF":             {"--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n+c\r\n", []Change{{File: "x", Added: []string{"c"}}}},
	} {
		got := ParsePatch(c.patch)
		if !slices.EqualFunc(got, c.want, func(a, b Change) bool {
			return a.File == b.File && slices.Equal(a.Added, b.Added) && slices.Equal(a.Removed, b.Removed)
		}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestReadPatch: every line with its number, and files that have none.
func TestReadPatch(t *testing.T) {
	for name, c := range map[string]struct {
		patch string
		want  []Change
	}{
		"numbers": {
			"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@ f\n a\n-b\n+B\n+C\n d\n@@ -10 +11,2 @@\n \n+z\n\\ No newline at end of file\n",
			[]Change{{File: "x", Removed: []string{"b"}, Added: []string{"B", "C", "z"}, Lines: []int{2, 3, 12}}},
		},
		"a patch in a patch": {
			"--- a/x\n+++ b/x\n@@ -1,2 +1,4 @@\n--- a/y\n+++ b/y\n+diff --git a/z b/z\n+@@ -1 +1 @@\n x\n--- a/v\n+++ b/v\n@@ -0,0 +1 @@\n+v\n",
			[]Change{{File: "x", Removed: []string{"-- a/y"}, Added: []string{"++ b/y", "diff --git a/z b/z", "@@ -1 +1 @@"}, Lines: []int{1, 2, 3}}, {File: "v", Added: []string{"v"}, Lines: []int{1}}},
		},
		"moved, binary, empty": {
			"diff --git a/b/o.go b/b/n.go\nsimilarity index 100%\nrename from b/o.go\nrename to b/n.go\ndiff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\ndiff --git a/e b/e\nnew file mode 100644\n" +
				"diff --git a/o b/m\nrename from o\nrename to m\n--- a/o\n+++ b/m\n@@ -5,0 +6 @@\n+x\n",
			[]Change{{File: "b/o.go", Gone: true}, {File: "b/n.go"}, {File: "i.png"}, {File: "e"}, {File: "o", Gone: true}, {File: "m", Added: []string{"x"}, Lines: []int{6}}},
		},
		"quoted": {
			"diff --git \"a/\\355\\225\\234 \\\"q\\\".go\" \"b/\\355\\225\\234 \\\"q\\\".go\"\n--- \"a/\\355\\225\\234 \\\"q\\\".go\"\n+++ \"b/\\355\\225\\234 \\\"q\\\".go\"\t\n@@ -0,0 +1 @@\n+x\n",
			[]Change{{File: "한 \"q\".go", Added: []string{"x"}, Lines: []int{1}}},
		},
		"cut short": {"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n+b\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n+c\n", []Change{{File: "x", Added: []string{"b"}, Lines: []int{1}}, {File: "y", Added: []string{"c"}, Lines: []int{1}}}},
	} {
		got := ReadPatch(c.patch)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	long := "--- a/x\n+++ b/x\n@@ -0,0 +1,10000 @@\n" + strings.Repeat("+line\n", 10000)
	if got := ReadPatch(long); len(got) != 1 || len(got[0].Added) != 10000 || got[0].Lines[9999] != 10000 {
		t.Errorf("%d changes", len(got))
	}
	if got := ParsePatch(long); len(got) != 1 || len(got[0].Added) != maxLines || len(got[0].Lines) != maxLines {
		t.Errorf("%d changes", len(got))
	}
}

func FuzzParsePatch(f *testing.F) {
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
	f.Add("--- \n+++ \n@@\n")
	f.Fuzz(func(t *testing.T, patch string) {
		for _, c := range ParsePatch(patch) {
			if len(c.Added)+len(c.Removed) > maxLines {
				t.Error("too many lines")
			}
		}
		for _, c := range ReadPatch(patch) {
			if len(c.Lines) != 0 && len(c.Lines) != len(c.Added) {
				t.Errorf("%d numbers for %d lines", len(c.Lines), len(c.Added))
			}
		}
	})
}
