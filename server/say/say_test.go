package say

import "testing"

func TestIn(t *testing.T) {
	where, inner := Text{"%[2]s is in %[1]s", "%[1]s에 %[2]s이 있음"}, Text{"a card", "카드"}
	for language, want := range map[string]string{"en": "a card is in x", "": "a card is in x", "ko": "x에 카드이 있음"} {
		if got := where.In(language, "x", inner); got != want {
			t.Errorf("%q: %q", language, got)
		}
	}
}
