package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/hear"
	"github.com/handrail-dev/handrail/server/judge"
	"github.com/handrail-dev/handrail/triggers"
)

// stub is a loop that notes what it was asked.
type stub struct {
	stranger bool // the brain is not trusted
	asked    []string
	steps    []triggers.Event
	repeat   bool
	invite   bool // the agent may be told that it may draft a lesson
	footer   brain.Footer
	answer   judge.AnswerRequest
	guard    judge.Guarded
	titles   string
	heads    []deliver.HeadsRequest
	err      error
}

func (s *stub) note(format string, args ...any) {
	s.asked = append(s.asked, fmt.Sprintf(format, args...))
}

func (s *stub) Preflight(_ context.Context, r deliver.PreflightRequest) (deliver.Preflight, error) {
	s.note("preflight %s/%s once=%v", r.Agent, r.SessionID, r.Once)
	if s.repeat {
		return deliver.Preflight{AnswerID: "AAAABBBBCCCC", Repeat: true}, s.err
	}
	return deliver.Preflight{AnswerID: "AAAABBBBCCCC", Block: "BLOCK"}, s.err
}

func (s *stub) Answered(_ context.Context, r judge.AnswerRequest) (brain.Footer, error) {
	s.answer = r
	s.note("answered %s", r.Answer)
	return s.footer, s.err
}

func (s *stub) Observe(_ context.Context, e triggers.Event) (hear.Observed, error) {
	exit := ""
	if e.ExitCode != nil {
		exit = fmt.Sprint(" exit ", *e.ExitCode)
	}
	s.steps = append(s.steps, e)
	s.note("%s %s%s", e.Kind, strings.TrimSpace(e.Command+e.Text+strings.Join(base(e.Files), ",")), exit)
	return hear.Observed{Invite: s.invite && e.Kind == triggers.Message}, s.err
}

func (s *stub) Touch(_ context.Context, r deliver.TouchRequest) (deliver.Touch, error) {
	s.note("touch %s reads=%v output=%v", strings.Join(base(r.Files), ","), r.Reads, r.Output != "")
	return deliver.Touch{Text: "CARD", Receipt: "CCCCDDDD"}, s.err
}

func (s *stub) Guard(_ context.Context, r judge.GuardRequest) (judge.Guarded, error) {
	var added []string
	for _, c := range r.Changes {
		added = append(added, filepath.Base(c.File)+": "+strings.Join(c.Added, "|"))
	}
	s.note("guard %s", strings.TrimSpace(r.Command+strings.Join(added, ", ")))
	return s.guard, s.err
}

func (s *stub) Trusted(context.Context) bool { return !s.stranger }

func (s *stub) Heads(_ context.Context, r deliver.HeadsRequest) (deliver.Heads, error) {
	s.heads = append(s.heads, r)
	return deliver.Heads{Text: s.titles}, s.err
}

func base(files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = filepath.Base(f)
	}
	return out
}

func config(s *stub, env map[string]string) Config {
	return Config{
		Getenv: func(name string) string { return env[name] }, Log: slog.New(slog.DiscardHandler),
		Connect: func(context.Context, string, bool) (Loop, string, error) { return s, "shop", nil },
	}
}

// recorded is a payload under testdata/hooks.
type recorded struct {
	name, host string
	Source     string
	Seen       string
	Env        map[string]string
	Payload    json.RawMessage
}

func recordings(t testing.TB) []recorded {
	names, err := filepath.Glob("../../testdata/hooks/*/*.json")
	if err != nil || len(names) < 40 {
		t.Fatalf("%d payloads, %v", len(names), err)
	}
	var out []recorded
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := recorded{name: strings.TrimSuffix(filepath.Base(name), ".json"), host: filepath.Base(filepath.Dir(name))}
		if err := json.Unmarshal(src, &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, r)
	}
	return out
}

const claudePrompt = `{"hook_event_name":"UserPromptSubmit","session_id":"s","permission_mode":"default","prompt":"p","cwd":"/w"}`
