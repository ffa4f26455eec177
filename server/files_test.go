package server

import (
	"slices"
	"strings"
	"testing"
)

func TestFilesNamed(t *testing.T) {
	for text, want := range map[string][]string{
		"look at bot/telegram.go and README.md, please": {"README.md", "bot/telegram.go"},
		"@src/app/page.tsx is too long.":                {"src/app/page.tsx"},
		"at handle (/srv/app/bot/telegram.go:41:7)":     {"/srv/app/bot/telegram.go"},
		"use node v1.2, e.g. for this. It costs 3.50":   nil,
		"Move test/ below src/":                         nil,
		"telegram.go를 고쳐줘":                              {"telegram.go"},
	} {
		if got := filesNamed(text); !slices.Equal(got, want) {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

// TestCardsOfAFileThatIsNamed holds that a request gets the cards whose paths hold a file
// that it names or that comes with it, unless their globs hold half of the repository.
func TestCardsOfAFileThatIsNamed(t *testing.T) {
	scope := func(paths string) string {
		return strings.Replace(allowlist, "severity: high", "severity: high\npaths: ["+paths+"]", 1)
	}
	w := newWorkspace(t, map[string]string{
		"lessons/file.md": scope(`"bot/telegram.go"`), "lessons/folder.md": scope(`"bot/**"`), "lessons/wide.md": scope(`"src/**"`),
		"lessons/but.md": scope(`"web/**", "!web/gen/**"`),
	})
	for _, tt := range []struct {
		name, query string
		files, want []string
	}{
		{"a path", "make bot/telegram.go shorter", nil, []string{"lessons/file.md", "lessons/folder.md"}},
		{"a name", "make telegram.go shorter", nil, []string{"lessons/file.md"}},
		{"a file of the request", "make it shorter", []string{w.dir + "/bot/restart.go"}, []string{"lessons/folder.md"}},
		{"a whole path", "make " + w.dir + "/bot/restart.go shorter", nil, []string{"lessons/folder.md"}},
		{"a path from here", "make ./bot/restart.go shorter", nil, []string{"lessons/folder.md"}},
		{"a path elsewhere", "make other/telegram.go shorter", nil, nil},
		{"a file elsewhere", "make it shorter", []string{w.dir + "/other/telegram.go"}, nil},
		{"a wide glob", "make src/main.go shorter", nil, nil},
		{"an excluded file", "make web/gen/a.ts shorter", nil, nil},
		{"another file", "make bots/telegraph.go shorter", nil, nil},
	} {
		p, err := w.Preflight(ctx, PreflightRequest{Query: tt.query, Files: tt.files, Aside: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range p.Lessons {
			got = append(got, h.Path)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q gets %v, want %v", tt.name, tt.query, got, tt.want)
		}
	}
}

// TestExcerptOfTheEndOfAList holds that words near the end of a block of text without blank
// lines are shown.
func TestExcerptOfTheEndOfAList(t *testing.T) {
	for _, line := range []string{"- One more line about the weather of that day", "- 그날의 날씨에 대한 또 하나의 줄이 여기에 있다"} {
		note := "# Notes of the week\n\n" + strings.Repeat(line+"\n", 12) + "- The telegram webhook allowlist is rotated\n"
		w := newWorkspace(t, map[string]string{"notes/week.md": note, "lessons/week.md": strings.Replace(note, "# Notes", "---\ntype: lesson\n---\n# Notes", 1)})
		got, err := w.Retrieve(ctx, RetrieveRequest{Query: "telegram webhook allowlist"})
		if err != nil || len(got.Lessons) != 1 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0].Excerpt, "allowlist is rotated") || !strings.Contains(got.Lessons[0].Excerpt, "allowlist is rotated") {
			t.Errorf("%+v, %v", got, err)
		}
	}
}
