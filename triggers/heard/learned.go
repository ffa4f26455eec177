package heard

import "github.com/handrail-dev/handrail/lessons/lazyregexp"

// askLearned matches a question for what was learned, with the time that it asks about.
var askLearned = lazyregexp.New(`(?i)^\W*(?:\w+\W+){0,3}?(?:what|which)\b[^.?!\n]{0,40}\b(?:learn(?:ed|t)?|lessons?)\b[^.?!\n]{0,30}\b(today|this week)\b` +
	`|^[^.?!\n]{0,10}(오늘|이번 ?주)[^.?!\n]{0,12}(?:뭘?|무엇을|무슨|어떤|뭐를?)[^.?!\n]{0,12}(?:배웠|배운|교훈)`)

// AsksWhatWasLearned returns of how many days a message asks what was learned in them: today, or a week; 0 where
// it asks for something else.
func AsksWhatWasLearned(text string) int {
	if len(text) > maxClause {
		return 0
	}
	switch m := askLearned().FindStringSubmatch(text); {
	case m == nil:
		return 0
	case m[1] == "today" || m[2] == "오늘":
		return 1
	}
	return 7
}
