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

const module = "github.com/handrail-dev/handrail/"

// order says which packages of ours each package may import, each after those that it imports. Tests keep to it, too.
// docs/architecture.md says why.
const order = `
index/mapped:
lessons/lazyregexp:
lessons/terms:
lessons: lessons/lazyregexp lessons/terms
lessons/side:
index: index/mapped lessons lessons/side lessons/terms
index/near:
lessons/find: lessons/side
lessons/git:
lessons/journal: lessons lessons/side
lessons/life: lessons lessons/lazyregexp lessons/terms
lessons/shell: lessons/lazyregexp
postcheck/check: lessons
postcheck/proof: lessons/lazyregexp lessons/shell postcheck/check
postcheck: lessons lessons/lazyregexp lessons/shell lessons/terms postcheck/check postcheck/proof
triggers/heard: lessons/lazyregexp lessons/terms
triggers/leaks: lessons/lazyregexp
triggers: lessons lessons/lazyregexp lessons/shell lessons/side lessons/terms triggers/heard triggers/leaks
server/ledger: index/mapped lessons lessons/life lessons/shell lessons/side lessons/terms postcheck/check
	postcheck/proof triggers triggers/heard triggers/leaks
server/inbox: lessons lessons/journal lessons/lazyregexp server/ledger triggers triggers/heard triggers/leaks
server/trust: lessons lessons/find lessons/git lessons/journal lessons/side
server/watch: lessons/git triggers
server/brain: index index/near lessons lessons/find lessons/journal lessons/lazyregexp lessons/life lessons/shell
	lessons/terms postcheck postcheck/check server/inbox server/ledger server/trust server/watch triggers
	triggers/leaks
server/say: index/near lessons lessons/journal lessons/lazyregexp lessons/life postcheck postcheck/check
	postcheck/proof server/brain server/ledger triggers triggers/heard
server/deliver: index lessons lessons/lazyregexp lessons/life lessons/shell postcheck server/brain server/ledger
	server/say triggers triggers/heard
server/desk: index lessons lessons/find lessons/journal lessons/lazyregexp lessons/life lessons/terms postcheck
	server/brain server/inbox server/ledger server/say triggers/heard triggers/leaks
server/hear: lessons lessons/find lessons/lazyregexp lessons/shell postcheck server/brain server/inbox server/ledger
	triggers
server/judge: index lessons lessons/find lessons/git lessons/life postcheck postcheck/check postcheck/proof
	server/brain server/ledger server/say server/watch triggers triggers/heard triggers/leaks
server: index lessons lessons/git lessons/journal lessons/life server/brain server/deliver server/desk server/hear
	server/inbox server/judge server/ledger server/say triggers triggers/heard
server/agents: lessons/find lessons/side
server/daemon/socket: lessons/find lessons/side
server/daemon: lessons lessons/side server server/brain server/daemon/socket server/deliver server/desk server/hear
	server/judge triggers triggers/leaks
server/hook: lessons lessons/find lessons/lazyregexp lessons/shell lessons/side server server/brain server/deliver
	server/desk server/hear server/judge server/say triggers
server/ingest: lessons lessons/side
server/learn: lessons/find lessons/git lessons/lazyregexp lessons/side server/hook server/inbox server/say triggers
	triggers/heard triggers/leaks
server/lsp: lessons lessons/find lessons/terms server server/brain server/deliver server/desk server/hear
	server/judge server/say triggers triggers/leaks
server/mcp: lessons lessons/find lessons/lazyregexp server server/brain server/deliver server/desk server/hear
	server/judge server/say triggers
server/relay: lessons/side server/daemon/socket
server/cmd/handrail: lessons lessons/find lessons/git lessons/life lessons/side lessons/terms server server/agents
	server/brain server/daemon server/deliver server/desk server/hear server/hook server/ingest server/judge
	server/learn server/lsp server/mcp server/relay server/say server/trust triggers triggers/heard triggers/leaks
server/cmd/handrail-hook: lessons/find lessons/side server/daemon/socket server/relay
`

