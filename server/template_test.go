package server

import (
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handrail/lessons"
	"handrail/triggers"
)

// fill takes a snippet for what it is: tab stops of which each is given a text.
func fill(t *testing.T, snippet string, with ...string) string {
	t.Helper()
	i := -1
	out := regexp.MustCompile(`\$\{\d+:(?:\\.|[^}\\])*\}`).ReplaceAllStringFunc(snippet, func(stop string) string {
		if i++; i < len(with) {
			return with[i]
		}
		return strings.TrimSuffix(stop[strings.Index(stop, ":")+1:], "}")
	})
	return strings.NewReplacer(`\$`, `$`, `\}`, `}`, `\\`, `\`).Replace(out)
}

func TestTemplate(t *testing.T) {
	w := newWorkspace(t, map[string]string{"drafts/new-lesson.md": "---\ntype: lesson\nstatus: draft\n---\n# Another\n"})
	made, err := w.Template(CreateRequest{Situation: "`a.sh:1`\n\n```sh\necho ${HOME}\\n\n```", Fields: CreateFields{Paths: []string{"src/a.sh"}}, Language: LocaleOf("en")})
	if err != nil {
		t.Fatal(err)
	}
	if made.Path != "drafts/new-lesson-2.md" {
		t.Errorf("it goes to %s", made.Path)
	}
	untouched, _ := lessons.Parse(made.Path, []byte(fill(t, made.Snippet)))
	if untouched.Status != lessons.Drafted || len(untouched.Weaknesses()) != 3 {
		t.Errorf("untouched it is %s and lacks %v", untouched.Status, untouched.Weaknesses())
	}
	text := fill(t, made.Snippet, "Deploys: the home was wrong", "It deleted files.", "Nobody quoted it.", "Quote it.", "- [ ] Every script quotes HOME", "Every script.")
	c, problems := lessons.Parse(made.Path, []byte(text))
	if c.Title != "Deploys: the home was wrong" || len(c.Weaknesses()) != 0 || len(problems) != 0 || len(c.Paths) != 1 {
		t.Errorf("title %q, paths %v, lacks %v, %v in\n%s", c.Title, c.Paths, c.Weaknesses(), problems, text)
	}
	if !strings.Contains(text, "echo ${HOME}\\n\n") {
		t.Errorf("what is known came out otherwise:\n%s", text)
	}
}

func TestTemplateKnowsWhatIsUnderWay(t *testing.T) {
	var past atomic.Int64 // hours
	later := func(c *Config) { c.Now = func() time.Time { return now().Add(time.Duration(past.Load()) * time.Hour) } }
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist}, later)
	if made, err := w.Template(CreateRequest{Language: English}); err != nil || strings.Contains(made.Snippet, "Asked:") {
		t.Fatalf("%v, without a request:\n%s", err, made.Snippet)
	}
	f, err := w.Preflight(ctx, PreflightRequest{Query: "add a telegram command that restarts the server"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Answered(ctx, AnswerRequest{AnswerID: f.AnswerID, Answer: "Done."}); err != nil {
		t.Fatal(err)
	}
	w.State.KeepFailing([]triggers.Failing{{Dir: "/a", Command: "make"}, {Dir: "/b", Command: "go test ./bot"}})
	for l, want := range map[Locale]string{
		English: "Asked: add a telegram command that restarts the server\n\nFails: `go test ./bot`\n",
		Korean:  "요청: add a telegram command that restarts the server\n\n실패: `go test ./bot`\n",
	} {
		made, err := w.Template(CreateRequest{Language: l})
		if err != nil || !strings.Contains(made.Snippet, want) {
			t.Errorf("%s: %v, no %q in\n%s", l, err, want, made.Snippet)
		}
	}
	past.Store(2)
	if made, _ := w.Template(CreateRequest{Language: English}); strings.Contains(made.Snippet, "Asked:") {
		t.Errorf("two hours later:\n%s", made.Snippet)
	}
}
