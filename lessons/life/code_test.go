package life

import (
	"slices"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
)

func TestCodeOf(t *testing.T) {
	c, _ := lessons.Parse("lessons/a.md", []byte("---\ntype: lesson\npaths: [pay/charge.py, \"src/**/*.ts\", Makefile]\n---\n\n# A\n\n"+
		"## Mistake / Risk\n\n`old_name()` in `src/gone.ts`.\n\n## Fix\n\nCall `convertMoney()` of `lib/money.ts` first, as `npm test` says; `key` stays. Done in `0a1b2c3d`.\n"))
	got := CodeOf(c)
	if want := []string{"lib/money.ts", "pay/charge.py"}; !slices.Equal(got.Files, want) {
		t.Errorf("files %q, want %q", got.Files, want)
	}
	if want := []string{"0a1b2c3d"}; !slices.Equal(got.Commits, want) {
		t.Errorf("commits %q, want %q", got.Commits, want)
	}
	if want := []string{"convertMoney"}; !slices.Equal(got.Symbols, want) {
		t.Errorf("symbols %q, want %q", got.Symbols, want)
	}
}

func TestOutOfUse(t *testing.T) {
	today, _ := lessons.ParseDate("2026-06-01")
	seen := func(day string) lessons.Date { d, _ := lessons.ParseDate(day); return d }
	for _, tt := range []struct {
		name string
		card lessons.Card
		want bool
	}{
		{"seen two years ago", lessons.Card{Status: lessons.Active, LastSeen: seen("2024-06-01")}, true},
		{"seen last winter", lessons.Card{Status: lessons.Active, LastSeen: seen("2026-01-10")}, false},
		{"of high severity", lessons.Card{Status: lessons.Active, LastSeen: seen("2024-06-01"), Severity: lessons.High}, false},
		{"without a date", lessons.Card{Status: lessons.Active}, false},
		{"a draft", lessons.Card{Status: lessons.Drafted, LastSeen: seen("2024-06-01")}, false},
	} {
		if _, got := OutOfUse(tt.card, today); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
