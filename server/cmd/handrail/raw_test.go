package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/adrg/xdg"
)

// raw is what only a programmer should have to read: chains of causes, calls, Go's and its libraries' words.
var raw = regexp.MustCompile(`(?i)\b(open|stat|lstat|read|write|mkdir|mkdirat|openat|statat|readlink|chdir|unlink|link|rename|flock|getwd)\w* [^ ]*/|no such file|is a directory|not a directory|file exists|permission denied|invalid character '|cannot unmarshal|unexpected EOF|\bEOF\b|syscall|errno|goroutine|runtime error|nil pointer|yaml:|json:|hujson|toml:|strconv|0x[0-9a-f]{4}|%!|context (canceled|deadline)`)

// TestNothingRawReachesAPerson gives commands what they cannot use: each says in one sentence what is
// wrong and what helps, in both languages.
func TestNothingRawReachesAPerson(t *testing.T) {
	const good = "---\ntype: lesson\ntitle: A good card\n---\n\n## Root Cause\n\nx\n"
	put := func(t *testing.T, dir, name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder := func(t *testing.T, dir, name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		made func(t *testing.T, dir string)
		in   string
		args string
	}{
		"no brain":                   {nil, "", "list --brain none"},
		"no brain for a prompt":      {nil, "", "preflight text --brain none"},
		"a file as brain":            {func(t *testing.T, dir string) { put(t, dir, "f", "") }, "", "list --brain f"},
		"a brain below a file":       {func(t *testing.T, dir string) { put(t, dir, "f", "") }, "", "list --brain f/brain"},
		"init at a file":             {func(t *testing.T, dir string) { put(t, dir, "f", "") }, "", "init --brain f"},
		"init below a file":          {func(t *testing.T, dir string) { put(t, dir, "f", "") }, "", "init f/x"},
		"a loop of links":            {func(t *testing.T, dir string) { _ = os.Symlink("l", filepath.Join(dir, "l")) }, "", "list --brain l"},
		"no such card":               {nil, "", "bump lessons/none.md"},
		"a folder as card":           {func(t *testing.T, dir string) { folder(t, dir, "brain/lessons/dir.md") }, "", "bump lessons/dir.md"},
		"check a folder as card":     {func(t *testing.T, dir string) { folder(t, dir, "brain/lessons/dir.md") }, "", "check lessons/dir.md"},
		"a card below a card":        {nil, "", "bump lessons/good.md/x.md"},
		"a card outside":             {nil, "", "bump ../x.md"},
		"a name that is too long":    {nil, "", "bump lessons/" + strings.Repeat("x", 300) + ".md"},
		"broken frontmatter":         {func(t *testing.T, dir string) { put(t, dir, "brain/lessons/bad.md", "---\ntype: [lesson\n---\n# H\n") }, "", "bump lessons/bad.md"},
		"a note":                     {func(t *testing.T, dir string) { put(t, dir, "brain/n.md", "# H\n") }, "", "review promote n.md"},
		"too large":                  {func(t *testing.T, dir string) { put(t, dir, "brain/big.md", strings.Repeat("x", 2<<20)) }, "", "bump big.md"},
		"a folder for .handrail":     {func(t *testing.T, dir string) { put(t, dir, "brain/.handrail", "") }, "", "bump lessons/good.md"},
		"a folder for the lock":      {func(t *testing.T, dir string) { folder(t, dir, "brain/.handrail/lock") }, "", "bump lessons/good.md"},
		"nothing to undo":            {nil, "", "undo"},
		"an unknown candidate":       {nil, "", "review dismiss nope"},
		"JSON that is none":          {nil, "{broken", "preflight --jsonl"},
		"detect: JSON that is none":  {nil, "{broken", "detect --jsonl"},
		"an answer that is none":     {nil, "", "postcheck --answer none.txt --query x"},
		"an answer that is a folder": {func(t *testing.T, dir string) { folder(t, dir, "d") }, "", "postcheck --answer d --query x"},
		"a patch that is none":       {nil, "rubbish", "check --diff"},
		"a base that is none":        {nil, "", "check --diff nope"},
		"an unknown command":         {nil, "", "frobnicate"},
		"an unknown flag":            {nil, "", "list --frobnicate"},
		"a wrong value":              {nil, "", "list --limit many"},
		"another wrong value":        {nil, "", "list --kind many"},
		"a wrong time":               {nil, "", "daemon --idle soon"},
		"too many words":             {nil, "", "stats a b c"},
		"an unknown agent":           {nil, "", "setup nope"},
		"no terminal":                {nil, "", "setup claude"},
		"broken settings":            {func(t *testing.T, dir string) { put(t, dir, "home/.claude/settings.json", "{broken") }, "", "setup claude --yes"},
		"broken TOML":                {func(t *testing.T, dir string) { put(t, dir, "home/.codex/config.toml", "= broken [") }, "", "setup codex --yes"},
		"a folder as settings":       {func(t *testing.T, dir string) { folder(t, dir, "home/.claude/settings.json") }, "", "setup claude --yes"},
		"settings below a file":      {func(t *testing.T, dir string) { put(t, dir, "home/.claude", "") }, "", "setup claude --yes"},
		"a link as settings": {func(t *testing.T, dir string) {
			folder(t, dir, "home/.claude")
			err := os.Symlink("none", filepath.Join(dir, "home/.claude/settings.json"))
			if err != nil {
				t.Skip("no links here: ", err)
			}
		}, "", "setup claude --yes"},
		"the manual below a file": {func(t *testing.T, dir string) { put(t, dir, "f", "") }, "", "man f"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, lang := range []string{"en", "ko"} {
				dir := t.TempDir()
				put(t, dir, "brain/lessons/good.md", good)
				folder(t, dir, "home")
				if c.made != nil {
					c.made(t, dir)
				}
				t.Chdir(dir)
				for _, v := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
					t.Setenv(v, filepath.Join(dir, "home", v))
				}
				t.Setenv("HANDRAIL_BRAIN", "")
				t.Setenv("LC_ALL", lang)
				t.Setenv("HOME", filepath.Join(dir, "home"))
				t.Setenv("USERPROFILE", filepath.Join(dir, "home"))
				xdg.Reload() // all of it in the temporary folder
				t.Cleanup(xdg.Reload)
				var out, errw strings.Builder
				status := execute(t.Context(), call{args: strings.Fields(c.args)}, strings.NewReader(c.in), &out, &errw)
				judged(t, lang, status, errw.String())
			}
		})
	}
}

