//go:build !race

// One thing after the other, four hundred times: with the race detector twenty times as slow, and "make test" runs it without.

package server

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/ledger"
)

// TestUndoTakesBackWhateverWasDone does a thousand random things to a brain's cards by all the
// ways there are, takes some back on the way, and all of them in the end. What fails changes
// nothing, and each undo brings back the files to the byte and the counters.
func TestUndoTakesBackWhateverWasDone(t *testing.T) {
	operations := 400
	if testing.Short() {
		operations = 100
	}
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		t.Setenv("TMPDIR", "/dev/shm") // thousands of fsyncs, which are not what is tested
	}
	at := now()
	crlf := "---\r\ntype: lesson # kind\r\nsource: auto\r\nlast-seen: 2026-01-31\r\n---\r\n# Times are in UTC\r\n\r\n## Prevention Checklist\r\n\r\n- [ ] The report names its zone\r\n"
	w := newWorkspace(t, map[string]string{
		"lessons/allow.md": allowlist, "lessons/queue.md": refused, "lessons/utc.md": crlf, "playbooks/bare.md": "# 배포 순서\n\n## 예방 체크리스트\n\n- 먼저 백업한다",
	}, func(c *Config) { c.Now = func() time.Time { return at } })
	rnd := rand.New(rand.NewPCG(11, 12))
	for path := range w.files(t) {
		row := ledger.Turn{ID: ledger.NewID(), Session: ledger.NewID(), At: at, Lessons: []Hit{{Path: path}}}
		w.State.Turns.Put(row.ID, row)
		w.State.CreditServed(row.ID)
	}
	made := 0
	titles := []string{"Times are in UTC", "Telegram remote execution must require allowlist", "Retry with a key", "백업을 먼저 한다"}
	acts := []struct {
		name string
		do   func(path, other string) error
	}{
		{"create", func(string, string) error {
			made++
			f := CreateFields{AllowTwins: true, RootCause: "Nobody looked at the key.", Kind: []lessons.Kind{lessons.Lesson, lessons.Playbook}[rnd.IntN(2)], Checklist: []string{fmt.Sprintf("Item %d names the key", rnd.IntN(5))}}
			if rnd.IntN(2) == 0 {
				f.Status, f.RootCause = lessons.Drafted, []string{"", "Nobody looked at the key."}[rnd.IntN(2)]
			}
			_, err := w.Confirm(ctx, CreateRequest{Title: titles[rnd.IntN(len(titles))], Fields: f})
			return err
		}},
		{"promote", func(path, _ string) error { _, err := w.Promote(ctx, path, ""); return err }},
		{"verify", func(path, _ string) error { _, err := w.Verify(ctx, path, rnd.IntN(2) == 0); return err }},
		{"bump", func(path, _ string) error { _, err := w.Bump(ctx, path, ""); return err }},
		{"quarantine", func(path, _ string) error {
			_, err := w.Quarantine(ctx, QuarantineRequest{Path: path, Reason: fmt.Sprintf("wrong #%d: \"so\"", rnd.IntN(3))})
			return err
		}},
		{"lift", func(path, _ string) error {
			_, err := w.SetStatus(ctx, path, lessons.Active)
			return err
		}},
		{"merge", func(path, other string) error {
			_, err := w.Merge(ctx, MergeRequest{Into: path, From: other})
			return err
		}},
		{"tidy", func(string, string) error {
			_, err := w.Tidy(ctx, TidyRequest{Apply: true})
			return err
		}},
		{"archive", func(path, _ string) error { _, err := w.SetStatus(ctx, path, lessons.Archived); return err }},
		{"restore", func(path, _ string) error { _, err := w.SetStatus(ctx, path, lessons.Active); return err }},
		{"delete", func(path, _ string) error { _, err := w.Delete(ctx, path); return err }},
	}
	before := []picture{} // each act's that can be taken back, oldest first
	is := w.picture(t)
	names, changed, failed := []string{}, map[string]int{}, 0
	undo := func() {
		t.Helper()
		last := len(before) - 1
		if _, err := w.Undo(ctx, UndoRequest{}); err != nil {
			t.Fatalf("undo of %s, with %d left: %v", names[last], last, err)
		}
		is = w.picture(t)
		if !cmp.Equal(before[last], is) {
			t.Fatalf("undo of %s, with %d left: %s", names[last], last, cmp.Diff(before[last], is))
		}
		before, names = before[:last], names[:last]
	}
	for range operations {
		at = at.Add(time.Duration(rnd.IntN(40)) * time.Hour)
		if len(before) > 0 && rnd.IntN(4) == 0 {
			undo()
			continue
		}
		cards := slices.Sorted(maps.Keys(is.Files))
		act := acts[rnd.IntN(len(acts))]
		if len(cards) < 4 {
			act = acts[0]
		} else if len(cards) > 20 {
			act = acts[len(acts)-1]
		}
		var path, other string
		if len(cards) > 0 {
			path, other = cards[rnd.IntN(len(cards))], cards[rnd.IntN(len(cards))]
		}
		err := act.do(path, other)
		after := w.picture(t)
		switch {
		case err != nil:
			if failed++; !cmp.Equal(is, after) {
				t.Fatalf("%s failed and changed: %v\n%s", act.name, err, cmp.Diff(is, after))
			}
		case !cmp.Equal(is.Files, after.Files):
			before, names = append(before, is), append(names, act.name)
			changed[act.name]++
		}
		is = after
	}
	for len(before) > 0 {
		undo()
	}
	if _, err := w.Undo(ctx, UndoRequest{}); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("an act is left: %v", err)
	}
	t.Logf("%d operations failed; changed: %v", failed, changed)
	for _, act := range acts {
		if changed[act.name] == 0 && !testing.Short() {
			t.Errorf("%s never changed anything", act.name)
		}
	}
}
