package side

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogIsBounded(t *testing.T) {
	l, err := OpenLog(filepath.Join(t.TempDir(), "log"), func(line string) string { return line })
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Repeat("x", 1000) + "\n")
	for range 3 * MaxLog / len(line) {
		if _, err := l.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{l.path, l.path + ".old"} {
		if info, err := os.Stat(path); err != nil || info.Size() > MaxLog || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
}
