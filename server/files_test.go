package server

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCardsOfAFileOfTheRequest holds that a request gets the cards whose paths hold a file
// that comes with it, unless their globs hold half of the repository, and none for a file that it names.
func TestCardsOfAFileOfTheRequest(t *testing.T) {
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
		{"a file that is named", "make bot/telegram.go shorter", nil, nil},
		{"a file", "make it shorter", []string{w.dir + "/bot/telegram.go"}, []string{"lessons/file.md", "lessons/folder.md"}},
		{"a file of the request", "make it shorter", []string{w.dir + "/bot/restart.go"}, []string{"lessons/folder.md"}},
		{"a file elsewhere", "make it shorter", []string{w.dir + "/other/telegram.go"}, nil},
		{"a wide glob", "make it shorter", []string{w.dir + "/src/main.go"}, nil},
		{"an excluded file", "make it shorter", []string{w.dir + "/web/gen/a.ts"}, nil},
		{"another file", "make it shorter", []string{w.dir + "/bots/telegraph.go"}, nil},
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

// TestCardsOfAFileWhereAnItemWasBroken holds that such a card is about the file from then on,
// until a person says that the item does not apply there.
func TestCardsOfAFileWhereAnItemWasBroken(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/token.md": "# Tokens of the telegram bot reached the log\n\n## Root Cause\n\nWhole requests were printed.\n\n" +
		"## Prevention Checklist\n\n- [ ] Handlers never log the token\n  ```check\n  forbid: 'log\\.Print.*token'\n  matches: ['log.Println(token)']\n  passes: ['log.Println(1)']\n  ```\n"})
	file := filepath.Join(w.dir, "bot", "send.go")
	about := func(path string) int {
		t.Helper()
		cards, err := w.Cards(ctx, CardFilter{File: path})
		if err != nil {
			t.Fatal(err)
		}
		return len(cards)
	}
	p, err := w.Preflight(ctx, PreflightRequest{Query: "log what the telegram bot sends, token and all", SessionID: "s"})
	if err != nil || len(p.Lessons) != 1 || about(file) != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	w.Deeds.Begin("s", "")
	if _, err := w.Observe(ctx, Event{Kind: EditEvent, SessionID: "s", At: now(), Files: []string{file}, Changes: []Change{{File: file, Added: []string{"log.Print(token)"}}}}); err != nil {
		t.Fatal(err)
	}
	f, err := w.Answered(ctx, AnswerRequest{AnswerID: p.AnswerID, Answer: "The bot now logs each message that it sends."})
	if err != nil || len(f.Unaddressed) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	if about(file) != 1 || about(filepath.Join(w.dir, "bot", "other.go")) != 0 {
		t.Error("the card is not about the file, or about another")
	}
	v := f.Unaddressed[0]
	if _, err := w.Judge(ctx, JudgeRequest{AnswerID: f.AnswerID, Path: v.Path, Item: v.Item, State: "not-here"}); err != nil || about(file) != 0 {
		t.Errorf("it still is, %v", err)
	}
}
