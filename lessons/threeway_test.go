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

// trivial merges lines where only one side changed any; else it is a conflict.
func trivial(base, ours, theirs []byte) ([]byte, bool, error) {
	switch {
	case string(base) == string(theirs), string(ours) == string(theirs):
		return ours, true, nil
	case string(base) == string(ours):
		return theirs, true, nil
	}
	return slices.Concat([]byte("<<<<<<< ours\n"), ours, []byte("=======\n"), theirs, []byte(">>>>>>> theirs\n")), false, nil
}

func TestMergeSides(t *testing.T) {
	checked := "- [ ] The key holds the version\n  ```check\n  forbid: v0\n  ```\n"
	for _, x := range []struct{ name, base, ours, theirs, want string }{
		{
			"both bumped", grown,
			edited(grown, "occurrences: 3", "occurrences: 4", "2026-01-02", "2026-02-09"),
			edited(grown, "occurrences: 3", "occurrences: 5", "2026-01-02", "2026-02-08"),
			edited(grown, "occurrences: 3", "occurrences: 6", "2026-01-02", "2026-02-09"),
		},
		{
			"both bumped alike", grown,
			edited(grown, "occurrences: 3", "occurrences: 4"), edited(grown, "occurrences: 3", "occurrences: 4"), edited(grown, "occurrences: 3", "occurrences: 5"),
		},
		{
			"the first bump of each", edited(grown, "occurrences: 3\nlast-seen: 2026-01-02\n", ""),
			edited(grown, "occurrences: 3", "occurrences: 2"), edited(grown, "occurrences: 3", "occurrences: 2", "2026-01-02", "2026-01-03"),
			edited(grown, "2026-01-02", "2026-01-03"),
		},
		{
			"tags and paths", grown,
			edited(grown, "[cache, deploy]", "[cache, deploy, cdn]", "  - src/**\n", "  - src/**\n  - lib/**\n"),
			edited(grown, "[cache, deploy]", "[deploy, http]", "  - \"web/*.ts\"\n", "  - \"web/*.ts\"\n  - '*.go'\n"),
			edited(grown, "[cache, deploy]", "[deploy, cdn, http]", "  - src/**\n", "  - src/**\n  - lib/**\n", "  - \"web/*.ts\"\n", "  - \"web/*.ts\"\n  - \"*.go\"\n"),
		},
		{
			"items", grown,
			edited(grown, "- [ ] The key holds the version\n", "- [ ] The key holds the version\n- [ ] Ours\n- [ ] Both\n"),
			edited(grown, "- [ ] The cache is", "- [x] The cache is", "- [ ] The key holds the version\n", checked+"- [ ] Theirs\n- [ ] Both\n"),
			edited(grown, "- [ ] The cache is", "- [x] The cache is", "- [ ] The key holds the version\n", checked+"- [ ] Ours\n- [ ] Both\n- [ ] Theirs\n"),
		},
		{
			"one took an item out and one put one in", grown,
			edited(grown, "- [ ] The cache is cleared after a deploy\n", ""),
			edited(grown, "- [ ] The cache is", "- [ ] First\n- [ ] The cache is"),
			edited(grown, "- [ ] The cache is cleared after a deploy\n", "- [ ] First\n"),
		},
		{
			"an item below an item goes along", grown,
			edited(grown, "holds the version\n", "holds the version\n  - [ ] and the branch\n"), edited(grown, "holds the version\n", "holds the version\n- [ ] New\n"),
			edited(grown, "holds the version\n", "holds the version\n  - [ ] and the branch\n- [ ] New\n"),
		},
		{
			"a list that one took out", grown,
			edited(grown, "severity: high\n", "severity: high\nverified: true\n"), edited(grown, "paths:\n  - src/**\n  - \"web/*.ts\"\n", ""),
			edited(grown, "severity: high\n", "severity: high\nverified: true\n", "paths:\n  - src/**\n  - \"web/*.ts\"\n", ""),
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			out, clean, err := MergeSides("brain/lessons/a.md", []byte(x.base), []byte(x.ours), []byte(x.theirs), trivial)
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != x.want || !clean {
				t.Errorf("clean: %v, got:\n%s\nwant:\n%s", clean, out, x.want)
			}
		})
	}
}

