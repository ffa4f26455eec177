package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestLayers holds that imports go one way and that each dependency has one home.
func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "handrail/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	// What each package may import of ours; the middle three do not know each other.
	may := map[string][]string{
		"handrail/lessons/terms":       {},
		"handrail/lessons":             {"handrail/lessons/terms"},
		"handrail/index":               {"handrail/lessons", "handrail/lessons/terms"},
		"handrail/triggers":            {"handrail/lessons", "handrail/lessons/terms"},
		"handrail/postcheck":           {"handrail/lessons", "handrail/lessons/terms"},
		"handrail/server":              {"handrail/index", "handrail/triggers", "handrail/postcheck", "handrail/lessons", "handrail/lessons/terms"},
		"handrail/server/lsp":          {"handrail/server", "handrail/lessons", "handrail/lessons/terms"},
		"handrail/server/cmd/handrail": {"handrail/server/lsp", "handrail/server", "handrail/triggers", "handrail/lessons"},
		"handrail/testdata/demo":       {},
	}
	home := map[string]string{
		"go.lsp.dev/": "handrail/server/lsp", "github.com/blevesearch/bleve/": "handrail/index", "github.com/fsnotify/fsnotify": "handrail/server",
		"github.com/adrg/frontmatter": "handrail/lessons", "github.com/goccy/go-yaml": "handrail/lessons", "github.com/yuin/goldmark": "handrail/lessons",
		"github.com/tiktoken-go/": "handrail/lessons", "github.com/zricethezav/gitleaks/": "handrail/triggers",
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for dec.More() {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&pkg); err != nil {
			t.Fatal(err)
		}
		allowed, known := may[pkg.ImportPath]
		if !known {
			t.Errorf("%s has no place in the layers; give it one here", pkg.ImportPath)
		}
		for _, imp := range pkg.Imports {
			if strings.HasPrefix(imp, "handrail/") && !slices.Contains(allowed, imp) {
				t.Errorf("%s imports %s", pkg.ImportPath, imp)
			}
			for prefix, owner := range home {
				if strings.HasPrefix(imp, prefix) && pkg.ImportPath != owner {
					t.Errorf("%s imports %s, whose home is %s", pkg.ImportPath, imp, owner)
				}
			}
		}
	}
}
