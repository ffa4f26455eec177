package heard

import (
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// blames matches a sentence that says what the agent did, or what it must not do. "You" who is only asked for something
// is no longer one by then.
var blames = lazyregexp.New(`\byou(?:r|re|ve|d)?\b|\b(?:dont|do not|never|no need|must|should not|shouldnt|stop|without|instead of)\b|` +
	`지 ?마|말고|말라고?|하지 말|[네니너]가 |왜 .*(?:했|바꿨|바꾸|지웠|지우|넣)`)

// Blames reports whether a correction is about what the agent did or must not do, and not about what the person had meant.
func Blames(text string) bool {
	for _, s := range own(text).sentences {
		if !strings.HasSuffix(s.said, "?") && blames().MatchString(s.norm) {
			return true
		}
	}
	return false
}
