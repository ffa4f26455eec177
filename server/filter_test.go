package server

import (
	"slices"
	"testing"
)

func TestFilters(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"lessons/allow.md":   "---\ntype: lesson\napplies-to: [telegram, security]\nproject: My Bot\n---\n# The allowlist was forgotten\n\n## Root Cause\n\nNobody checked the chat.\n",
		"lessons/retry.md":   "---\ntype: lesson\napplies-to: [payments]\n---\n# The retry paid twice\n\n## Root Cause\n\nNobody checked the id.\n",
		"playbooks/check.md": "---\ntype: playbook\napplies-to: [Telegram]\n---\n# How the chat is checked\n",
		"notes/telegram.md":  "# Telegram\n\nNobody checked the chat.\n",
	})
	for query, want := range map[string][]string{
		"nobody checked":               {"lessons/allow.md", "lessons/retry.md", "notes/telegram.md", "playbooks/check.md"},
		"nobody checked tag:telegram":  {"lessons/allow.md", "playbooks/check.md"},
		"TAG:telegram nobody":          nil, // keys are written small
		"tag:telegram kind:lesson":     {"lessons/allow.md"},
		"tag:telegram tag:payments":    {"lessons/allow.md", "lessons/retry.md", "playbooks/check.md"},
		`project:"my bot"`:             {"lessons/allow.md"},
		"kind:nothing checked":         {},
		"https://kind:lesson/ checked": nil,
	} {
		got, err := w.Retrieve(ctx, RetrieveRequest{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		paths := []string{}
		for _, h := range slices.Concat(got.Lessons, got.Notes) {
			paths = append(paths, h.Path)
		}
		slices.Sort(paths)
		if want == nil { // no filter
			if !slices.Contains(paths, "notes/telegram.md") {
				t.Errorf("%s found %v", query, paths)
			}
			continue
		}
		if !slices.Equal(paths, want) {
			t.Errorf("%s found %v", query, paths)
		}
	}
}
