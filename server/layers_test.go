package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/ledger"
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

// TestCardsOfAFileBesideRules holds that rules which come with every request leave the card of
// a file its place, behind the lessons that the words found.
func TestCardsOfAFileBesideRules(t *testing.T) {
	files := map[string]string{
		"lessons/login.md":  "---\ntype: lesson\npaths: [\"web/login.ts\"]\n---\n# The session outlived the password\n",
		"lessons/commit.md": "---\ntype: lesson\n---\n# A commit left a file out\n",
		"lessons/allow.md":  allowlist,
	}
	for i := range 6 {
		files[fmt.Sprintf("policies/%d.md", i)] = ofKind("policy", "high", fmt.Sprintf("Rule %d", i), 1)
	}
	w := newWorkspace(t, files)
	for query, want := range map[string][]string{
		"shorten the page": {"lessons/login.md"},
		"check the telegram allowlist before the command": {"lessons/allow.md", "lessons/login.md"},
	} {
		p, err := w.Preflight(ctx, PreflightRequest{Query: query, Files: []string{w.dir + "/web/login.ts"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range p.Lessons {
			if strings.HasPrefix(h.Path, "lessons/") {
				got = append(got, h.Path)
			}
		}
		if !slices.Equal(got, want) || len(p.Lessons) <= len(got) {
			t.Errorf("%q: %v, want %v among %d cards", query, got, want, len(p.Lessons))
		}
	}
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
		if p.Tokens > deliver.ContextTokens || len(p.Block) > deliver.MaxBlockChars {
			t.Errorf("%d tokens, %d bytes", p.Tokens, len(p.Block))
		}
		var out []string
		for _, h := range p.Lessons {
			out = append(out, h.Path)
		}
		return out
	}
	// Of the baseline two come, the long one cut to its share; then the lesson and playbooks, by how near they are.
	got := paths(restart, "web")
	if len(got) != 2+brain.MaxLessons || !slices.Contains(got[:2], "policies/secrets.md") || !slices.Contains(got[2:], "lessons/allow.md") {
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

// TestAlwaysOnCardsTakeNoLessonsPlace: those that come with every request have a slot of their
// own. What it has no room for comes with the next requests, each card once a conversation, the
// one that fell last ahead of all.
func TestAlwaysOnCardsTakeNoLessonsPlace(t *testing.T) {
	const rules = 15
	files := map[string]string{"lessons/allow.md": ofKind("lesson", "medium", "Adding a telegram command that restarts the server", 1)}
	for i := range rules {
		files[fmt.Sprintf("policies/rule-%02d.md", i)] = fmt.Sprintf("---\ntype: policy\nseverity: high\n---\n# Habit %d\n\n## Prevention Checklist\n\n- [ ] Answers are short, habit %d\n", i, i)
	}
	at := now()
	w := newWorkspace(t, files, func(c *Config) { c.Now = func() time.Time { return at } })
	rulesOf := func(query, session string, turn int) []string {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: query, SessionID: session, Compacts: true})
		if err != nil {
			t.Fatal(err)
		}
		out := []string{}
		lesson := false
		for _, h := range p.Lessons {
			if h.Path == "lessons/allow.md" {
				lesson = true
			} else {
				out = append(out, h.Path)
			}
		}
		if lesson != (query == restart && turn == 0) {
			t.Errorf("%q: the lesson is there: %v", query, lesson)
		}
		if left := rules - turn*brain.MaxBaseline; len(out) != max(0, min(left, brain.MaxBaseline)) {
			t.Errorf("%q: %q", query, out)
		}
		return out
	}
	seen := map[string]bool{}
	for turn := range rules/brain.MaxBaseline + 2 {
		for _, path := range rulesOf(restart, "s", turn) {
			seen[path] = true
		}
	}
	if len(seen) != rules {
		t.Errorf("%d of %d came", len(seen), rules)
	}
	w.State.Credit("policies/rule-07.md", func(u *ledger.Usage, n *ledger.Tally) { n.Recurred, u.Last = 1, "2026-11-21" })
	if got := rulesOf("where do penguins live?", "t", 0); got[0] != "policies/rule-07.md" {
		t.Errorf("%q lead", got)
	}
	at = at.Add(ledger.FreshFall + 48*time.Hour)
	if rulesOf("where do penguins live?", "u", 0)[0] != "policies/rule-00.md" {
		t.Error("a fall of long ago leads still")
	}
}

// TestARuleForAnyRequest: a rule that names no topic is proposed for every request; what a
// person says of it counts.
func TestARuleForAnyRequest(t *testing.T) {
	w := newWorkspace(t, nil)
	for _, tt := range []struct {
		title string
		f     CreateFields
		every bool
	}{
		{title: "Explain for somebody who does not write programs", f: CreateFields{Kind: "preference"}, every: true},
		{title: "코드를 모르는 사람도 알 수 있게 설명한다", f: CreateFields{Kind: "policy"}, every: true},
		{title: "Answer in one paragraph", f: CreateFields{Kind: "preference", Severity: "medium"}},
		{title: "Name the branch after the ticket", f: CreateFields{Kind: "policy", Tags: []string{"git"}}},
		{title: "Keep the generated code as it is", f: CreateFields{Kind: "policy", Paths: []string{"gen/**"}}},
		{title: "Read secrets by loadSecret alone", f: CreateFields{Kind: "policy"}},
		{title: "Change versions by hand", f: CreateFields{Kind: "policy", Checklist: []string{"package-lock.json is never edited"}}},
		{title: "Ask before a program is installed", f: CreateFields{Kind: "lesson"}},
	} {
		made, err := w.Confirm(ctx, CreateRequest{Title: tt.title, Fields: tt.f})
		if err != nil {
			t.Fatal(err)
		}
		if c, err := w.Read(made.Path); err != nil || made.EveryRequest != tt.every || brain.IsBaseline(c) != tt.every {
			t.Errorf("%s: every request %v, severity %s, %v", tt.title, made.EveryRequest, c.Severity, err)
		}
	}
}
