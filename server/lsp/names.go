package lsp

import (
	"cmp"
	"path/filepath"
	"reflect"
	"strings"

	"go.lsp.dev/uri"

	"handrail/lessons"
	"handrail/server"
)

// resolve puts paths as the Server knows them in the place of what an editor calls files and cards, in the fields of a
// request that say names:"file" or names:"card". Of a list those that no disk has are left out.
func (b *brain) resolve(request reflect.Value) error {
	if request.Kind() != reflect.Struct {
		return nil
	}
	for i := range request.NumField() {
		kind := request.Type().Field(i).Tag.Get("names")
		if kind == "" {
			continue
		}
		switch v := request.Field(i).Addr().Interface().(type) {
		case *string:
			if *v == "" {
				continue
			}
			name, err := b.name(kind, *v)
			if err != nil {
				return err
			}
			*v = cmp.Or(name, *v) // a document that no disk has stays what it is
		case *[]string:
			names := make([]string, 0, len(*v))
			for _, s := range *v {
				name, err := b.name(kind, s)
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

func (b *brain) name(kind, s string) (string, error) {
	if kind == "card" {
		return b.card(s)
	}
	path, err := filePath("files", s)
	if err != nil || path == "" {
		return "", err
	}
	return b.real(path), nil
}

// filePath returns the path of a file URI, or a path as it is. A URI of another scheme (an
// unsaved or a virtual document) has none, which is not an error.
func filePath(field, s string) (path string, err error) {
	if filepath.IsAbs(s) {
		return s, nil
	}
	u, err := uri.Parse(s)
	switch {
	case err != nil || !strings.Contains(s, ":"):
		return "", &server.RequestError{Field: field, Value: clip(s), Need: server.NeedURI}
	case !u.IsFile():
		return "", nil
	}
	return u.FsPath(), nil
}

// files returns the paths of those URIs that have one, as the Server knows them.
func (b *brain) files(uris []string) ([]string, error) {
	paths := make([]string, 0, len(uris))
	for _, u := range uris {
		path, err := filePath("files", u)
		if err != nil {
			return nil, err
		}
		if path != "" {
			paths = append(paths, b.real(path))
		}
	}
	return paths, nil
}

// card returns what names a card as the Server takes it: paths and URIs of files as it
// knows them; anything else is left for it to judge.
func (b *brain) card(name string) (string, error) {
	if strings.HasPrefix(name, "file:") {
		u, err := uri.Parse(name)
		if err != nil {
			return "", &lessons.PathError{Path: clip(name), Err: lessons.ErrBadPath}
		}
		name = u.FsPath()
	}
	if filepath.IsAbs(name) {
		return b.real(name), nil
	}
	return name, nil
}
