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

// TestTheLastPatternCounts holds that a later line takes an earlier one back, and that comments, blanks and CRLF are none.
func TestTheLastPatternCounts(t *testing.T) {
	b := ignoring(t, "# private\r\n\r\ndrafts/\r\n*.tmp.md\r\n!drafts/keep.md\n한글*\n")
	for p, want := range map[string]bool{
		"drafts/": true, "drafts/a.md": true, "drafts/keep.md": false, "c/b.tmp.md": true, "한글-노트.md": true, "private": false, "plain.md": false,
	} {
		if got := b.isIgnored(p); got != want {
			t.Errorf("%s is ignored: %v", p, got)
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
		"as many as are read": {strings.Join(strings.SplitAfterN(many.String(), "\n", maxIgnored+1)[:maxIgnored], ""), "n99.md", "n100.md", true},
		"too many":            {many.String(), "n99.md", "n100.md", false},
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

// BenchmarkIgnore walks 2,000 cards past maxIgnored patterns.
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
		if err := brain.Walk(b.Context(), func(string, fs.FileInfo) error { return nil }, func(string, error) {}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/walk")
	}
}
