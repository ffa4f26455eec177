package lessons

import (
	"fmt"
	"strings"
	"testing"
)

func TestSetRelated(t *testing.T) {
	links := []Link{{"lessons/b.md", "Be | [careful]"}, {"lessons/a.md", "Ask first"}}
	for name, c := range map[string]struct{ src, want string }{
		"none yet":         {"# A\n\nText.\n\n\n", "# A\n\nText.\n\n## Related\n\n- [[lessons/a.md|Ask first]]\n- [[lessons/b.md|Be / (careful)]]\n"},
		"Korean":           {"# 가\n\n## 해결\n\n나\n", "# 가\n\n## 해결\n\n나\n\n## 관련 교훈\n\n- [[lessons/a.md|Ask first]]\n- [[lessons/b.md|Be / (careful)]]\n"},
		"CRLF":             {"# A\r\n", "# A\r\n\r\n## Related\r\n\r\n- [[lessons/a.md|Ask first]]\r\n- [[lessons/b.md|Be / (careful)]]\r\n"},
		"others, own line": {"# A\n\n## Related\n\nSee the wiki.\n- [[lessons/old.md|Old]]\n- https://example.com\n\n## Notes\n\nx\n", "# A\n\n## Related\n\nSee the wiki.\n- [[lessons/a.md|Ask first]]\n- [[lessons/b.md|Be / (careful)]]\n- https://example.com\n\n## Notes\n\nx\n"},
		"empty section":    {"# A\n\n## Related\n", "# A\n\n## Related\n\n- [[lessons/a.md|Ask first]]\n- [[lessons/b.md|Be / (careful)]]\n"},
		"in a fence":       {"# A\n\n```\n## Related\n```\n", "# A\n\n```\n## Related\n```\n\n## Related\n\n- [[lessons/a.md|Ask first]]\n- [[lessons/b.md|Be / (careful)]]\n"},
	} {
		got := string(SetRelated([]byte(c.src), links))
		if got != c.want {
			t.Errorf("%s: %q\nwant %q", name, got, c.want)
		}
		if again := string(SetRelated([]byte(got), links)); again != got {
			t.Errorf("%s: a second time: %q", name, again)
		}
	}
	linked := "# A\n\nText.\n\n## Related\n\n- [[lessons/a.md|Ask first]]\n"
	if got := string(SetRelated([]byte(linked), nil)); got != "# A\n\nText.\n" {
		t.Errorf("without links: %q", got)
	}
	if got := string(SetRelated([]byte("# A\n"), nil)); got != "# A\n" {
		t.Errorf("nothing to do: %q", got)
	}
}

func TestOverview(t *testing.T) {
	cards := []Card{
		{Path: "lessons/b.md", Kind: Lesson, Title: "Never `rm` <all> [x]", Tags: []string{"shell", "a|b"}, Occurrences: 3, Status: Active},
		{Path: "lessons/a b.md", Kind: Lesson, Title: "Archived", Occurrences: 1, Status: Archived},
		{Path: "lessons/z.md", Kind: Lesson, Title: "Of the shop", Project: "shop", Occurrences: 1, Status: Active},
		{Path: "playbooks/p.md", Kind: Playbook, Title: "How", Occurrences: 1, Status: Active},
		{Path: "drafts/d.md", Kind: Lesson, Title: "Draft", Status: Drafted},
		{Path: "n.md", Title: "A note", Status: Active},
	}
	want := overviewMark + "\n# What this brain knows\n\n## Lessons\n\n" +
		"- [Never \\`rm\\` ‹all\\> \\[x\\]](<lessons/b.md>) · shell, a\\|b · seen 3×\n" +
		"- [Archived](<lessons/a b.md>) · archived\n" +
		"\n### shop\n\n- [Of the shop](<lessons/z.md>)\n\n## Playbooks\n\n- [How](<playbooks/p.md>)\n"
	got := string(Overview(cards))
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	cards[0], cards[3] = cards[3], cards[0]
	if again := string(Overview(cards)); again != got {
		t.Errorf("another order gives %s", again)
	}
	if !IsOverview([]byte(got)) || IsOverview([]byte("# What this brain knows\n")) {
		t.Error("a generated list is not told from a person's")
	}
	if empty := string(Overview(nil)); empty != overviewMark+"\n# What this brain knows\n\nNothing yet.\n" {
		t.Errorf("empty: %q", empty)
	}
}

// TestOverviewIsAFileOfTheBrain: the list of a large brain is not one that cannot be read
// again, and says what it leaves out.
func TestOverviewIsAFileOfTheBrain(t *testing.T) {
	var cards []Card
	for i := range 12_000 {
		cards = append(cards, Card{Path: fmt.Sprintf("lessons/%05d.md", i), Kind: Lesson, Title: strings.Repeat("long ", 20), Status: Active})
	}
	text := string(Overview(cards))
	listed := strings.Count(text, "](<lessons/")
	if len(text) > MaxFile || len(text) < MaxFile-1000 || !strings.HasSuffix(text, fmt.Sprintf("\n\nAnd %d more.\n", 12_000-listed)) {
		t.Errorf("%d bytes with %d cards, ending in %q", len(text), listed, text[len(text)-60:])
	}
	if whole := string(Overview(cards[:listed-1])); strings.Contains(whole, "more.") || !strings.HasPrefix(text, whole) {
		t.Error("what fits is left out")
	}
}

// TestSameTitle: hyphens, spaces and the form of a question make no other title; another name, number or word of few does.
func TestSameTitle(t *testing.T) {
	for _, same := range [][2]string{
		{"Totals were rounded per-invoice", "Totals were rounded per invoice"},
		{"Web-hooks are sent twice", "webhooks are sent twice"},
		{"The e mail address is lost", "The email address is lost"},
		{"Why does the export lose its BOM?", "The export loses its BOM"},
		{"토큰 만료시 재로그인 화면이 뜨지 않음", "토큰 만료 시 재로그인 화면이 뜨지 않음"},
		{"왜 토큰 만료 시 재로그인 화면이 뜨지 않나?", "토큰 만료시 재로그인 화면이 뜨지 않는다"},
		{"결제가 왜 실패할까요?", "결제가 실패한다"},
		{"A refund was sent twice when the queue was retried", "Refund sent twice when the queue retried again"},
	} {
		if !SameTitle(same[0], same[1]) || !SameTitle(same[1], same[0]) {
			t.Errorf("%q and %q are two", same[0], same[1])
		}
	}
	for _, other := range [][2]string{
		{"Totals were rounded per invoice", "Totals were rounded per line"},
		{"The import of orders fails on row 20 of the sheet", "The import of orders fails on row 21 of the sheet"},
		{"Refunds in pay.go were sent twice by the worker", "Refunds in queue.go were sent twice by the worker"},
		{"토큰 만료 시 화면이 뜨지 않음", "세션 만료 시 화면이 뜨지 않음"},
		{"", ""},
		{"why?", "what?"},
	} {
		if SameTitle(other[0], other[1]) {
			t.Errorf("%q and %q are one", other[0], other[1])
		}
	}
}
