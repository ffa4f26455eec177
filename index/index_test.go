package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

// old makes a file look as if it was written long ago, so that its time can be trusted.
func old(t *testing.T, paths ...string) {
	t.Helper()
	for _, p := range paths {
		when := time.Now().Add(-time.Hour)
		if err := os.Chtimes(p, when, when); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, dir, rel, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func search(t *testing.T, x *Index, text string) []string {
	t.Helper()
	hits, err := x.Search(context.Background(), Query{Text: text, Cards: true, Notes: true})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, h := range hits {
		paths = append(paths, h.Card.Path)
	}
	return paths
}

func syncNow(t *testing.T, x *Index, paths ...string) Delta {
	t.Helper()
	d, err := x.Sync(context.Background(), paths...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestUnchangedBrainIsNotRead(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	old(t, write(t, dir, "a.md", "# Alpha"), write(t, dir, "b/c.md", "# Gamma"))
	x := open(t, dir, cache)
	if d := syncNow(t, x); d.Read != 0 {
		t.Errorf("a second sync read %d files", d.Read)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	brain, err := lessons.OpenBrain(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer brain.Close()
	y, err := Open(context.Background(), Config{Dir: cache, Brain: brain})
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	<-y.Ready()
	if d := syncNow(t, y); d.Read != 0 {
		t.Errorf("after opening again %d files were read", d.Read)
	}
	if got := search(t, y, "gamma"); !slices.Equal(got, []string{"b/c.md"}) {
		t.Errorf("found %v", got)
	}
}

func TestSync(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.md", "# Alpha")
	write(t, dir, "dir/b.md", "# Beta")
	x := open(t, dir, t.TempDir())

	write(t, dir, "c.md", "# Gamma")
	if d := syncNow(t, x, "c.md"); !slices.Equal(d.Added, []string{"c.md"}) {
		t.Errorf("write: %+v", d)
	}
	write(t, dir, "c.md", "# Delta")
	if d := syncNow(t, x, "c.md"); !slices.Equal(d.Changed, []string{"c.md"}) || search(t, x, "gamma") != nil || search(t, x, "delta") == nil {
		t.Errorf("change: %+v", d)
	}
	if d := syncNow(t, x, "c.md"); len(d.Changed) != 0 {
		t.Errorf("the same text counts as a change: %+v", d)
	}
	if err := os.Rename(filepath.Join(dir, "dir"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	if d := syncNow(t, x, "dir", "moved"); !slices.Equal(d.Added, []string{"moved/b.md"}) || !slices.Equal(d.Removed, []string{"dir/b.md"}) {
		t.Errorf("folder move: %+v", d)
	}
	if err := os.Remove(filepath.Join(dir, "c.md")); err != nil {
		t.Fatal(err)
	}
	if d := syncNow(t, x); !slices.Equal(d.Removed, []string{"c.md"}) || search(t, x, "delta") != nil {
		t.Errorf("removal: %+v", d)
	}
	for i := range 500 {
		write(t, dir, fmt.Sprintf("many/%03d.md", i), fmt.Sprintf("# Checkout number%d", i))
	}
	if d := syncNow(t, x, "many"); len(d.Added) != 500 || !slices.Equal(search(t, x, "number321"), []string{"many/321.md"}) {
		t.Errorf("500 files: %d added", len(d.Added))
	}
}

// TestSameSizeSameMoment holds that a change which leaves size and time as they were,
// within the clock's grain, is still seen.
func TestSameSizeSameMoment(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "a.md", "# Alpha")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, dir, t.TempDir())
	write(t, dir, "a.md", "# Omega")
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if d := syncNow(t, x); !slices.Equal(d.Changed, []string{"a.md"}) {
		t.Errorf("not noticed: %+v", d)
	}
}

func TestDamagedIndexIsBuiltAnew(t *testing.T) {
	damages := map[string]func(dir string) error{
		"no manifest":      func(dir string) error { return os.Remove(filepath.Join(dir, manifestFile)) },
		"garbled manifest": func(dir string) error { return os.WriteFile(filepath.Join(dir, manifestFile), []byte("{"), 0o600) },
		"other format": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, manifestFile), []byte(`{"format":"0","generation":"gen-x"}`), 0o600)
		},
		"truncated files": func(dir string) error {
			return filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() || d.Name() == "lock" || d.Name() == manifestFile {
					return err
				}
				return os.Truncate(p, 10)
			})
		},
		"garbled segments": func(dir string) error {
			return filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
				if err != nil || filepath.Ext(p) != ".zap" {
					return err
				}
				src, err := os.ReadFile(p)
				if err != nil {
					return err
				}
				for i := range src {
					src[i] ^= 0x5a
				}
				return os.WriteFile(p, src, 0o600)
			})
		},
		"no segments": func(dir string) error {
			found, err := filepath.Glob(filepath.Join(dir, "gen-*", "bleve"))
			return errors.Join(err, os.RemoveAll(strings.Join(found, "")))
		},
	}
	for name, damage := range damages {
		dir, cache := t.TempDir(), t.TempDir()
		write(t, dir, "a.md", "# Alpha beta")
		brain, err := lessons.OpenBrain(dir)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			x, err := Open(context.Background(), Config{Dir: cache, Brain: brain})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			<-x.Ready()
			if got := search(t, x, "alpha"); !slices.Equal(got, []string{"a.md"}) {
				t.Errorf("%s, round %d: found %v", name, round, got)
			}
			if err := x.Close(); err != nil {
				t.Errorf("%s: close: %v", name, err)
			}
			if round == 0 {
				if err := damage(cache); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
		brain.Close()
	}
}

