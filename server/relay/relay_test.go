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
	for _, through := range []func(string) string{nil, func(line string) string { return strings.ReplaceAll(line, "hunter2", "[redacted]") }} {
		log, done := Log(through)
		log.Warn("payload not read", "err", "hunter2", "through", through != nil)
		done()
	}
	src, err := os.ReadFile(filepath.Join(dir, "handrail", "hook.log"))
	if err != nil || strings.Count(string(src), "\n") != 2 || !strings.Contains(string(src), "err=hunter2 through=false") || !strings.Contains(string(src), "err=[redacted] through=true") {
		t.Errorf("%s, %v", src, err)
	}
}
