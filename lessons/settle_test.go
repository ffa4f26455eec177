package lessons

import (
	"slices"
	"strings"
	"testing"
)

const grown = `---
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

// edited returns the card with some texts replaced, in pairs.
func edited(src string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(src)
}

// The markers as git leaves them, in a merge without the driver.
const torn = `---
type: lesson
title: The cache is stale after a deploy
<<<<<<< HEAD
applies-to: [cache, deploy, cdn]
severity: high
occurrences: 4
last-seen: 2026-02-09
=======
applies-to: [cache, http]
severity: high
occurrences: 5
last-seen: 2026-02-08
>>>>>>> other
---

# The cache is stale after a deploy

## Prevention Checklist

- [ ] The cache is cleared after a deploy
<<<<<<< HEAD
- [ ] Ours
=======
- [ ] Theirs
>>>>>>> other
`

func TestConflictMarkers(t *testing.T) {
	card, problems := Parse("memories/a.md", []byte(torn))
	if card.Kind != Lesson || card.Title != "The cache is stale after a deploy" || card.Status != Conflicted || len(card.Items) > 0 {
		t.Errorf("the card is read as %+v", card)
	}
	if len(problems) != 2 || problems[0].Code != ConflictMarkers || problems[0].Severity != Error || problems[0].Line != 4 || problems[1].Line != 22 {
		t.Errorf("problems: %+v", problems)
	}
	for name, x := range map[string]struct {
		text string
		want Status
	}{
		"an example":       {grown + "\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n```\n", Active},
		"behind one":       {grown + "\n```\n<<<<<<< HEAD\n```\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n", Conflicted},
		"in a check":       {edited(grown, "the version\n", "the version\n  ```check\n<<<<<<< HEAD\n  forbid: a\n=======\n  forbid: b\n>>>>>>> other\n  ```\n"), Conflicted},
		"one that is left": {grown + ">>>>>>> other\n", Conflicted},
		"a heading":        {grown + "\nHeading\n=======\n", Active},
		"not at the start": {grown + "\n  <<<<<<< HEAD\n <<<<<<<<\n>>>>>>>>\n", Active},
		"in CRLF":          {edited(torn, "\n", "\r\n"), Conflicted},
	} {
		if card, _ := Parse("lessons/a.md", []byte(x.text)); card.Status != x.want {
			t.Errorf("%s: the card is %s", name, card.Status)
		}
	}
	if _, err := Bump([]byte(torn), Date{2026, 2, 10}); err == nil {
		t.Error("a card in conflict was bumped")
	}
}

