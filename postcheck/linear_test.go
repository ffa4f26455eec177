package postcheck

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck/check"
)

// BenchmarkLongAnswer is a text of negations and stop words, which was read once for each of them.
func BenchmarkLongAnswer(b *testing.B) {
	card, _ := lessons.Parse("lessons/a.md", []byte("---\ntype: lesson\ntitle: Refunds were sent twice\n---\n## Root Cause\nx\n## Prevention Checklist\n- [ ] A refund is stored before it is sent\n"))
	for _, size := range []int{16 << 10, 128 << 10} {
		text := strings.Repeat("또 안 돼 ", size/len("또 안 돼 "))
		b.Run(strconv.Itoa(size>>10)+"kB", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Judge(b.Context(), Turn{Answer: text, Asked: true}, []lessons.Card{card})
			}
		})
	}
}

// BenchmarkLongPatch is a file that is written as a whole, of whose lines nobody tells the numbers, under items that have forms.
func BenchmarkLongPatch(b *testing.B) {
	cards := []lessons.Card{cardOf("An e-mail is never written to the log", "What goes to Redis gets an expiry", "A useEffect that starts a timer returns its cleanup")}
	for _, lines := range []int{1_000, 8_000} {
		e := check.Edit{File: "bot/a.ts", Seq: 1}
		for i := range lines {
			e.Added = append(e.Added, check.Line{Text: []string{"", "}", "function f" + strconv.Itoa(i) + "() {", "  redis.set('k', v);", "  log.info('kept');"}[i%5]})
		}
		t := Turn{Watched: true, Deeds: check.Deeds{Edits: []check.Edit{e}}}
		b.Run(strconv.Itoa(lines), func(b *testing.B) {
			for b.Loop() {
				Judge(b.Context(), t, cards)
			}
		})
	}
}

// TestPlaces: a line that a file holds twice stands where those that follow it do.
func TestPlaces(t *testing.T) {
	s := source{"a {", "  b", "}", "", "a {", "  c", "}"}
	for name, tt := range map[string]struct {
		added []check.Line
		want  []int
	}{
		"of two that begin alike": {[]check.Line{{Text: "a {"}, {Text: "  c"}, {Text: "}"}}, []int{4, 5, 6}},
		"by their numbers":        {[]check.Line{{Text: "a {", N: 1}}, []int{0}},
		"one behind the other":    {[]check.Line{{Text: "  b"}, {Text: "}"}, {Text: "  c"}}, []int{1, 2, 5}},
		"one that went":           {[]check.Line{{Text: "  d"}, {Text: "  c"}}, []int{5}},
	} {
		if got, _ := s.places(check.Edit{Added: tt.added}); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
