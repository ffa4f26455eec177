package daemon

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/jsonrpc2"

	"handrail/lessons"
	"handrail/server"
)

// across takes an error through an answer as it goes over the socket.
func across(t *testing.T, err error) error {
	t.Helper()
	frame := jsonrpc2.AppendResponse(nil, jsonrpc2.NewNumberID(1), nil, toWire(err))
	msg, decodeErr := jsonrpc2.DecodeMessage(frame)
	if decodeErr != nil {
		t.Fatal(decodeErr)
	}
	return fromWire(msg.(*jsonrpc2.Response).Err())
}

func TestErrorsSurviveTheSocket(t *testing.T) {
	weak := &server.WeakError{Problems: []lessons.Problem{{Code: lessons.MissingRootCause, Severity: lessons.Warning, Line: 3, Args: []string{"x"}}}}
	request := &server.RequestError{Field: "scope", Value: "year", Allowed: []string{"today", "all"}}
	value := &lessons.ValueError{Field: "kind", Value: "note", Allowed: []string{"lesson"}}
	errs := []error{
		weak, request, value, fmt.Errorf("record: %w", weak),
		fmt.Errorf("bump: %w", &lessons.PathError{Path: "lessons/a.md", Err: lessons.ErrFrontmatter}),
		fmt.Errorf("%w: %w", &lessons.PathError{Path: "notes/b.md"}, server.ErrNotACard),
		fmt.Errorf("read: %w", &fs.PathError{Op: "open", Path: "lessons/gone.md", Err: syscall.ENOENT}),
		fmt.Errorf("write: %w", &fs.PathError{Op: "write", Path: "lessons/a.md", Err: syscall.ENOSPC}),
		&fs.PathError{Op: "open", Path: "a", Err: syscall.EACCES},
		errors.New("nobody tells this one apart"),
	}
	for _, is := range identities {
		errs = append(errs, is, fmt.Errorf("of something: %w", is))
	}
	for _, err := range errs {
		got := across(t, err)
		if got.Error() != err.Error() {
			t.Errorf("%v: says %q", err, got)
		}
		if a, b := server.Code(err), server.Code(got); a != b {
			t.Errorf("%v: code %q became %q", err, a, b)
		}
		for _, l := range []server.Locale{server.English, server.Korean} {
			if a, b := l.Explain(err), l.Explain(got); a != b {
				t.Errorf("%v: explained as\n%s, was\n%s", err, b, a)
			}
		}
		for name, is := range identities {
			if errors.Is(err, is) != errors.Is(got, is) {
				t.Errorf("%v: is %s: %v before, %v after", err, name, errors.Is(err, is), errors.Is(got, is))
			}
		}
	}

	var gotWeak *server.WeakError
	if !errors.As(across(t, weak), &gotWeak) || cmp.Diff(weak, gotWeak) != "" {
		t.Errorf("weak: %+v", gotWeak)
	}
	var gotRequest *server.RequestError
	if !errors.As(across(t, request), &gotRequest) || cmp.Diff(request, gotRequest) != "" {
		t.Errorf("request: %+v", gotRequest)
	}
	var gotValue *lessons.ValueError
	if !errors.As(across(t, value), &gotValue) || cmp.Diff(value, gotValue) != "" {
		t.Errorf("value: %+v", gotValue)
	}
	var named *lessons.PathError
	if !errors.As(across(t, errs[4]), &named) || named.Path != "lessons/a.md" {
		t.Errorf("path: %+v", named)
	}
	var file *fs.PathError
	if !errors.As(across(t, errs[7]), &file) || file.Path != "lessons/a.md" {
		t.Errorf("file: %+v", file)
	}
}

// TestEveryErrorHasAName reads the packages whose errors a client passes on: what they
// export must have a name on the wire.
func TestEveryErrorHasAName(t *testing.T) {
	names := map[string]string{}
	for _, dir := range []string{"..", "../../lessons"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+e.Name(), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range exportedErrors(f) {
				names[name] = text
			}
		}
	}
	if len(names) < 10 {
		t.Fatalf("found only %v", names)
	}
	for name, text := range names {
		known := slices.ContainsFunc(valuesOf(identities), func(err error) bool { return err.Error() == text })
		if !known {
			t.Errorf("%s has no name in identities", name)
		}
	}
}

// exportedErrors returns the variables Err… of a file and what they say.
func exportedErrors(f *ast.File) map[string]string {
	found := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			if !strings.HasPrefix(name.Name, "Err") || i >= len(spec.Values) {
				continue
			}
			if made, ok := spec.Values[i].(*ast.CallExpr); ok && len(made.Args) == 1 {
				if lit, ok := made.Args[0].(*ast.BasicLit); ok {
					found[name.Name] = strings.Trim(lit.Value, `"`)
				}
			}
		}
		return true
	})
	return found
}

func valuesOf(m map[string]error) []error {
	var out []error
	for _, err := range m {
		out = append(out, err)
	}
	return out
}

func TestAnErrorOfTheProtocolHasNoIdentity(t *testing.T) {
	err := fromWire(jsonrpc2.NewError(jsonrpc2.InternalError, "what"))
	if err.Error() != "what" || server.Code(err) != "internal" || errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %s", err, server.Code(err))
	}
}
