package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestACommentBehindTheServer holds that what a person writes behind Handrail's table stays, to the byte.
func TestACommentBehindTheServer(t *testing.T) {
	m := testMachine(t)
	const before = "model = \"x\"\n"
	in, err := m.tomlServer([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	for _, behind := range []string{"\n# mine\n# mine too\n[tools]\nweb = true # yes\n", "\n# the end\n", "# at once\n\n[[a]]\n# in it\n"} {
		out, err := m.withoutTOMLServer(append(in[:len(in):len(in)], behind...))
		if want := before + behind; err != nil || string(out) != want {
			t.Errorf("left is\n%s\nnot\n%s, %v", out, want, err)
		}
	}
	ours := "[mcp_servers.handrail.env] # theirs for ours\nA = \"1\"\n"
	if out, err := m.withoutTOMLServer(append(in[:len(in):len(in)], "\n# of ours\n"+ours...)); err != nil || string(out) != before {
		t.Errorf("left is\n%s, %v", out, err)
	}
}

// TestTheServerGoesWithTheHooks holds that an installation of hooks alone, over one with the MCP server in a file that was edited
// meanwhile, forgets neither.
func TestTheServerGoesWithTheHooks(t *testing.T) {
	for _, host := range []string{"gemini", "qwen"} {
		m, a := testMachine(t), agent(t, host)
		file := a.files(m, false)[0].name
		const text = "{\n  \"theme\": \"x\"\n}\n"
		if err := write(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := m.Install(a, false)
		apply(t, p, err)
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(file, []byte(strings.Replace(string(src), `"x"`, `"y"`, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err = m.Install(a, true)
		apply(t, p, err)
		if src, err := os.ReadFile(file); err != nil || !strings.Contains(string(src), `"mcpServers"`) {
			t.Errorf("%s: the server is gone, %v:\n%s", host, err, src)
		}
		p, err = m.Uninstall(a)
		apply(t, p, err)
		if src, err := os.ReadFile(file); err != nil || string(src) != strings.Replace(text, "x", "y", 1) {
			t.Errorf("%s: left is\n%s, %v", host, src, err)
		}
	}
}

// TestGuarded says whether an installation had the guard, whatever else uses the same words.
func TestGuarded(t *testing.T) {
	for _, host := range []string{"claude", "codex", "gemini", "qwen", "opencode", "copilot"} {
		for _, o := range []bool{false, true} {
			m, a := testMachine(t), agent(t, host)
			if host != "opencode" {
				mine := `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "check --guard PreToolUse"}]}]}}`
				if err := write(a.files(m, false)[0].name, []byte(mine), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if m.Guarded(a) {
				t.Errorf("%s: before the installation", host)
			}
			p, err := m.Install(a, o)
			apply(t, p, err)
			if got := m.Guarded(a); got != o {
				t.Errorf("%s with %+v: %v", host, o, got)
			}
		}
	}
}

// TestOpencodesFolder is where opencode looks: the folder of settings that the person names.
func TestOpencodesFolder(t *testing.T) {
	m := testMachine(t)
	m.Getenv = func(name string) string {
		return map[string]string{"XDG_CONFIG_HOME": filepath.Join(m.Home, "settings")}[name]
	}
	p, err := m.Install(agent(t, "opencode"), false)
	if want := filepath.Join(m.Home, "settings", "opencode", "plugins", "handrail.js"); err != nil || len(p.Changes) != 1 || p.Changes[0].Name != want {
		t.Errorf("%+v is not %s, %v", p.Changes, want, err)
	}
}

// TestHooksOnWindows are commands for the shell that runs them there, and are found again.
func TestHooksOnWindows(t *testing.T) {
	for host, want := range map[string]string{
		"claude": `"command": "\"HOME/.local/share/handrail/bin/handrail\" hook Stop"`,
		"codex":  `"command": "if (Test-Path \"$HOME/.local/share/handrail/bin/handrail\") { & \"$HOME/.local/share/handrail/bin/handrail\" hook Stop }"`,
		"gemini": `"command": "if (Test-Path \"$HOME/.local/share/handrail/bin/handrail\") { & \"$HOME/.local/share/handrail/bin/handrail\" hook AfterAgent }"`,
		"qwen":   `hook Stop }"`,
	} {
		m, a := testMachine(t), agent(t, host)
		m.System = "windows"
		p, err := m.Install(a, false)
		apply(t, p, err)
		after := strings.ReplaceAll(string(p.Changes[0].After), filepath.ToSlash(m.Home), "HOME")
		if !strings.Contains(after, want) || strings.Contains(after, `"shell": "powershell"`) != (host == "qwen") {
			t.Errorf("%s: no %s in\n%s", host, want, after)
		}
		if again, err := m.Install(a, false); err != nil || len(again.Changes) != 0 {
			t.Errorf("%s: a second time changes %s, %v", host, again.Diff(), err)
		}
	}
}

// TestMadeFoldersGo: the folders that an installation made go with the last of its files, in whatever order they go; one
// that was there, or that holds another's file, stays.
func TestMadeFoldersGo(t *testing.T) {
	for range 20 { // maps have no order
		m := testMachine(t)
		if err := os.Mkdir(filepath.Join(m.Home, ".gemini"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"cline", "cursor", "gemini"} {
			p, err := m.Install(agent(t, name), false)
			apply(t, p, err)
		}
		theirs := filepath.Join(m.Home, ".cursor", "rules")
		if err := os.WriteFile(theirs, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"cline", "cursor", "gemini"} {
			p, err := m.Uninstall(agent(t, name))
			apply(t, p, err)
		}
		for name, want := range map[string]bool{".cline": false, ".cursor": true, ".gemini": true} {
			if _, err := os.Stat(filepath.Join(m.Home, name)); (err == nil) != want {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}
