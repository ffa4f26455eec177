package lsp

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/say"
)

var update = flag.Bool("update", false, "rewrite the golden files: transcripts, protocol.gen.ts, the table of docs/protocol.md")

const generated = "../../vscode-extension/src/protocol.gen.ts"

// pushed lists the notifications that the server sends on its own.
func pushed() map[string]reflect.Type {
	return map[string]reflect.Type{
		candidateNotice: reflect.TypeFor[brain.Candidate](),
		footerNotice:    reflect.TypeFor[brain.Footer](),
		changedNotice:   reflect.TypeFor[brain.Changed](),
	}
}

// TestTypeScriptIsFresh renders the shim's types from the method table and compares.
func TestTypeScriptIsFresh(t *testing.T) {
	want := typescript(t)
	if *update {
		if err := os.WriteFile(generated, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(generated)
	if err != nil || string(got) != want {
		t.Errorf("%s is stale; run go test ./server/lsp -update (%v)", generated, err)
	}
}

const page = "../../docs/protocol.md"

// methodRow is a line of the page's table of methods: what a method takes and returns stands in the second column.
var methodRow = regexp.MustCompile("(?m)^(\\| `(handrail/[a-zA-Z]+)` \\| )[^|]*( \\| .*)$")

// TestTableOfMethods holds that the page's table has the methods of ours in the order of the method table, each with
// its types.
func TestTableOfMethods(t *testing.T) {
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	var want, got []string
	for _, m := range table() {
		if strings.HasPrefix(m.name, "handrail/") {
			want = append(want, m.name)
			types[m.name] = typescriptType(m.params) + " → " + typescriptType(m.result)
			types[m.name] = strings.ReplaceAll(types[m.name], "Record<string, never>", "{}")
		}
	}
	is := methodRow.ReplaceAllStringFunc(string(raw), func(row string) string {
		parts := methodRow.FindStringSubmatch(row)
		if types[parts[2]] == "" {
			return row // a notification
		}
		got = append(got, parts[2])
		return parts[1] + types[parts[2]] + parts[3]
	})
	if !slices.Equal(got, want) {
		t.Errorf("%s has the methods %q, not %q", page, got, want)
	}
	if *update {
		if err := os.WriteFile(page, []byte(is), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if is != string(raw) {
		t.Errorf("%s is stale; run go test ./server/lsp -update", page)
	}
}

// TestPageIsTrue checks that docs/protocol.md names every method, notification
// and error code there is, and no method of ours that is not.
func TestPageIsTrue(t *testing.T) {
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	must := func(what, word string) {
		if !strings.Contains(text, "`"+word+"`") {
			t.Errorf("docs/protocol.md does not name the %s `%s`", what, word)
		}
	}
	known := map[string]bool{}
	for _, m := range table() {
		known[m.name] = true
		must("method", m.name)
	}
	for name := range pushed() {
		known[name] = true
		must("notification", name)
	}
	for _, err := range []error{
		lessons.ErrNoBrain, lessons.ErrNotAFolder, lessons.ErrOutsideBrain, lessons.ErrBadPath, lessons.ErrBusy, fs.ErrNotExist, fs.ErrExist,
		brain.ErrNotACard, brain.ErrUnknownCandidate, brain.ErrUnknownAnswer, brain.ErrNothingToUndo, &brain.WeakError{}, &brain.RequestError{},
	} {
		must("error code", say.Code(err))
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/", r)
	}) {
		if rest, ours := strings.CutPrefix(word, "handrail/"); ours && rest != "" && !known[word] {
			t.Errorf("docs/protocol.md names %s, which does not exist", word)
		}
	}
}

// generator collects the types that the protocol of our own is made of.
type generator struct {
	docs    map[string]string   // comment by Type or Type.Field, as Go names them
	consts  map[string][]string // values by string type
	structs []reflect.Type
	enums   []reflect.Type
}

func newGenerator(t *testing.T) *generator {
	t.Helper()
	g := &generator{docs: map[string]string{}, consts: map[string][]string{}}
	for _, dir := range []string{".", "../brain", "../deliver", "../hear", "../judge", "../desk", "../say", "../inbox", "../ledger", "../trust", "../../lessons", "../../lessons/journal", "../../lessons/life", "../../triggers"} {
		names, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if !strings.HasSuffix(n.Name(), ".go") || strings.HasSuffix(n.Name(), "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), dir+"/"+n.Name(), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			g.read(file)
		}
	}
	return g
}

// read notes the comments and constants of one Go file.
func (g *generator) read(file *ast.File) {
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				name := file.Name.Name + "." + spec.Name.Name
				g.docs[name] = strings.TrimSpace(decl.Doc.Text())
				if st, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range st.Fields.List {
						for _, id := range f.Names {
							g.docs[name+"."+id.Name] = strings.TrimSpace(f.Doc.Text() + f.Comment.Text())
						}
					}
				}
			case *ast.ValueSpec:
				var typ string
				switch x := spec.Type.(type) {
				case *ast.Ident:
					typ = file.Name.Name + "." + x.Name
				case *ast.SelectorExpr:
					typ = fmt.Sprintf("%s.%s", x.X, x.Sel)
				}
				if typ == "" || decl.Tok != token.CONST || len(spec.Values) != 1 {
					continue
				}
				if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					g.consts[typ] = append(g.consts[typ], strings.Trim(lit.Value, `"`))
				}
			}
		}
	}
}

