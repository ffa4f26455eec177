package triggers

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClassify(t *testing.T) {
	for want, texts := range map[Trigger][]string{
		Complaint: {
			"또 안 돼요, 어제 고친 건데", "또 안 돼", "또 안되네", "이거 왜 반복돼?", "비슷한 실수 또 했네", "고쳤는데 깨졌어", "아까 고쳤잖아", "여전히 안 되네요",
			"같은 에러가 계속 나와요", "왜 자꾸 테스트가 깨져", "수정했다며 왜 그대로야", "다시 깨졌어요", "몇 번을 말해야 돼", "벌써 세 번째야", "로그인 버그가 재발했습니다", "하지 말라고 했잖아",
			"아직도 500 에러 나는데요", "배포하고 나니까 또 한글이 깨짐", "어제까지는 잘 됐는데 오늘은 오류나요", "똑같은 실수를 반복하네", "네가 고친 뒤로 빌드가 실패해",
			"why does it keep failing", "why does this test keep failing?", "it broke again", "Still failing after your fix", "same error as yesterday", "You made the same mistake again",
			"there's a regression in the export after the last merge", "the bug is back", "I thought we fixed this", "your change broke the login page", "this is the third time - read the file first",
			"The fix didn't work.", "it's still not working", "ugh, not again", "it keeps crashing on startup", "you removed the null check again", "I already told you to use UTC", "This worked yesterday",
			"ok but it is still throwing the same exception", "doesn't work again, please look", "stop deleting my comments", "you said it was fixed",
		},
		Record: {
			"기록해", "이거 기록해줘", "이거 교훈으로 남겨", "기록해 둬", "방금 실수 기록해 놔", "이번 건 레슨으로 저장해줘", "다음에 또 안 하게 이거 적어둬", "이 실수는 꼭 기억해 둬",
			"record this lesson", "Please record this.", "remember this mistake", "save this as a lesson", "add a lesson card for this", "write this down as a gotcha", "make a lesson out of this so we don't repeat it", "note this for next time",
			"Please record this lesson: never run the seeder against prod", "Save this as a lesson: the proxy strips the Authorization header",
		},
		Correction: {
			"아니야, 포트는 8080이 아니라 3000이야", "틀렸어요, 그 함수는 비동기 함수예요", "사실과 달라요. 그 회사는 2015년에 설립됐어요", "잘못 알고 있네, 그건 관계형 데이터베이스가 아니야", "지어내지 마, 그런 설정 키는 없어",
			"that's wrong, the endpoint is /v2/orders", "No, the port is 5433, not 5432.", "You got it backwards: the client signs, the server verifies",
		},
		"": {
			"", "   ", "아니", "아니 그래서 어떻게 하라는 거야", "응", "run the regression tests", "linear regression on this data", "there are no regressions", "make sure there are no regressions", "fit a logistic regression again",
			"회귀 분석 해줘", "회귀 테스트 돌려줘", "다시 해줘", "다시 실행해줘", "try again", "run it again", "please retry", "if it fails again, send me an email", "또 실패하면 알려줘", "이제 안 깨져요", "it no longer fails", "works again, thanks",
			"Actually, let's also add tests", "no dialog appeared", "don't push directly to that branch", "that approach won't work for X, let's use Y", "leave it alone", "the log says \"it failed again\"", "```\nit broke again\n```", "> why does it keep failing\nWhat does this sentence mean",
			"add retry logic so it keeps working", "explain why tests fail", "에러 처리 추가해줘", "같은 실수 하지 않게 테스트 추가해줘", "재발 방지 대책 정리해줘", "record the video of the demo", "화면을 기록하는 기능 만들어줘", "기록하지 마", "don't record this", "로그를 파일에 기록해줘", "create a lessons table for the piano lesson app",
			"what is a regression test?", "add error handling", "implement the login page", "커밋하고 푸시해줘", "내일 일정 알려줘", "요약해줘", "the function is called a second time when the page loads", "remember to run the linter", "DNS record is missing a field",
			"ensure this doesn't happen again", "the tests are green again", "이 함수 설명해줘", "또 다른 방법 있어?", "그리고 또 하나 추가해줘",
			// What asks to forget is no memory of it.
			"forget the rule about pnpm", "forget what I said about the cache", "그 교훈은 지워줘", "아까 말한 규칙은 잊어줘",
			"I want you to fix the parser bug now", "there must be a better way", "I must say this looks great", "Casino, great place", "the auth test actually passes now", "no worries, take your time", "아니 그래서 결론이 뭐야",
		},
	} {
		for _, text := range texts {
			if got, e, _ := Classify(text); got != want {
				t.Errorf("Classify(%q) = %q (%q), want %q", text, got, e, want)
			}
		}
	}
}

func FuzzClassify(f *testing.F) {
	for _, s := range []string{"또 안 돼", "it broke again", "```", "\"", "> x", "\xff", strings.Repeat("again ", 500)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		trigger, evidence, ok := Classify(text)
		if ok != (trigger != "") || ok && evidence == "" {
			t.Fatalf("Classify(%q) = %q, %q, %v", text, trigger, evidence, ok)
		}
		if !utf8.ValidString(evidence) {
			t.Fatalf("evidence %q is not UTF-8", evidence)
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	for b.Loop() {
		Classify("Please look at the handler: the export is slow and the test in report_test.go takes a minute. 왜 이렇게 오래 걸리는지 확인해줘.")
	}
}