func TestSettle(t *testing.T) {
	want := `---
type: lesson
title: The cache is stale after a deploy
applies-to: [cache, deploy, cdn, http]
severity: high
occurrences: 6
last-seen: 2026-02-09
---

# The cache is stale after a deploy

## Prevention Checklist

- [ ] The cache is cleared after a deploy
- [ ] Ours
- [ ] Theirs
`
	based := edited(torn, "2026-02-09\n=======", "2026-02-09\n||||||| base\napplies-to: [cache, deploy]\nseverity: high\noccurrences: 2\nlast-seen: 2026-01-02\n=======", "- [ ] Ours\n=======", "- [ ] Ours\n||||||| base\n=======")
	// conflict puts two texts, or three with what both had in their midst, in a conflict.
	conflict := func(sides ...string) string {
		if len(sides) == 3 {
			sides = []string{sides[0] + "||||||| base\n" + sides[1], sides[2]}
		}
		return "<<<<<<< a\n" + sides[0] + "=======\n" + sides[1] + ">>>>>>> b\n"
	}
	head := func(sides ...string) string { return edited(grown, "severity: high\n", conflict(sides...)) }
	held := func(lines string) string { return edited(grown, "severity: high\n", lines) }
	const first, second = "- [ ] The cache is cleared after a deploy\n", "- [ ] The key holds the version\n"
	items := func(sides ...string) string { return edited(grown, second, conflict(sides...)) }
	listed := func(lines string) string { return edited(grown, second, lines) }
	prose := conflict("Nobody cleared it.\n", "Two hosts cleared it.\n")
	for name, x := range map[string]struct {
		text, want string // the same text where nothing is settled
	}{
		"as git leaves them":     {torn, want},
		"with what both had":     {based, edited(want, "deploy, cdn", "cdn", "occurrences: 6", "occurrences: 7")},
		"in CRLF":                {edited(torn, "\n", "\r\n"), edited(want, "\n", "\r\n")},
		"no end":                 {edited(torn, ">>>>>>> other\n---", "---"), edited(torn, ">>>>>>> other\n---", "---")},
		"a file that both added": {conflict(grown, edited(grown, "high", "low")), conflict(grown, edited(grown, "high", "low"))},
		"nothing to settle":      {grown, grown},
		"a key of theirs":        {edited(torn, "occurrences: 5", "verified: true\noccurrences: 5"), edited(want, "last-seen: 2026-02-09\n", "last-seen: 2026-02-09\nverified: true\n")},
		"another key stays":      {head("severity: high\n", "severity: low\n"), head("severity: high\n", "severity: low\n")},
		"beside one that goes":   {head("severity: high\nguard: ask\n", "severity: low\nguard: deny\n"), edited(head("severity: high\n", "severity: low\n"), ">>>>>>> b\n", ">>>>>>> b\nguard: deny\n")},
		"the safer guard":        {head("guard: ask\n", "guard: deny\n"), held("guard: deny\n")},
		"the safer guard, ours":  {head("guard: deny\n", "guard: ask\n"), held("guard: deny\n")},
		"a guard of one":         {head("guard: deny\n", "source: auto\n"), held("guard: deny\nsource: auto\n")},
		"a guard that is none":   {head("guard: deny\n", "guard: stop\n"), head("guard: deny\n", "guard: stop\n")},
		"archived or draft":      {head("status: archived\n", "status: draft\n"), held("status: archived\n")},
		"archived or wrong":      {head("status: archived\n", "status: quarantined\n"), held("status: quarantined\n")},
		"the later archived":     {head("archived-at: 2026-01-02\n", "archived-at: 2026-03-01\n"), held("archived-at: 2026-03-01\n")},
		"a status that one alone changed": {
			head("status: archived\nseverity: low\n", "status: archived\nseverity: high\n", "severity: high\n"), held("severity: low\n"),
		},
		"prose stays": {edited(grown, "Nobody cleared it.\n", prose), edited(grown, "Nobody cleared it.\n", prose)},
		"prose stays, a counter goes": {
			edited(torn, "## Prevention", "## Root Cause\n\n"+prose+"\n## Prevention"), edited(want, "## Prevention", "## Root Cause\n\n"+prose+"\n## Prevention"),
		},
		"a comment of theirs": {head("guard: ask\n", "guard: deny\n# agreed in May\n"), head("guard: ask\n", "guard: deny\n# agreed in May\n")},
		"an item that one took out": {
			items("- [ ] Ours\n", second, second+"- [ ] Theirs\n"), listed("- [ ] Ours\n- [ ] Theirs\n"),
		},
		"an item that one alone changed": {
			items("- [x] The key holds the version\n- [ ] Ours\n", second, second+"- [ ] Theirs\n"), listed("- [x] The key holds the version\n- [ ] Ours\n- [ ] Theirs\n"),
		},
		"an item that both have in two ways": {items("- [x] The key holds the version\n", second), items("- [x] The key holds the version\n", second)},
		"an item of both":                    {items(second+"- [ ] Ours\n- [ ] Both\n", second+"- [ ] Both\n"), listed(second + "- [ ] Ours\n- [ ] Both\n")},
		"in the middle":                      {edited(grown, first, conflict("- [ ] Ours\n", "- [ ] Theirs\n")), edited(grown, first, "- [ ] Ours\n- [ ] Theirs\n")},
		"the end of a check is common": {
			listed(second + conflict("- [ ] Ours\n  ```check\n  forbid: a\n", "- [ ] Theirs\n  ```check\n  forbid: b\n") + "  ```\n"),
			listed(second + "- [ ] Ours\n  ```check\n  forbid: a\n  ```\n- [ ] Theirs\n  ```check\n  forbid: b\n  ```\n"),
		},
		"within a check": {
			listed(second + "  ```check\n" + conflict("  forbid: a\n", "  forbid: b\n") + "  ```\n"), listed(second + "  ```check\n" + conflict("  forbid: a\n", "  forbid: b\n") + "  ```\n"),
		},
		"a blank line goes along":       {edited(grown, second+"\n", conflict(second+"- [ ] Ours\n\n", second+"- [ ] Theirs\n\n")), listed(second + "- [ ] Ours\n- [ ] Theirs\n")},
		"what follows is in it, too":    {edited(grown, second+"\n## Applies To\n", conflict(second+"\n## Applies To\n", second+"- [ ] Theirs\n\n## Where\n")), edited(grown, second+"\n## Applies To\n", conflict(second+"\n## Applies To\n", second+"- [ ] Theirs\n\n## Where\n"))},
		"a list that is no checklist":   {edited(grown, "Deploys.\n", conflict("- one\n", "- two\n")), edited(grown, "Deploys.\n", conflict("- one\n", "- two\n"))},
		"items, and prose further down": {edited(items("- [ ] Ours\n", "- [ ] Theirs\n"), "Deploys.\n", prose), edited(listed("- [ ] Ours\n- [ ] Theirs\n"), "Deploys.\n", prose)},
		"items, and prose above":        {edited(items("- [ ] Ours\n", "- [ ] Theirs\n"), "Nobody cleared it.\n", prose), edited(listed("- [ ] Ours\n- [ ] Theirs\n"), "Nobody cleared it.\n", prose)},
	} {
		t.Run(name, func(t *testing.T) {
			out, ok := Settle([]byte(x.text))
			if string(out) != x.want || ok != (x.want != x.text) {
				t.Errorf("%v, got:\n%s\nwant:\n%s", ok, out, x.want)
			}
			if again, ok := Settle(out); ok {
				t.Errorf("not settled at once:\n%s\nagain:\n%s", out, again)
			}
		})
	}
}

// Whatever the text is, either side keeps what it says beside its checklist.
func FuzzSettle(f *testing.F) {
	f.Add(torn)
	f.Add(edited(torn, "\n", "\r\n"))
	f.Add(edited(torn, "- [ ] Ours\n", "- [ ] Ours\n||||||| base\n- [ ] Was\n", "last-seen: 2026-02-09\n=", "last-seen: 2026-02-09\n||||||| base\nstatus: draft\n="))
	f.Add(edited(torn, "Ours\n", "Ours\n  ```check\n  forbid: a\n\n", "Theirs\n", "Theirs\n  ```check\n\n"))
	f.Fuzz(func(t *testing.T, src string) {
		out, ok := Settle([]byte(src))
		if !ok {
			return
		}
		prose := func(side []byte) (all []string) {
			c, _ := Parse(sideOf, side)
			for _, s := range c.Sections {
				if s.Name != Prevention {
					all = append(all, string(s.Name), s.Text)
				}
			}
			return all
		}
		was, is := conflictIn([]byte(src)), conflictIn(out)
		if !slices.Equal(prose(was.ours), prose(is.ours)) || !slices.Equal(prose(was.theirs), prose(is.theirs)) {
			t.Errorf("%q\nbecame\n%q", src, out)
		}
	})
}
