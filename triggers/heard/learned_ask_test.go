package heard

import "testing"

func TestAsksWhatWasLearned(t *testing.T) {
	for text, days := range map[string]int{
		"What did you learn today?":            1,
		"ok, which lessons came in this week?": 7,
		"오늘 뭐 배웠어?":                            1,
		"이번 주에 어떤 교훈이 생겼어?":                    7,
		"add a page of lessons for today":      0,
		"오늘 수업 목록을 보여 줘":                       0,
		"what is the lesson plan?":             0,
	} {
		if got := AsksWhatWasLearned(text); got != days {
			t.Errorf("%q asks for %d days, not %d", text, got, days)
		}
	}
}
