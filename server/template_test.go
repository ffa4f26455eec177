package server

import (
	"regexp"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
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
	if strings.Contains(made.Head, "title") || !strings.HasSuffix(made.Head, "---\n\n") {
		t.Errorf("the head is\n%s", made.Head)
	}
	card := func(with ...string) string { return made.Head + fill(t, made.Snippet, with...) + made.Rest }
	untouched, _ := lessons.Parse(made.Path, []byte(card()))
	if untouched.Status != lessons.Drafted || len(untouched.Weaknesses()) != 3 {
		t.Errorf("untouched it is %s and lacks %v", untouched.Status, untouched.Weaknesses())
	}
	text := card("Deploys: the home was wrong", "Nobody quoted it.", "Every script quotes HOME")
	c, problems := lessons.Parse(made.Path, []byte(text))
	if c.Title != "Deploys: the home was wrong" || len(c.Weaknesses()) != 0 || len(problems) != 0 || len(c.Paths) != 1 {
		t.Errorf("title %q, paths %v, lacks %v, %v in\n%s", c.Title, c.Paths, c.Weaknesses(), problems, text)
	}
	if !strings.Contains(text, "echo ${HOME}\\n\n") {
		t.Errorf("what is known came out otherwise:\n%s", text)
	}
}
