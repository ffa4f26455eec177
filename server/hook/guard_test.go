package hook

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/judge"
)

// TestGuard says what each host is told before a tool runs, and what the loop then hears.
func TestGuard(t *testing.T) {
	deny := judge.Guarded{Decision: lessons.GuardDeny, Reason: "why [lessons/a.md]"}
	ask := judge.Guarded{Decision: lessons.GuardAsk, Reason: "why [lessons/a.md]"}
	work := t.TempDir()
	if err := os.MkdirAll(filepath.Join(work, "bot"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "bot", "handlers.py"), []byte("def handle():\n    x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const added = "guard handlers.py:     log.info(token)"
	const edited = "guard handlers.py: def handle():|    log.info(token)"
	for _, tt := range []struct {
		payload string
		off     bool
		guard   judge.Guarded
		err     error
		want    string
		heard   []string
	}{
		{payload: "claude/PreToolUse-Edit", guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why [lessons/a.md]"}}`, heard: []string{edited}},
		{payload: "claude/PreToolUse-Edit", guard: ask, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"why [lessons/a.md]"}}`, heard: []string{edited, "call handlers.py"}},
		{payload: "claude/PreToolUse-Edit", off: true, guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"CARD (ref CCCCDDDD)"}}`, heard: []string{"call handlers.py", "touch handlers.py reads=false output=false"}},
		{payload: "claude/PreToolUse-Read", guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"CARD (ref CCCCDDDD)"}}`, heard: []string{"touch handlers.py reads=true output=false"}},
		{payload: "claude/PostToolUse-Write", guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"CARD (ref CCCCDDDD)"}}`, heard: []string{"edit new.py exit 0", "touch new.py reads=false output=false"}},
		{payload: "codex/PreToolUse-apply_patch", guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why [lessons/a.md]"}}`, heard: []string{edited}},
		{payload: "codex/PreToolUse-apply_patch", guard: ask, heard: []string{edited, "call handlers.py"}},
		{payload: "gemini/BeforeTool-write", guard: deny, want: `{"decision":"deny","reason":"why [lessons/a.md]"}`, heard: []string{added}},
		{payload: "gemini/BeforeTool-write", guard: ask, heard: []string{added, "call handlers.py"}},
		{payload: "copilot/preToolUse-create", guard: deny, want: `{"permissionDecision":"deny","permissionDecisionReason":"why [lessons/a.md]"}`, heard: []string{added}},
		{payload: "copilot/preToolUse-bash", guard: ask, want: `{"permissionDecision":"ask","permissionDecisionReason":"why [lessons/a.md]"}`, heard: []string{"guard git push --force"}},
		{payload: "copilot/preToolUse-bash", guard: deny, err: errors.New("broken"), heard: []string{"guard git push --force"}},
		{payload: "vscode/PreToolUse", guard: deny, want: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"CARD (ref CCCCDDDD)"}}`, heard: []string{"call 0007_stock.sql", "touch 0007_stock.sql reads=false output=false"}},
	} {
		for _, r := range recordings(t) {
			if r.host+"/"+r.name != tt.payload {
				continue
			}
			s := &stub{guard: tt.guard, err: tt.err}
			c := config(s, r.Env)
			c.Guard = !tt.off
			out, err := Answer(t.Context(), bytes.ReplaceAll(r.Payload, []byte("$WORK"), []byte(filepath.ToSlash(work))), c)
			if strings.TrimSpace(string(out)) != tt.want || err != nil || !slices.Equal(s.asked, tt.heard) {
				t.Errorf("%s %q: %s, %v\nthe loop heard %q", tt.payload, tt.guard.Decision, out, err, s.asked)
			}
		}
	}
}

// TestGuardOfALateAnswer holds that what comes too late neither asks nor refuses.
func TestGuardOfALateAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &stub{guard: judge.Guarded{Decision: lessons.GuardDeny, Reason: "why"}}
	c := config(s, nil)
	c.Guard = true
	out, err := Answer(ctx, []byte(`{"sessionId":"s","toolName":"bash","toolArgs":{"command":"git push --force"}}`), c)
	if len(out) > 0 || err != nil || len(s.asked) != 1 {
		t.Errorf("%s, %v, %q", out, err, s.asked)
	}
}
