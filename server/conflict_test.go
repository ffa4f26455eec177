package server

import (
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
)

// A card that a merge left in conflict reaches nobody, by no way: not as a card of the request,
// not as one that comes always, not by a file, not as a title, not in a search. It is listed.
func TestConflicted(t *testing.T) {
	torn := "\n<<<<<<< HEAD\n- [ ] Ours\n=======\n- [ ] Theirs\n>>>>>>> other\n"
	lesson := strings.Replace(allowlist, "---\n", "---\npaths: [worker/**]\nguard: deny\n", 1) + torn
	policy := "---\n<<<<<<< HEAD\ntype: policy\n=======\ntype: policy\nseverity: low\n>>>>>>> other\nseverity: high\n---\n# Answers are in Korean\n\n## Prevention Checklist\n- [ ] Every answer is in Korean\n"
	w := newWorkspace(t, map[string]string{"lessons/allow.md": lesson, "memories/korean.md": policy})
	if p, err := w.Preflight(ctx, PreflightRequest{Query: restart, SessionID: "s", Files: []string{w.dir + "/worker/a.go"}}); err != nil || p.Block != "" || p.Context != "" || len(p.Lessons)+len(p.Notes) > 0 {
		t.Errorf("a request got %+v, %v", p, err)
	}
	for _, query := range []string{restart, ""} {
		if r, err := w.Retrieve(ctx, RetrieveRequest{Query: query, All: true}); err != nil || len(r.Lessons)+len(r.Notes) > 0 {
			t.Errorf("a search for %q found %+v, %v", query, r, err)
		}
	}
	if h, err := w.Heads(ctx, HeadsRequest{SessionID: "s", Host: "claude"}); err != nil || h.Text != "" {
		t.Errorf("a conversation began with %q, %v", h.Text, err)
	}
	if got, err := w.Touch(ctx, TouchRequest{SessionID: "s", Files: []string{w.dir + "/worker/a.go"}}); err != nil || got.Text != "" {
		t.Errorf("a file brought %q, %v", got.Text, err)
	}
	list, err := w.Cards(ctx, CardFilter{Status: lessons.Conflicted})
	if err != nil || len(list) != 2 {
		t.Errorf("listed: %+v, %v", list, err)
	}
	for _, p := range w.Diagnoser()("lessons/allow.md", []byte(lesson)) {
		if p.Code != lessons.ConflictMarkers || p.Severity != lessons.Error {
			t.Errorf("it is said to have %+v", p)
		}
	}

	// Resolved, it is back at once.
	w.put(t, "lessons/allow.md", allowlist)
	w.FilesChanged()
	if err := w.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	if p, err := w.Preflight(ctx, PreflightRequest{Query: restart}); err != nil || len(p.Lessons) != 1 {
		t.Errorf("resolved: %+v, %v", p.Lessons, err)
	}
}
