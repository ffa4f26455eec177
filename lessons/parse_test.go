package lessons

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		rel, head string
		want      Kind
	}{
		{"lessons/a.md", "", Lesson},
		{"x/Lesson/a.md", "", Lesson},
		{`x\LESSONS\a.md`, "", Lesson},
		{"playbooks/a.md", "", Playbook},
		{"qa_findings/a.md", "", QAFinding},
		{"QA-Finding/a.md", "", QAFinding},
		{"qafindings/a.md", "", QAFinding},
		{"my-lessons/a.md", "", Note},
		{"lessonsX/a.md", "", Note},
		{"lessons.md", "", Note},
		{"notes/a.md", "---\ntype: lesson\n---\n", Lesson},
		{"notes/a.md", "\xef\xbb\xbf---\r\ntype: \"playbook\"\r\n---\r\n", Playbook},
		{"notes/a.md", "---\ntype: pitfall # old name\n---\n", Lesson},
		{"notes/a.md", "---\ntype: workflow\n---\n", Playbook},
		{"lessons/a.md", "---\ntype: playbook\n---\n", Playbook},
		{"lessons/a.md", "---\ntype: nonsense\n---\n", Lesson},
		{"notes/a.md", "---\ntype: nonsense\n---\n", Note},
		{"notes/a.md", "---\ntype: lesson\n", Note}, // never closed
		{"notes/a.md", "\n---\ntype: lesson\n---\n", Note},
		{"lessons/README.md", "", Note},
		{"lessons/readme.markdown", "---\ntype: lesson\n---\n", Lesson},
		{"lessons/changelog.md", "---\nseverity: high\n---\n", Lesson},
		{"lessons/README.md", "---\ntitle: The lessons\nlayout: page\n---\n", Note},
		{"lessons/CHANGELOG", "", Note},
	} {
		if got, _ := Parse(c.rel, []byte(c.head)); got.Kind != c.want {
			t.Errorf("Parse(%q, %q) = %q, want %q", c.rel, c.head, got.Kind, c.want)
		}
		if card, _ := Parse(c.rel, []byte(c.head)); card.Kind != c.want {
			t.Errorf("Parse(%q, %q).Kind = %q, want %q", c.rel, c.head, card.Kind, c.want)
		}
	}
}

const full = `---
type: lesson
title: "Telegram remote execution: require an allowlist"
applies-to: [telegram, security]
paths:
  - bot/**/*.go
project: chatops
severity: high
source: auto
occurrences: 3
last-seen: 2026-11-02
status: ignored
verified: true
mood: grim
---

# Some heading

## Situation

A bot runs commands.

## 2. **Mistake/Risk**:

Anyone could.

## Root cause

No check.

### Prevention Checklist

- [ ] The ` + "`allowlist`" + ` is checked before
  any command runs
- [x] Unknown chats get **no** answer
  1. nested, without a box

` + "```text\n- [ ] not an item\n```" + `

## Applies To

- not a checklist item
`

func TestParseGuard(t *testing.T) {
	for text, want := range map[string]Guard{"ask": GuardAsk, "Deny": GuardDeny, "": "", "block": "", "[deny]": ""} {
		c, problems := Parse("lessons/g.md", []byte("---\nguard: "+text+"\n---\n# T\n"))
		bad := slices.ContainsFunc(problems, func(p Problem) bool {
			return p.Code == BadValue && p.Line == 2 && slices.Equal(p.Args, []string{"guard", text, "ask, deny"})
		})
		if c.Guard != want || bad != (text == "block") {
			t.Errorf("%q: %q, %+v", text, c.Guard, problems)
		}
	}
}