// visit notes t and every type it is made of, once.
func (g *generator) visit(t reflect.Type) {
	switch {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		g.visit(t.Elem())
	case t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[Nothing]():
	case t.Kind() == reflect.Struct && !slices.Contains(g.structs, t):
		g.structs = append(g.structs, t)
		for f := range fields(t) {
			g.visit(f.Type)
		}
	case t.Kind() == reflect.String && t.Name() != "string" && !slices.Contains(g.enums, t):
		g.enums = append(g.enums, t)
	}
}

// field is one member of a JSON object.
type field struct {
	name     string
	of       string // the type that has it, which may be one inside of another
	optional bool
	reflect.StructField
}

func fields(t reflect.Type) func(yield func(field) bool) {
	return func(yield func(field) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() {
				continue
			}
			if f.Anonymous {
				fields(f.Type)(yield) // nobody stops half way
				continue
			}
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue // not sent
			}
			if name == "" {
				panic(fmt.Sprintf("%s.%s has no JSON name", t, f.Name))
			}
			if !yield(field{name: name, of: t.String(), optional: options != "", StructField: f}) {
				return
			}
		}
	}
}

// typescriptType returns how a Go type looks in TypeScript.
func typescriptType(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "string"
	case t == reflect.TypeFor[Nothing]():
		return "Record<string, never>"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typescriptType(t.Elem())
	case reflect.Slice:
		return typescriptType(t.Elem()) + "[]"
	case reflect.Map:
		return "Record<string, " + typescriptType(t.Elem()) + ">"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Float64:
		return "number"
	case reflect.String:
		if t.Name() == "string" {
			return "string"
		}
	}
	return t.Name()
}

func typescript(t *testing.T) string {
	g := newGenerator(t)
	var methods, notices strings.Builder
	for _, m := range table() {
		if !strings.HasPrefix(m.name, "handrail/") {
			continue
		}
		g.visit(m.params)
		g.visit(m.result)
		types := fmt.Sprintf("{ params: %s; result: %s }", typescriptType(m.params), typescriptType(m.result))
		fmt.Fprintf(&methods, "  '%s': %s;\n", m.name, types)
	}
	for _, name := range slices.Sorted(maps.Keys(pushed())) {
		g.visit(pushed()[name])
		fmt.Fprintf(&notices, "  '%s': %s;\n", name, typescriptType(pushed()[name]))
	}
	g.visit(reflect.TypeFor[ErrorData]())

	var b strings.Builder
	b.WriteString("// Code generated from server/lsp by \"go test ./server/lsp -update\". DO NOT EDIT.\n\n")
	b.WriteString("/** What the editor can ask. */\nexport interface Methods {\n" + methods.String() + "}\n\n")
	b.WriteString("/** What the server says on its own. */\nexport interface Notifications {\n" + notices.String() + "}\n\n")
	byName := func(a, b reflect.Type) int { return strings.Compare(a.Name(), b.Name()) }
	slices.SortFunc(g.enums, byName)
	slices.SortFunc(g.structs, byName)
	for _, e := range g.enums {
		b.WriteString(comment("", g.docs[e.String()]))
		values := g.consts[e.String()]
		if len(values) == 0 {
			t.Fatalf("%s has no constants", e)
		}
		fmt.Fprintf(&b, "export type %s = '%s';\n", e.Name(), strings.Join(values, "' | '"))
	}
	for _, s := range g.structs {
		b.WriteString(comment("", g.docs[s.String()]))
		fmt.Fprintf(&b, "export interface %s {\n", s.Name())
		for f := range fields(s) {
			if doc := g.docs[f.of+"."+f.Name]; doc != "" {
				b.WriteString(strings.TrimPrefix(comment("  ", doc), "\n"))
			}
			mark := ""
			if f.optional {
				mark = "?"
			}
			fmt.Fprintf(&b, "  %s%s: %s;\n", f.name, mark, typescriptType(f.Type))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// comment renders a Go comment as a JSDoc one, after an empty line.
func comment(indent, doc string) string {
	lines := strings.Split(strings.ReplaceAll(doc, "*/", "* /"), "\n")
	if len(lines) == 1 {
		return fmt.Sprintf("\n%s/** %s */\n", indent, lines[0])
	}
	return fmt.Sprintf("\n%s/**\n%s * %s\n%s */\n", indent, indent, strings.Join(lines, "\n"+indent+" * "), indent)
}
