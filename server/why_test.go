package server

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/ledger"
)

const allow = "lessons/allow.md"

func whyWorkspace(t *testing.T) *workspace {
	t.Helper()
	card := func(head, title, text string) string {
		return "---\ntype: lesson\n" + head + "---\n# " + title + "\n\n## Root Cause\n\n" + text + "\n\n## Prevention Checklist\n\n- [ ] " + text + "\n"
	}
	return newWorkspace(t, map[string]string{
		allow:              card("", "Telegram commands need an allowlist", "The telegram allowlist is asked before a command restarts anything."),
		"lessons/old.md":   card("status: archived\n", "Telegram commands restart twice", "The telegram command restarts the unit twice."),
		"lessons/wrong.md": card("status: quarantined\nquarantine-reason: The API is gone\n", "Telegram commands time out", "The telegram command restarts nothing."),
		"lessons/shop.md":  card("project: shop\n", "Telegram orders of the shop", "The telegram command restarts an order."),
		"lessons/csv.md":   card("", "CSV exports need a BOM", "Spreadsheets read the export in the wrong encoding."),
		"lessons/far.md":   card("", "Migrations need a backup", "A command without a backup."),
		"rules/always.md":  "---\ntype: policy\nseverity: high\n---\n# Speak plainly\n\n- [ ] Say it in one sentence\n",
		"notes/a.md":       "# Deploying\n\nThe command restarts the unit.\n",
	})
}

const restartRequest = "add a telegram command that restarts the server"

