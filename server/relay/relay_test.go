package relay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLogGoesThrough: a program that has the rules takes secrets out of its lines.
func TestLogGoesThrough(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	for i, through := range []func(string) string{strings.Clone, func(line string) string { return strings.ReplaceAll(line, "hunter2", "[redacted]") }} {
		log, done := Log(through)
		log.Warn("payload not read", "err", "hunter2", "through", i)
		done()
	}
	src, err := os.ReadFile(filepath.Join(dir, "handrail", "hook.log"))
	if err != nil || strings.Count(string(src), "\n") != 2 || !strings.Contains(string(src), "err=hunter2 through=0") || !strings.Contains(string(src), "err=[redacted] through=1") {
		t.Errorf("%s, %v", src, err)
	}
}