// What each changed in its own way is a conflict, and so is every line of a note.
func TestMergeSidesConflict(t *testing.T) {
	ours, theirs := edited(grown, "holds the version", "holds the hash"), edited(grown, "holds the version", "holds the branch")
	for name, texts := range map[string][3]string{
		"an item":         {grown, ours, theirs},
		"a note":          {"# N\n\nold\n", "# N\n\nours\n", "# N\n\ntheirs\n"},
		"a removed count": {grown, edited(grown, "occurrences: 3\n", ""), edited(grown, "occurrences: 3", "occurrences: 4")},
		"a broken head":   {grown, edited(grown, "type: lesson", "type: [", "occurrences: 3", "occurrences: 4"), edited(grown, "occurrences: 3", "occurrences: 5")},
	} {
		rel := "lessons/a.md"
		if name == "a note" {
			rel = "notes/a.md"
		}
		if out, clean, err := MergeSides(rel, []byte(texts[0]), []byte(texts[1]), []byte(texts[2]), trivial); clean || err != nil {
			t.Errorf("%s: %v, merged to\n%s", name, err, out)
		}
	}
}

// A change of one side alone is the result, to the byte, whichever side it is.
func FuzzMergeSides(f *testing.F) {
	f.Add(grown, edited(grown, "occurrences: 3", "occurrences: 4", "2026-01-02", "2026-02-09"))
	f.Add(edited(grown, "occurrences: 3\n", ""), edited(grown, "[cache, deploy]", "cache", "- [ ] The key holds the version", "* one\n\n  more\n* two"))
	f.Add("# T\n", grown)
	f.Add(edited(grown, "\n", "\r\n"), "---\n{type: lesson, tags: [a]}\n---\n")
	f.Add("", "---\ntype: lesson\ntags: # none\n- a # b\n- c\n\n---\n## Prevention\n\n- a\n\ntext\n- b\n")
	f.Fuzz(func(t *testing.T, base, side string) {
		for _, texts := range [][3]string{{base, side, base}, {base, base, side}} {
			out, clean, err := MergeSides("lessons/a.md", []byte(texts[0]), []byte(texts[1]), []byte(texts[2]), trivial)
			if err != nil || !clean || string(out) != side {
				t.Errorf("%v, clean: %v\nbase:\n%q\nside:\n%q\ngot:\n%q", err, clean, base, side, out)
			}
		}
		// Two changes: nothing may break.
		if _, _, err := MergeSides("lessons/a.md", []byte(grown), []byte(base), []byte(side), trivial); err != nil {
			t.Error(err)
		}
	})
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

func TestTakeBoth(t *testing.T) {
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
	based := edited(torn, "2026-02-09\n=======", "2026-02-09\n||||||| base\napplies-to: [cache, deploy]\nseverity: high\noccurrences: 2\nlast-seen: 2026-01-02\n=======")
	for name, x := range map[string]struct {
		text, want string
	}{
		"as git leaves them":     {torn, want},
		"with what both had":     {based, edited(want, "deploy, cdn", "cdn", "occurrences: 6", "occurrences: 7")},
		"no end":                 {edited(torn, ">>>>>>> other\n---", "---"), ""},
		"another key":            {edited(torn, "severity: high\noccurrences: 5", "severity: low\noccurrences: 5"), ""},
		"a key of theirs":        {edited(torn, "occurrences: 5", "verified: true\noccurrences: 5"), edited(want, "severity: high\n", "severity: high\nverified: true\n")},
		"the body alone":         {grown + "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", grown + "x\ny\n"},
		"a file that both added": {"<<<<<<< a\n" + grown + "=======\n" + grown + ">>>>>>> b\n", ""},
		"nothing to resolve":     {grown, ""},
	} {
		out, ok := TakeBoth([]byte(x.text))
		if string(out) != x.want || ok != (x.want != "") {
			t.Errorf("%s: %v, got:\n%s\nwant:\n%s", name, ok, out, x.want)
		}
	}
}
