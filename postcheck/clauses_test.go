package postcheck

import (
	"strings"
	"testing"

	"handrail/lessons/terms"
)

// TestClausesOfItems shows what the parts of an item are there for: "+" is wanted, "-" is
// not, "?" only says why or where, and "!" is wanted of an item that only forbids.
func TestClausesOfItems(t *testing.T) {
	for _, c := range []struct{ item, want string }{
		{"Keep the lock short", "+ Keep the lock short"},
		{"Keep the lock short; other jobs wait for it.", "+ Keep the lock short; ? other jobs wait for it."},
		{"Keep the lock short — release it before the upload", "+ Keep the lock short — release it before the upload"},
		{"Use decimals rather than floats", "+ Use decimals - rather than floats"},
		{"Test the failure, not only the success", "+ Test the failure ? , not only the success"},
		{"Store prices in cents, not in floats, everywhere", "+ Store prices in cents - , not in floats ? , everywhere"},
		{"Do not guess; ask the owner", "- Do not guess; + ask the owner"},
		{"Never log tokens", "! Never log tokens"},
		{"Never log tokens; logs leave the company", "! Never log tokens; ? logs leave the company"},
		{"Every image has a text (an empty one does not count)", "+ Every image has a text - (an empty one does not count)"},
		{"Say which parts you could not check", "+ Say which parts you could not check"},
		{"Tell the user about \"don't ask again\"", "+ Tell the user about \"don't ask again\""},
		{"값을 추측하지 말고 로그를 읽는다", "- 값을 추측하지 말고 + 로그를 읽는다"},
		{"금액은 실수가 아니라 정수로 다룬다", "+ 금액은 - 실수가 아니라 + 정수로 다룬다"},
		{"목록이 비지 않도록 기본 항목을 넣는다", "? 목록이 비지 않도록 + 기본 항목을 넣는다"},
		{"배치가 겹치지 않게 한다", "+ 배치가 겹치지 않게 한다"},
		{"필드 이름을 바꾸면 안 됨. 추가만 허용", "- 필드 이름을 바꾸면 안 됨. + 추가만 허용"},
		{"되돌리기(undo)를 지원한다", "+ 되돌리기(undo)를 지원한다"},
	} {
		item := terms.Normalize(c.item)
		roles, forbids := clausesOf(item)
		marks := map[role]string{wanted: "+", unwanted: "-", remark: "?"}
		if forbids {
			marks[wanted] = "!"
		}
		var got []string
		from := 0
		for i := 1; i <= len(item); i++ {
			if i == len(item) || roles[i] != roles[from] {
				got = append(got, marks[roles[from]], strings.TrimSpace(item[from:i]))
				from = i
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.item, s, c.want)
		}
	}
}

// TestPiecesOfSentences shows that only the clause is put off that says so.
func TestPiecesOfSentences(t *testing.T) {
	for _, c := range []struct{ sentence, done, off string }{
		{"The limiter is in place.", "The limiter is in place.", ""},
		{"The limiter is in place, but its tests will follow in the next one.", "The limiter is in place", ", but its tests will follow in the next one."},
		{"A queue was considered, but it is overkill for three jobs", ", but it is overkill for three jobs", "A queue was considered"},
		{"We looked at caching it and decided against that", "", "We looked at caching it and decided against that"},
		{"I can add an index later", "", "I can add an index later"},
		{"The old path is left untouched", "", "The old path is left untouched"},
		{"It failed against the untouched code", "It failed against the untouched code", ""},
		{"The lock file is not in it; please run the install after pulling", "", "The lock file is not in it; please run the install after pulling"},
		{"화면을 껐다 켜도 쓰던 글이 남아 있습니다", "화면을 껐다 켜도 쓰던 글이 남아 있습니다", ""},
		{"옛 설정 파일이 남아 있습니다", "", "옛 설정 파일이 남아 있습니다"},
		{"The linter runs in CI, so I leave that to the pipeline", "", "The linter runs in CI, so I leave that to the pipeline"},
		{"제한은 넣었고, 테스트는 나중에 추가하겠습니다.", "제한은 넣었고,", " 테스트는 나중에 추가하겠습니다."},
		{"제한을 넣었습니다.", "제한을 넣었습니다.", ""},
		{"제한을 넣어 두었습니다.", "제한을 넣어 두었습니다.", ""},
		{"제한을 넣으시면 됩니다.", "", "제한을 넣으시면 됩니다."},
		{"제한을 넣어 주세요.", "", "제한을 넣어 주세요."},
		{"제한을 넣으려고 합니다.", "", "제한을 넣으려고 합니다."},
		{"제한을 넣는 편이 좋겠습니다.", "", "제한을 넣는 편이 좋겠습니다."},
		{"제한은 다음에 하면 될 것 같습니다.", "", "제한은 다음에 하면 될 것 같습니다."},
		{"큐도 검토했지만 일이 세 개뿐이라 택하지 않았습니다.", "", "큐도 검토했지만 일이 세 개뿐이라 택하지 않았습니다."},
		{"이제 화면에 제대로 나올 것입니다.", "", "이제 화면에 제대로 나올 것입니다."},
	} {
		var done, off string
		for _, p := range pieces(c.sentence) {
			if p.off {
				off += p.text
			} else {
				done += p.text
			}
		}
		if done != c.done || off != c.off {
			t.Errorf("%q\n done %q, want %q\n off %q, want %q", c.sentence, done, c.done, off, c.off)
		}
	}
}

