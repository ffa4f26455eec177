package lsp

import (
	"cmp"
	"path/filepath"
	"reflect"
	"strings"

	"go.lsp.dev/uri"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
)

// resolve puts paths as the Server knows them in the place of what an editor calls files and cards, in the fields of a
// request that say names:"file" or names:"card". Of a list those that no disk has are left out.
func (b *openBrain) resolve(request reflect.Value) error {
	if request.Kind() != reflect.Struct {
		return nil
	}
	for i := range request.NumField() {
		f := request.Type().Field(i)
		kind := f.Tag.Get("names")
		if kind == "" {
			continue
		}
		field, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch v := request.Field(i).Addr().Interface().(type) {
		case *string:
			if *v == "" {
				continue
			}
			name, err := b.name(kind, field, *v)
			if err != nil {
				return err
			}
			*v = cmp.Or(name, *v) // a document that no disk has stays what it is
		case *[]string:
			names := make([]string, 0, len(*v))
			for _, s := range *v {
				name, err := b.name(kind, field, s)
				if err != nil {
					return err
				}
				if name != "" {
					names = append(names, name)
				}
			}
			*v = names
		}
	}
	return nil
}

// name returns the path of a file URI, or a path, as the Server knows it. A URI of another scheme (an
// unsaved or a virtual document) has none, which is not an error. What else may name a card is left for
// the Server to judge.
func (b *openBrain) name(kind, field, s string) (string, error) {
	switch {
	case filepath.IsAbs(s):
		return b.real(s), nil
	case kind == "card" && !strings.HasPrefix(s, "file:"):
		return s, nil
	}
	u, err := uri.Parse(s)
	switch {
	case kind == "card" && err != nil:
		return "", &lessons.PathError{Path: clip(s), Err: lessons.ErrBadPath}
	case err != nil || !strings.Contains(s, ":"):
		return "", &brain.RequestError{Field: field, Value: clip(s), Need: brain.NeedURI}
	case !u.IsFile():
		return "", nil
	}
	return b.real(u.FsPath()), nil
}
