package lessons

import (
	"slices"
	"strings"
	"testing"
)

const tellsAll = "---\ntype: lesson\n---\n# 환불이 두 번 나갔다\n\n<!-- note to self -->\n\n## 상황\n\n대기열이 다시 보냈다.\n\n## Prevention Checklist\n\n- [ ] Store it first\n\n## 증거\n\n```diff\n-return sorted(orders)\n```\n\n## What we tried\n\nNothing.\n"

// TestWords: of a card only what it says of its own counts, where it stands; a note keeps all.
func TestWords(t *testing.T) {
	c, _ := Parse("lessons/a.md", []byte(tellsAll))
	words := c.Words()
	if len(words) != len(c.Body) || strings.Count(words, "\n") != strings.Count(c.Body, "\n") {
		t.Fatalf("%d bytes of %d", len(words), len(c.Body))
	}
	for _, said := range []string{"환불이 두 번 나갔다", "대기열이", "Store it first", "What we tried", "Nothing."} {
		if strings.Index(words, said) != strings.Index(c.Body, said) {
			t.Errorf("%q is not where it was in\n%s", said, words)
		}
	}
	for _, all := range []string{"상황", "Prevention", "note to self", "증거", "sorted"} {
		if strings.Contains(words, all) {
			t.Errorf("%q is left in\n%s", all, words)
		}
	}
	if told := c.Told(); strings.Contains(told, "sorted") || !strings.Contains(told, "## 상황") || !strings.Contains(told, "Nothing.") {
		t.Errorf("told:\n%s", told)
	}
	if note, _ := Parse("notes/a.md", []byte(strings.TrimPrefix(tellsAll, "---\ntype: lesson\n---\n"))); note.Words() != note.Body || note.Told() != note.Body {
		t.Errorf("a note lost words:\n%s", note.Words())
	}
}

// TestProse: code fences are told from what stands around them, wherever they stand, and end.
func TestProse(t *testing.T) {
	for _, c := range []struct {
		name, text, prose string
		fences            []string
	}{
		{"none", "a `b` c\n\nd", "a `b` c\n\nd", nil},
		{"one", "a\n\n```diff\n-b\n\n+c\n```\n\nd", "a\n\n\nd", []string{"```diff\n-b\n\n+c\n```"}},
		{"two, one below the other", "~~~\na\n~~~\n```\nb\n```\n", "", []string{"~~~\na\n~~~", "```\nb\n```"}},
		{"another fence inside", "````md\n```\na\n```\n````\nb", "b", []string{"````md\n```\na\n```\n````"}},
		{"quoted", "> it broke\n>\n> ```\n> KeyError\n>   in f\n> ```\n> again", "> it broke\n>\n> again", []string{"```\nKeyError\n  in f\n```"}},
		{"a quotation that ends", "> look\n> ```\n> KeyError\n\nagain", "> look\n\nagain", []string{"```\nKeyError\n```"}},
		{"indented", "- a\n  ```\n  b\n    c\n  ```\n- d", "- a\n- d", []string{"```\nb\n  c\n```"}},
		{"without an end", "a\n```go\nb", "a", []string{"```go\nb\n```"}},
		{"nothing in it", "a\n```\n```\nb", "a\nb", []string{"```\n```"}},
		{"opened by the last line", "a\n```", "a", []string{"```\n```"}},
	} {
		prose, fences := Prose(c.text)
		if prose != c.prose || !slices.Equal(fences, c.fences) {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, prose, fences, c.prose, c.fences)
		}
		all := ""
		for text := range Stretches(c.text) {
			all += text
		}
		if all != c.text {
			t.Errorf("%s: stretches make %q", c.name, all)
		}
	}
}
