package server

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/handrail-dev/handrail/server/ledger"
)

// picture is how a brain stands: its files to the byte, and what is counted of its cards.
type picture struct {
	Files  map[string]string
	Served map[string]int
}

func (w *workspace) picture(t *testing.T) picture {
	t.Helper()
	all, err := w.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p := picture{w.files(t), map[string]int{}}
	for _, c := range all.Cards {
		p.Served[c.Path] = c.Served
	}
	return p
}

// TestCutShort has a merge and a promotion cut short after all their changes, the counters'
// among them. The next start takes both back, the log has them as failed, and undo passes over
// them to what was done before.
func TestCutShort(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist, "lessons/queue.md": refused, "drafts/utc.md": "---\ntype: lesson\nstatus: draft\n---\n# Times are in UTC\n\n## Root Cause\n\nThe column had no zone.\n\n## Prevention Checklist\n\n- [ ] The report names its zone\n"})
	for _, path := range []string{"lessons/allow.md", "lessons/queue.md"} {
		row := ledger.Turn{ID: ledger.NewID(), Session: ledger.NewID(), At: now(), Lessons: []Hit{{Path: path}}}
		w.State.Turns.Put(row.ID, row)
		w.State.CreditServed(row.ID)
	}
	if _, err := w.Bump(ctx, "lessons/queue.md", ""); err != nil {
		t.Fatal(err)
	}
	before := w.picture(t)
	for _, act := range []struct {
		verb string
		do   func() error
	}{
		{"merge", func() error {
			_, err := w.Merge(ctx, MergeRequest{Into: "lessons/allow.md", From: "lessons/queue.md"})
			return err
		}},
		{"promote", func() error { _, err := w.Promote(ctx, "drafts/utc.md", ""); return err }},
	} {
		verb := act.verb
		if err := act.do(); err != nil {
			t.Fatal(err)
		}
		w.cutShort(t)
		if diff := cmp.Diff(before, w.picture(t)); diff != "" {
			t.Errorf("%s: %s", verb, diff)
		}
		rows, err := w.Log(ctx, LogRequest{})
		if err != nil || rows[0].Verb != verb || !rows[0].Failed || rows[0].Undone {
			t.Errorf("%s: the log begins %+v, %v", verb, rows[0], err)
		}
	}
	for _, verb := range []string{"promote", "merge"} { // each undo takes back one act: of these it only tells
		if done, err := w.Undo(ctx, UndoRequest{}); err != nil || done.Verb != verb {
			t.Errorf("undo: %+v, %v", done, err)
		}
		if diff := cmp.Diff(before, w.picture(t)); diff != "" {
			t.Errorf("undo of %s, which was cut short: %s", verb, diff)
		}
	}
	if done, err := w.Undo(ctx, UndoRequest{}); err != nil || done.Verb != "bump" {
		t.Errorf("undo: %+v, %v", done, err)
	}
	if _, err := w.Undo(ctx, UndoRequest{}); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("undo: %v", err)
	}
}

// cutShort makes the last act of the journal one whose process died before its line was
// there, and starts again.
func (w *workspace) cutShort(t *testing.T) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(w.cfg.StateDir, "*", "journal.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	intent := filepath.Join(filepath.Dir(found[0]), "intent.json")
	if err := errors.Join(os.WriteFile(intent, text[at:], 0o600), os.WriteFile(found[0], text[:at], 0o600)); err != nil {
		t.Fatal(err)
	}
	w.open(t)
}

// TestUndoOfDamagedTextsIsRefused in a sentence that names the card.
func TestUndoOfDamagedTextsIsRefused(t *testing.T) {
	w := newWorkspace(t, map[string]string{"lessons/allow.md": allowlist})
	if _, err := w.Bump(ctx, "lessons/allow.md", ""); err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(w.cfg.StateDir, "*", "kept", "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v, %v", kept, err)
	}
	if err := os.WriteFile(kept[0], []byte(strings.Replace(allowlist, "high", "low!", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	before := w.files(t)
	_, err = w.Undo(ctx, UndoRequest{})
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("undo: %v", err)
	}
	if diff := cmp.Diff(before, w.files(t)); diff != "" {
		t.Error(diff)
	}
	for l, want := range map[Locale]string{English: `The copy of the card "lessons/allow.md" from before is damaged`, Korean: "이전 사본이 손상되었거나"} {
		if got := l.Explain(err); !strings.Contains(got, want) || !strings.Contains(got, "lessons/allow.md") {
			t.Errorf("it says %q", got)
		}
	}
}