// reasons returns the code of each reason by path.
func (w *workspace) reasons(t *testing.T, r WhyRequest) (codes map[string]string, paths []string) {
	t.Helper()
	e, err := w.Why(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	codes = map[string]string{}
	for _, c := range e.Cards {
		codes[c.Path] = c.Code
		paths = append(paths, c.Path)
		if comes := slices.Contains([]string{"matched", "always", "path", "work", "action"}, c.Code); comes != c.Comes || c.Text == "" || strings.Contains(c.Text, "%!") {
			t.Errorf("%+v", c)
		}
	}
	return codes, paths
}

// TestWhy says of every sort of card in one sentence whether it comes, in both languages.
func TestWhy(t *testing.T) {
	w := whyWorkspace(t)
	for _, language := range []Locale{English, Korean} {
		for path, want := range map[string]string{
			allow: "matched", "rules/always.md": "always", "lessons/old.md": "status", "lessons/wrong.md": "status",
			"lessons/shop.md": "project", "lessons/csv.md": "nothing", "lessons/far.md": "weak",
		} {
			if codes, _ := w.reasons(t, WhyRequest{Query: restartRequest, Path: path, Project: "bot", Language: language}); codes[path] != want {
				t.Errorf("%s: %v, not %s", path, codes, want)
			}
		}
	}
	e, err := w.Why(ctx, WhyRequest{Query: restartRequest, Path: "lessons/wrong.md"})
	if err != nil || e.Cards[0].Text != "It was put away as wrong: The API is gone." {
		t.Errorf("%+v, %v", e, err)
	}
	_, paths := w.reasons(t, WhyRequest{Query: restartRequest, Project: "bot"})
	if len(paths) != 2+deliver.NearlyCame || !slices.Contains(paths[:2], allow) || !slices.Contains(paths[:2], "rules/always.md") || slices.Contains(paths, "notes/a.md") {
		t.Errorf("without a path: %v", paths)
	}
	if _, err := w.Why(ctx, WhyRequest{Query: restartRequest, Path: "notes/a.md"}); Code(err) != "not-a-card" {
		t.Errorf("of a note: %v", err)
	}
	if _, err := w.Why(ctx, WhyRequest{Query: " ", Path: allow}); Code(err) != "bad-request" {
		t.Errorf("without a request: %v", err)
	}
}

// TestWhyAgreesWithTheBlock holds what Why says comes against what Preflight puts into the
// block, and asks by the answer alone.
func TestWhyAgreesWithTheBlock(t *testing.T) {
	w := whyWorkspace(t)
	p, err := w.Preflight(ctx, PreflightRequest{Query: restartRequest, SessionID: "s", Project: "bot"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.Why(ctx, WhyRequest{AnswerID: p.AnswerID, Project: "bot"})
	if err != nil || e.Request != restartRequest {
		t.Fatalf("%+v, %v", e, err)
	}
	var comes []string
	for _, c := range e.Cards {
		if c.Comes {
			comes = append(comes, c.Path)
		}
	}
	if got := deliver.PathsOf(p.Lessons); !slices.Equal(comes, got) {
		t.Errorf("the block has %v, Why says %v", got, comes)
	}
	// A card that stands in a conversation comes no more in it.
	w.State.Give("s2", ledger.Given{Share: ledger.Whole}, allow)
	if codes, _ := w.reasons(t, WhyRequest{Query: restartRequest, SessionID: "s2", Path: allow}); codes[allow] != "given" {
		t.Errorf("handed over before: %v", codes)
	}
	// In the turn itself it came that way.
	w.State.Turns.Change(p.AnswerID, func(a *ledger.Turn) bool {
		a.Touched = []ledger.Touched{{Hit: Hit{Path: "lessons/csv.md", Why: Why{Terms: []string{"export/*.go"}}}}}
		return true
	})
	if codes, _ := w.reasons(t, WhyRequest{AnswerID: p.AnswerID, Path: "lessons/csv.md"}); codes["lessons/csv.md"] != "action" {
		t.Errorf("at an action: %v", codes)
	}
	w.Close()
	w.open(t)
	if _, err := w.Why(ctx, WhyRequest{AnswerID: p.AnswerID}); Code(err) != "unknown-answer" {
		t.Errorf("after a restart: %v", err)
	}
}

// TestNeverForRequestsLikeThis keeps a card from a request and from no other, shows it in the
// inbox, outlives a restart, and is taken back by undo and by review.
func TestNeverForRequestsLikeThis(t *testing.T) {
	w := whyWorkspace(t)
	comes := func(query string) bool {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(deliver.PathsOf(p.Lessons), allow)
	}
	before, err := os.ReadFile(filepath.Join(w.dir, ".brain", allow))
	if err != nil {
		t.Fatal(err)
	}
	keep := func() Never {
		t.Helper()
		n, err := w.NeverFor(ctx, NeverRequest{Path: allow, Query: restartRequest})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	keep()
	w.Close()
	w.open(t)
	for query, want := range map[string]bool{
		restartRequest: false,
		"Please add a telegram command that restarts the server!":                     false,
		"add a telegram command that lists the orders":                                true,
		"the telegram allowlist ignores a command":                                    true,
		"a telegram command and the allowlist":                                        true,
		restartRequest + " and reads the allowlist from the database of the customer": true,
	} {
		if comes(query) != want {
			t.Errorf("%q: comes is %v", query, !want)
		}
	}
	other := "add a telegram command that stops the server"
	if n, same := w.State.NeverFor(other)(allow); same {
		t.Errorf("%q counts as the same as %q", other, n.Request)
	}
	box, err := w.Inbox(ctx, English)
	if err != nil || len(box.Never) != 1 || box.Never[0].Path != allow || box.Never[0].Request != restartRequest {
		t.Fatalf("%+v, %v", box.Never, err)
	}
	if codes, _ := w.reasons(t, WhyRequest{Query: restartRequest, Path: allow}); codes[allow] != "never" {
		t.Errorf("%v", codes)
	}
	if again := keep(); again.ID != box.Never[0].ID {
		t.Errorf("kept twice: %+v", again)
	}

	if _, err := w.Bump(ctx, allow, ""); err != nil { // the card may change in between
		t.Fatal(err)
	}
	done, err := w.Review(ctx, ReviewRequest{Unmute: []string{box.Never[0].ID[:8]}})
	if err != nil || len(done.Left) > 0 || !comes(restartRequest) {
		t.Fatalf("taken back by review: %+v, %v", done, err)
	}
	if undone, err := w.Undo(ctx, UndoRequest{}); err != nil || undone.Verb != "bump" {
		t.Fatalf("%+v, %v", undone, err)
	}

	keep()
	if undone, err := w.Undo(ctx, UndoRequest{Path: allow}); err != nil || undone.Verb != "never" || !comes(restartRequest) {
		t.Errorf("taken back by undo: %+v, %v", undone, err)
	}
	// By a process that has no state.
	keep()
	w.Close()
	cfg := w.cfg
	cfg.FilesOnly = true
	files, err := New(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = files.Undo(ctx, UndoRequest{})
	err = errors.Join(err, files.Close())
	if err != nil {
		t.Fatal(err)
	}
	w.open(t)
	if !comes(restartRequest) {
		t.Error("what another process took back still holds")
	}
	if after, err := os.ReadFile(filepath.Join(w.dir, ".brain", allow)); err != nil || string(after) != string(before) {
		t.Errorf("the card changed: %s, %v", after, err)
	}
	if _, err := w.NeverFor(ctx, NeverRequest{Path: allow, Query: "the of and"}); Code(err) != "bad-request" {
		t.Errorf("without words: %v", err)
	}
}

// TestWhyOfFiles says that a card comes for a file of the request.
func TestWhyOfFiles(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/pay.md": "---\ntype: lesson\npaths: [shop/pay.go]\n---\n# Round once\n\n- [ ] The sum is rounded once\n"})
	if codes, _ := w.reasons(t, WhyRequest{Query: "look at it", Files: []string{w.dir + "/shop/pay.go"}, Path: "lessons/pay.md"}); codes["lessons/pay.md"] != "path" {
		t.Errorf("%v", codes)
	}
}
