package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestIfHeadersAssignNothing holds that no header of an if assigns to a variable that exists already: whoever reads it looks
// for a new one there. No linter has this rule.
func TestIfHeadersAssignNothing(t *testing.T) {
	const root = "../../.."
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "out", "dist", "bin"}, name)) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.IfStmt); ok {
				if a, ok := s.Init.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
					t.Errorf("%s: the header of an if assigns to a variable that is there", files.Position(s.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
