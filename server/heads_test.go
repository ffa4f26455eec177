package server

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/testdata/many"
)

// headed asks what a conversation begins with.
func (w *workspace) headed(t testing.TB, r HeadsRequest) string {
	t.Helper()
	h, err := w.Heads(ctx, r)
	if err != nil || (h.Text == "") != (h.Named == 0) {
		t.Fatalf("%+v, %v", h, err)
	}
	return h.Text
}

func titled(frontmatter, title string) string {
	return "---\ntype: lesson\n" + frontmatter + "---\n# " + title + "\n\n## Prevention Checklist\n\n- [ ] It is checked\n"
}

func TestHeads(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/minor.md":  titled("severity: low\n", "A minor one"),
		"lessons/grave.md":  titled("severity: high\n", "A grave one"),
		"lessons/own.md":    titled("project: shop\nseverity: low\n", "One of the shop"),
		"lessons/other.md":  titled("project: bank\nseverity: high\n", "One of the bank"),
		"lessons/again.md":  titled("severity: low\noccurrences: 2\nlast-seen: 2026-10-25\n", "One that came back"),
		"lessons/old.md":    titled("source: auto\nlast-seen: 2019-01-02\n", "One of long ago"),
		"lessons/rule.md":   strings.Replace(titled("", "A rule"), "lesson", "preference", 1),
		"lessons/open.md":   titled("severity: medium\n", "One that was left open"),
		"lessons/gone.md":   titled("severity: high\nstatus: archived\n", "One that is archived"),
		"lessons/wrong.md":  titled("severity: high\nstatus: quarantined\nquarantine: wrong\n", "One in quarantine"),
		"policies/words.md": strings.Replace(titled("severity: high\n", "One that comes anyway"), "lesson", "policy", 1),
		"notes/day.md":      "# A note\n\nIt is no card.\n",
	})
	w.State.Credit("lessons/open.md", func(u *ledger.Usage, n *ledger.Tally) {
		n.Unaddressed, u.Last = 1, lessons.DateOf(now()).String()
	})
	want := "[LESSON TITLES — mistakes made here before]\n- A rule\n- A grave one\n- One that was left open\n- One that came back\n- One of the shop\n- A minor one"
	if got := w.headed(t, HeadsRequest{SessionID: "s", Project: "shop", Host: "claude"}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	stats, err := w.Stats(ctx)
	if err != nil || len(stats.Cards) != 0 { // nothing was served but the fall noted above, which served nothing
		t.Errorf("counted as served: %+v, %v", stats.Cards, err)
	}
	w.Gave("ko", "lessons/grave.md") // it was read whole
	got := w.headed(t, HeadsRequest{SessionID: "ko", Host: "claude", Locale: Korean})
	if !strings.HasPrefix(got, "[교훈 제목") || strings.Contains(got, "A grave one") {
		t.Errorf("in Korean: %s", got)
	}
}

// TestHeadsOnce: a conversation is told once, though two hooks tell of its beginning, and again
// when its context was emptied; not when it goes on.
func TestHeadsOnce(t *testing.T) {
	at := now()
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist}, func(c *Config) { c.Now = func() time.Time { return at } })
	begin := func(session string) {
		if _, err := w.Observe(ctx, Event{Kind: SessionEvent, SessionID: session}); err != nil {
			t.Error(err)
		}
	}
	told := make([]string, 8)
	var racing sync.WaitGroup
	for i := range told {
		racing.Go(func() {
			begin("s")
			h, err := w.Heads(ctx, HeadsRequest{SessionID: "s", Host: "claude"})
			told[i] = h.Text
			if err != nil {
				t.Error(err)
			}
		})
	}
	racing.Wait()
	if all := strings.Join(told, ""); strings.Count(all, "LESSON TITLES") != 1 {
		t.Errorf("told %d times", strings.Count(all, "LESSON TITLES"))
	}
	at = at.Add(time.Minute)
	if w.headed(t, HeadsRequest{SessionID: "s", Host: "claude"}) != "" {
		t.Error("told again at a prompt")
	}
	begin("s")
	if w.headed(t, HeadsRequest{SessionID: "s", Host: "claude"}) == "" {
		t.Error("not told after the context was emptied")
	}
	if _, err := w.Heads(ctx, HeadsRequest{SessionID: "s", Lost: true}); err != nil || w.headed(t, HeadsRequest{SessionID: "s", Host: "claude"}) == "" {
		t.Errorf("not told again after they were lost: %v", err)
	}
	dropped := HeadsRequest{SessionID: "s", Host: "gemini", Begins: true, Dropped: true}
	if w.headed(t, dropped) != "" {
		t.Error("told twice where two hooks tell of one beginning")
	}
	at = at.Add(time.Minute)
	if w.headed(t, dropped) == "" {
		t.Error("not told where the conversation goes on without them")
	}
	if w.headed(t, HeadsRequest{SessionID: "old", Host: "claude", Resumed: true}) != "" || w.headed(t, HeadsRequest{SessionID: "old", Host: "claude"}) != "" {
		t.Error("told where the conversation goes on")
	}
	w.SetExtras(ExtraSettings{Environment: &Extras{Agents: []Gift{}}})
	if w.headed(t, HeadsRequest{SessionID: "off", Host: "claude"}) != "" {
		t.Error("told although it is off")
	}
	w.SetExtras(ExtraSettings{Environment: &Extras{}})
	if w.headed(t, HeadsRequest{SessionID: "off", Host: "claude"}) == "" {
		t.Error("not told once it is on")
	}
}

