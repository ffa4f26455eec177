package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers says which packages of ours each package may import. What is not named here
// imports none of them. Tests keep to the same order.
var layers = map[string][]string{
	"handrail/server/cmd/handrail":      {"handrail/server/learn", "handrail/server/say", "handrail/server/trust", "handrail/server/lsp", "handrail/server/mcp", "handrail/server/daemon", "handrail/server/hook", "handrail/server/agents", "handrail/server", "handrail/triggers", "handrail/triggers/heard", "handrail/triggers/leaks", "handrail/lessons", "handrail/lessons/terms", "handrail/lessons/life", "handrail/lessons/git", "handrail/lessons/find", "handrail/server/relay"},
	"handrail/server/lsp":               {"handrail/server/say", "handrail/server", "handrail/triggers/leaks", "handrail/lessons", "handrail/lessons/terms", "handrail/lessons/find"},
	"handrail/server/mcp":               {"handrail/server/say", "handrail/server", "handrail/lessons", "handrail/lessons/lazyregexp", "handrail/lessons/find"},
	"handrail/server/daemon":            {"handrail/lessons/side", "handrail/server", "handrail/triggers/leaks", "handrail/lessons", "handrail/server/daemon/socket"},
	"handrail/server/hook":              {"handrail/lessons/find", "handrail/lessons/side", "handrail/server", "handrail/lessons", "handrail/lessons/lazyregexp", "handrail/lessons/shell"},
	"handrail/index":                    {"handrail/lessons/side", "handrail/index/mapped", "handrail/lessons", "handrail/lessons/terms"},
	"handrail/triggers":                 {"handrail/lessons/side", "handrail/triggers/heard", "handrail/triggers/leaks", "handrail/lessons", "handrail/lessons/terms", "handrail/lessons/lazyregexp", "handrail/lessons/shell"},
	"handrail/server":                   {"handrail/index", "handrail/lessons", "handrail/lessons/git", "handrail/lessons/journal", "handrail/lessons/life", "handrail/server/brain", "handrail/server/deliver", "handrail/server/desk", "handrail/server/hear", "handrail/server/inbox", "handrail/server/judge", "handrail/server/ledger", "handrail/server/say", "handrail/triggers", "handrail/triggers/heard"},
	"handrail/server/brain":             {"handrail/index", "handrail/index/near", "handrail/lessons", "handrail/lessons/find", "handrail/lessons/journal", "handrail/lessons/lazyregexp", "handrail/lessons/shell", "handrail/lessons/terms", "handrail/postcheck", "handrail/postcheck/check", "handrail/server/inbox", "handrail/server/ledger", "handrail/server/trust", "handrail/server/watch", "handrail/triggers", "handrail/triggers/leaks"},
	"handrail/server/deliver":           {"handrail/index", "handrail/lessons", "handrail/lessons/lazyregexp", "handrail/lessons/life", "handrail/lessons/shell", "handrail/postcheck", "handrail/server/brain", "handrail/server/ledger", "handrail/server/say", "handrail/triggers/heard"},
	"handrail/server/hear":              {"handrail/lessons", "handrail/lessons/find", "handrail/lessons/lazyregexp", "handrail/lessons/shell", "handrail/server/brain", "handrail/server/inbox", "handrail/server/ledger", "handrail/triggers"},
	"handrail/server/judge":             {"handrail/index", "handrail/lessons", "handrail/lessons/find", "handrail/lessons/git", "handrail/postcheck", "handrail/postcheck/check", "handrail/postcheck/proof", "handrail/server/brain", "handrail/server/ledger", "handrail/server/say", "handrail/server/watch", "handrail/triggers", "handrail/triggers/heard", "handrail/triggers/leaks"},
	"handrail/server/desk":              {"handrail/index", "handrail/lessons", "handrail/lessons/find", "handrail/lessons/journal", "handrail/lessons/lazyregexp", "handrail/lessons/life", "handrail/lessons/terms", "handrail/postcheck", "handrail/server/brain", "handrail/server/inbox", "handrail/server/ledger", "handrail/server/say", "handrail/triggers/heard", "handrail/triggers/leaks"},
	"handrail/server/say":               {"handrail/index/near", "handrail/lessons", "handrail/lessons/journal", "handrail/lessons/lazyregexp", "handrail/lessons/life", "handrail/postcheck", "handrail/postcheck/check", "handrail/postcheck/proof", "handrail/server/brain", "handrail/triggers"},
	"handrail/triggers/heard":           {"handrail/lessons/terms", "handrail/lessons/lazyregexp"},
	"handrail/triggers/leaks":           {"handrail/lessons/lazyregexp"},
	"handrail/server/learn":             {"handrail/server/hook", "handrail/server/inbox", "handrail/server/say", "handrail/triggers", "handrail/triggers/heard", "handrail/triggers/leaks", "handrail/lessons/find", "handrail/lessons/git", "handrail/lessons/lazyregexp", "handrail/lessons/side"},
	"handrail/server/inbox":             {"handrail/server/ledger", "handrail/triggers", "handrail/triggers/leaks", "handrail/lessons", "handrail/lessons/journal"},
	"handrail/server/ledger":            {"handrail/lessons/side", "handrail/index/mapped", "handrail/triggers", "handrail/triggers/heard", "handrail/triggers/leaks", "handrail/postcheck/check", "handrail/postcheck/proof", "handrail/lessons", "handrail/lessons/life", "handrail/lessons/terms", "handrail/lessons/shell", "handrail/index/mapped"},
	"handrail/postcheck/proof":          {"handrail/postcheck/check", "handrail/lessons/lazyregexp", "handrail/lessons/shell"},
	"handrail/postcheck":                {"handrail/postcheck/check", "handrail/postcheck/proof", "handrail/lessons", "handrail/lessons/shell", "handrail/lessons/terms", "handrail/lessons/lazyregexp"},
	"handrail/postcheck/check":          {"handrail/lessons"},
	"handrail/lessons/journal":          {"handrail/lessons/side", "handrail/lessons"},
	"handrail/lessons/life":             {"handrail/lessons", "handrail/lessons/terms", "handrail/lessons/lazyregexp"},
	"handrail/lessons":                  {"handrail/lessons/terms", "handrail/lessons/lazyregexp"},
	"handrail/lessons/lazyregexp":       nil,
	"handrail/lessons/shell":            {"handrail/lessons/lazyregexp"},
	"handrail/lessons/terms":            nil,
	"handrail/lessons/find":             {"handrail/lessons/side"},
	"handrail/lessons/git":              nil,
	"handrail/lessons/side":             nil,
	"handrail/server/trust":             {"handrail/lessons/side", "handrail/lessons", "handrail/lessons/find", "handrail/lessons/git", "handrail/lessons/journal"},
	"handrail/server/agents":            {"handrail/lessons/side"},
	"handrail/index/near":               nil,
	"handrail/server/watch":             {"handrail/triggers", "handrail/lessons/git"},
	"handrail/index/mapped":             nil,
	"handrail/server/cmd/handrail-hook": {"handrail/lessons/side", "handrail/server/relay", "handrail/server/daemon/socket", "handrail/lessons/find"},
	"handrail/server/relay":             {"handrail/lessons/side", "handrail/server/daemon/socket"},
	"handrail/server/daemon/socket":     {"handrail/lessons/side", "handrail/lessons/find"},
}

