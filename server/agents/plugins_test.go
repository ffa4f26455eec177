package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlugins holds what every plugin manager needs of these files; that each takes them is seen by testdata/agents.
func TestPlugins(t *testing.T) {
	dir := t.TempDir()
	names, err := Plugins(dir, "1.2.3-4-gabcdef0")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".md" {
			if !strings.HasPrefix(string(src), "---\nname: record-a-lesson\ndescription: ") {
				t.Errorf("%s begins %.60q", name, src)
			}
			continue
		}
		var v struct{ Version any }
		if err := json.Unmarshal(src, &v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name, ok := v.Version.(string); ok && name != "1.2.3-4-gabcdef0" {
			t.Errorf("version %q", name)
		}
		if home, err := os.UserHomeDir(); err == nil && strings.Contains(string(src), home+string(filepath.Separator)) {
			t.Errorf("%s holds a home folder", name)
		}
		if strings.Contains(string(src), "hooks\": {") && !strings.Contains(string(src), "handrail-hook ") {
			t.Errorf("%s calls nothing:\n%s", name, src)
		}
	}
	if _, err := Plugins(dir, "(devel)"); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(dir, "plugin", ".codex-plugin", "plugin.json"))
	if err != nil || !strings.Contains(string(src), `"version": "0.0.0"`) {
		t.Errorf("%s, %v", src, err)
	}
}
