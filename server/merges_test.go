package server

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/git"
)

const mergedCard = `---
type: lesson
title: The cache is stale after a deploy
applies-to: [cache, deploy]
paths:
  - src/**
  - "web/*.ts"
severity: high
occurrences: 3
last-seen: 2026-01-02
---

# The cache is stale after a deploy

## Root Cause

Nobody cleared it.

## Prevention Checklist

- [ ] The cache is cleared after a deploy
- [ ] The key holds the version

## Applies To

Deploys.
`

// changed returns a card that somebody worked on for a while: side a before the fifteenth, b after it.
func changed(t *testing.T, r *rand.Rand, base, side string, bumps int) string {
	t.Helper()
	src := base
	for i := range bumps {
		out, err := lessons.Bump([]byte(src), lessons.Date{Year: 2026, Month: 3, Day: 1 + r.IntN(14) + 14*strings.Count(side, "b")})
		if err != nil {
			t.Fatal(err)
		}
		src = string(out)
		word := fmt.Sprint(side, i)
		switch r.IntN(5) {
		case 0:
			src = strings.Replace(src, "- [ ] The key", "- [ ] Item "+word+"\n- [ ] The key", 1)
		case 1:
			src = strings.Replace(src, "\n\n## Applies To", "\n- [ ] Item "+word+"\n  ```check\n  forbid: "+word+"\n  ```\n\n## Applies To", 1)
		case 2:
			src = strings.Replace(src, "applies-to: [", "applies-to: [tag"+word+", ", 1)
		case 3:
			src = strings.Replace(src, "  - src/**\n", "  - src/**\n  - "+word+"/**\n", 1)
		case 4:
			src = strings.Replace(src, "severity: high\nocc", "severity: high\nstatus: archived\nocc", 1)
		}
	}
	return src
}

// What git leaves of two sides that only add is settled, in either order, to a card with the counters, tags, paths and
// items of both. Where the markers do not say what there was, each side counted once.
func TestSettleMerges(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	merge := func(style, ours, theirs string) (lessons.Card, string) {
		t.Helper()
		var names [3]string
		for i, text := range []string{ours, mergedCard, theirs} {
			names[i] = filepath.Join(dir, fmt.Sprint(i))
			if err := os.WriteFile(names[i], []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		torn, err := git.Command(t.Context(), dir, append([]string{"merge-file", "-p", "-q", style}, names[:]...)...).Output()
		if err != nil && len(torn) == 0 {
			t.Fatal(err)
		}
		out, _ := lessons.Settle(torn)
		c, problems := lessons.Parse("lessons/t.md", out)
		for _, p := range problems {
			if p.Severity == lessons.Error {
				t.Fatalf("%s: %s in\n%s\nof\n%s", style, p.Code, out, torn)
			}
		}
		return c, string(torn)
	}
	said := func(c lessons.Card) string {
		var items []string
		for _, it := range c.Items {
			items = append(items, it.Text+it.Check)
		}
		slices.Sort(items)
		return fmt.Sprint(c.Occurrences, c.LastSeen, c.Status, slices.Sorted(slices.Values(c.Tags)), slices.Sorted(slices.Values(c.Paths)), items)
	}
	for range 40 {
		for _, style := range []string{"--diff3", "--no-diff3"} {
			bumps := [2]int{1, 1}
			if style == "--diff3" {
				bumps = [2]int{1 + r.IntN(4), 1 + r.IntN(4)}
			}
			a, b := changed(t, r, mergedCard, "a", bumps[0]), changed(t, r, mergedCard, "b", bumps[1])
			x, _ := lessons.Parse("lessons/t.md", []byte(a))
			y, _ := lessons.Parse("lessons/t.md", []byte(b))
			one, torn := merge(style, a, b)
			other, _ := merge(style, b, a)
			if said(one) != said(other) {
				t.Errorf("%s: %s\nin the other order\n%s\nof\n%s", style, said(one), said(other), torn)
			}
			items := map[string]bool{}
			for _, it := range slices.Concat(x.Items, y.Items) {
				items[it.Text+it.Check] = true
			}
			if len(items) != len(one.Items) {
				t.Errorf("%s: %d items, not %d, of\n%s", style, len(one.Items), len(items), torn)
			}
			if want := 3 + bumps[0] + bumps[1]; one.Occurrences != want {
				t.Errorf("%s: %d occurrences, not %d, of\n%s", style, one.Occurrences, want, torn)
			}
		}
	}
}
