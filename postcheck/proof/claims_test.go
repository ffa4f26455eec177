package proof

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck/check"
)

func TestClaims(t *testing.T) {
	for text, want := range map[string]string{
		// What is claimed.
		"All tests pass.":                                             "tests",
		"The whole suite is green now.":                               "tests",
		"✅ **Unit tests**: 12/12 passing":                             "tests",
		"- [x] All 14 tests now pass":                                 "tests",
		"Tests: 31 passed, 31 total":                                  "tests",
		"`go test ./...` passes.":                                     "tests",
		"All tests pass, with no failures.":                           "tests",
		"The tests are updated and passing.":                          "tests",
		"The build succeeded.":                                        "build",
		"Great! The code compiles successfully. Next, tidy.":          "build",
		"No type errors.":                                             "build",
		"`npm run build` — SUCCESS":                                   "build",
		"Lint is clean.":                                              "lint",
		"The linter found it: no lint errors, and it builds cleanly.": "build lint",
		"I've committed the change.":                                  "commit",
		"It compiles with only minor warnings; the build is clean.":   "build",
		"Changes committed.":                                          "commit",
		"Committed and pushed to `main`.":                             "commit push",
		"I pushed the fix to main.":                                   "push",
		"The tests pass, but the build is not done.":                  "tests",
		"테스트가 모두 통과했습니다.":                                             "tests",
		"빌드 성공":                                                       "build",
		"린트 오류가 없습니다.":                                                "lint",
		"커밋했습니다.":                                                     "commit",
		"커밋하고 푸시까지 완료했습니다.":                                           "commit push",
		"전체 테스트 통과, 빌드도 성공했습니다.":                                      "build tests",
		// What is not.
		"They should now pass.":                                 "",
		"The tests should pass now.":                            "",
		"Run `npm test`; all tests should pass.":                "",
		"Verify all tests pass":                                 "",
		"Do all tests pass?":                                    "",
		"If the build passes, push it.":                         "",
		"I'll push to main once the tests pass.":                "",
		"Two tests fail, the others pass.":                      "",
		"12/14 tests passing":                                   "",
		"93% of the tests pass.":                                "",
		"Almost all tests pass.":                                "",
		"I have not committed anything.":                        "",
		"I haven't pushed the branch.":                          "",
		"It pushed 3 columns onto the grid.":                    "",
		"The test passes the token to the client.":              "",
		"### What was committed":                                "",
		"Verifying our changes were committed":                  "",
		"The tests successfully:":                               "",
		"You said \"all tests pass\".":                          "",
		"> All tests pass.":                                     "",
		"```\nAll tests pass.\n```":                             "",
		"- [ ] All tests pass":                                  "",
		"## Definition of done\n- All tests pass\n- Lint clean": "",
		"Next steps:\n- Build passes\n- pushed to main":         "",
		"The commit message follows the convention.":            "",
		"CI will tell whether the build is green.":              "",
		"The pipeline is green in CI, all tests pass there.":    "",
		"You've pushed the branch already.":                     "",
		"The tests passed yesterday.":                           "",
		"커밋할까요?":                                                "",
		"테스트가 통과하면 푸시하겠습니다.":                                    "",
		"테스트가 통과해야 합니다.":                                        "",
		"테스트 2개가 실패했습니다.":                                       "",
		"아직 커밋하지 않았습니다.":                                        "",
		"푸시 알림을 보냈습니다.":                                         "",
		"빌드가 성공하는지 확인해 주세요.":                                    "",
		"말씀하신 대로 테스트가 통과했다고 하니 다음으로 가죠.": "",
	} {
		var got []string
		claims, _ := claimsOf(text)
		for _, c := range claims {
			got = append(got, string(c.Kind))
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q claims %q, want %q", text, s, want)
		}
	}
}

func TestClaimTextIsTheSentence(t *testing.T) {
	got, _ := claimsOf("Done. **All tests pass!** More later.")
	if len(got) != 1 || got[0] != (Claim{shell.Tests, "All tests pass!"}) {
		t.Errorf("claims %+v", got)
	}
}

func FuzzClaims(f *testing.F) {
	f.Add("All tests pass. **Build**: ✅\n- [ ] `x`\n```\n", "npm test | tail")
	f.Add("커밋하고 푸시했습니다. \"quoted\" 12/12 > | `", "a && (b; c")
	f.Fuzz(func(t *testing.T, answer, line string) {
		claims, _ := claimsOf(answer)
		for _, c := range claims {
			if strings.Contains(c.Text, "\n") || strings.TrimSpace(c.Text) == "" {
				t.Errorf("claim %q", c.Text)
			}
		}
		commands := []check.Command{{Line: line, Output: answer}}
		Doubts(answer, commands, true, line)
		Gather(nil, commands)
	})
}

func BenchmarkDoubts(b *testing.B) {
	answer := strings.Repeat("The handler now reads its list from the file, and the page shows it.\n- `x.go`: one more case\n", 20) + "All tests pass."
	var session []check.Command
	for i := range 50 {
		session = append(session, check.Command{Line: fmt.Sprintf("cd app && npm test -- file%d 2>&1 | tail -20", i), Output: strings.Repeat("a line of output\n", 40) + "Tests: 2 failed, 3 passed\n", Seq: i})
	}
	for b.Loop() {
		Doubts(answer, session, true, "")
	}
}
