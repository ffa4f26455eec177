package server

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode"
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
