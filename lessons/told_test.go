package lessons

import (
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