// judge holds a message against what a person can read.
func judged(t *testing.T, lang string, status int, said string) {
	t.Helper()
	line := strings.TrimSpace(said)
	fail := func(why string) { t.Helper(); t.Errorf("%s: status %d, %s: %s", lang, status, why, said) }
	switch {
	case line == "":
		fail("nothing is said")
	case strings.Contains(line, "\n"):
		fail("more than a line")
	case raw.MatchString(line):
		fail(fmt.Sprintf("%q is raw", raw.FindString(line)))
	case !strings.HasSuffix(line, ".") && !strings.HasSuffix(line, "?"):
		fail("no sentence")
	case lang == "ko" && strings.IndexFunc(line, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) < 0:
		fail("not Korean")
	}
}

// TestNothingRawReachesAnAgentOrEditor does so by the words of MCP and LSP.
func TestNothingRawReachesAnAgentOrEditor(t *testing.T) {
	mcp := func(tool, args string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}
`
	}
	lsp := func(root, lang, method, params string) string {
		var b strings.Builder
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":"file:///` + strings.TrimPrefix(filepath.ToSlash(root), "/") + `","locale":"` + lang + `","capabilities":{}}}`,
			`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
			`{"jsonrpc":"2.0","id":2,"method":"` + method + `","params":` + params + `}`,
			`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`,
		} {
			fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
		}
		return b.String()
	}
	long := "lessons/" + strings.Repeat("x", 300) + ".md"
	for name, c := range map[string]struct{ tool, method, args string }{
		"a folder as card":        {"lessons_get", "handrail/bump", `{"path":"lessons/dir.md"}`},
		"a card below a card":     {"lessons_get", "handrail/bump", `{"path":"lessons/dir.md/x.md/y.md"}`},
		"no such card":            {"lessons_get", "handrail/bump", `{"path":"lessons/none.md"}`},
		"a card outside":          {"lessons_get", "handrail/bump", `{"path":"../../x.md"}`},
		"a name that is too long": {"lessons_get", "handrail/bump", `{"path":"` + long + `"}`},
		"a wrong type":            {"lessons_get", "handrail/bump", `{"path":7}`},
		"no path":                 {"lessons_get", "handrail/bump", `{}`},
		"a list":                  {"lessons_get", "handrail/bump", `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, lang := range []string{"en", "ko"} {
				s, p := inside(t, "LC_ALL="+lang)
				p.Log = func(string, ...any) {}
				p.Env = append(p.Env, "HANDRAIL_BRAIN="+s.Brain().Root())
				if err := os.MkdirAll(filepath.Join(s.Brain().Root(), "lessons", "dir.md"), 0o755); err != nil {
					t.Fatal(err)
				}
				for surface, in := range map[string]string{"mcp": mcp(c.tool, c.args), "lsp": lsp(filepath.Dir(s.Brain().Root()), lang, c.method, c.args)} {
					var out, errw strings.Builder
					if surface == "mcp" {
						agentInside(t, p, strings.NewReader(in), &out)
					} else {
						execute(t.Context(), call{args: []string{surface}, inside: p}, strings.NewReader(in), &out, &errw)
					}
					said := refusal.FindStringSubmatch(out.String())
					if said == nil {
						t.Fatalf("%s: no refusal: %s %s", surface, out.String(), errw.String())
					}
					judged(t, lang, 0, strings.ReplaceAll(said[1]+said[2], `\"`, `"`))
				}
			}
		})
	}
}

// refusal finds the words of an error in what a session printed.
var refusal = regexp.MustCompile(`"error":\{[^{]*?"message":"((?:[^"\\]|\\.)*)"|"content":\[\{"type":"text","text":"((?:[^"\\]|\\.)*)"`)
