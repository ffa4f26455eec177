package lessons

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	ignore "github.com/sabhiram/go-gitignore"
)

// ignoring returns a brain with a list of ignored files.
func ignoring(t testing.TB, list string) *Brain {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ignoreFile), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := OpenBrain(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// TestIgnoreAsTheLibrary holds rule by rule and in order what the library says of the whole list.
func TestIgnoreAsTheLibrary(t *testing.T) {
	lines := []string{
		"drafts/", "*.tmp.md", "/top.md", "a/**/b.md", "**/deep", "x/**", "!x/keep.md", "# no", "", "  spaced.md  ", `\#hash.md`, `\!bang.md`, "!!odd.md",
		"odd.md", "[ab]c.md", "q?.md", "n+.md", "(one|two).md", "a.b/*.md", "한글*", "!drafts/again.md", "drafts/again.md", "$end.md", `es\*c.md`, "!#x.md", "x.md",
	}
	paths := []string{
		"drafts/", "drafts/a.md", "drafts/again.md", "b.tmp.md", "c/b.tmp.md", "top.md", "c/top.md", "a/b.md", "a/x/y/b.md", "deep/a.md", "c/deep", "x/a.md", "x/keep.md",
		"spaced.md", "#hash.md", "!bang.md", "odd.md", "ac.md", "q?.md", "qq.md", "nn.md", "n+.md", "one.md", "two.md", "a.b/c.md", "한글-노트.md", "$end.md", "es*c.md", "x.md", "plain.md",
	}
	for n := range len(lines) + 1 {
		list := lines[:n]
		b, want := ignoring(t, strings.Join(list, "\n")), ignore.CompileIgnoreLines(list...)
		for _, p := range paths {
			if got := b.isIgnored(p); got != want.MatchesPath(p) {
				t.Errorf("after %q, %s is ignored: %v", list, p, got)
			}
		}
	}
}

// TestIgnoreBounds holds that a list beyond the bounds is obeyed up to them, and that a walk says so.
func TestIgnoreBounds(t *testing.T) {
	var many strings.Builder
	for i := range maxIgnored + 2 {
		fmt.Fprintf(&many, "n%d.md\n", i)
	}
	for what, c := range map[string]struct {
		list     string
		out, in  string
		complete bool
	}{
		"as many as are read": {strings.Join(strings.SplitAfterN(many.String(), "\n", maxIgnored+1)[:maxIgnored], ""), "n999.md", "n1000.md", true},
		"too many":            {many.String(), "n999.md", "n1000.md", false},
		"too long":            {"n1.md\n" + strings.Repeat("#", maxIgnoreFile-10) + "\nn2.md\nn3.md\n", "n1.md", "n3.md", false},
		"far too long":        {"n1.md\n" + strings.Repeat("#", MaxFile) + "\n", "", "n1.md", false},
	} {
		b := ignoring(t, c.list)
		var said error
		err := b.Walk(t.Context(), func(string, fs.FileInfo) error { return nil }, func(_ string, err error) { said = errors.Join(said, err) })
		if err != nil || errors.Is(said, ErrIgnoreList) == c.complete || c.complete && said != nil {
			t.Errorf("%s: %v, %v", what, said, err)
		}
		if c.out != "" && !b.isIgnored(c.out) || b.isIgnored(c.in) {
			t.Errorf("%s: %s is ignored: %v, %s: %v", what, c.out, b.isIgnored(c.out), c.in, b.isIgnored(c.in))
		}
	}
}

// BenchmarkIgnore walks 2,000 cards past 2,000 patterns, of which maxIgnored are read.
func BenchmarkIgnore(b *testing.B) {
	var list strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&list, "*private-%d*/**/*-notes-*.md\n", i)
	}
	brain := ignoring(b, list.String())
	for i := range 2000 {
		if err := os.WriteFile(filepath.Join(brain.dir, fmt.Sprintf("telegram-commands-need-an-allowlist-%d.md", i)), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		began := time.Now()
		if err := brain.Walk(b.Context(), func(string, fs.FileInfo) error { return nil }, nil); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/walk")
	}
}
