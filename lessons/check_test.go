package lessons

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestItemCheck reads the fence that an item carries, and leaves its text alone.
func TestItemCheck(t *testing.T) {
	src := "---\ntype: lesson\n---\n# Tokens leaked\n\n## Root Cause\n\nx\n\n## Prevention Checklist\n\n" +
		"- [ ] Handlers never log the token\n  ```check\n  forbid: 'a'\n    # indented\n  ```\n" + // 12
		"- [ ] Plain item\n\n  More of it.\n" + // 17
		"- [x] Second item says so\r\n\r\n  ~~~ check x\r\n  ran: 'b'\r\n  ~~~\r\n\r\n  ```check\r\n  ran: 'c'\r\n  ```\r\n" + // 20
		"- Another fence\n  ```go\n  x()\n  ```\n  - nested one\n\n    ```check\n    ```\n" + // 29
		"\n```check\nforbid: stray\n```\n"
	c, problems := Parse("lessons/x.md", []byte(src))
	want := []Item{
		{Text: "Handlers never log the token", Line: 12, Check: "forbid: 'a'\n  # indented\n", CheckLine: 14},
		{Text: "Plain item", Line: 17},
		{Text: "Second item says so", Line: 20, Check: "ran: 'b'\n", CheckLine: 23},
		{Text: "Another fence", Line: 29},
		{Text: "nested one", Line: 33, CheckLine: 36},
	}
	if diff := cmp.Diff(want, c.Items); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Problem{
		{Line: 38, Code: CheckStray, Severity: Warning},
		{Line: 26, Code: CheckTwice, Severity: Warning},
	}, problems); diff != "" {
		t.Error(diff)
	}
	if note, problems := Parse("notes/x.md", []byte("# N\n\n```check\n```\n")); len(note.Items)+len(problems) > 0 {
		t.Errorf("a note has %+v, %+v", note.Items, problems)
	}
}

func TestReadFields(t *testing.T) {
	got, err := ReadFields("# why\nforbid: 'a b'   # RE2\npaths: [\"x/**\", y]\nmatches:\n  - a  b\n  - |\n    c\nn: 42\ntouch: {when: p, also: [q, r]}\nnone:\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Field{
		{Name: "forbid", Line: 2, Values: []string{"a b"}},
		{Name: "paths", Line: 3, Values: []string{"x/**", "y"}},
		{Name: "matches", Line: 4, Values: []string{"a  b", "c\n"}},
		{Name: "n", Line: 8, Values: []string{"42"}},
		{Name: "touch", Line: 9, Fields: []Field{{Name: "when", Line: 9, Values: []string{"p"}}, {Name: "also", Line: 9, Values: []string{"q", "r"}}}},
		{Name: "none", Line: 10},
	}, got); diff != "" {
		t.Error(diff)
	}
	for src, line := range map[string]int{"a: 1\nb: [\n": 2, "- a\n": 1, "a: b: c\n": 1} {
		var bad *FieldsError
		if _, err := ReadFields(src); !errors.As(err, &bad) || bad.Says == "" || bad.Line < line {
			t.Errorf("%q: %+v", src, err)
		}
	}
	if got, err := ReadFields("touch: {when: {deep: {er: x}}}"); err != nil || len(got) != 1 || slices.ContainsFunc(got[0].Fields, func(f Field) bool { return f.Fields != nil }) {
		t.Errorf("%+v, %v", got, err)
	}
}
