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
	"github.com/handrail-dev/handrail/server/cmd/handrail":      {"github.com/handrail-dev/handrail/server/ingest", "github.com/handrail-dev/handrail/server/learn", "github.com/handrail-dev/handrail/server/say", "github.com/handrail-dev/handrail/server/trust", "github.com/handrail-dev/handrail/server/lsp", "github.com/handrail-dev/handrail/server/mcp", "github.com/handrail-dev/handrail/server/daemon", "github.com/handrail-dev/handrail/server/hook", "github.com/handrail-dev/handrail/server/agents", "github.com/handrail-dev/handrail/server", "github.com/handrail-dev/handrail/triggers", "github.com/handrail-dev/handrail/triggers/heard", "github.com/handrail-dev/handrail/triggers/leaks", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/terms", "github.com/handrail-dev/handrail/lessons/life", "github.com/handrail-dev/handrail/lessons/git", "github.com/handrail-dev/handrail/lessons/find", "github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/server/relay", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/server/deliver", "github.com/handrail-dev/handrail/server/hear", "github.com/handrail-dev/handrail/server/judge", "github.com/handrail-dev/handrail/server/desk"},
	"github.com/handrail-dev/handrail/server/ingest":            {"github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/side"},
	"github.com/handrail-dev/handrail/server/lsp":               {"github.com/handrail-dev/handrail/server/say", "github.com/handrail-dev/handrail/server", "github.com/handrail-dev/handrail/triggers/leaks", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/terms", "github.com/handrail-dev/handrail/lessons/find", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/server/deliver", "github.com/handrail-dev/handrail/server/hear", "github.com/handrail-dev/handrail/server/judge", "github.com/handrail-dev/handrail/server/desk"},
	"github.com/handrail-dev/handrail/server/mcp":               {"github.com/handrail-dev/handrail/server/say", "github.com/handrail-dev/handrail/server", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/lazyregexp", "github.com/handrail-dev/handrail/lessons/find", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/server/deliver", "github.com/handrail-dev/handrail/server/hear", "github.com/handrail-dev/handrail/server/judge", "github.com/handrail-dev/handrail/server/desk"},
	"github.com/handrail-dev/handrail/server/daemon":            {"github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/server", "github.com/handrail-dev/handrail/triggers/leaks", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/server/daemon/socket", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/server/deliver", "github.com/handrail-dev/handrail/server/hear", "github.com/handrail-dev/handrail/server/judge", "github.com/handrail-dev/handrail/server/desk"},
	"github.com/handrail-dev/handrail/server/hook":              {"github.com/handrail-dev/handrail/lessons/find", "github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/server", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/lazyregexp", "github.com/handrail-dev/handrail/lessons/shell", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/server/deliver", "github.com/handrail-dev/handrail/server/hear", "github.com/handrail-dev/handrail/server/judge", "github.com/handrail-dev/handrail/server/desk", "github.com/handrail-dev/handrail/server/say"},
	"github.com/handrail-dev/handrail/index":                    {"github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/index/mapped", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/terms"},
	"github.com/handrail-dev/handrail/triggers":                 {"github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/triggers/heard", "github.com/handrail-dev/handrail/triggers/leaks", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/terms", "github.com/handrail-dev/handrail/lessons/lazyregexp", "github.com/handrail-dev/handrail/lessons/shell"},
	"github.com/handrail-dev/handrail/server":                   {"github.com/handrail-dev/handrail/index", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/git", "github.com/handrail-dev/handrail/lessons/journal", "github.com/handrail-dev/handrail/lessons/life", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/server/deliver", "github.com/handrail-dev/handrail/server/desk", "github.com/handrail-dev/handrail/server/hear", "github.com/handrail-dev/handrail/server/inbox", "github.com/handrail-dev/handrail/server/judge", "github.com/handrail-dev/handrail/server/ledger", "github.com/handrail-dev/handrail/server/say", "github.com/handrail-dev/handrail/triggers", "github.com/handrail-dev/handrail/triggers/heard"},
	"github.com/handrail-dev/handrail/server/brain":             {"github.com/handrail-dev/handrail/index", "github.com/handrail-dev/handrail/index/near", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/find", "github.com/handrail-dev/handrail/lessons/journal", "github.com/handrail-dev/handrail/lessons/life", "github.com/handrail-dev/handrail/lessons/lazyregexp", "github.com/handrail-dev/handrail/lessons/shell", "github.com/handrail-dev/handrail/lessons/terms", "github.com/handrail-dev/handrail/postcheck", "github.com/handrail-dev/handrail/postcheck/check", "github.com/handrail-dev/handrail/server/inbox", "github.com/handrail-dev/handrail/server/ledger", "github.com/handrail-dev/handrail/server/trust", "github.com/handrail-dev/handrail/server/watch", "github.com/handrail-dev/handrail/triggers", "github.com/handrail-dev/handrail/triggers/leaks"},
	"github.com/handrail-dev/handrail/server/deliver":           {"github.com/handrail-dev/handrail/index", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/lazyregexp", "github.com/handrail-dev/handrail/lessons/life", "github.com/handrail-dev/handrail/lessons/shell", "github.com/handrail-dev/handrail/postcheck", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/server/ledger", "github.com/handrail-dev/handrail/server/say", "github.com/handrail-dev/handrail/triggers/heard"},
	"github.com/handrail-dev/handrail/server/hear":              {"github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/find", "github.com/handrail-dev/handrail/lessons/lazyregexp", "github.com/handrail-dev/handrail/lessons/shell", "github.com/handrail-dev/handrail/postcheck", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/server/inbox", "github.com/handrail-dev/handrail/server/ledger", "github.com/handrail-dev/handrail/triggers"},
	"github.com/handrail-dev/handrail/server/judge":             {"github.com/handrail-dev/handrail/index", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/find", "github.com/handrail-dev/handrail/lessons/git", "github.com/handrail-dev/handrail/lessons/life", "github.com/handrail-dev/handrail/postcheck", "github.com/handrail-dev/handrail/postcheck/check", "github.com/handrail-dev/handrail/postcheck/proof", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/server/ledger", "github.com/handrail-dev/handrail/server/say", "github.com/handrail-dev/handrail/server/watch", "github.com/handrail-dev/handrail/triggers", "github.com/handrail-dev/handrail/triggers/heard", "github.com/handrail-dev/handrail/triggers/leaks"},
	"github.com/handrail-dev/handrail/server/desk":              {"github.com/handrail-dev/handrail/index", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/find", "github.com/handrail-dev/handrail/lessons/journal", "github.com/handrail-dev/handrail/lessons/lazyregexp", "github.com/handrail-dev/handrail/lessons/life", "github.com/handrail-dev/handrail/lessons/terms", "github.com/handrail-dev/handrail/postcheck", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/server/inbox", "github.com/handrail-dev/handrail/server/ledger", "github.com/handrail-dev/handrail/server/say", "github.com/handrail-dev/handrail/triggers/heard", "github.com/handrail-dev/handrail/triggers/leaks"},
	"github.com/handrail-dev/handrail/server/say":               {"github.com/handrail-dev/handrail/index/near", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/journal", "github.com/handrail-dev/handrail/lessons/lazyregexp", "github.com/handrail-dev/handrail/lessons/life", "github.com/handrail-dev/handrail/postcheck", "github.com/handrail-dev/handrail/postcheck/check", "github.com/handrail-dev/handrail/postcheck/proof", "github.com/handrail-dev/handrail/server/brain", "github.com/handrail-dev/handrail/triggers"},
	"github.com/handrail-dev/handrail/triggers/heard":           {"github.com/handrail-dev/handrail/lessons/terms", "github.com/handrail-dev/handrail/lessons/lazyregexp"},
	"github.com/handrail-dev/handrail/triggers/leaks":           {"github.com/handrail-dev/handrail/lessons/lazyregexp"},
	"github.com/handrail-dev/handrail/server/learn":             {"github.com/handrail-dev/handrail/server/hook", "github.com/handrail-dev/handrail/server/inbox", "github.com/handrail-dev/handrail/server/say", "github.com/handrail-dev/handrail/triggers", "github.com/handrail-dev/handrail/triggers/heard", "github.com/handrail-dev/handrail/triggers/leaks", "github.com/handrail-dev/handrail/lessons/find", "github.com/handrail-dev/handrail/lessons/git", "github.com/handrail-dev/handrail/lessons/lazyregexp", "github.com/handrail-dev/handrail/lessons/side"},
	"github.com/handrail-dev/handrail/server/inbox":             {"github.com/handrail-dev/handrail/server/ledger", "github.com/handrail-dev/handrail/triggers", "github.com/handrail-dev/handrail/triggers/leaks", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/journal"},
	"github.com/handrail-dev/handrail/server/ledger":            {"github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/index/mapped", "github.com/handrail-dev/handrail/triggers", "github.com/handrail-dev/handrail/triggers/heard", "github.com/handrail-dev/handrail/triggers/leaks", "github.com/handrail-dev/handrail/postcheck/check", "github.com/handrail-dev/handrail/postcheck/proof", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/life", "github.com/handrail-dev/handrail/lessons/terms", "github.com/handrail-dev/handrail/lessons/shell", "github.com/handrail-dev/handrail/index/mapped"},
	"github.com/handrail-dev/handrail/postcheck/proof":          {"github.com/handrail-dev/handrail/postcheck/check", "github.com/handrail-dev/handrail/lessons/lazyregexp", "github.com/handrail-dev/handrail/lessons/shell"},
	"github.com/handrail-dev/handrail/postcheck":                {"github.com/handrail-dev/handrail/postcheck/check", "github.com/handrail-dev/handrail/postcheck/proof", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/shell", "github.com/handrail-dev/handrail/lessons/terms", "github.com/handrail-dev/handrail/lessons/lazyregexp"},
	"github.com/handrail-dev/handrail/postcheck/check":          {"github.com/handrail-dev/handrail/lessons"},
	"github.com/handrail-dev/handrail/lessons/journal":          {"github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/lessons"},
	"github.com/handrail-dev/handrail/lessons/life":             {"github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/terms", "github.com/handrail-dev/handrail/lessons/lazyregexp"},
	"github.com/handrail-dev/handrail/lessons":                  {"github.com/handrail-dev/handrail/lessons/terms", "github.com/handrail-dev/handrail/lessons/lazyregexp"},
	"github.com/handrail-dev/handrail/lessons/lazyregexp":       nil,
	"github.com/handrail-dev/handrail/lessons/shell":            {"github.com/handrail-dev/handrail/lessons/lazyregexp"},
	"github.com/handrail-dev/handrail/lessons/terms":            nil,
	"github.com/handrail-dev/handrail/lessons/find":             {"github.com/handrail-dev/handrail/lessons/side"},
	"github.com/handrail-dev/handrail/lessons/git":              nil,
	"github.com/handrail-dev/handrail/lessons/side":             nil,
	"github.com/handrail-dev/handrail/server/trust":             {"github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/lessons", "github.com/handrail-dev/handrail/lessons/find", "github.com/handrail-dev/handrail/lessons/git", "github.com/handrail-dev/handrail/lessons/journal"},
	"github.com/handrail-dev/handrail/server/agents":            {"github.com/handrail-dev/handrail/lessons/side"},
	"github.com/handrail-dev/handrail/index/near":               nil,
	"github.com/handrail-dev/handrail/server/watch":             {"github.com/handrail-dev/handrail/triggers", "github.com/handrail-dev/handrail/lessons/git"},
	"github.com/handrail-dev/handrail/index/mapped":             nil,
	"github.com/handrail-dev/handrail/server/cmd/handrail-hook": {"github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/server/relay", "github.com/handrail-dev/handrail/server/daemon/socket", "github.com/handrail-dev/handrail/lessons/find"},
	"github.com/handrail-dev/handrail/server/relay":             {"github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/server/daemon/socket"},
	"github.com/handrail-dev/handrail/server/daemon/socket":     {"github.com/handrail-dev/handrail/lessons/side", "github.com/handrail-dev/handrail/lessons/find"},
}

// homes says which packages alone may import a module.
var homes = map[string][]string{
	"github.com/modelcontextprotocol":  {"github.com/handrail-dev/handrail/server/mcp"},
	"github.com/google/jsonschema-go":  {"github.com/handrail-dev/handrail/server/mcp"},
	"go.lsp.dev/protocol":              {"github.com/handrail-dev/handrail/server/lsp"},
	"go.lsp.dev/uri":                   {"github.com/handrail-dev/handrail/server/lsp"},
	"github.com/blevesearch/bleve":     {"github.com/handrail-dev/handrail/index"},
	"github.com/fsnotify/fsnotify":     {"github.com/handrail-dev/handrail/server/watch"},
	"github.com/adrg/frontmatter":      {"github.com/handrail-dev/handrail/lessons"},
	"github.com/goccy/go-yaml":         {"github.com/handrail-dev/handrail/lessons"},
	"github.com/yuin/goldmark":         {"github.com/handrail-dev/handrail/lessons"},
	"go.etcd.io/bbolt":                 {"github.com/handrail-dev/handrail/server/ledger"},
	"net/http":                         {"github.com/handrail-dev/handrail/index/near", "github.com/handrail-dev/handrail/server/ingest"},
	"github.com/spf13/cobra":           {"github.com/handrail-dev/handrail/server/cmd/handrail"},
	"github.com/tailscale/hujson":      {"github.com/handrail-dev/handrail/server/agents"},
	"github.com/pelletier/go-toml":     {"github.com/handrail-dev/handrail/server/agents", "github.com/handrail-dev/handrail/triggers/leaks"},
	"github.com/aymanbagabas/go-udiff": {"github.com/handrail-dev/handrail/server/agents", "github.com/handrail-dev/handrail/server/cmd/handrail", "github.com/handrail-dev/handrail/server/lsp"},
}

// TestLayers holds the packages to their order; the linter says the same while typing.
func TestLayers(t *testing.T) {
	need(t, "go")
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "github.com/handrail-dev/handrail/...").Output()
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
			tests := strings.Contains(dep, "/testdata/") && !slices.Contains(p.Imports, dep) // what tests share
			if strings.HasPrefix(dep, "github.com/handrail-dev/handrail/") && !tests && !slices.Contains(allowed, dep) {
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
	const program = "github.com/handrail-dev/handrail/server/cmd/handrail-hook"
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
