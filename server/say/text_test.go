package say

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode"

	"github.com/handrail-dev/handrail/server/brain"
)

// TestExplainWhatTheSystemSays holds that an error of the system becomes one sentence, by its kind or
// with nothing but the cause in quotation marks, whatever it went through.
func TestExplainWhatTheSystemSays(t *testing.T) {
	for _, cause := range []error{
		syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.EIO, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP, syscall.EMFILE, syscall.ENFILE,
		syscall.ENAMETOOLONG, syscall.EACCES, syscall.EPERM, syscall.ENOENT, syscall.EEXIST, syscall.EXDEV, syscall.EBUSY, io.ErrUnexpectedEOF, errors.New("boom\n\tand more"),
	} {
		err := fmt.Errorf("save the state: %w", errors.Join(&fs.PathError{Op: "write", Path: "/x/y.md", Err: cause}))
		for _, l := range []Locale{English, Korean} {
			got := l.Explain(err)
			bare := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(got, "")
			switch {
			case strings.Contains(got, "save the state") || strings.Contains(got, "write /x") || strings.ContainsAny(got, "\n\t"):
				t.Errorf("%v, %s: raw: %s", cause, l, got)
			case strings.Contains(bare, cause.Error()) || !strings.HasSuffix(got, "."):
				t.Errorf("%v, %s: no sentence: %s", cause, l, got)
			case l == Korean && strings.IndexFunc(got, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) < 0:
				t.Errorf("%v: not Korean: %s", cause, got)
			}
		}
	}
}

func TestWordedFooter(t *testing.T) {
	yes, no := true, false
	f := brain.Footer{
		Evidence: []brain.Evidence{{Kind: "tests", Command: "go test ./…", Failed: &no, Stale: true}, {Kind: "build", Command: "make", Failed: &yes}, {Kind: "push", Command: "git push"}},
		Doubts:   []brain.Doubt{{Text: "All tests pass.", Why: "failed"}, {Text: "Lint is clean.", Why: "never-run"}},
	}
	for l, want := range map[Locale][]string{
		English: {"tests passed: go test ./… · code edited after it", "build failed: make", "push, outcome unknown: git push", "The last run failed: All tests pass.", "Nothing ran that shows this: Lint is clean."},
		Korean:  {"테스트 통과: go test ./… · 그 뒤에 코드가 고쳐짐", "빌드 실패: make", "푸시, 결과 모름: git push", "마지막 실행은 실패했음: All tests pass.", "이것을 보여 주는 실행이 없음: Lint is clean."},
	} {
		worded := l.Worded(f)
		var got []string
		for _, e := range worded.Evidence {
			got = append(got, e.Said)
		}
		for _, d := range worded.Doubts {
			got = append(got, d.Said)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", l, got, want)
		}
	}
	if f.Evidence[0].Said != "" {
		t.Error("the footer of other windows was changed")
	}
}