// homes says which packages alone may import a package of others, and why.
var homes = map[string]struct{ in, why string }{
	"unsafe":                           {"", "no speed here is worth it"},
	"net/http":                         {"index/near server/ingest", "nothing is sent or fetched but by the embeddings model, or the page, that a person named"},
	"github.com/modelcontextprotocol":  {"server/mcp", "MCP is spoken there alone"},
	"github.com/google/jsonschema-go":  {"server/mcp", "MCP is spoken there alone"},
	"go.lsp.dev":                       {"server/lsp", "LSP is spoken there alone"},
	"github.com/blevesearch/bleve":     {"index", "bleve is hidden there"},
	"github.com/fsnotify/fsnotify":     {"server/watch", "files are watched there alone"},
	"github.com/adrg/frontmatter":      {"lessons", "cards are read there alone"},
	"github.com/goccy/go-yaml":         {"lessons", "cards are read there alone"},
	"github.com/yuin/goldmark":         {"lessons", "cards are read there alone"},
	"go.etcd.io/bbolt":                 {"server/ledger", "state is kept there alone"},
	"github.com/spf13/cobra":           {"server/cmd/handrail", "the command line is there alone"},
	"github.com/tailscale/hujson":      {"server/agents", "the files of agents are edited there alone"},
	"github.com/pelletier/go-toml":     {"server/agents triggers/leaks", "the files of agents are edited, gitleaks' rules read there alone"},
	"github.com/aymanbagabas/go-udiff": {"server/agents server/cmd/handrail server/lsp", "only a person is shown a difference"},
}

// TestLayers holds the packages to their order.
func TestLayers(t *testing.T) {
	need(t, "go")
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	layers := layers()
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
		name := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(name, "testdata/") {
			continue // programs that show the product, no part of it
		}
		allowed, known := layers[name]
		if !known {
			t.Errorf("%s has no layer; name it in this test", name)
		}
		delete(layers, name)
		for _, dep := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			own, isOurs := strings.CutPrefix(dep, module)
			shared := strings.HasPrefix(own, "testdata/") && !slices.Contains(p.Imports, dep) // what tests share
			if isOurs && own != name && !shared && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s, which its layer may not", name, own)
			}
			for pkg, home := range homes {
				standsIn := pkg == "net/http" && !slices.Contains(p.Imports, dep) // a test, for a model
				if (dep == pkg || strings.HasPrefix(dep, pkg+"/")) && !standsIn && !slices.Contains(strings.Fields(home.in), name) {
					t.Errorf("%s imports %s: %s", name, dep, home.why)
				}
			}
		}
	}
	for name := range layers {
		t.Errorf("%s is gone; take it out of the order", name)
	}
}

// layers returns what each package of order may import.
func layers() map[string][]string {
	out, at := map[string][]string{}, ""
	for _, name := range strings.Fields(order) {
		if pkg, ok := strings.CutSuffix(name, ":"); ok {
			at = pkg
			out[at] = nil
		} else {
			out[at] = append(out[at], name)
		}
	}
	return out
}

// TestTheProgramOfHooksIsSmall holds that handrail-hook is made of the standard library: each
// package more would be initialised at every event. Who is at the other end of a socket only
// Go's own module knows on macOS.
func TestTheProgramOfHooksIsSmall(t *testing.T) {
	need(t, "go")
	const program = "server/cmd/handrail-hook"
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", module+program)
		cmd.Env = append(os.Environ(), "GOOS="+system)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range strings.Fields(string(out)) {
			name := strings.TrimPrefix(p, module)
			own := name == program || slices.Contains(layers()[program], name)
			if !own && p != "golang.org/x/sys/unix" && (system != "windows" || p != "golang.org/x/sys/windows") {
				t.Errorf("on %s it imports %s", system, p)
			}
		}
	}
}
