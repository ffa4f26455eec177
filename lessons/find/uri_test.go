package find

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestFilePath(t *testing.T) {
	cases := map[string]string{
		"file:///home/me/my%20app/%ED%95%9C%EA%B8%80.go": "/home/me/my app/한글.go", "file://localhost/a/b": "/a/b", "/a/./b": "/a/b",
		"https://example.com/a": "", "src/a.go": "", "file:": "", "file:///%zz": "", "": "",
	}
	if runtime.GOOS == "windows" {
		cases = map[string]string{"file:///C:/my%20app/a.go": `C:\my app\a.go`, "file:///c%3A/a.go": `c:\a.go`, "file://server/share/a": `\\server\share\a`, `C:\a`: `C:\a`, "/a": "", "src/a.go": ""}
	}
	for name, want := range cases {
		path, ok := FilePath(name)
		if !ok {
			path = ""
		}
		if path != filepath.FromSlash(want) {
			t.Errorf("%q: %q, want %q", name, path, want)
		}
	}
}
