package heard

import (
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// admits matches how an agent says that a mistake was its own.
var admits = lazyregexp.New(`(?i)\bapologi[sz]e\b|\bapologies\b|(?:^|[.!,–—-] |\bi.?m (?:so |very |really )?)sorry\b|\bmy (?:mistake|error|oversight)\b|` +
	`\bi (?:should(?:n.?t| not)? have|made an? (?:\w+ )?(?:mistake|error)|misunderst|misread|incorrectly|mistakenly|wrongly|was wrong|` +
	`accidentally|overlooked|forgot)|죄송|제가 (?:잘못|실수)`)

// maxAdmits is how far into an answer an agent admits what the message before it says, in bytes.
const maxAdmits = 300

// Admits returns the sentence in which an answer begins by admitting a mistake, "" for none. Of 25 hints that were answered so, in
// 1,855 answers to four people, 24 were complaints or corrections when read.
func Admits(answer string) string {
	for line := range strings.Lines(answer[:min(len(answer), maxAdmits)]) {
		for s := range strings.SplitSeq(strings.TrimSpace(line), ". ") {
			if admits().MatchString(s) {
				return clip(s, maxEvidence)
			}
		}
	}
	return ""
}