func TestParse(t *testing.T) {
	c, problems := Parse("notes/t.md", []byte(full))
	want := Card{
		Path: "notes/t.md", Kind: Lesson, Title: "Telegram remote execution: require an allowlist",
		Tags: []string{"telegram", "security"}, Paths: []string{"bot/**/*.go"}, Project: "chatops",
		Severity: High, Source: Auto, Occurrences: 3, LastSeen: Date{2026, 11, 2}, Status: Archived, Verified: true,
		Items: []Item{
			{Text: "The allowlist is checked before any command runs", Marked: "The `allowlist` is checked before any command runs", Line: 33},
			{Text: "Unknown chats get no answer", Line: 35},
			{Text: "nested, without a box", Line: 36},
		},
		BodyLine: 16,
	}
	got := c
	got.Sections, got.Body = nil, ""
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("card (-want +got):\n%s", d)
	}
	var names []string
	for _, s := range c.Sections {
		names = append(names, fmt.Sprintf("%s@%d", s.Name, s.Line))
	}
	if got := strings.Join(names, " "); got != "Situation@19 Mistake / Risk@23 Root Cause@27 Prevention Checklist@31 Applies To@42" {
		t.Errorf("sections: %s", got)
	}
	if len(problems) != 1 || problems[0].Code != UnknownKey || problems[0].Line != 14 {
		t.Errorf("problems: %+v, want the unknown key on line 14", problems)
	}
	// The same file with CRLF and a BOM reads the same, on the same lines.
	crlf, _ := Parse("notes/t.md", []byte("\xef\xbb\xbf"+strings.ReplaceAll(full, "\n", "\r\n")))
	if d := cmp.Diff(c, crlf, cmpopts.IgnoreUnexported(Section{})); d != "" {
		t.Errorf("with CRLF and BOM (-LF +CRLF):\n%s", d)
	}
}

func TestParseKorean(t *testing.T) {
	c, problems := Parse("lessons/k.md", []byte("# CSV 한글 깨짐\n\n## 상황\n\n내보내기\n\n## 실수 / 위험\n\n깨짐\n\n## 근본 원인\n\nBOM이 없었다\n\n## 해결\n\nBOM 추가\n\n## 예방 체크리스트\n\n- [ ] CSV에 UTF-8 BOM을 쓴다\n\n## 적용 대상\n\n엑셀\n"))
	if c.Title != "CSV 한글 깨짐" || len(c.Sections) != 6 || len(c.Items) != 1 || c.Items[0].Line != 21 {
		t.Errorf("card %+v", c)
	}
	if len(problems) != 0 {
		t.Errorf("problems %+v", problems)
	}
}

// TestParseSurvives holds that nothing a person writes stops the reader.
func TestParseSurvives(t *testing.T) {
	bomb := "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	bomb += "type: lesson\napplies-to: *j\n---\n# B\n"
	for _, c := range []struct {
		name, src string
		want      []ProblemCode
		kind      Kind
	}{
		{"empty", "", []ProblemCode{MissingTitle, MissingRootCause, MissingChecklist}, Lesson},
		{"bomb", bomb, nil, Lesson},
		{"no closing fence", "---\ntype: lesson\ntitle: x\n\n# H\n", []ProblemCode{FrontmatterOpen}, Lesson},
		{"bad yaml", "---\ntype: [lesson\n---\n# H\n", []ProblemCode{FrontmatterSyntax}, Lesson},
		{"tabs", "---\ntype:\tlesson\n\tx: y\n---\n# H\n", nil, Lesson},
		{"a list", "---\n- a\n- b\n---\n# H\n", []ProblemCode{FrontmatterSyntax}, Lesson},
		{"wrong values", "---\noccurrences: many\nseverity: huge\nlast-seen: soon\nstatus: [a]\n---\n# H\n", []ProblemCode{BadValue}, Lesson},
		{"invalid utf-8", "# \xff\xfe\n", []ProblemCode{NotUTF8}, Lesson},
		{"nul", "# a\x00b\n", []ProblemCode{InvisibleText}, Lesson},
		{"hidden text", "# a\u202eb\n", []ProblemCode{InvisibleText}, Lesson},
		{"huge", "# H\n" + strings.Repeat("word ", 1<<18), []ProblemCode{TooLarge}, Lesson},
		{"deep", strings.Repeat("> - ", 2000) + "x", nil, Lesson},
		{"chat title", "# still broken\n", []ProblemCode{ChatTitle}, Lesson},
	} {
		card, problems := Parse("lessons/x.md", []byte(c.src))
		if card.Kind != c.kind {
			t.Errorf("%s: kind %q", c.name, card.Kind)
		}
		for _, code := range c.want {
			found := false
			for _, p := range problems {
				found = found || p.Code == code
			}
			if !found {
				t.Errorf("%s: problem %s not reported in %+v", c.name, code, problems)
			}
		}
	}
}

