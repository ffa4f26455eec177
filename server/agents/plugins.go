package agents

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
)

//go:embed record-a-lesson.md
var skill string

// about is what plugins say of themselves.
const about = "Lessons from past mistakes before each request, and a check of the answer against them. Needs the handrail program on the PATH."

// release matches the versions that all plugin managers take.
var release = regexp.MustCompile(`^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$`)

// Plugins writes what plugin managers install, into a folder, and returns the files. At its root is a marketplace of Claude
// Code and Codex, whose plugin serves both; beside it an extension of Gemini CLI and Copilot's hooks. All of them call
// the program on the PATH, since others install them elsewhere.
func Plugins(dir, version string) ([]string, error) {
	if !release.MatchString(version) {
		version = "0.0.0" // of a build without a release, which plugin managers do not take
	}
	m := Machine{onPath: true, Getenv: func(string) string { return "" }}
	texts := map[string]any{
		".claude-plugin/marketplace.json": map[string]any{
			"name": serverName, "owner": map[string]string{"name": "Handrail"},
			"plugins": []any{map[string]string{"name": serverName, "source": "./plugin", "description": about}},
		},
		"plugin/.claude-plugin/plugin.json": map[string]any{"name": serverName, "version": version, "description": about},
		"plugin/.codex-plugin/plugin.json": map[string]any{
			"name": serverName, "version": version, "description": about, "hooks": "./hooks/codex.json", "skills": "./skills/", "mcpServers": "./.mcp.json",
		},
		"plugin/.mcp.json":                       map[string]any{"mcpServers": m.server()},
		"plugin/skills/record-a-lesson/SKILL.md": skill,
		"gemini/gemini-extension.json":           map[string]any{"name": serverName, "version": version, "description": about, "mcpServers": m.server()},
		"gemini/skills/record-a-lesson/SKILL.md": skill,
	}
	for name, host := range map[string]string{"plugin/hooks/hooks.json": "claude", "plugin/hooks/codex.json": "codex", "gemini/hooks/hooks.json": "gemini", "copilot/handrail.json": "copilot"} {
		list, _ := Named([]string{host})
		text, err := list[0].files(m, Options{})[0].edit(nil)
		if err != nil {
			return nil, fmt.Errorf("write the plugin of %s: %w", host, err)
		}
		texts[name] = string(text)
	}
	var out []string
	for name, v := range texts {
		text, plain := v.(string)
		if !plain {
			raw, err := json.MarshalIndent(v, "", "  ")
			if err != nil {
				return nil, fmt.Errorf("write %s: %w", name, err)
			}
			text = string(raw) + "\n"
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := write(file, []byte(text), 0o644); err != nil {
			return nil, fmt.Errorf("write %s: %w", file, err)
		}
		out = append(out, file)
	}
	return out, nil
}

// server is the MCP server's entry in a plugin.
func (m Machine) server() map[string]any {
	return map[string]any{serverName: map[string]any{"command": onPath, "args": []string{"mcp"}}}
}
