package say

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
)

// odd are values as people and programs hand them in.
var odd = []string{
	"", " ", "\t\n", `a "inQuotes" one`, "two\nlines", "%d %s", "\x00\x1b[2J", "한글 카드.md", `C:\brain\x.md`, "-60", "--brain", strings.Repeat("long ", 2000), "\xff\xfe",
}

// inQuotes is a value, or a call of the command line, in a sentence; flags belong into one.
var inQuotes = regexp.MustCompile(`"(?:[^"\\]|\\.)+"`)

// faults are what a person could make nothing of.
var faults = map[string]*regexp.Regexp{
	"it is empty":               regexp.MustCompile(`^\s*$`),
	"it has several lines":      regexp.MustCompile(`\n`),
	"it quotes nothing":         regexp.MustCompile(`""|''|\(\)`),
	"it lacks an argument":      regexp.MustCompile(`%!|<nil>`),
	"it holds an error's words": regexp.MustCompile(`do the thing|is not one of|, need [a-z]+|Err[A-Z]`),
	"it lists a single choice":  regexp.MustCompile(`(use one of|가능한 값): [^,]*\.$`),
	"it does not end":           regexp.MustCompile(`[^.?!)]$`),
	"it ends twice":             regexp.MustCompile(`[.:]\s*[.:]`),
	"it names a bare flag":      regexp.MustCompile(`(^|[\s(])--[a-z]`),
	"it is too long":            regexp.MustCompile(`^.{700}`),
	"it is no text":             regexp.MustCompile(`\x{FFFD}`),
}

// unclear says what a person could not make of a sentence that holds a value, "" if nothing.
func unclear(sentence, value string) string {
	text := inQuotes.ReplaceAllString(sentence, "*")
	value = English.short(value)
	if value != English.short("") {
		text = strings.ReplaceAll(text, value, "*") // as what a parser says
	}
	for what, fault := range faults {
		if fault.MatchString(text) {
			return what
		}
	}
	return ""
}

// TestRefusalsAreClear: whatever is refused, and whatever was handed in, a person reads one clear sentence, in both
// languages.
func TestRefusalsAreClear(t *testing.T) {
	see := func(what, value string, say func(Locale) string) {
		for _, l := range []Locale{English, Korean} {
			if said := say(l); unclear(said, value) != "" {
				t.Errorf("%s, %s: %s\n%q", what, l, unclear(said, value), said)
			}
		}
	}
	explain := func(err error, value string) {
		err = fmt.Errorf("do the thing: %w", err)
		see(fmt.Sprintf("%.80q", err.Error()), value, func(l Locale) string { return l.Explain(err) })
	}
	for _, e := range errorTexts {
		explain(e.is, "")
		for _, v := range odd {
			explain(&lessons.PathError{Path: v, Err: e.is}, v)
			explain(&fs.PathError{Op: "open", Path: v, Err: e.is}, v)
		}
	}
	for code := range problemText {
		for _, v := range odd {
			for n := range 4 {
				p := lessons.Problem{Code: code, Args: slices.Repeat([]string{v}, n)}
				if code == lessons.BadValue { // key and choice are ours
					p.Args = []string{"severity", v, []string{"low, medium", "YYYY-MM-DD"}[n%2]}
				}
				see(string(code), v, func(l Locale) string { return l.Problem(p) })
				explain(&brain.WeakError{Problems: []lessons.Problem{p, {Code: lessons.MissingChecklist}}}, v)
			}
		}
	}
	for _, v := range odd {
		for _, need := range append(slices.Collect(maps.Keys(needTexts)), brain.NeedArgument) {
			explain(&brain.RequestError{Field: "item", Value: v, Need: need, Allowed: []string{"a", "b"}}, v)
		}
		explain(&brain.RequestError{Field: "scope", Value: v, Allowed: []string{"today", "week"}}, v)
		explain(&lessons.ValueError{Field: "kind", Value: v, Allowed: []string{"lesson", "policy"}}, v)
		explain(errors.New(v), v)
		explain(&exec.Error{Name: v, Err: exec.ErrNotFound}, v)
		see("a draft", v, func(l Locale) string {
			return l.Draft(brain.Created{Path: "drafts/x.md", Weak: []lessons.Problem{{Code: lessons.ChatTitle, Args: []string{v}}}})
		})
	}
	for _, need := range []lessons.Need{brain.NeedText, brain.NeedReason, brain.NeedMinutes, brain.NeedTwo, brain.NeedWords, brain.NeedURI} {
		if _, ok := needTexts[need]; !ok {
			t.Errorf("%s has no sentence", need)
		}
	}
}

// sentinel is the name of an error that callers tell apart.
var sentinel = regexp.MustCompile(`^Err[A-Z]`)

// TestRefusalsAreWorded: each error that the rooms and lessons export has a sentence, and no request is refused
// for a single value that it could have.
func TestRefusalsAreWorded(t *testing.T) {
	worded := map[string]bool{"ErrChanged": true}
	var all []string
	for _, pattern := range []string{"../brain/*.go", "../judge/*.go", "../desk/*.go", "../deliver/*.go", "../../lessons/*.go", "../lsp/*.go", "../mcp/*.go", "text.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ValueSpec:
					for _, name := range n.Names {
						if sentinel.MatchString(name.Name) && !strings.Contains(pattern, "sp/") && !strings.Contains(pattern, "mcp/") {
							all = append(all, name.Name)
						}
					}
				case *ast.CompositeLit:
					if file == "text.go" && n.Type == nil && len(n.Elts) == 3 {
						name := n.Elts[0]
						if of, ok := name.(*ast.SelectorExpr); ok {
							name = of.Sel
						}
						if id, ok := name.(*ast.Ident); ok {
							worded[id.Name] = true
						}
					}
					lone(t, file, n)
				}
				return true
			})
		}
	}
	if len(all) < 20 || len(worded) < 20 {
		t.Fatalf("%d errors, %d of them worded: the source is not where it was", len(all), len(worded))
	}
	for _, name := range all {
		if !worded[name] {
			t.Errorf("nothing is said of %s", name)
		}
	}
}

// lone reports a refusal that lists a single value.
func lone(t *testing.T, file string, n *ast.CompositeLit) {
	t.Helper()
	name := n.Type
	if of, ok := name.(*ast.SelectorExpr); ok {
		name = of.Sel
	}
	if id, ok := name.(*ast.Ident); !ok || id.Name != "RequestError" {
		return
	}
	for _, e := range n.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok || pair.Key.(*ast.Ident).Name != "Allowed" {
			continue
		}
		if list, ok := pair.Value.(*ast.CompositeLit); ok && len(list.Elts) < 2 {
			t.Errorf("%s: a refusal lists a single value; say what it needs", file)
		}
	}
}