func TestOneProcessOwnsTheIndex(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	write(t, dir, "a.md", "# Alpha")
	open(t, dir, cache)
	brain, err := lessons.OpenBrain(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer brain.Close()
	if _, err := Open(context.Background(), Config{Dir: cache, Brain: brain}); !errors.Is(err, ErrLocked) {
		t.Errorf("a second opener got %v", err)
	}
}

var sample = map[string]string{
	"lessons/allow.md":  "---\ntype: lesson\nseverity: high\nlast-seen: 2026-01-02\n---\n# 텔레그램 허용목록\n\n허용목록을 확인하고 백업을 만든다. 토큰이 로그에 남았다.\n\n## 예방 체크리스트\n\n- [ ] 허용목록을 확인한다\n",
	"lessons/retry.md":  "---\ntype: lesson\nproject: shop\npaths: [\"pay/**\"]\n---\n# Retry payments with an idempotency key\n\nThe retry charged twice.\n",
	"lessons/old.md":    "---\ntype: lesson\nstatus: archived\n---\n# Retry payments in the old gateway\n",
	"lessons/weak.md":   "---\ntype: lesson\nsource: auto\nseverity: low\n---\n# Retry payments\n\nThe retry of payments charged twice.\n",
	"notes/deploy.md":   "# How we deploy\n\nWe deploy on Tuesdays with `make deploy` and getUserID.\n",
	"notes/payments.md": "# Payments\n\nThe gateway takes payments and a retry.\n",
}

func TestKoreanWordsAreFound(t *testing.T) {
	x := brainOf(t, sample)
	for _, q := range []string{"허용목록", "백업", "토큰", "텔레그램", "로그"} {
		if got := search(t, x, q); !slices.Contains(got, "lessons/allow.md") {
			t.Errorf("%q finds %v", q, got)
		}
	}
	if got := search(t, x, "get user id"); !slices.Contains(got, "notes/deploy.md") {
		t.Errorf("the pieces of getUserID find %v", got)
	}
}

func TestWordsOfOtherKeysAreFound(t *testing.T) {
	x := brainOf(t, map[string]string{
		"notes/a.md": "---\ntitle: Vercel\ndescription: How a site is deployed by the command line\n---\n\nText.\n",
		"notes/b.md": "# Netlify\n\nText.\n",
	})
	if got := search(t, x, "command line deployment"); !slices.Equal(got, []string{"notes/a.md"}) {
		t.Errorf("the description finds %v", got)
	}
}

func TestRulesOfCards(t *testing.T) {
	x := brainOf(t, sample)
	paths := func(q Query) string {
		q.Text = "retry payments charged"
		hits, err := x.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, h := range hits {
			out = append(out, strings.TrimSuffix(filepath.Base(h.Card.Path), ".md"))
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	active := []lessons.Status{lessons.Active}
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{Cards: true}, "old retry weak"},
		{Query{Cards: true, Statuses: active}, "retry weak"},
		{Query{Cards: true, Statuses: active, Project: "other"}, "weak"},
		{Query{Cards: true, Statuses: active, Project: "shop"}, "retry weak"},
		{Query{Notes: true}, "payments"},
	} {
		if got := paths(c.q); got != c.want {
			t.Errorf("%+v finds %q, want %q", c.q, got, c.want)
		}
	}
	hits, err := x.Search(context.Background(), Query{Text: "retry payments", Cards: true, Statuses: active, Files: []string{"pay/checkout.go"}})
	if err != nil || len(hits) != 2 {
		t.Fatal(hits, err)
	}
	for _, h := range hits {
		score := h.Relevance
		for _, b := range h.Boosts {
			score *= b
		}
		if diff := h.Score - score; diff > 1e-9 || diff < -1e-9 || len(h.Terms) != 2 {
			t.Errorf("%s does not explain itself: %+v", h.Card.Path, h)
		}
	}
	if hits[0].Card.Path != "lessons/retry.md" || hits[0].Boosts["paths"] != pathsBoost || hits[1].Boosts["source"] != autoBoost {
		t.Errorf("boosts: %+v", hits)
	}
}

// TestInMemory holds that an index without a folder ranks like one with, and follows the
// brain.
func TestInMemory(t *testing.T) {
	x := brainOf(t, sample)
	y, err := Open(context.Background(), Config{Brain: x.cfg.Brain})
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	<-y.Ready()
	for _, q := range []string{"retry payments", "허용목록 백업", "deploy on tuesdays", "getUserID", "telegram tokens", "재시도 결제", "nothing at all here zzz"} {
		a, err1 := x.Search(context.Background(), Query{Text: q, Cards: true, Notes: true})
		b, err2 := y.Search(context.Background(), Query{Text: q, Cards: true, Notes: true})
		if err1 != nil || err2 != nil || len(a) != len(b) {
			t.Fatalf("%q: %d hits, %v; in memory %d, %v", q, len(a), err1, len(b), err2)
		}
		for i := range a {
			if d := a[i].Score - b[i].Score; a[i].Card.Path != b[i].Card.Path || d > 1e-4 || d < -1e-4 {
				t.Errorf("%q: hit %d is %s %.5f, in memory %s %.5f", q, i, a[i].Card.Path, a[i].Score, b[i].Card.Path, b[i].Score)
			}
		}
	}
	if len(y.Heads()) != len(x.Heads()) {
		t.Errorf("%d cards in memory, %d on disk", len(y.Heads()), len(x.Heads()))
	}
	write(t, x.cfg.Brain.Root(), "notes/late.md", "# Latecomer")
	if d := syncNow(t, y, "notes/late.md", "lessons/gone.md"); len(d.Added) != 1 || !slices.Equal(search(t, y, "latecomer"), []string{"notes/late.md"}) {
		t.Errorf("a save in memory: %+v", d)
	}
}

// TestAVerifiedCardGoesFirst of two that say the same, and clears no floor by that.
func TestAVerifiedCardGoesFirst(t *testing.T) {
	card := func(head string) string {
		return "---\ntype: lesson\n" + head + "---\n# Telegram commands need an allowlist\n\n## Root Cause\n\nEach handler trusted the sender of a command.\n"
	}
	files := map[string]string{"lessons/a.md": card(""), "lessons/b.md": card("verified: true\n"), "lessons/c.md": card(""), "lessons/d.md": "# Backups\n\nrestored nightly\n"}
	x := brainOf(t, files)
	hits := search(t, x, "add a telegram command")
	if len(hits) < 3 || hits[0] != "lessons/b.md" {
		t.Errorf("hits %v", hits)
	}
	for name, files := range map[string]map[string]string{"verified": {"lessons/b.md": card("verified: true\n")}, "plain": {"lessons/b.md": card("")}} {
		x := brainOf(t, files)
		for query, want := range map[string]int{"add a telegram command with an allowlist": 1, "a sender of parcels by the next courier, boxed and signed": 0} {
			got, err := x.Search(context.Background(), Query{Text: query, Cards: true, Strength: true})
			if err != nil || len(Certain(got)) != want {
				t.Errorf("%s, %q: %d above the floor, %v", name, query, len(Certain(got)), err)
			}
		}
	}
}

// TestCardsAreUnpackedOnce holds that going through all cards costs nothing for each card
// until one of them changes: a preflight does so every time.
func TestCardsAreUnpackedOnce(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		write(t, dir, fmt.Sprintf("lessons/%03d.md", i), fmt.Sprintf("# Lesson %d\n\n## Prevention Checklist\n\n- [ ] check %d\n", i, i))
	}
	x := open(t, dir, t.TempDir())
	titles := func() string {
		var out strings.Builder
		for _, c := range x.Heads() {
			out.WriteString(c.Title + "\n")
		}
		return out.String()
	}
	before := titles()
	if n := strings.Count(before, "\n"); n != 300 {
		t.Fatalf("%d cards", n)
	}
	unpacked := x.Heads()
	if again := x.Heads(); !slices.Equal(again, unpacked) { // by address
		t.Error("going through the cards once more has unpacked them again")
	}
	syncNow(t, x, filepath.Base(write(t, dir, "note.md", "# Note")))
	if titles() != before {
		t.Error("a note changed the cards")
	}
	write(t, dir, "lessons/007.md", "# Another lesson altogether\n")
	if err := os.Remove(filepath.Join(dir, "lessons", "008.md")); err != nil {
		t.Fatal(err)
	}
	syncNow(t, x)
	if got := titles(); !strings.Contains(got, "Another lesson altogether\n") || strings.Contains(got, "Lesson 7\n") || strings.Contains(got, "Lesson 8\n") {
		t.Errorf("what changed is not shown:\n%s", got)
	}
}

func TestNothingToSearchFor(t *testing.T) {
	x := brainOf(t, sample)
	for _, q := range []string{"", "   ", "how do I", "the of and", "?!", "그리고 왜"} {
		if got := search(t, x, q); got != nil {
			t.Errorf("%q finds %v", q, got)
		}
	}
}

// TestHugeQuery holds that a pasted log is cut down to its words of weight.
func TestHugeQuery(t *testing.T) {
	x := brainOf(t, sample)
	if got := search(t, x, strings.Repeat("lorem ipsum dolor ", 60_000)+"x"); got != nil {
		t.Errorf("found %v", got)
	}
	if got := search(t, x, "retry payments "+strings.Repeat("lorem ipsum dolor ", 60_000)); len(got) == 0 {
		t.Error("the words at the beginning are lost")
	}
}
