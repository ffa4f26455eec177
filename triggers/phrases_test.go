package triggers

import (
	"fmt"
	"testing"
)

// TestCuesLoseNothing checks that the cues, which only save time, are found for every
// phrase and stand in everything it matches.
func TestCuesLoseNothing(t *testing.T) {
	if raced {
		t.Skip("54,000 sentences take minutes under the race detector; make test asks them without")
	}
	all := map[string]grammar{}
	for i, trigger := range spoken {
		for k, g := range grammars[i]() {
			all[fmt.Sprint(trigger, k)] = g
		}
	}
	for name, g := range all {
		for _, p := range g.phrases {
			if len(p.cues) == 0 {
				t.Errorf("%s: %q has no cues", name, p.pattern)
			}
		}
	}
	for _, set := range []string{"complaint", "record", "messages"} {
		for i, x := range sentencesOf(t, set) {
			if i%5 != 0 { // every phrase against every sentence takes a minute under -race
				continue
			}
			for _, s := range sentences(x.text) {
				for name, g := range all {
					for _, p := range g.phrases {
						if m := p.pattern.FindString(s.norm); m != "" && !p.cued(s.norm) {
							t.Errorf("%s: %q matches %q, which has none of %q", name, p.pattern, m, p.cues)
						}
					}
				}
			}
		}
	}
}
