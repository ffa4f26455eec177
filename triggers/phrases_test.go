package triggers

import "testing"

// TestCuesLoseNothing checks that the cues, which only save time, are found for every
// phrase and stand in everything it matches.
func TestCuesLoseNothing(t *testing.T) {
	grammars := map[string]func() grammar{"en complaint": englishComplaints, "ko complaint": koreanComplaints, "en record": englishRequests, "ko record": koreanRequests}
	for name, g := range grammars {
		for _, p := range g().phrases {
			if len(p.cues) == 0 {
				t.Errorf("%s: %q has no cues", name, p.pattern)
			}
		}
	}
	for _, set := range []string{"complaint", "record"} {
		for i, x := range sentencesOf(t, set) {
			if i%3 != 0 { // every phrase against every sentence takes a minute under -race
				continue
			}
			for _, s := range sentences(x.text) {
				for name, g := range grammars {
					for _, p := range g().phrases {
						if m := p.pattern.FindString(s.norm); m != "" && !p.cued(s.norm) {
							t.Errorf("%s: %q matches %q, which has none of %q", name, p.pattern, m, p.cues)
						}
					}
				}
			}
		}
	}
}
