package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ofKind returns a card with so many items.
func ofKind(kind, severity, title string, items int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntype: %s\nseverity: %s\n---\n# %s\n\n## Root Cause\n\nIt was not said.\n\n## Prevention Checklist\n\n", kind, severity, title)
	for i := range items {
		fmt.Fprintf(&b, "- [ ] Telegram command number %d is written down and agreed upon by everybody who works on the project\n", i)
	}
	return b.String()
}

func TestLayersOfTheBlock(t *testing.T) {
	files := map[string]string{
		"policies/secrets.md":   ofKind("policy", "high", "Secrets stay in the vault", 1),
		"policies/huge.md":      ofKind("architecture", "high", "One very long page", 40),
		"policies/minor.md":     ofKind("policy", "medium", "Commits are signed", 1),
		"policies/shop.md":      strings.Replace(ofKind("preference", "high", "The shop speaks French", 1), "severity", "project: shop\nseverity", 1),
		"lessons/allow.md":      ofKind("lesson", "medium", "Adding a telegram command that restarts the server", 1),
		"playbooks/restart.md":  ofKind("playbook", "medium", "Restart the server by a telegram command", 1),
		"playbooks/restart2.md": ofKind("playbook", "medium", "Add a telegram command that restarts", 1),
		"playbooks/restart3.md": ofKind("playbook", "medium", "A telegram command for the server", 1),
		"playbooks/restart4.md": ofKind("playbook", "medium", "Telegram command server restarts", 1),
	}
	w := newWorkspace(t, files)
	paths := func(query, project string) []string {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: query, Project: project})
		if err != nil {
			t.Fatal(err)
		}
		if p.Tokens > contextTokens || len(p.Block) > maxBlockChars {
			t.Errorf("%d tokens, %d bytes", p.Tokens, len(p.Block))
		}
		var out []string
		for _, h := range p.Lessons {
			out = append(out, h.Path)
		}
		return out
	}
	// Of the baseline two come, the long one cut to its share; then the lesson, then playbooks.
	got := paths(restart, "web")
	if len(got) != maxLessons || !slices.Contains(got[:2], "policies/secrets.md") || got[2] != "lessons/allow.md" || !strings.HasPrefix(got[3], "playbooks/") {
		t.Errorf("%q", got)
	}
	// What comes with every request comes without a match too; nothing else does.
	if got := paths("where do penguins live?", "web"); len(got) == 0 || slices.ContainsFunc(got, func(p string) bool { return !strings.HasPrefix(p, "policies/") }) || slices.Contains(got, "policies/shop.md") {
		t.Errorf("%q", got)
	}
	if got := paths("where do penguins live?", "shop"); !slices.Contains(got, "policies/shop.md") {
		t.Errorf("%q", got)
	}
}
