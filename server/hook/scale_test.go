package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/hook"
	"github.com/handrail-dev/handrail/testdata/many"
)

// scale is how many cards a small and a large brain have.
var scale = []int{60, 5000}

// events are what an agent's hooks tell in a turn, in order, and what of it is made new each time.
var events = []struct{ name, payload string }{
	{"SessionStart", `"hook_event_name":"SessionStart","source":"startup"`},
	{"prompt", `"hook_event_name":"UserPromptSubmit","prompt":"WORDS"`},
	{"Read", `"hook_event_name":"PostToolUse","tool_name":"Read","tool_use_id":"ID","tool_input":{"file_path":"DIR/src/pay.go"},"tool_response":{"type":"text"}`},
	{"Bash", `"hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"ID","tool_input":{"command":"git add -A && go test ./... && git push"},"tool_response":{"stdout":"ok"}`},
	{"Edit", `"hook_event_name":"PostToolUse","tool_name":"Edit","tool_use_id":"ID","tool_input":{"file_path":"DIR/src/pay.go","old_string":"a","new_string":"b"},"tool_response":{"filePath":"DIR/src/pay.go","originalFile":"a"}`},
	{"Stop", `"hook_event_name":"Stop","last_assistant_message":"Done: ID."`},
}

// agent is one that works in a repository with a brain of so many cards.
type agent struct {
	dir   string
	loop  *server.Server
	words string
	n     int
}

func newAgent(t testing.TB, cards int) *agent {
	dir := t.TempDir()
	if err := many.Write(filepath.Join(dir, ".brain"), cards); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "src", "pay.go"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &agent{dir: dir}
	for path, text := range many.Cards(1) { // a request that a card speaks to
		_, text, _ = strings.Cut(text, "\n# ")
		a.words, _, _ = strings.Cut(text, "\n")
		_ = path
	}
	s, err := server.New(context.Background(), brain.Config{Brain: filepath.Join(dir, ".brain"), CacheDir: t.TempDir(), StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	<-s.Ready()
	if err := s.Agree(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	a.loop = s
	return a
}

// tell sends an event of a conversation.
func (a *agent) tell(t testing.TB, session, payload string) {
	a.n++
	text := strings.NewReplacer("DIR", filepath.ToSlash(a.dir), "WORDS", a.words, "ID", fmt.Sprint(a.n)).Replace(payload)
	raw := fmt.Sprintf(`{"session_id":%q,"cwd":%q,"permission_mode":"default","transcript_path":"none",%s}`, session, filepath.ToSlash(a.dir), text)
	if !json.Valid([]byte(raw)) {
		t.Fatal(raw)
	}
	_, err := hook.Answer(context.Background(), []byte(raw), hook.Config{
		Getenv: func(string) string { return "" }, Log: slog.New(slog.DiscardHandler),
		Connect: func(context.Context, string, bool) (hook.Loop, string, error) { return a.loop, "", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkEvent is what each event of an agent costs in a small and in a large brain, within the
// process: a prompt of a new conversation, the others of one that goes on.
func BenchmarkEvent(b *testing.B) {
	for _, cards := range scale {
		a := newAgent(b, cards)
		a.tell(b, "s", events[1].payload)
		for _, e := range events {
			b.Run(fmt.Sprintf("%s/%d", e.name, cards), func(b *testing.B) {
				for b.Loop() {
					session := "s"
					if e.name == "SessionStart" || e.name == "prompt" {
						session = fmt.Sprint(a.n)
					}
					a.tell(b, session, e.payload)
				}
			})
		}
	}
}

// TestEventsDoNotWalkTheBrain bounds what an event allocates in a large brain by what it does in a
// small one: whoever walks all cards allocates for many of them, or asks the disk.
func TestEventsDoNotWalkTheBrain(t *testing.T) {
	if raced {
		t.Skip("the race detector makes pools forget, so that allocations tell nothing; \"make test\" runs it again without")
	}
	work := map[string][]float64{}
	for _, cards := range scale {
		a := newAgent(t, cards)
		for range 3 { // what is made once a brain, and once a conversation
			for _, e := range events {
				a.tell(t, "s", e.payload)
			}
		}
		for _, e := range events[2:] { // a beginning and a prompt may look at all titles
			least := math.Inf(1) // of several: what the process does beside it counts too
			for range 8 {
				least = min(least, testing.AllocsPerRun(4, func() { a.tell(t, "s", e.payload) }))
			}
			work[e.name] = append(work[e.name], least)
		}
	}
	for name, of := range work {
		if most := 1.3*of[0] + 50; of[1] > most {
			t.Errorf("%s makes %.0f allocations in a brain of %d cards and %.0f in one of %d; want %.0f at most", name, of[0], scale[0], of[1], scale[1], most)
		}
	}
}
