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
