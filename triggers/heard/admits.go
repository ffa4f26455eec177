package heard

import "strings"

// maxAdmits is how far into an answer an agent admits what the message before it says, in bytes.
const maxAdmits = 300

// Admits returns the sentence in which an answer begins by admitting a mistake, "" for none. Of 25 hints that were answered so, in
// 1,855 answers to four people, 24 were complaints or corrections when read.
func Admits(answer string) string {
	for line := range strings.Lines(answer[:min(len(answer), maxAdmits)]) {
		for s := range strings.SplitSeq(strings.TrimSpace(line), ". ") {
			if says("admits").MatchString(s) {
				return clip(s, maxEvidence)
			}
		}
	}
	return ""
}
