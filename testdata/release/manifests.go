package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/server/agents"
)

// manifestDirs hold nothing but manifests.
var manifestDirs = []string{".agents", ".claude-plugin", ".github/plugin", ".release/gemini"}

// obj is an object of JSON.
type obj = map[string]any

// about has at most 100 characters, which is what the registry of MCP takes.
const about = "Lessons from past mistakes before each request of an agent, and its answer checked against them."

// missing is what a hook says once where the program is not; .release/hook.sh says the same.
const missing = "Handrail needs its program, which is not on this machine: "

var (
	hookCommand = regexp.MustCompile(`\[ -x \\"/handrail-hook\\" \] && \\"/handrail-hook\\" (\w+) \|\| true`)
	powershell  = regexp.MustCompile(`if \(Test-Path \\"/handrail-hook\\"\) \{ & \\"/handrail-hook\\" (\w+) \}`)
	server      = regexp.MustCompile(`(?s),\s*"mcpServers": .*`)
	forWindows  = regexp.MustCompile(`"command": "sh [^\n]* (\w+)"`)
	startAsks   = regexp.MustCompile(`\{ handrail-hook ([sS])essionStart \}`)
)

//go:embed record-a-lesson.md
var skill []byte

// inPlugin is what the plugins say of themselves.
const inPlugin = "Lessons from past mistakes before each request, and a check of the answer against them. Needs the handrail program on the PATH."

// plugins returns the parts of plugins in which hooks call the program on the PATH.
func plugins(version string) (map[string][]byte, error) {
	out := map[string][]byte{"plugin/skills/record-a-lesson/SKILL.md": skill}
	for name, v := range map[string]obj{
		"plugin/.claude-plugin/plugin.json": {"name": "handrail", "version": version, "description": inPlugin},
		"plugin/.codex-plugin/plugin.json": {
			"name": "handrail", "version": version, "description": inPlugin,
			"hooks": "./hooks/codex.json", "skills": "./skills/", "mcpServers": "./.mcp.json",
		},
		"plugin/.mcp.json": {"mcpServers": obj{"handrail": obj{"command": "handrail", "args": []string{"mcp"}}}},
	} {
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return nil, err
		}
		out[name] = append(text, '\n')
	}
	for name, host := range map[string]string{
		"plugin/hooks/hooks.json": "claude", "plugin/hooks/codex.json": "codex", "gemini/hooks/hooks.json": "gemini", "copilot/handrail.json": "copilot",
	} {
		text, err := pluginHooks(host)
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	return out, nil
}

// pluginHooks returns the hooks that setup would give an agent for /handrail-hook, on Windows for one on the PATH.
func pluginHooks(host string) ([]byte, error) {
	list, _ := agents.Named([]string{host})
	home := filepath.Join(os.TempDir(), "nobody")
	plan, err := agents.Machine{Home: home, State: home, Binary: "/handrail", Quick: true, System: "linux", Getenv: func(string) string { return "" }}.Install(list[0], false)
	if err != nil {
		return nil, err
	}
	text := server.ReplaceAll(plan.Changes[0].After, []byte("\n}\n"))
	return powershell.ReplaceAll(text, []byte(`if (Get-Command handrail-hook -ErrorAction SilentlyContinue) { handrail-hook $1 }`)), nil
}

