package heard

import (
	"strings"
	"testing"
)

// TestIntent: only an order in the person's own words starts work that makes many lessons.
func TestIntent(t *testing.T) {
	for message, want := range map[string]Intent{
		// orders
		"record these lessons":                                    Asks,
		"Please  RECORD   all the lessons from this session!":     Asks,
		"ok, fix the test and then record the lessons we learned": Asks,
		"can you draft lessons for both mistakes?":                Asks,
		"draft three separate lessons":                            Asks,
		"Write lessons from what went wrong today.":               Asks,
		"turn these mistakes into lesson cards":                   Asks,
		"save that as a lesson":                                   Asks,
		"record this":                                             Asks,
		"don't forget to record the lessons":                      Asks,
		"let's capture the takeaways":                             Asks,
		"\trecord \u200bthese\t\tlessons \n":                      Asks,
		"record\u00a0these\u00a0lessons":                          Asks,
		"add it to the brain":                                     Asks,
		"교훈들 모두 기록해 줘":                                            Asks,
		"이번 실수들 전부 교훈 카드로 정리해줘":                                   Asks,
		"고쳤으면 이거 기록해줘":                                            Asks,
		"기록해":                                                     Asks,
		"오늘 배운 점을 초안으로 남겨 주세요":                                    Asks,
		"교훈  초안   작성해줘":                                           Asks,
		"write the lessons down":                                  Asks,
		"add both as lessons":                                     Asks,
		"lessons를 기록해줘":                                           Asks,
		// taken back
		"don't record lessons":                         Forbids,
		"Do not draft any lessons, just fix it":        Forbids,
		"fix it without writing lessons":               Forbids,
		"please don’t record this":                     Forbids,
		"no lessons please":                            Forbids,
		"stop creating drafts":                         Forbids,
		"no need to save these as lessons":             Forbids,
		"record the lessons? no, don't record lessons": Forbids,
		"교훈은 기록하지 마":                                   Forbids,
		"교훈 초안 만들지 말고 고치기만 해":                          Forbids,
		"I'd rather you not record lessons":            Forbids,
		"don't bother recording lessons":               Forbids,
		"굳이 교훈 남길 필요 없어":                               Forbids,
		"기록은 하지 마세요":                                   Forbids,
		"이거 기록하지 마":                                    Forbids,
		"교훈은 남길 필요 없어":                                 Forbids,
		// nothing, and something else
		"":                              Silent,
		"   \t ":                        Silent,
		"write a PyTorch training loop": Silent,
		"schedule a practice session for the choir":   Silent,
		"don't run self-play":                         Silent,
		"write a lesson planner in PyTorch":           Silent,
		"schedule a piano lesson for the choir":       Silent,
		"add a lessons table to the school database":  Silent,
		"create a lesson for grade 5 students":        Silent,
		"record the screen while the test runs":       Silent,
		"save this":                                   Silent,
		"make a card component":                       Silent,
		"how do I record lessons?":                    Silent,
		"we recorded three lessons yesterday":         Silent,
		"the agent will record lessons by itself":     Silent,
		"prerecord lessons":                           Silent,
		"record lessonsplan.txt":                      Silent,
		`the button must say "record these lessons"`:  Silent,
		"> record these lessons\nwhat does that do?":  Silent,
		"```\nrecord these lessons\n```":              Silent,
		"the lesson of this story is that tests help": Silent,
		"fix the login page":                          Silent,
		"로그를 파일에 기록해줘":                                Silent,
		"collect lessons from the API":                Silent,
		"keep the lessons from overlapping":           Silent,
		"save lessons to the database":                Silent,
		"레슨을 추가해줘":                                    Silent,
		"레슨 예약 페이지를 만들어줘":                             Silent,
		"교훈 목록 화면 만들어줘":                               Silent,
		"교훈이 뭐야?":                                     Silent,
		"로그는 기록하지 마":                                  Silent,
		"실수로 지운 파일을 복구해줘":                             Silent,
	} {
		if got := IntentOf(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func FuzzIntent(f *testing.F) {
	f.Add("record these lessons")
	f.Add("교훈은 기록하지 마")
	f.Fuzz(func(t *testing.T, message string) {
		switch IntentOf(message) {
		case Silent, Asks, Forbids:
		default:
			t.Error("neither")
		}
	})
}

func BenchmarkIntent(b *testing.B) {
	plain := "add a telegram command that restarts the server, and write a test that sends it from a chat that is not on the list"
	for name, message := range map[string]string{
		"plain": plain, "order": plain + ". record the lessons", "page": strings.Repeat(plain+" and note what it says.\n", 450),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				IntentOf(message)
			}
		})
	}
}