// homes says which packages alone may import a module.
var homes = map[string][]string{
	"github.com/modelcontextprotocol":  {"handrail/server/mcp"},
	"github.com/google/jsonschema-go":  {"handrail/server/mcp"},
	"go.lsp.dev/protocol":              {"handrail/server/lsp"},
	"go.lsp.dev/uri":                   {"handrail/server/lsp"},
	"github.com/blevesearch/bleve":     {"handrail/index"},
	"github.com/fsnotify/fsnotify":     {"handrail/server/watch"},
	"github.com/adrg/frontmatter":      {"handrail/lessons"},
	"github.com/goccy/go-yaml":         {"handrail/lessons"},
	"github.com/yuin/goldmark":         {"handrail/lessons"},
	"go.etcd.io/bbolt":                 {"handrail/server/ledger"},
	"net/http":                         {"handrail/index/near"},
	"github.com/spf13/cobra":           {"handrail/server/cmd/handrail"},
	"github.com/tailscale/hujson":      {"handrail/server/agents"},
	"github.com/pelletier/go-toml":     {"handrail/server/agents", "handrail/triggers/leaks"},
	"github.com/aymanbagabas/go-udiff": {"handrail/server/agents", "handrail/server/cmd/handrail"},
}

// TestLayers holds the packages to their order; the linter says the same while typing.
func TestLayers(t *testing.T) {
	need(t, "go")
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "handrail/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen, housed := map[string]bool{}, map[string]bool{}
	for list := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		err := list.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(p.ImportPath, "/testdata/") {
			continue // programs that show the product, no part of it
		}
		seen[p.ImportPath] = true
		allowed, known := layers[p.ImportPath]
		if !known {
			t.Errorf("%s has no layer; name it in this test and in .golangci.yml", p.ImportPath)
		}
		for _, dep := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if dep == p.ImportPath {
				continue // a test from outside the package
			}
			measured := dep == "handrail/testdata/many" && !slices.Contains(p.Imports, dep) // what benchmarks share
			if strings.HasPrefix(dep, "handrail/") && !measured && !slices.Contains(allowed, dep) {
				t.Errorf("%s imports %s, which its layer may not", p.ImportPath, dep)
			}
			for module, home := range homes {
				if !strings.HasPrefix(dep, module) || module == "net/http" && !slices.Contains(p.Imports, dep) {
					continue // a test may stand in for a model
				}
				housed[module] = true
				if !slices.Contains(home, p.ImportPath) {
					t.Errorf("%s imports %s, whose home is %s", p.ImportPath, dep, home)
				}
			}
		}
	}
	for p := range layers {
		if !seen[p] {
			t.Errorf("%s is gone; take it out of the layers", p)
		}
	}
	for module := range homes {
		if !housed[module] {
			t.Logf("%s is imported nowhere yet", module)
		}
	}
}

// TestTheProgramOfHooksIsSmall holds that handrail-hook is made of the standard library: each
// package more would be initialised at every event. Who is at the other end of a socket only
// Go's own module knows on macOS.
func TestTheProgramOfHooksIsSmall(t *testing.T) {
	need(t, "go")
	const program = "handrail/server/cmd/handrail-hook"
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", program)
		cmd.Env = append(os.Environ(), "GOOS="+system)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range strings.Fields(string(out)) {
			own := p == program || slices.Contains(layers[program], p)
			if !own && p != "golang.org/x/sys/unix" && (system != "windows" || p != "golang.org/x/sys/windows") {
				t.Errorf("on %s it imports %s", system, p)
			}
		}
	}
}
