package lazyregexp

import "testing"

// TestABadPatternFailsInTests makes sure that a pattern nobody uses for months is compiled by
// the tests all the same.
func TestABadPatternFailsInTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New took a pattern that does not compile")
		}
	}()
	New(`(`)
}

func TestItMatchesLikeTheOneItHolds(t *testing.T) {
	r := New(`(\w+)@(\w+)`)
	if got := r.FindStringSubmatch("to ann@home"); len(got) != 3 || got[2] != "home" {
		t.Errorf("FindStringSubmatch = %q", got)
	}
	if got := r.ReplaceAllString("ann@home", "$2"); got != "home" {
		t.Errorf("ReplaceAllString = %q", got)
	}
}
