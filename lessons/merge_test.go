package lessons

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const mergeFrom = `---
title: The allowlist was forgotten
applies-to: [telegram, bots]
occurrences: 2
last-seen: 2026-10-02
verified: true
---
# The allowlist was forgotten

## Situation

Adding a command.

## Root Cause

Every chat was trusted.

## Fix

The handler asks the allowlist before it does anything else.

## Prevention Checklist

- [ ] The allowlist is checked before any command runs
- [x] An unknown chat gets **no** [reply](<r.md>)
`

func TestMerge(t *testing.T) {
	for name, c := range map[string]struct{ into, want string }{
		"everything": {
			into: "---\ntitle: Allowlist # ours\napplies-to:\n  - telegram\n  - \"remote work\"\noccurrences: 3\nlast-seen: 2026-09-01\n---\n# Allowlist\n\n## Root Cause\n\nNobody looked.\n\n## Fix\n\nA check.\n\n## Prevention Checklist\n\n- [ ] the allowlist is  checked before any command runs\n\n## Notes\n\nStay.\n",
			want: "---\ntitle: Allowlist # ours\napplies-to:\n  - telegram\n  - \"remote work\"\n  - bots\noccurrences: 5\nlast-seen: 2026-10-02\nverified: true\n---\n# Allowlist\n\n## Root Cause\n\nNobody looked.\n\n## Fix\n\nThe handler asks the allowlist before it does anything else.\n\n## Prevention Checklist\n\n- [ ] the allowlist is  checked before any command runs\n- [ ] An unknown chat gets **no** [reply](<r.md>)\n\n## Notes\n\nStay.\n\n## Situation\n\nAdding a command.\n",
		},
		"CRLF, flow tags, no sections": {
			into: "---\r\napplies-to: [bots] # mine\r\nlast-seen: 2026-11-01\r\n---\r\n# A\r\n",
			want: "---\r\napplies-to: [bots, telegram] # mine\r\nlast-seen: 2026-11-01\r\noccurrences: 3\r\nverified: true\r\n---\r\n# A\r\n\r\n## Situation\r\n\r\nAdding a command.\r\n\r\n## Root Cause\r\n\r\nEvery chat was trusted.\r\n\r\n## Fix\r\n\r\nThe handler asks the allowlist before it does anything else.\r\n\r\n## Prevention Checklist\r\n\r\n- [ ] The allowlist is checked before any command runs\r\n- [ ] An unknown chat gets **no** [reply](<r.md>)\r\n",
		},
		"Korean headings, one tag, a template": {
			into: "---\napplies-to: telegram\n---\n# 허용 목록\n\n## 근본 원인\n\n<!-- 왜? -->\n\n## 해결\n\n허용 목록을 먼저 본다. 그리고 로그에 남기고, 그 밖의 대화에는 아무 답도 하지 않는다.\n\n## 예방 체크리스트\n\n<!-- 항목 -->\n",
			want: "---\napplies-to: [telegram, bots]\noccurrences: 3\nlast-seen: 2026-10-02\nverified: true\n---\n# 허용 목록\n\n## 근본 원인\n\nEvery chat was trusted.\n\n## 해결\n\nThe handler asks the allowlist before it does anything else.\n\n## 예방 체크리스트\n\n- [ ] The allowlist is checked before any command runs\n- [ ] An unknown chat gets **no** [reply](<r.md>)\n\n## 상황\n\nAdding a command.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Merge([]byte(c.into), []byte(mergeFrom))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for name, into := range map[string]string{
		"frontmatter in braces": "{title: A}\n---\n",
		"tags over lines":       "---\napplies-to: [a,\n  b]\n---\n# A\n",
		"an open fence":         "---\ntitle: A\n---\n## Prevention Checklist\n\n- [ ] one thing here\n\n```\nnever closed\n",
	} {
		if got, err := Merge([]byte(into), []byte(mergeFrom)); err != nil && !errors.Is(err, ErrFrontmatter) {
			t.Errorf("%s: %v", name, err)
		} else if err == nil && !strings.Contains(string(got), "An unknown chat gets **no** [reply](<r.md>)") {
			t.Errorf("%s: merged to %q", name, got)
		}
	}
}

func TestMergeKeepsChecks(t *testing.T) {
	from := "## Prevention Checklist\n\n- [ ] One thing\n- [ ] No token in a log\n  ```check\n  forbid: 'log.*token'\n  matches: [log(token)]\n  ```\n- [ ] Another thing\n"
	want, _ := Parse("lessons/from.md", []byte(from))
	for _, into := range []string{"# A\n", "# A\r\n", "# A\n\n## Prevention Checklist\n\n- [ ] Mine\n", "# A\n\n## Prevention Checklist\n\n1. [ ] no token in a log\n2. [ ] Mine\n"} {
		got, err := Merge([]byte(into), []byte(from))
		if err != nil {
			t.Fatal(err)
		}
		c, problems := Parse("lessons/a.md", got)
		i := slices.IndexFunc(c.Items, func(it Item) bool { return strings.EqualFold(it.Text, want.Items[1].Text) })
		if i < 0 || strings.ReplaceAll(c.Items[i].Check, "\r", "") != want.Items[1].Check || c.Items[i].CheckLine == 0 || len(c.Items) < 3 {
			t.Errorf("into %q: %q (%v)", into, got, problems)
		}
	}
}

func TestSetVerified(t *testing.T) {
	src := "---\ntitle: A # x\n---\n# A\n"
	yes, err := SetVerified([]byte(src), true)
	if err != nil || string(yes) != "---\ntitle: A # x\nverified: true\n---\n# A\n" {
		t.Fatalf("%q, %v", yes, err)
	}
	if again, err := SetVerified(yes, true); err != nil || string(again) != string(yes) {
		t.Errorf("again: %q, %v", again, err)
	}
	if no, err := SetVerified(yes, false); err != nil || string(no) != src {
		t.Errorf("back: %q, %v", no, err)
	}
}

// FuzzMerge: whatever two cards hold, the merged one has what both had, or nothing is merged.
func FuzzMerge(f *testing.F) {
	f.Add(mergeFrom, mergeFrom)
	f.Add("---\napplies-to:\n- a\n---\n## Fix\nx\n", mergeFrom)
	f.Add("# A\n\n## Prevention Checklist\n1. one\n   - two\n", mergeFrom)
	f.Add("---\ntags: a, b\n---\n", "---\ntags: c\n---\n")
	f.Fuzz(func(t *testing.T, into, from string) {
		out, err := Merge([]byte(into), []byte(from))
		if err != nil {
			return
		}
		a, _ := Parse("lessons/a.md", []byte(into))
		b, _ := Parse("lessons/b.md", []byte(from))
		got, _ := Parse("lessons/got.md", out)
		if got.Occurrences != a.Occurrences+b.Occurrences {
			t.Errorf("occurrences %d + %d = %d", a.Occurrences, b.Occurrences, got.Occurrences)
		}
		if lost := missing(got.Tags, slices.Concat(a.Tags, b.Tags)); len(lost) > 0 {
			t.Errorf("lost tags %q", lost)
		}
		if lost := missing(texts(got.Items), slices.Concat(texts(a.Items), texts(b.Items))); len(lost) > 0 {
			t.Errorf("lost items %q", lost)
		}
	})
}

// TestGuardIsThePersons holds that no edit of ours takes a guard out or hands it on.
func TestGuardIsThePersons(t *testing.T) {
	src := []byte("---\ntitle: A\nguard: deny # mine\n---\n# A\n")
	bumped, err := Bump(src, Date{2026, 11, 2})
	if c, _ := Parse("lessons/a.md", bumped); err != nil || c.Guard != GuardDeny {
		t.Errorf("%s, %v", bumped, err)
	}
	into, err := Merge([]byte("---\ntitle: A\n---\n# A\n"), src)
	if c, _ := Parse("lessons/a.md", into); err != nil || c.Guard != "" {
		t.Errorf("%s, %v", into, err)
	}
}
