package terms

import "testing"

func TestDistance(t *testing.T) {
	for _, x := range []struct {
		a, b string
		want int
	}{
		{"", "abc", 3},
		{"abc", "", 3},
		{"HIGH", "high", 0},
		{"hihg", "high", 1},
		{"lesons", "lesson", 2},
		{"severtiy", "severity", 1},
		{"appliesto", "applies-to", 1},
		{"카두", "카드", 1},
	} {
		if got := Distance(x.a, x.b); got != x.want {
			t.Errorf("from %q to %q: %d, want %d", x.a, x.b, got, x.want)
		}
	}
}