// TestParseFinishes holds that no file takes the parsers more than a moment; most of
// these once took minutes. What they allocate stands for their work.
func TestParseFinishes(t *testing.T) {
	const most = 512 << 20 // bytes; the worst of these takes 150 MB
	yaml := func(s string) string {
		return "---\n" + strings.Repeat(s, (maxFrontmatter-10)/len(s)) + "\n---\n# H\n"
	}
	body := func(s string) string { return strings.Repeat(s, MaxFile/len(s)) }
	stairs := func(marker string) string {
		var b strings.Builder
		for i := 0; b.Len() < MaxFile/4; i++ {
			b.WriteString(strings.Repeat("  ", i) + marker + "\n")
		}
		return b.String()
	}
	for name, src := range map[string]string{
		"brackets":        yaml("["),
		"braces":          yaml("{"),
		"keys in braces":  yaml("{a: "),
		"dashes":          yaml("- "),
		"question marks":  yaml("? "),
		"keys":            yaml("a:\n"),
		"flow dashes":     "---\na: [" + strings.Repeat("- ", maxFrontmatter/2-20) + "]\n---\n# H\n",
		"quotes":          body(">"),
		"spaced quotes":   body("> "),
		"numbers":         body("1. "),
		"bullets":         body("- "),
		"quoted bullets":  body("> - "),
		"tabs":            body("-\t"),
		"stairs":          stairs("- a"),
		"quoted stairs":   stairs("> a"),
		"heading links":   body("# [a]("),
		"heading images":  "# " + body("!["),
		"heading stars":   "# " + body("*a "),
		"many headings":   body("# [\n")[:MaxFile/4],
		"item links":      "## Prevention Checklist\n\n- " + body("[a]("),
		"many checklists": body("## Prevention Checklist\n- a\n"),
	} {
		t.Run(name, func(t *testing.T) {
			src := []byte(src[:min(len(src), MaxFile)])
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c, _ := Parse("lessons/x.md", src)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > most {
				t.Errorf("%d MB were allocated", got>>20)
			}
			if n := utf8.RuneCountInString(c.Title); n == 0 || n > maxTitle || len(c.Items) > maxItems {
				t.Errorf("a title of %d characters, %d items", n, len(c.Items))
			}
		})
	}
}

// TestParseDeepText holds that what is blanked for the parser's sake is only what nests
// beyond reason: the rest of the file reads as ever.
func TestParseDeepText(t *testing.T) {
	rule := strings.Repeat("-", 200)
	c, _ := Parse("lessons/x.md", []byte("Underlined\n"+rule+"\n\n"+strings.Repeat("> ", 100)+"deep\n\n## Prevention Checklist\n\n- one\n"+strings.Repeat("  ", 100)+"- far right\n- two\n"))
	want := []Item{{Text: "one", Line: 8}, {Text: "two", Line: 10}}
	if d := cmp.Diff(want, c.Items); d != "" || c.Title != "Underlined" {
		t.Errorf("title %q, items (-want +got):\n%s", c.Title, d)
	}
	if !strings.Contains(c.Body, "deep") || !strings.Contains(c.Body, "far right") {
		t.Error("the body lost text")
	}
}

func TestSectionNames(t *testing.T) {
	for heading, want := range map[string]SectionName{
		"Situation": Situation, "문제 상황": Situation, "Context:": Situation,
		"3. Mistake / Risk:": Mistake, "**mistake/risk**": Mistake, "Mistake - Risk": Mistake, "실수 및 위험": Mistake,
		"Root Cause": RootCause, "근본 원인 (Root Cause)": RootCause, "원인 분석": RootCause,
		"Fix": Fix, "Fix（수정）": Fix, "해결 방법": Fix, "✅ Solution": Fix,
		"Prevention Checklist": Prevention, "재발 방지 체크리스트": Prevention,
		"When to apply": AppliesTo, "적용 범위": AppliesTo,
		"Fixtures": "", "(Fix)": Fix, "Notes": "", "Notes (Fix)": "", "": "", "123": "", "Fix " + "(" + strings.Repeat("long ", 30) + ")": "",
	} {
		if got := sectionOf(heading); got != want {
			t.Errorf("%q is read as %q, want %q", heading, got, want)
		}
	}
}

