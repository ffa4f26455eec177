package heard

import "testing"

// TestHeadline: what must not be done comes first, then what the agent did; what is long ends with a clause, and Korean says no last.
func TestHeadline(t *testing.T) {
	for text, want := range map[string]string{
		"That's good. You rewrote the whole of the parser. It should only trim the line.":                                           "You rewrote the whole of the parser",
		"Fine so far. No, that's wrong, never edit the mirror by hand, it is made anew each night and nobody will see what you did": "never edit the mirror by hand",
		"I told you not to print the token in the summary of the build":                                                             "never print the token in the summary of the build",
		"Why on earth did you reformat all of the templates when I asked you just to swap the two logos?":                           "Why on earth did you reformat all of the templates",
		"you moved `a, b` out of the table, but the order of its columns is what the importer of the bank goes by":                  "you moved `a, b` out of the table",
		"Last thing. The totals are in the wrong column":                                                                            "The totals are in the wrong column",
		"there are `a, b` because the importer of the bank goes by the order of columns and by nothing else":                        "there are `a, b` because the importer of the bank goes by the order…",
		"No mocks in the tests of the importer":                                                                                     "No mocks in the tests of the importer",
		"We should NEVER be logged in as root":                                                                                      "NEVER be logged in as root",
		"왜 자꾸 px로 바꾸는 거야":                                                                                                           "왜 자꾸 px로 바꾸는 거야",
		"아니 pip install 하지 말라고. 이 프로젝트는 uv만 써":                                                                                      "pip install 하지 말라",
		"이 폴더는 도구가 다시 만드니까 손으로 고치지 마 아까 고친 건 다 지우고 생성기를 다시 돌린 다음에 차이를 보여주고 설명도 좀 해줘":      "이 폴더는 도구가 다시 만드니까 손으로 고치지 마",
		"이 부분은 저번에도 말했던 거고 같이 쓰는 가격표 파일을 읽고 있잖아, 그걸 네가 덮어썼어 그건 절대 손대지 마 그 값은 회계에서 오는 거라서": "같이 쓰는 가격표 파일을 읽고 있잖아, 그걸 네가 덮어썼어 그건 절대 손대지 마",
		"강제로 푸시하지 말고 되돌리는 커밋을 만들어":           "강제로 푸시하지 말고 되돌리는 커밋을 만들어",
		"테스트에서 실제 결제 서버 호출 금지. 나머지는 좋아":      "테스트에서 실제 결제 서버 호출 금지",
		"표를 새로 만들지 말고 있는 표에 열만 더하라고 했잖아":     "표를 새로 만들지 말고 있는 표에 열만 더하라",
		"정정: 포트는 3000이야":                     "포트는 3000이야",
		"회원은 지우지 말고 is_active만 내려":           "회원은 지우지 말고 is_active만 내려",
		"px 쓰지 말라고 몇 번 말했잖아":                 "px 쓰지 말라",
		"We only use rem in this repo":       "only use rem in this repo",
		"From now on print each label twice": "print each label twice",
		"아니":                                 "",
	} {
		if got := Headline(text); got != want {
			t.Errorf("%q\n gives %q\n  want %q", text, got, want)
		}
	}
}
