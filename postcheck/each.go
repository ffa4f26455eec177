package postcheck

import "strings"

// each is what code must have as often as something else: a timeout for each job.
type each struct {
	of  cue
	has []cue
}

func eachOf(line string) []each {
	var out []each
	for pair := range strings.SplitSeq(line, " | ") {
		of, has, _ := strings.Cut(pair, " > ")
		out = append(out, each{of: cue{strings.TrimSpace(of)}, has: cuesOf(strings.ReplaceAll(has, " or ", " | "))})
	}
	return out
}

// falls reports whether code has something less often than it should.
func (a *reading) falls(e each) bool {
	return len(a.codeWith(e.of)) > len(a.codeWith(e.has...))
}

// codeWith returns the lines of code that hold one of some cues.
func (a *reading) codeWith(cues ...cue) map[int]bool {
	out := map[int]bool{}
	for _, q := range cues {
		a.find(a.lower, q, func(place, _ int, as standing) {
			if as == said && a.inCode[place] {
				out[place] = true
			}
		})
	}
	return out
}
