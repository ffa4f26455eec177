package heard

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata/quality with today's figures")

// TestJudge holds what was decided: what is plain, what is at least a hint, and what is never plain.
// TestSupposed: what would have to fail is no complaint.
func TestSupposed(t *testing.T) {
	for _, text := range []string{
		"api client에 재시도 넣어줘, 실패하면 그냥 null", "if it fails again just return null", "add a retry; if the upload fails again, give up", "에러가 나면 로그만 남겨줘",
	} {
		if j := Judge(text, Context{Later: true, Edited: true}); j.Kind != "" {
			t.Errorf("%q is a %s %s", text, j.Strength, j.Kind)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, text := range []string{
		"또 안 돼요, 어제 고친 건데", "또 안 돼", "또 안되네", "아까 고쳤잖아", "여전히 안 되네요", "같은 에러가 계속 나와요", "수정했다며 왜 그대로야", "로그인 버그가 재발했습니다",
		"아직도 500 에러 나는데요", "메뉴관리가 여전히 조회되지 않는다. 다시한번 확인해 줘.", "여전히 주황색으로 보인다. 캐시를 모두 지운 뒤에 실행해보면 어떨까?",
		"why does it keep failing", "why does this test keep failing?", "it broke again", "Still failing after your fix", "same error as yesterday", "the bug is back",
		"The fix didn't work.", "it's still not working", "ugh, not again", "it keeps crashing on startup", "you said it was fixed", "revert that, it broke again",
		"The tests are still failing. Can you run them once more?", "I'm still getting a failure on npm run test:e2e.",
	} {
		if j := Judge(text, Context{Later: true, Edited: true}); j.Kind != Complaint && j.Kind != Correction || j.Strength != Plain || j.Evidence == "" {
			t.Errorf("%q is %q %q, want a plain complaint", text, j.Strength, j.Kind)
		}
	}
	for _, text := range []string{
		"아니야, 포트는 8080이 아니라 3000이야", "하지 말라고 했잖아", "No, the port is 5433, not 5432.", "No, stop using larger values.", "that was not right, there already was a spec for it",
		"I already told you to use UTC", "I told you twice", "you're editing the wrong folder", "that's wrong, the endpoint is /v2/orders",
		"that's not what I asked for", "this is not what we wanted", "that is what I said",
	} {
		if j := Judge(text, Context{Later: true}); j.Kind != Complaint && j.Kind != Correction || j.Strength != Plain {
			t.Errorf("%q is %q %q, want a plain correction", text, j.Strength, j.Kind)
		}
	}
	for _, text := range []string{
		"why are you editing files in the main folder, not the session's?", "머지하면서 화면이 완전 깨졌는데? 다시 확인해줘", "now the sidebar is gone", "the map doesn't show up on the second page",
		"네가 고친 뒤로 화면이 안 나와", "그거 말고 왼쪽 버튼", "stop deleting my comments",
	} {
		if j := Judge(text, Context{Later: true, Edited: true}); j.Kind != Complaint && j.Kind != Correction {
			t.Errorf("%q is %q %q, want at least a hint", text, j.Strength, j.Kind)
		}
	}
	for _, text := range []string{
		"regression", "It's a regression.", "we have another regression", "회귀 버그네요", "비슷한 실수", "저번과 유사한 문제야", "a similar mistake",
		"must validate input", "You must escape what the customer typed", "서버에서 반드시 입력값을 검증해야 해", "금액은 꼭 다시 계산해야 합니다",
		"actually it is 8080", "Actually, the queue is FIFO", "사실 포트는 5433이야", "전에는 안 그랬어", "어제까지만 해도 이러지 않았어요", "it never did this before",
		"해결됐다더니 다시 재현됩니다", "끝났다면서 또 그래요", "고쳤다고 했는데 재현되네요",
		"from now on always run the linter before you say done", "앞으로는 다 됐다고 말하기 전에 항상 린트를 돌려줘",
	} {
		if j := Judge(text, Context{}); j.Kind == "" || j.Kind == Record {
			t.Errorf("%q is %q %q, want at least a hint", text, j.Strength, j.Kind)
		}
	}
	for _, text := range []string{ // a question about a state, agreement after no, a choice
		"워커를 아직도 재시작해야 하나?", "그 플래그가 아직 필요한가요?", "여전히 파이썬 3.9도 지원하나?", "do we still need to restart the worker?", "Are we still on node 18?",
		"no, this is fine", "no, then it's good", "No, I'm happy with it", "nope, keep it like that", "아니, 괜찮아", "아니야 이대로 좋아", "아니요, 이 정도면 충분해요",
		"세 번째 버튼을 왼쪽으로 옮겨줘", "회귀 분석 해줘", "fit a regression to the data",
	} {
		for _, c := range []Context{{}, {Later: true}, {Later: true, Edited: true}} {
			if j := Judge(text, c); j.Kind != "" {
				t.Errorf("%q is a %s %s (%q), want nothing", text, j.Strength, j.Kind, j.Evidence)
			}
		}
	}
	for _, text := range []string{"아직도 500 에러가 나나요?", "is it still broken?", "no, it's still broken", "No, the other port is right, I said 3000", "아직도 그대로야?"} {
		if j := Judge(text, Context{Later: true}); j.Kind == "" {
			t.Errorf("%q is nothing", text)
		}
	}
	for _, text := range []string{"No, don't push it", "no, skip the docs", "No. Please don't add tests yet.", "아니요, 지우지 마세요", "아니, 하지 마"} {
		if j := Judge(text, Context{Later: true, Edited: true, Asked: true}); j.Kind != "" {
			t.Errorf("%q answers a question, and is a %s %s", text, j.Strength, j.Kind)
		}
		if j := Judge(text, Context{Later: true, Edited: true}); j.Kind != Correction {
			t.Errorf("%q answers nothing, and is %q %q", text, j.Strength, j.Kind)
		}
	}
	for _, text := range []string{
		"기록해", "이거 기록해줘", "이거 교훈으로 남겨", "기록해 둬", "방금 실수 기록해 놔", "record this lesson", "Please record this.", "save this as a lesson", "remember this mistake",
		"make a lesson out of this so we don't repeat it", "Please record this lesson: never run the seeder against prod", "write this down as a gotcha", "record all the lessons from this session",
	} {
		if j := Judge(text, Context{}); j.Kind != Record || j.Strength != Plain {
			t.Errorf("%q is %q %q, want a plain request to record", text, j.Strength, j.Kind)
		}
	}
	for _, text := range []string{
		"", "   ", "아니", "아니 그래서 어떻게 하라는 거야", "응", "run the regression tests", "linear regression on this data", "there are no regressions", "make sure there are no regressions", "fit a logistic regression again",
		"회귀 분석 해줘", "회귀 테스트 돌려줘", "다시 해줘", "다시 실행해줘", "try again", "run it again", "please retry", "if it fails again, send me an email", "또 실패하면 알려줘", "이제 안 깨져요", "it no longer fails",
		"works again, thanks", "Actually, let's also add tests", "no dialog appeared", "don't push directly to that branch", "that approach won't work for X, let's use Y", "leave it alone", "the log says \"it failed again\"",
		"```\nit broke again\n```", "> why does it keep failing\nWhat does this sentence mean", "add retry logic so it keeps working", "explain why tests fail", "에러 처리 추가해줘", "같은 실수 하지 않게 테스트 추가해줘",
		"재발 방지 대책 정리해줘", "record the video of the demo", "화면을 기록하는 기능 만들어줘", "기록하지 마", "don't record this", "로그를 파일에 기록해줘", "create a lessons table for the piano lesson app",
		"what is a regression test?", "add error handling", "implement the login page", "커밋하고 푸시해줘", "내일 일정 알려줘", "요약해줘", "the function is called a second time when the page loads",
		"remember to run the linter", "DNS record is missing a field", "ensure this doesn't happen again", "the tests are green again", "이 함수 설명해줘", "또 다른 방법 있어?", "그리고 또 하나 추가해줘",
		"forget the rule about pnpm", "그 교훈은 지워줘", "there must be a better way", "Casino, great place", "the auth test actually passes now", "no worries, take your time", "아니 그래서 결론이 뭐야",
		"another PR comment", "continue with the remaining pages", "go ahead and commit the fixes of this session, then create a task for the remaining failures", "1. yes, they are still payable 2. yes 3. a text field",
		"now it can handle only two decimals, make it four", "메일이 여전히 실패하나요?", "아직도 로그인이 안 되나요?",
	} {
		if j := Judge(text, Context{Later: true}); j.Strength == Plain {
			t.Errorf("%q is a plain %s (%q)", text, j.Kind, j.Evidence)
		}
	}
}

// TestOwnWords: what a host, a program or another person says is not what the person says.
func TestOwnWords(t *testing.T) {
	for text, want := range map[string]string{
		"fix it\n```\nit broke again\n```\nplease":                                      "fix it\nplease",
		"what does `it broke again` mean?":                                              "what does code mean?",
		"> it broke again\nWhat is this?":                                               "What is this?",
		"<task-notification>it broke again</task-notification>":                         "",
		"<system-reminder>\nstill failing\n</system-reminder>\nGo on.":                  "Go on.",
		"<command-message>deploy</command-message><command-name>/deploy</command-name>": "",
		"<user_query>\nthe button is gone\n</user_query>":                               "the button is gone",
		"why?\n2026-01-02T03:04:05Z it broke again":                                     "why?",
		"here:\n--- FAIL: TestX (0.00s)\n    x_test.go:3: still broken\nfix it please":  "here:\nfix it please",
		"look\n  at foo (bar.js:1:2)\n  at baz (bar.js:3:4)":                            "look",
		"Uncaught TypeError: it is still undefined":                                     "",
		"| a | it broke again |\n| --- | --- |\n\nok":                                   "ok",
		"diff --git a/x b/x\n@@ -1 +1 @@\n-foo := 1;\n+bar := 2;":                       "",
		"@src/app.ts still fails, see https://example.com/again":                        "file still fails, see link",
		"❯ npm run build\nit works on my machine":                                       "it works on my machine",
	} {
		if got := OwnWords(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	long := "Please build this.\n" + strings.Repeat("The report lists every invoice that was not paid. It is wrong when the date is missing.\n", 20)
	if m := own(long); len(m.sentences) != 1 || !m.pasted {
		t.Errorf("of a document %d sentences are the person's", len(m.sentences))
	}
}

// What a person is shown, and what becomes a card's rule, stands as they wrote it: code, quotations, files and all.
func TestEvidenceAsWritten(t *testing.T) {
	for text, want := range map[string]string{
		"from now on always use `pnpm` instead of `npm` here":                                    "from now on always use `pnpm` instead of `npm` here",
		"no, you should use src/api/client.ts for that, \"fetch\" is not allowed":                "no, you should use src/api/client.ts for that, \"fetch\" is not allowed",
		"아니 \"`결제` 완료\"가 아니라 `주문`이라니까":                                                           "아니 \"`결제` 완료\"가 아니라 `주문`이라니까",
		"Thanks. From now on never edit CLAUDE.md (see https://a.example/b), `docs/` is enough.": "From now on never edit CLAUDE.md (see https://a.example/b), `docs/` is enough.",
	} {
		if got := Judge(text, Context{}).Evidence; got != want {
			t.Errorf("%s\n%s", want, got)
		}
	}
}

func TestContextOf(t *testing.T) {
	for _, c := range []struct {
		before []Said
		edited []string
		want   Context
	}{
		{nil, nil, Context{}},
		{[]Said{{"user", "do it"}, {"assistant", "Done."}}, []string{"a.go"}, Context{Later: true, Edited: true}},
		{[]Said{{"user", "do it"}, {"assistant", "Shall I go on?"}}, nil, Context{Later: true, Asked: true}},
		{[]Said{{"user", "do it"}, {"assistant", "Which one?"}, {"user", "both"}}, nil, Context{Later: true}},
	} {
		if got := ContextOf(c.before, c.edited); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.before, got, c.want)
		}
	}
}

func TestEndsAsking(t *testing.T) {
	for answer, want := range map[string]bool{
		"Done.":                                     false,
		"Shall I delete it?":                        true,
		"**Shall I delete it?**":                    true,
		"Want me to push? I can also wait.":         true,
		"Which one?\n\n1. the first\n2. the second": true,
		"What changed?\n\n- the port\n- the name":   false,
		"지울까요?":                                     true,
		"다 됐습니다. 푸시할까요.":                            true,
		"Why did it fail? The key was missing.\n\nIt is fixed, and the tests pass.": false,
		"": false,
	} {
		if got := EndsAsking(answer); got != want {
			t.Errorf("%q: %v", answer, got)
		}
	}
}

// TestTheConversationDecides: the same words are less of a complaint when nothing was done before.
func TestTheConversationDecides(t *testing.T) {
	const text = "the sidebar does not show up"
	first, later := Judge(text, Context{First: true}), Judge(text, Context{Later: true, Edited: true})
	if first.Kind != "" || later.Kind != Complaint || later.Strength != Hint {
		t.Errorf("first %+v, after an edit %+v", first, later)
	}
}

// TestPages: every cue of a page has a pattern that can match, and the model knows no cue that is gone.
func TestPages(t *testing.T) {
	known := []string{"#asked", "#edited", "#empty", "#first", "#items", "#later", "#long", "#pasted", "#short"}
	for _, page := range cues() {
		for _, c := range page {
			known = append(known, c.name, c.kind, c.kind+"^")
		}
	}
	for name := range learned().weight {
		if !slices.Contains(known, name) {
			t.Errorf("weights.txt knows %q, no page does", name)
		}
	}
	if got := learned().render(); got != weightsFile {
		t.Error("weights.txt does not read back as it is written")
	}
	for _, lang := range []string{"en", "ko"} {
		if p := loadRules(lang); len(p.phrases) == 0 {
			t.Errorf("no rules in %s", lang)
		}
	}
}

// TestLiteralsLoseNothing: the texts that stand for a pattern stand in every sentence that it matches.
func TestLiteralsLoseNothing(t *testing.T) {
	for _, set := range []string{"complaint", "record", "rules"} {
		for _, s := range sentencesOf(t, set) {
			for _, one := range own(s.text).sentences {
				for _, page := range cues() {
					for _, c := range page {
						if c.pattern.expr().MatchString(one.norm) && !c.pattern.may(seek(one.norm)) {
							t.Errorf("%s: %q", c.kind, one.norm)
						}
					}
				}
				for _, page := range rulePages() {
					for _, r := range page.phrases {
						if r.pattern.expr().MatchString(one.said) && !r.pattern.may(seek(one.said)) {
							t.Errorf("%s: %q", r.pattern.expr(), one.said)
						}
					}
				}
				if undoing().expr().MatchString(one.said) && !undoing().may(seek(one.said)) {
					t.Errorf("undo: %q", one.said)
				}
			}
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, s := range []string{"또 안 돼", "it broke again", "```", "\"", "> x", "<a-b>", "</user_query>", "\xff", strings.Repeat("again ", 500), "never commit to main"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		j := Judge(text, Context{Later: true})
		if (j.Kind == "") != (j.Strength == "") || j.Kind != "" && j.Evidence == "" {
			t.Fatalf("%q is %+v", text, j)
		}
		if !utf8.ValidString(j.Evidence + strings.Join(j.Rules, "")) {
			t.Fatalf("%+v is not UTF-8", j)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	for b.Loop() {
		Judge("Please look at the handler: the export is slow and the test in report_test.go takes a minute. 왜 이렇게 오래 걸리는지 확인해줘.", Context{})
	}
}
