package agents

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// passedOn are the variables that say where the user's folders are. Codex starts an MCP server without them, and its hooks
// with them, unless they are named; both are to use the same state and cache.
const passedOn = `["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME"]`

// tomlServer registers the MCP server in Codex's config.toml: a table at its end. The
// library only proves that the file meant the same before and after.
func (m Machine) tomlServer(src []byte) ([]byte, error) {
	before, err := readTOML(src)
	if err != nil {
		return nil, err
	}
	entry := []string{"command = " + quote(filepath.ToSlash(m.Binary)), `args = ["mcp"]`, "env_vars = " + passedOn, ""}
	want, err := readTOML([]byte(strings.Join(entry, "\n")))
	if err != nil {
		return nil, err
	}
	servers, _ := before["mcp_servers"].(map[string]any)
	if old, ok := servers[serverName].(map[string]any); ok {
		if reflect.DeepEqual(old, want) {
			return src, nil
		}
		if c, _ := old["command"].(string); !m.ours(c) {
			return nil, fmt.Errorf("%w: mcp_servers.%s", ErrForeign, serverName)
		}
		src, err = m.withoutTOMLServer(src)
		if err != nil {
			return nil, err
		}
	}
	eol := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		eol = "\r\n"
	}
	out := bytes.Clone(src)
	if len(bytes.TrimSpace(out)) > 0 {
		if !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, eol...)
		}
		out = append(out, eol...)
	}
	out = append(out, "[mcp_servers."+serverName+"]"+eol+strings.Join(entry, eol)...)
	after, err := readTOML(out)
	if err != nil {
		return nil, fmt.Errorf("%w: mcp_servers is not written as tables", ErrForeign)
	}
	servers, _ = after["mcp_servers"].(map[string]any)
	if servers != nil {
		delete(servers, serverName)
	}
	if old, _ := before["mcp_servers"].(map[string]any); old != nil {
		delete(old, serverName)
	} else {
		delete(after, "mcp_servers")
	}
	if !reflect.DeepEqual(before, after) {
		return nil, fmt.Errorf("%w: adding a table would change another", ErrForeign)
	}
	return out, nil
}

var (
	tomlHeader = regexp.MustCompile(`^\s*\[`)
	ownHeader  = regexp.MustCompile(`^\s*\[\s*mcp_servers\s*\.\s*"?handrail"?\s*(?:\.[^\]]*)?\]`)
)

// withoutTOMLServer takes the table out, from its header to its last line, with the blank line
// before it. A comment behind it belongs to what follows.
func (m Machine) withoutTOMLServer(src []byte) ([]byte, error) {
	doc, err := readTOML(src)
	if err != nil {
		return nil, err
	}
	servers, _ := doc["mcp_servers"].(map[string]any)
	old, _ := servers[serverName].(map[string]any)
	if c, _ := old["command"].(string); old == nil || !m.ours(c) {
		return src, nil
	}
	var out, behind []byte // behind are the blank lines and comments since the last line of ours
	inside := false
	for line := range bytes.Lines(src) {
		if tomlHeader.Match(line) {
			now := ownHeader.Match(line)
			if now && !inside && bytes.HasSuffix(bytes.ReplaceAll(out, []byte("\r"), nil), []byte("\n\n")) {
				out = bytes.TrimSuffix(bytes.TrimSuffix(out, []byte("\n")), []byte("\r"))
			}
			if !now {
				out = append(out, behind...)
			}
			inside, behind = now, nil
		}
		switch text := bytes.TrimSpace(line); {
		case !inside:
			out = append(out, line...)
		case len(text) == 0 || text[0] == '#':
			behind = append(behind, line...)
		default:
			behind = nil
		}
	}
	out = append(out, behind...)
	if _, err := readTOML(out); err != nil {
		return nil, err
	}
	return out, nil
}

func readTOML(src []byte) (map[string]any, error) {
	doc := map[string]any{}
	if err := toml.Unmarshal(bytes.TrimPrefix(src, bom), &doc); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return doc, nil
}