// manifests returns what the stores of agents read, by path: the marketplaces of Claude Code, Codex and Copilot, the plugin
// that the first two share and Copilot's, Gemini CLI's extension for both kinds of shell, and the entry in MCP's registry.
// Hooks call .release/hook.sh, which lies in the plugin, and in Gemini CLI's extension, whose archive holds them, the
// programs themselves.
func manifests(root string, n names) (map[string][]byte, error) {
	plugin, err := plugins(n["version"])
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, m := range []struct {
		to, from string
		calls    string // what a hook calls; none: nothing
	}{
		{to: ".agents/plugins/handrail/.claude-plugin/plugin.json", from: "plugin/.claude-plugin/plugin.json"},
		{to: ".agents/plugins/handrail/.codex-plugin/plugin.json", from: "plugin/.codex-plugin/plugin.json"},
		{to: ".agents/plugins/handrail/.mcp.json", from: "plugin/.mcp.json"},
		{to: ".agents/plugins/handrail/skills/record-a-lesson/SKILL.md", from: "plugin/skills/record-a-lesson/SKILL.md"},
		{".agents/plugins/handrail/hooks/hooks.json", "plugin/hooks/hooks.json", `sh \"$${CLAUDE_PLUGIN_ROOT}/hook.sh\" $1`},
		{".agents/plugins/handrail/hooks/codex.json", "plugin/hooks/codex.json", `sh \"$$PLUGIN_ROOT/hook.sh\" $1`},
		{to: ".github/plugin/handrail/.mcp.json", from: "plugin/.mcp.json"},
		{to: ".github/plugin/handrail/skills/record-a-lesson/SKILL.md", from: "plugin/skills/record-a-lesson/SKILL.md"},
		{".github/plugin/handrail/hooks.json", "copilot/handrail.json", `sh \"$$PLUGIN_ROOT/hook.sh\" $1`},
		{to: ".release/gemini/skills/record-a-lesson/SKILL.md", from: "plugin/skills/record-a-lesson/SKILL.md"},
		{".release/gemini/unix/hooks.json", "gemini/hooks/hooks.json", `\"$${extensionPath}/handrail-hook\" $1`},
		{".release/gemini/windows/hooks.json", "gemini/hooks/hooks.json", `& \"$${extensionPath}/handrail-hook.exe\" $1`},
	} {
		text := plugin[m.from]
		if m.calls != "" && !hookCommand.Match(text) {
			return nil, fmt.Errorf("no hook in %s", m.from)
		}
		text = hookCommand.ReplaceAll(text, []byte(m.calls))
		if strings.HasSuffix(m.to, "codex.json") {
			text = forWindows.ReplaceAll(text, []byte(`$0,
            "commandWindows": "if (Get-Command handrail-hook -ErrorAction SilentlyContinue) { handrail-hook $1 }"`))
		}
		out[m.to] = startAsks.ReplaceAllFunc(text, func(call []byte) []byte {
			field := "systemMessage"
			if call[len("{ handrail-hook ")] == 's' {
				field = "additionalContext" // Copilot's, which shows a person nothing of a hook's
			}
			return fmt.Appendf(nil, `%s elseif (-not (Test-Path \"$env:PLUGIN_ROOT/.told\")) { $null > \"$env:PLUGIN_ROOT/.told\"; `+
				`'{\"%s\":\"%s\"}' }`, call, field, missing+n["repository"]+"#install")
		})
	}
	hook, err := os.ReadFile(filepath.Join(root, ".release/hook.sh"))
	if err != nil {
		return nil, err
	}
	out[".agents/plugins/handrail/hook.sh"], out[".github/plugin/handrail/hook.sh"] = hook, hook

	owner := obj{"name": "Handrail"}
	for name, v := range map[string]obj{
		".claude-plugin/marketplace.json": {
			"name": "handrail", "owner": owner,
			"plugins": []obj{{"name": "handrail", "source": "./.agents/plugins/handrail", "description": about}},
		},
		".agents/plugins/marketplace.json": {
			"name": "handrail", "interface": obj{"displayName": "Handrail"},
			"plugins": []obj{{
				"name": "handrail", "source": obj{"source": "local", "path": "./.agents/plugins/handrail"},
				"policy": obj{"installation": "AVAILABLE", "authentication": "ON_INSTALL"}, "category": "Coding",
			}},
		},
		".github/plugin/marketplace.json": {
			"name": "handrail", "owner": owner, "metadata": obj{"description": about, "version": n["version"]},
			"plugins": []obj{{
				"name": "handrail", "source": "./.github/plugin/handrail", "description": about, "version": n["version"],
			}},
		},
		".github/plugin/handrail/plugin.json": {
			"name": "handrail", "description": about, "version": n["version"], "license": "MIT",
			"homepage": n["homepage"], "repository": n["repository"],
			"hooks": "hooks.json", "skills": "skills/", "mcpServers": ".mcp.json",
		},
		".release/gemini/gemini-extension.json": {
			"name": "handrail", "description": about, "version": n["version"],
			"mcpServers": obj{"handrail": obj{"command": "${extensionPath}/handrail", "args": []string{"mcp"}}},
		},
		".release/server.json": {
			"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
			"name":    n["mcp"], "title": "Handrail", "description": about, "version": n["version"],
			"repository": obj{"url": n["repository"], "source": "github"}, "websiteUrl": n["homepage"],
			"packages": []obj{{
				"registryType": "npm", "identifier": n["npm"], "version": n["version"], "transport": obj{"type": "stdio"},
				"packageArguments": []obj{{"type": "positional", "value": "mcp"}},
			}},
		},
	} {
		text, err := side.JSON(v, "", "  ")
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	return out, nil
}

// writeManifests writes them all, and takes away what is none.
func writeManifests(root string, n names) error {
	texts, err := manifests(root, n)
	if err != nil {
		return err
	}
	for _, dir := range manifestDirs {
		if err := os.RemoveAll(filepath.Join(root, dir)); err != nil {
			return err
		}
	}
	for name, text := range texts {
		path := filepath.Join(root, name)
		mode := os.FileMode(0o644)
		if filepath.Ext(name) == ".sh" {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, mode); err != nil {
			return err
		}
	}
	return nil
}
