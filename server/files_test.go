package server

import (
	"slices"
	"strings"
	"testing"
)

func TestFilesNamed(t *testing.T) {
	for text, want := range map[string][]string{
		"look at bot/telegram.go and README.md, please":   {"README.md", "bot/telegram.go"},
		"@src/app/page.tsx is too long.":                  {"src/app/page.tsx"},
		"at handle (/srv/app/bot/telegram.go:41:7)":       {"srv/app/bot/telegram.go"},
		"use node v1.2, e.g. for this. It costs 3.50":     nil,
		"Move test/ below src/":                           nil,
		"telegram.go를 고쳐줘":                                {"telegram.go"},
		"put it in .github/workflows, and in notes/plans": {".github/workflows", "notes/plans"},
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
