package lsp

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/uri"
)

func TestPeek(t *testing.T) {
	dir := t.TempDir()
	brain := filepath.Join(dir, ".brain")
	if err := os.Mkdir(brain, 0o755); err != nil {
		t.Fatal(err)
	}
	message := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	named := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"rootUri":%q}}`, uri.File(dir))
	brain = filepath.Join(uri.File(dir).FsPath(), ".brain") // an editor writes a drive's letter small
	elsewhere := filepath.Join(dir, "elsewhere")
	chosen := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"initializationOptions":{"brain":{"path":%q}}}}`, elsewhere)
	for name, tt := range map[string]struct{ said, brain string }{
		"of the workspace":   {message(named) + message(`{"next":1}`), brain},
		"configured":         {message(chosen), elsewhere},
		"none":               {message(strings.Replace(named, "rootUri", "other", 1)), ""},
		"another message":    {message(`{"jsonrpc":"2.0","id":1,"method":"shutdown"}`), ""},
		"no message":         {"hello", ""},
		"wrong parameters":   {message(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}`), ""},
		"an unfinished body": {"Content-Length: 100\r\n\r\n{", ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := strings.NewReader(tt.said)
			read, got, err := Peek(in)
			rest, _ := io.ReadAll(in)
			if err != nil || got != tt.brain || string(read)+string(rest) != tt.said {
				t.Errorf("brain %q, not %q, %v; read %q", got, tt.brain, err, read)
			}
		})
	}
}
