package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handrail/lessons"
)

// atRandom returns a card that somebody worked on, with every change written so that no other
// side makes the same.
func atRandom(t *testing.T, r *rand.Rand, base, side string) string {
	t.Helper()
	src := base
	for i := range 1 + r.IntN(4) {
		word := fmt.Sprintf("%s%d", side, i)
		switch r.IntN(5) {
		case 0:
			out, err := lessons.Bump([]byte(src), lessons.Date{Year: 2026, Month: 3, Day: 1 + r.IntN(28)})
			if err != nil {
				t.Fatal(err)
			}
			src = string(out)
		case 1:
			src = strings.Replace(src, "- [ ] Second", "- [ ] Item "+word+"\n- [ ] Second", 1)
		case 2:
			src = strings.Replace(src, "\n\n## Applies To", "\n- [ ] Item "+word+"\n\n## Applies To", 1)
		case 3:
			src = strings.Replace(src, "applies-to: [", "applies-to: [tag"+word+", ", 1)
		case 4:
			src = strings.Replace(src, "- [ ] First", "- [x] First", 1)
		}
	}
	return src
}

// Both orders of the sides give the same counters, tags and items, and a merge that only adds
// is no conflict.
func TestMergeOrder(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	const base = "---\ntype: lesson\ntitle: T\napplies-to: [one, two]\noccurrences: 2\nlast-seen: 2026-01-02\n---\n\n# T\n\n## Prevention Checklist\n\n- [ ] First\n- [ ] Second\n\n## Applies To\n\nAll.\n"
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	merge := func(ours, theirs string) lessons.Card {
		t.Helper()
		var names [3]string
		for i, text := range []string{base, ours, theirs} {
			names[i] = filepath.Join(dir, fmt.Sprint(i))
			if err := os.WriteFile(names[i], []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		clean, err := mergeCard(t.Context(), names[0], names[1], names[2], "brain/lessons/t.md")
		out, readErr := os.ReadFile(names[1])
		if err != nil || readErr != nil || !clean {
			t.Fatalf("%v, %v; a conflict between\n%s\nand\n%s\n%s", err, readErr, ours, theirs, out)
		}
		c, problems := lessons.Parse("lessons/t.md", out)
		for _, p := range problems {
			if p.Severity == lessons.Error {
				t.Fatalf("merged to a card with %s:\n%s", p.Code, out)
			}
		}
		return c
	}
	said := func(c lessons.Card) string {
		items := []string{}
		for _, it := range c.Items {
			items = append(items, fmt.Sprint(it.Text, it.Done))
		}
		slices.Sort(items)
		return fmt.Sprint(c.Occurrences, c.LastSeen, slices.Sorted(slices.Values(c.Tags)), items)
	}
	for range 30 {
		a, b := atRandom(t, r, base, "a"), atRandom(t, r, base, "b")
		one, other := said(merge(a, b)), said(merge(b, a))
		if one != other {
			t.Errorf("%s\nin the other order\n%s\nof\n%s\nand\n%s", one, other, a, b)
		}
		x, _ := lessons.Parse("lessons/t.md", []byte(a))
		y, _ := lessons.Parse("lessons/t.md", []byte(b))
		if want := fmt.Sprint(x.Occurrences + y.Occurrences - 2); !strings.HasPrefix(one, want+" ") {
			t.Errorf("occurrences of %d and %d became %s", x.Occurrences, y.Occurrences, one)
		}
	}
}

// Git merges what is no text and what no driver understands as it always does.
func TestMergeLines(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	ctx := context.Background()
	if out, clean, err := mergeLines(ctx, []byte("a\nb\nc\nd\n"), []byte("A\nb\nc\nd\n"), []byte("a\nb\nc\nD\n")); string(out) != "A\nb\nc\nD\n" || !clean || err != nil {
		t.Errorf("%q, %v, %v", out, clean, err)
	}
	if out, clean, err := mergeLines(ctx, []byte("a\n"), []byte("b\n"), []byte("c\n")); string(out) != "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n" || clean || err != nil {
		t.Errorf("%q, %v, %v", out, clean, err)
	}
	if out, clean, err := mergeLines(ctx, []byte("\x00a"), []byte("\x00b"), []byte("\x00c")); string(out) != "\x00b" || clean || err != nil {
		t.Errorf("%q, %v, %v", out, clean, err)
	}
}
