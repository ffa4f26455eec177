package server

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
)

// A heading that is longer than an excerpt is cut like any other text.
func TestExcerptOfALongHeading(t *testing.T) {
	long := "# " + strings.Repeat("the queue of refunds ", 40)
	for name, text := range map[string]string{
		"alone": long, "text below": long + "\n\nSomething else.", "text above": "Something else.\n\n" + long,
		"two": long + "\n\n#" + long, "one word": "# " + strings.Repeat("x", 900), "Korean": "# " + strings.Repeat("환불", 300),
	} {
		for _, size := range []int{0, 1, 2, 3, 4, 50, brain.ExcerptChars} {
			got := brain.Excerpt(text, []string{"refund"}, size)
			if len(got) > size || !utf8.ValidString(got) || size >= 50 && got == "" {
				t.Errorf("%s, %d bytes: %q", name, size, got)
			}
		}
	}
}

// Code comes whole or not at all, and the evidence of a card never.
func TestExcerptKeepsCodeWhole(t *testing.T) {
	short, long := "```go\nsort.Strings(ids)\n\nreturn ids\n```", "```go\n"+strings.Repeat("ids = append(ids, id)\n\n", 40)+"```"
	for name, c := range map[string]struct{ text, want string }{
		"short":        {"# Ids\n\nSort the ids:\n\n" + short + "\n\n" + strings.Repeat("More of it. ", 40), "# Ids\n\nSort the ids:\n\n" + short},
		"long":         {"# Ids\n\nSort the ids:\n\n" + long + "\n\nThen return them.", "# Ids\n\nSort the ids:"},
		"long, first":  {long + "\n\nThen return the ids.", "Then return the ids."},
		"nothing else": {"# Ids\n" + long, "# Ids"},
	} {
		if got := brain.Excerpt(c.text, []string{"ids"}, brain.ExcerptChars); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	card, _ := lessons.Parse("lessons/a.md", []byte("# Ids\n\n## Evidence\n\n"+short+"\n\n## Fix\n\nSort the ids.\n"))
	if got := brain.Excerpt(brain.FullText(card), []string{"ids"}, brain.ExcerptChars); strings.Contains(got, "Strings") || !strings.Contains(got, "Sort the ids.") {
		t.Errorf("%q", got)
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("# "+strings.Repeat("refund ", 100), "refund", 240)
	f.Add("One. Two!\n\n# Three\n\n- four, five", "five", 7)
	f.Add("가나다. 라마바며 사아자", "사아자", 20)
	f.Fuzz(func(t *testing.T, text, words string, size int) {
		size = size % 2000
		if got := brain.Excerpt(strings.ToValidUTF8(text, "?"), strings.Fields(words), size); len(got) > max(0, size) || !utf8.ValidString(got) {
			t.Errorf("%d bytes: %d of %q", size, len(got), got)
		}
	})
}

// Whatever files a brain holds and whatever is asked, every surface answers within its
// bounds, and the ordinary card is found beside the odd ones.
func FuzzDelivery(f *testing.F) {
	f.Add("# "+strings.Repeat("telegram command ", 40), "telegram command", "bot/a.py")
	f.Add(allowlist+strings.Repeat("\n- [ ] telegram "+strings.Repeat("x", 500), 9), "restart by telegram", "../x")
	f.Add("---\ntype: policy\nseverity: high\npaths: ['**']\n---\n# "+strings.Repeat("한글", 400)+"\n## 실수\n```\n", "한글 telegram", "한글.go")
	f.Add("---\r\ntitle: [telegram\r\n---\r\n\xff\x00# a", "\xff telegram \x00", "\x00")
	f.Fuzz(func(t *testing.T, file, query, touched string) {
		w := newWorkspace(t, map[string]string{
			"lessons/allow.md": allowlist, "lessons/odd.md": file, "odd.md": file,
		})
		bounded := func(name, text string, chars int) {
			if len(text) > chars || !utf8.ValidString(text) {
				t.Errorf("%s: %d bytes, valid %t", name, len(text), utf8.ValidString(text))
			}
		}
		for _, hooked := range []bool{false, true} {
			p, err := w.Preflight(ctx, PreflightRequest{Query: query, Files: []string{filepath.Join(w.dir, touched)}, Hooked: hooked})
			if err != nil {
				t.Fatal(err)
			}
			bounded("block", p.Block, 2*deliver.MaxBlockChars)
			if hooked {
				bounded("block and context", p.Block+p.Context, deliver.MaxHookChars)
			}
			for _, h := range append(p.Lessons, p.Notes...) {
				bounded("excerpt", h.Excerpt, brain.ExcerptChars)
			}
		}
		r, err := w.Retrieve(ctx, RetrieveRequest{Query: query + " telegram allowlist", Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, h := range append(r.Lessons, r.Notes...) {
			bounded("excerpt", h.Excerpt, deliver.ShortCard)
			found = found || h.Path == "lessons/allow.md"
		}
		if !found && len(query) < 200 {
			t.Error("the ordinary card is not found")
		}
		touch, err := w.Touch(ctx, TouchRequest{Files: []string{filepath.Join(w.dir, touched)}, Command: query, Output: query})
		if err != nil {
			t.Fatal(err)
		}
		bounded("touch", touch.Text, deliver.MaxBlockChars)
		heads, err := w.Heads(ctx, HeadsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		bounded("titles", heads.Text, deliver.MaxBlockChars)
	})
}