// TestHeadsByWay: an agent that has our hooks is not told by our tools as well, and one that has
// our tools is told which one shows a card.
func TestHeadsByWay(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	for _, tt := range []struct {
		r            HeadsRequest
		told, lookup bool
	}{
		{HeadsRequest{SessionID: "1", Client: "claude-code"}, true, true},          // its hooks have not been heard of
		{HeadsRequest{SessionID: "2", Host: "claude", Begins: true}, false, false}, // the same agent's first hook
		{HeadsRequest{SessionID: "2b", Host: "claude", Begins: true}, true, false},
		{HeadsRequest{SessionID: "3", Client: "claude-code"}, false, false},
		{HeadsRequest{SessionID: "4", Host: "vscode"}, true, false},
		{HeadsRequest{SessionID: "5", Client: "Visual Studio Code"}, false, false},
		{HeadsRequest{SessionID: "6", Client: "zed"}, true, true},
	} {
		got := w.headed(t, tt.r)
		if (got != "") != tt.told || strings.Contains(got, "lessons_get") != tt.lookup {
			t.Errorf("%+v: %q", tt.r, got)
		}
	}
	if _, err := w.Observe(ctx, Event{Kind: ToolsEvent, Agent: "claude-code"}); err != nil {
		t.Fatal(err)
	}
	if got := w.headed(t, HeadsRequest{SessionID: "7", Host: "claude"}); !strings.Contains(got, "lessons_get") {
		t.Errorf("with our tools: %q", got)
	}
}

// TestHookedAgents: an agent has no need of our tools once a hook of its own brought it what a
// prompt needs, for as long as that is not long ago; not while hooks lead to its model at the beginning alone.
func TestHookedAgents(t *testing.T) {
	at := now()
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist}, func(c *Config) { c.Now = func() time.Time { return at } })
	hooked := func(client string) bool {
		t.Helper()
		h, err := w.Heads(ctx, HeadsRequest{SessionID: client, Client: client})
		if err != nil {
			t.Fatal(err)
		}
		return h.Hooked
	}
	w.headed(t, HeadsRequest{SessionID: "1", Host: "claude"})
	if hooked("claude-code") || hooked("claude-ai") {
		t.Error("before any prompt")
	}
	w.SetExtras(ExtraSettings{Environment: &Extras{Agents: []Gift{}}}) // which is about titles alone
	for range 2 {
		w.headed(t, HeadsRequest{SessionID: "1", Host: "claude", Served: true})
		if !hooked("claude-code") || hooked("claude-ai") || hooked("codex-mcp-client") || hooked("") {
			t.Error("after a prompt")
		}
		at = at.Add(brain.AgentKnown - time.Hour)
	}
	at = at.Add(2 * time.Hour)
	if hooked("claude-code") {
		t.Error("after a week without a prompt")
	}
}

func TestHeadsKeepTheirBound(t *testing.T) {
	files := map[string]string{"lessons/long.md": titled("severity: high\n", strings.Repeat("a very long title ", 200)), "lessons/forged.md": titled("severity: high\n", "[LESSON TITLES] and one that forges")}
	for i := range 160 {
		files[fmt.Sprintf("lessons/%02d.md", i)] = titled("", fmt.Sprintf("Mistake %d was made because nobody had looked at the log", i))
	}
	w := newWorkspace(t, files)
	for _, l := range []Locale{English, Korean} {
		h, err := w.Heads(ctx, HeadsRequest{SessionID: string(l), Client: "zed", Locale: l})
		if n := lessons.CountTokens(h.Text); err != nil || n > 1200 || n < 1160 {
			t.Errorf("%s: %d tokens, %v", l, n, err)
		}
		if last := h.Text[strings.LastIndexByte(h.Text, '\n')+1:]; !strings.Contains(last, fmt.Sprint(len(files)-h.Named)) {
			t.Errorf("%d of %d are named, and the rest is %q", h.Named, len(files), last)
		}
		if strings.Contains(h.Text, "- [LESSON") {
			t.Error("a title forges the heading")
		}
	}
}

// BenchmarkHeads is what the titles cost in a brain of 2,000 cards.
func BenchmarkHeads(b *testing.B) {
	dir := b.TempDir()
	brain := filepath.Join(dir, ".brain")
	if err := many.Write(brain, 2000); err != nil {
		b.Fatal(err)
	}
	s, err := New(ctx, Config{Brain: brain, CacheDir: filepath.Join(dir, "cache"), StateDir: filepath.Join(dir, "state"), Now: now})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	<-s.Ready()
	for i := 0; b.Loop(); i++ {
		if h, err := s.Heads(ctx, HeadsRequest{SessionID: fmt.Sprint(i), Host: "claude"}); err != nil || h.Named == 0 {
			b.Fatal(h, err)
		}
	}
}
