package server

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/testdata/many"
)

// costs is what a conversation of 20 turns may be given in a brain of 60 cards, in estimated tokens.
const costs = 2500

// hint is about what the line takes that invites an agent to draft a lesson.
const hint = 45

// line matches what names a card: a title, an entry of the block, a reminder.
var line = regexp.MustCompile(`(?m)^(?:- |\d+\. |\[ACTIVE LESSON\] )([^\[(·\n]+)`)

// TestAConversationCosts holds that all a conversation is told, titles, cards at prompts and at actions, and the hint
// to draft a lesson, keeps to its bound, and that nothing is told twice.
func TestAConversationCosts(t *testing.T) {
	files, demo := map[string]string{}, os.DirFS("../testdata/brains/demo")
	err := fs.WalkDir(demo, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = fs.ReadFile(demo, name)
			files[name] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range many.Cards(50) {
		files[name] = text
	}
	asked, err := os.ReadFile("../testdata/quality/demo-queries.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var requests []string
	for l := range strings.Lines(string(asked)) {
		if _, words, ok := strings.Cut(strings.TrimSpace(l), "\t"); ok {
			requests = append(requests, words)
		}
	}
	touched := []string{"bot/handlers.py", "db/migrations/0007.sql", "web/src/List.tsx", "internal/httpx/log.go", "README.md"}
	for start := 0; start+20 <= len(requests); start += 20 {
		w := newWorkspace(t, files)
		total, titles, whole := 0, map[string]int{}, map[string]int{}
		got := func(text string) {
			total += lessons.CountTokens(text)
			for _, m := range line.FindAllStringSubmatch(text, -1) {
				name := strings.TrimSpace(m[1])
				if strings.HasPrefix(m[0], "- ") {
					titles[name]++
				} else {
					whole[name]++
				}
			}
		}
		heads := func(r HeadsRequest) {
			r.SessionID, r.Host = "s", "claude"
			got(w.headed(t, r))
		}
		if _, err := w.Observe(ctx, Event{Kind: ToolsEvent, Agent: "claude-code"}); err != nil {
			t.Fatal(err)
		}
		heads(HeadsRequest{Begins: true})
		for turn, request := range requests[start : start+20] {
			p, err := w.Preflight(ctx, PreflightRequest{SessionID: "s", Query: request, Hooked: true, Compacts: true})
			if err != nil {
				t.Fatal(err)
			}
			got(p.Block)
			heads(HeadsRequest{Beside: p.Block})
			seen, err := w.Observe(ctx, Event{Kind: MessageEvent, SessionID: "s", Text: request, Agent: "claude"})
			if err != nil {
				t.Fatal(err)
			}
			if seen.Invite {
				total += hint
			}
			touch, err := w.Touch(ctx, TouchRequest{SessionID: "s", Files: []string{filepath.Join(w.dir, touched[turn%len(touched)])}})
			if err != nil {
				t.Fatal(err)
			}
			got(touch.Text)
		}
		for _, told := range []map[string]int{titles, whole} {
			for name, times := range told {
				if times > 1 {
					t.Errorf("%q was told %d times", name, times)
				}
			}
		}
		t.Logf("requests %d to %d: %d tokens, %d titles, %d cards", start+1, start+20, total, len(titles), len(whole))
		if total > costs || len(titles) < 40 {
			t.Errorf("%d tokens, %d titles", total, len(titles))
		}
	}
}
