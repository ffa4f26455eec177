package find

import (
	"net/url"
	"path/filepath"
)

// FilePath returns the path that a file URI names; a plain absolute path is taken too.
func FilePath(name string) (string, bool) {
	if filepath.IsAbs(name) {
		return filepath.Clean(name), true
	}
	u, err := url.Parse(name)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	p := u.Path
	switch {
	case len(p) > 2 && p[0] == '/' && p[2] == ':': // file:///C:/…
		p = p[1:]
	case u.Host != "" && u.Host != "localhost":
		p = "//" + u.Host + p
	}
	p = filepath.Clean(filepath.FromSlash(p))
	return p, filepath.IsAbs(p)
}
