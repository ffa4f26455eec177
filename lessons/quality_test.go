package lessons

import (
	"strings"
	"testing"
)

// TestChatTitles: a title that is a turn of a conversation never comes back as a request
// does. Error signatures exempt a fragment; questions and "please" are kept.
func TestChatTitles(t *testing.T) {
	long := "continue the import after a malformed row instead of dropping the whole file silently"
	for title, chat := range map[string]bool{
		// direct address
		"notify me when the build is done": true, "when the tests pass, ping me": true, "please tell me what broke": true,
		"remind me to rotate the key": true, "run the tests and let me know": true, "끝나면 알려줘": true, "배포되면 말해 주세요": true,
		// fragments
		"it still fails": true, "That's not right": true, "this is wrong": true, "same problem": true, "still broken": true, "again!": true,
		"and the tests too": true, "but why": true, "also the docs": true, "ok": true, "yes please": true, "no that's wrong": true, "no, the other one": true,
		"now it works": true, "그게 아니라 이쪽": true, "또 안 돼": true, "아직도 깨져": true, "응": true, "근데 왜": true, "이제 됐네": true,
		"and everything else": true, "that error again": true, // only the names of errors exempt
		// turn commands, when they are short
		"proceed": true, "continue with the next file": true, "try again": true, "go ahead": true, "retry": true, "please continue": true,
		"계속 진행해줘": true, "재시도 해": true, "이어서 해줘": true,
		long: false, "이어서 내려받은 파일의 체크섬은 마지막 조각까지 받은 뒤에 전체를 대상으로 다시 계산해야 하고 조각마다 따로 계산하면 안 된다": false,
		// with an error signature
		"No module named 'requests' in the worker image": false, "That ECONNREFUSED on startup": false, "still TypeError in the parser": false,
		"again E0382 in the borrow checker": false, "this `os.Exit` skips deferred calls": false, "no such file after the move": false, "또 ENOENT가 난다": false, "아직도 NullPointerException": false,
		// names of mistakes that begin like a fragment
		"Same-origin policy breaks uploads": false, "Now() is read twice in one transaction": false, "No allowlist before remote commands": false,
		"Retry storms take the queue down": false, "Continue-on-error hides failing steps": false, "No-op migrations take a lock": false,
		"다시마 이미지 캐시가 비워지지 않음": false, "예외를 삼켜 실패가 숨음": false,
		// questions and politeness
		"How do I parse JSON?": false, "Please escape paths in shell commands": false, "왜 한글 CSV가 깨지나?": false,
		"Telegram commands need an allowlist": false, "": false,
	} {
		if got := isChat(title); got != chat {
			t.Errorf("isChat(%q) = %v", title, got)
		}
	}
}

// TestRules: without a mistake a draft must tell somebody what to do.
func TestRules(t *testing.T) {
	for text, rule := range map[string]bool{
		"Check the allowlist before any command runs":                      true,
		"Never commit the generated files":                                 true,
		"When a request times out, retry it at most twice":                 true,
		"If the lock file changes, it must be part of the commit":          true,
		"Before a release the changelog should name every breaking change": true,
		"허용목록을 먼저 확인한다":                                                    true,
		"배포 전에 마이그레이션을 실행할 것":                                              true,
		"생성된 파일은 커밋하지 말 것":                                                 true,
		"토큰 만료 단위를 확인해야 합니다.":                                              true,
		"The user likes tabs":                                              false,
		"The agent forgot the allowlist last week":                         false,
		"It is a monorepo with three services":                             false,
		"There are two databases in the test setup":                        false,
		"When the tests run, the cache is warm":                            false,
		"When asked about the weather, use the weather tool":               false,
		"If the user asks about lessons, call the search function.":        false,
		"사용자는 탭을 좋아한다":                                                     false,
		"날씨를 물어보면 날씨 도구를 사용한다":                                             false,
		"테스트 데이터베이스가 두 개 있음":                                               false,
		"Use tabs": false, // too short to say when
		"Check " + strings.Repeat("each of the many files ", 30): false,
		"Deployments of the worker image":                        false,
	} {
		if got := isRule(text); got != rule {
			t.Errorf("isRule(%q) = %v", text, got)
		}
	}
	named := Draft{Title: "The user likes tabs", Sections: map[SectionName]string{Mistake: "Spaces went in."}}
	if _, weak := named.NotARule(); weak {
		t.Error("a draft with a mistake need not be a rule")
	}
	for _, none := range []string{"", "none", "N/A", "없음"} {
		d := Draft{Title: "Tabs in Go files", Sections: map[SectionName]string{Mistake: none, Fix: "Run gofmt before the commit"}}
		if _, weak := d.NotARule(); weak {
			t.Errorf("mistake %q: its fix is a rule", none)
		}
		d.Sections[Fix] = "The files have tabs now"
		if p, weak := d.NotARule(); !weak || p.Code != NoRule {
			t.Errorf("mistake %q: a description passes", none)
		}
	}
}

// TestPlaceholdersSayNothing: what a form leaves open is no root cause and no checklist item.
func TestPlaceholdersSayNothing(t *testing.T) {
	for text, nothing := range map[string]bool{
		"": true, "TBD": true, "todo:": true, "n/a.": true, "<root cause>": true, "[why it happened]": true, "{{cause}}": true, "____": true, "- none": true,
		"To be determined.": true, "not sure": true, "작성 예정": true, "해당 없음": true, "**없음**": true, "<!-- Why did it happen? -->": true,
		"The `<T>` of the map was nil": false, "[redacted] stood in the URL": false, "None of the handlers checked": false, "모름이 아니라 확인하지 않음": false,
	} {
		if got := saysNothing(text); got != nothing {
			t.Errorf("saysNothing(%q) = %v", text, got)
		}
	}
	if isConcrete("[what to check]") || isConcrete("TODO") {
		t.Error("a placeholder is a checklist item")
	}
}
