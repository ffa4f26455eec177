package lessons

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Field is one entry of a small YAML mapping: what stands in a fence of an item.
type Field struct {
	Name   string
	Line   int      // 1-based line in the text that was read
	Values []string // a scalar, or the scalars of a list; verbatim, nil for a mapping
	Fields []Field  // of a mapping
}

// FieldsError is YAML that cannot be read, and where.
type FieldsError struct {
	Line int    // 1-based line in the text that was read
	Says string // what is wrong
}

// Error says what is wrong with the YAML.
func (e *FieldsError) Error() string { return e.Says }

// ReadFields reads a YAML mapping of scalars, lists of scalars and mappings of these, within
// the bounds of a frontmatter. Errors are a [*FieldsError].
func ReadFields(src string) ([]Field, error) {
	r := reader{line: 1}
	pairs, err := mapping([]byte(src))
	if err != nil {
		r.fail(err)
		return nil, &FieldsError{Line: r.syntaxLine, Says: r.syntax}
	}
	return r.fields(pairs, 0), nil
}

// fields returns the entries of a mapping; one inside another more than once is left out.
func (r *reader) fields(pairs []*ast.MappingValueNode, depth int) []Field {
	var out []Field
	for _, p := range pairs {
		f := Field{Name: keyOf(p), Line: r.line}
		if p.Key != nil && p.Key.GetToken() != nil {
			f.Line += p.Key.GetToken().Position.Line - 1
		}
		switch v := p.Value.(type) {
		case *ast.SequenceNode:
			for _, e := range v.Values[:min(len(v.Values), maxList)] {
				f.Values = append(f.Values, scalar(e))
			}
		case *ast.MappingNode:
			if depth == 0 {
				f.Fields = r.fields(v.Values, depth+1)
			}
		case *ast.MappingValueNode:
			if depth == 0 {
				f.Fields = r.fields([]*ast.MappingValueNode{v}, depth+1)
			}
		case *ast.NullNode:
		default:
			f.Values = []string{strings.TrimSuffix(scalar(v), "\n")}
		}
		out = append(out, f)
	}
	return out
}