// TestWhatSpeaksAgainst shows what an answer concedes or does that an item does not want.
func TestWhatSpeaksAgainst(t *testing.T) {
	for _, c := range []struct {
		item, answer string
		what         feature
		least, most  float64
	}{
		{"Use cents, never floats", "The total is a float now.", againstDone, 1, 1},
		{"Use cents, never floats", "The total is not a float any more.", againstGone, 1, 1},
		{"Use cents, never floats", "The total is an int64 in cents.", againstDone, 0, 0},
		{"Do not touch go.mod", "`go.mod` was not touched.", againstGone, 1, 1},
		{"Do not use the plain cache", "It isn't as bad as a plain cache.", againstGone, 0, 0},
		{"Check that the restore works", "The restore is one command. It should work.", unverified, 1, 1},
		{"Check that the restore works", "I restored last night's dump; the row counts match.", unverified, 0, 0},
		{"복원이 되는지 확인한다", "복원은 명령 한 줄이라 확인하지 않았습니다.", unverified, 1, 1},
		{"Set Secure, HttpOnly and SameSite", "`HttpOnly` is set.", nameMissing, 0.5, 1},
		{"Set Secure, HttpOnly and SameSite", "`HttpOnly`, `Secure` and `SameSite=Lax` are set.", nameMissing, 0, 0},
		{"Test the 404, the 409 and the 500", "There is a test for the 404.", listMissing, 0.6, 0.7},
		{"The beacon is off by default", "```go\nBeacon: flag(\"beacon\", true),\n```", switched, -1, -1},
		{"The beacon is off by default", "```go\nBeacon: flag(\"beacon\", false),\n```", switched, 1, 1},
		{"The beacon is enabled by default", "```go\nBeacon: flag(\"beacon\", true),\n```", switched, 1, 1},
		{"Keep the offset of the page", "```go\nBeacon: flag(\"beacon\", true),\n```", switched, 0, 0},
		{"값을 캐시에서 꺼낸다", "```go\nBeacon: flag(\"beacon\", true),\n```", switched, 0, 0},
		{"Rename it in every file", "I only changed the file in `cmd/`.", someLeft, 1, 1},
		{"Cache the answer", "A cache was considered, but it is overkill.", offShare, 0.5, 1},
	} {
		v, ok := look(c.item, c.answer)
		if got := v[c.what]; !ok || got < c.least || got > c.most {
			t.Errorf("%q after %q: %s is %.2f (looked %v)", c.item, c.answer, featureNames[c.what], got, ok)
		}
	}
}

// TestValuesSayWhatTheyAre: of a pinned commit no word tells, only its form.
func TestValuesSayWhatTheyAre(t *testing.T) {
	for _, c := range []struct {
		line string
		pins bool
	}{
		{"uses: actions/cache@0c45773b623bea8c8e75f6c82b208c3cf94ea4f9", true},
		{"image: redis@sha256:2d1f2c7a0b35a7dd", true},
		{"uses: actions/cache@main", false},
	} {
		got := false
		for _, n := range dictionary().says(c.line) {
			got = got || n == concept+"pin"
		}
		if got != c.pins {
			t.Errorf("%s: pins %v", c.line, got)
		}
	}
}

// TestOverByClause holds that a denial in one clause of a sentence excuses no other.
func TestOverByClause(t *testing.T) {
	for sentence, want := range map[string]bool{
		"No new file was needed: I ran repair on it.":       false,
		"I couldn't wait for it, so I ran repair from here": false,
		"We never ran repair on it.":                        true,
		"새 파일은 만들지 않았고, repair를 돌렸습니다.":                     false,
		"The old repair was removed and tests pass.":        true,
	} {
		a := read(sentence)
		if got := a.overAt(strings.Index(a.lower, "repair")); got != want {
			t.Errorf("%q: got %v, want %v", sentence, got, want)
		}
	}
}

// TestWishBeside holds that a wish that few of an item's words ask for does not speak for it.
func TestWishBeside(t *testing.T) {
	for _, c := range []struct {
		item, answer string
		shown        float64
	}{
		{"배포 전에 스테이징에서 스모크 테스트", "운영에 올린 뒤 스모크 시나리오 9개를 돌려 모두 통과했습니다.", 0},
		{"배포 전에 스테이징에서 스모크 테스트", "스테이징에 먼저 올려 스모크 시나리오 9개를 돌리니 모두 통과했습니다.", 1},
	} {
		v, ok := look(c.item, c.answer)
		if !ok || v[wholeShown] != c.shown {
			t.Errorf("%q by %q: %v, want %v", c.item, c.answer, v[wholeShown], c.shown)
		}
	}
}
