package postcheck

import (
	"strconv"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
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