func TestParseForeignFrontmatter(t *testing.T) {
	src := "---\ntitle: Plugin Versioning\ncategory: workflow\ntags: [versioning, changelog]\nseverity: process\n---\n\n# Plugin\n\n## Problem\n\nDrift.\n"
	note, problems := Parse("docs/solutions/a.md", []byte(src))
	if note.Kind != Note || len(problems) != 0 || note.Title != "Plugin Versioning" || len(note.Tags) != 2 {
		t.Errorf("as a note: %+v, problems %+v", note, problems)
	}
	card, _ := Parse("lessons/a.md", []byte(src))
	if s := card.Section(Situation); s.Text != "Drift." {
		t.Errorf("Problem is not read as the situation: %+v", card.Sections)
	}
}

// TestParseExtra holds which words of other programs' keys a file is found by.
func TestParseExtra(t *testing.T) {
	for head, want := range map[string]string{
		"description: How a site is\n  put on the web.":                         "How a site is put on the web.\n",
		"symptoms:\n  - The worker exits at once.\n  - x\n  - 응답이 오지 않고 끊긴다":    "The worker exits at once.\n응답이 오지 않고 끊긴다\n",
		"hero: {title: x, tagline: Ship less of it, image: {alt: A cat on it}}": "Ship less of it\nA cat on it\n",
		"note: |\n  two lines\n  of text":                                       "two lines of text\n",
		"a: &x Some words here\nb: *x":                                          "Some words here\n",
		"category: tooling\nmodule: the api":                                    "",
		"date: 2026-07-15 10:00:00 UTC\nn: 3":                                   "",
		"title: One two three\nproject: a b c":                                  "",
		"long: " + strings.Repeat("word ", 1000):                                "",
	} {
		for _, rel := range []string{"notes/a.md", "lessons/a.md"} {
			if c, _ := Parse(rel, []byte("---\n"+head+"\n---\n\n# T\n")); c.Extra != want {
				t.Errorf("%s, %s: %q, want %q", rel, head, c.Extra, want)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{full, "", "---\n", "---\n---\n", "---\ntype: {a: &x *x}\n---", "# a\n===\n", "- [ ] x", "---\na: [[[[{{{{\n---\n", ">>>> 1. - # [a](![b](", "\xef\xbb\xbf---\r\na: |\r\n  b\r\n---\r\n"} {
		f.Add("lessons/a.md", []byte(s))
	}
	f.Fuzz(func(t *testing.T, rel string, src []byte) {
		c, problems := Parse(rel, src)
		lines := strings.Count(string(src), "\n") + 1
		for _, it := range c.Items {
			if it.Line < 1 || it.Line > lines || it.Text == "" || strings.Contains(it.Text, "\n") {
				t.Fatalf("item %+v of %d lines", it, lines)
			}
		}
		for _, p := range problems {
			if p.Line < 0 || p.Line > lines+1 {
				t.Fatalf("problem %+v of %d lines", p, lines)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	src := []byte("# A note\n\n" + strings.Repeat("Some text with `code` and [a link](http://x.y) in it.\n\n- one\n- two\n\n```go\nfunc f() {}\n```\n\n", 15))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("notes/a.md", src)
	}
}

// TestKeysAreRead: each key is known to the reader, and none is taken for another.
func TestKeysAreRead(t *testing.T) {
	for _, key := range Keys() {
		_, problems := Parse("lessons/a.md", []byte("---\n"+key+": x\n---\n# A\n"))
		for _, p := range problems {
			if p.Code == UnknownKey || p.Code == MisspelledKey {
				t.Errorf("%s: %+v", key, p)
			}
		}
	}
}
