package agents

import (
	"bytes"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
)

// ownMark stands in every file that is Handrail's as a whole.
const ownMark = "Handrail for "

// own returns a file that holds nothing but Handrail's. Another's in its place is ErrForeign.
func own(name, text string) file {
	return file{
		name: name, use: Hooks, whole: true,
		edit: func(src []byte) ([]byte, error) {
			if len(bytes.TrimSpace(src)) > 0 && !bytes.Contains(src, []byte(ownMark)) {
				return nil, fmt.Errorf("%w: it is not Handrail's", ErrForeign)
			}
			return []byte(text), nil
		},
		without: func(src []byte) ([]byte, error) {
			if bytes.Contains(src, []byte(ownMark)) {
				return []byte{}, nil
			}
			return src, nil
		},
		empty: func(src []byte) bool { return len(src) == 0 },
	}
}

//go:embed opencode.js
var opencodePlugin string

// plugin returns the plugin for opencode.
func (m Machine) plugin(name string, guard bool) file {
	program, args := m.Hook()
	if guard {
		args = append(args, strings.TrimSpace(guardFlag))
	}
	return own(name, strings.NewReplacer("PROGRAM", quote(filepath.ToSlash(program)), "ARGS", quote(args), "GUARD", quote(guard)).Replace(opencodePlugin))
}

// scripts returns the files by which Cline calls hooks, one for each event. On Windows it takes none of these.
func (m Machine) scripts(dir string, events ...string) []file {
	if m.windows() {
		return nil
	}
	out := make([]file, len(events))
	for i, e := range events {
		out[i] = own(filepath.Join(dir, e), "#!/bin/sh\n# "+ownMark+"Cline. \"handrail setup --remove cline\" removes this file.\n"+m.command(e)+"\n")
		out[i].mode = 0o755
	}
	return out
}
