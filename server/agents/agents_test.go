package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func testMachine(t *testing.T) Machine {
	dir := t.TempDir()
	return Machine{
		Home: dir, State: filepath.Join(dir, "state"), Binary: filepath.Join(dir, ".local", "share", "handrail", "bin", "handrail"),
		Getenv: func(string) string { return "" }, Look: func(string) bool { return false },
	}
}

func agent(t *testing.T, name string) Agent {
	t.Helper()
	list, missing := Named([]string{name})
	if missing != "" {
		t.Fatal(missing)
	}
	return list[0]
}

func apply(t *testing.T, p Plan, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); err != nil {
		t.Fatal(err)
	}
}

// settings are files as people have them.
var settings = map[string]string{
	"empty":                     "",
	"white space":               "\n",
	"an empty object":           "{}",
	"an empty object, 2 lines":  "{\n}\n",
	"on one line":               `{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`,
	"two spaces":                "{\n  \"model\": \"opus\"\n}\n",
	"four spaces":               "{\n    \"model\": \"opus\",\n    \"hooks\": {}\n}\n",
	"tabs":                      "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}",
	"CRLF":                      "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"a byte order mark":         "\xef\xbb\xbf{\n  \"model\": \"opus\"\n}\n",
	"comments":                  "// top\n{\n  // before\n  \"model\": \"opus\" // behind\n  /* end */\n}\n// bottom\n",
	"trailing commas":           "{\n  \"model\": \"opus\", // behind\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}, // theirs\n    ],\n  },\n}\n",
	"commas in comments":        "{\n  \"model\": \"opus\" // a, b\n}\n",
	"hooks of others":           "{\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      {\n        \"hooks\": [ { \"type\": \"command\", \"command\": \"mine\" } ]\n      }\n    ]\n  },\n  \"z\": [1, 2,3]\n}\n",
	"names that need escaping":  "{\n  \"a\\\"b\\u0041\": {\"x\": \"<&>\"},\n  \"한글\": 1\n}\n",
	"a file without a last eol": "{\n  \"model\": \"opus\"\n}",
}

// TestInstallAndBack holds for every file: installing keeps all that was there, twice is
// once, and uninstalling puts every byte back, with the copy and without.
func TestInstallAndBack(t *testing.T) {
	for name, text := range settings {
		for _, host := range []string{"claude", "gemini", "cursor"} {
			t.Run(host+" "+name, func(t *testing.T) {
				m := testMachine(t)
				file := agent(t, host).files(m, false)[0].name
				if err := write(file, []byte(text), 0o640); err != nil {
					t.Fatal(err)
				}
				p, err := m.Install(agent(t, host), false)
				if refused(t, m, host, text, err) {
					return
				}
				apply(t, p, err)
				installed, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				keepsAll(t, text, string(installed))
				if p, err := m.Install(agent(t, host), false); err != nil || len(p.Changes) != 0 {
					t.Errorf("a second time changes %d files, %v:\n%s", len(p.Changes), err, p.Diff())
				}
				if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("its mode is %v, %v", info.Mode(), err)
				}
				p, err = m.Uninstall(agent(t, host))
				apply(t, p, err)
				if back, err := os.ReadFile(file); err != nil || string(back) != text {
					t.Errorf("back is\n%q, not\n%q, %v", back, text, err)
				}
				if known, err := m.records(); err != nil || len(known) > 0 {
					t.Errorf("thought to be installed: %v, %v", known, err)
				}
			})
		}
	}
}

// refused reports whether a file that its host would not read was refused, and left as it is.
func refused(t *testing.T, m Machine, host, text string, err error) bool {
	t.Helper()
	comments := strings.TrimSpace(text) != "" && !json.Valid(bytes.TrimPrefix([]byte(text), bom))
	strict := comments && (host == "claude" || host == "codex")
	if strict != errors.Is(err, ErrComments) {
		t.Errorf("%s: %v", host, err)
	}
	if name := agent(t, host).files(m, false)[0].name; strict {
		if now, err := os.ReadFile(name); err != nil || string(now) != text {
			t.Errorf("%s is %q now, %v", name, now, err)
		}
	}
	return strict
}

// TestOwnFiles holds that files which are Handrail's as a whole come and go, can be run where they must, and never take another's place.
func TestOwnFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Cline's files are shell scripts")
	}
	for _, host := range []string{"opencode", "cline"} {
		for _, forgets := range []bool{false, true} {
			m := testMachine(t)
			p, err := m.Install(agent(t, host), true)
			apply(t, p, err)
			for _, c := range p.Changes {
				if info, err := os.Stat(c.Name); err != nil || host == "cline" && info.Mode().Perm()&0o100 == 0 {
					t.Errorf("%s: %v, %v", c.Name, info, err)
				}
			}
			if again, err := m.Install(agent(t, host), true); err != nil || len(again.Changes) != 0 {
				t.Errorf("%s: a second time changes %s, %v", host, again.Diff(), err)
			}
			if forgets { // what was done
				if err := os.RemoveAll(m.State); err != nil {
					t.Fatal(err)
				}
			}
			gone, err := m.Uninstall(agent(t, host))
			apply(t, gone, err)
			for _, c := range p.Changes {
				if _, err := os.Stat(c.Name); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s stays: %v", c.Name, err)
				}
			}
			theirs := p.Changes[0].Name
			if err := write(theirs, []byte("#!/bin/sh\necho theirs\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Install(agent(t, host), false); !errors.Is(err, ErrForeign) {
				t.Errorf("%s takes another's place: %v", host, err)
			}
			if left, err := m.Uninstall(agent(t, host)); err != nil || len(left.Changes) != 0 {
				t.Errorf("%s would take another's file away: %s, %v", host, left.Diff(), err)
			}
		}
	}
}

// TestClaudesServer holds that the MCP server of the user's own Claude Code is registered where that reads it.
func TestClaudesServer(t *testing.T) {
	m := testMachine(t)
	p, err := m.Install(agent(t, "claude"), false)
	if err != nil || len(p.Changes) != 2 || filepath.Base(p.Changes[1].Name) != ".claude.json" {
		t.Errorf("%v, %s", err, p.Diff())
	}
}

// TestInstallTheGuard holds that the flag is on the hook before a tool and on no other, that it
// comes and goes without a trace of the other way, and that uninstalling puts every byte back.
func TestInstallTheGuard(t *testing.T) {
	for host, event := range map[string]string{"claude": "PreToolUse", "codex": "PreToolUse", "gemini": "BeforeTool", "copilot": "preToolUse"} {
		for name, text := range settings {
			t.Run(host+" "+name, func(t *testing.T) {
				m := testMachine(t)
				file := agent(t, host).files(m, false)[0].name
				if err := write(file, []byte(text), 0o640); err != nil {
					t.Fatal(err)
				}
				if _, err := m.Install(agent(t, host), false); refused(t, m, host, text, err) {
					return
				}
				install := func(guard bool) string {
					t.Helper()
					p, err := m.Install(agent(t, host), guard)
					apply(t, p, err)
					src, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					keepsAll(t, text, string(src))
					return string(src)
				}
				plain := install(false)
				if strings.Contains(plain, "--guard") {
					t.Errorf("nobody asked for it:\n%s", plain)
				}
				guarded := install(true)
				want := 1
				if host == "copilot" {
					want = 2 // a command for each shell
				}
				if got := strings.Count(guarded, "hook --guard "+event+" "); got != want || strings.Count(guarded, "--guard") != want {
					t.Errorf("the flag is there %d times:\n%s", got, guarded)
				}
				if again := install(false); strings.Contains(again, "--guard") || strings.Count(again, "handrail") != strings.Count(plain, "handrail") {
					t.Errorf("without the guard again it is\n%s\nnot\n%s", again, plain)
				}
				install(true)
				p, err := m.Uninstall(agent(t, host))
				apply(t, p, err)
				if back, err := os.ReadFile(file); err != nil || string(back) != text {
					t.Errorf("back is\n%q, not\n%q, %v", back, text, err)
				}
				if known, err := m.records(); err != nil || len(known) > 0 {
					t.Errorf("thought to be installed: %v, %v", known, err)
				}
			})
		}
	}
}

// TestRemovalByItself says that taking the entries out needs no copy: what is left means
// the same, and is the same to the byte where no container was made or left empty.
func TestRemovalByItself(t *testing.T) {
	m := testMachine(t)
	for name, text := range settings {
		f := agent(t, "claude").files(m, false)[0]
		in, err := f.edit([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out, err := f.without(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if slices.Contains([]string{"two spaces", "CRLF", "a byte order mark", "comments", "commas in comments", "hooks of others", "trailing commas", "names that need escaping", "a file without a last eol"}, name) && string(out) != text {
			t.Errorf("%s: left is\n%s\nnot\n%s", name, out, text)
		}
		if strings.Contains(string(out), "handrail") {
			t.Errorf("%s: something of ours is left:\n%s", name, out)
		}
	}
}

// keepsAll checks that every line of the file before is there after, in order, apart from
// a comma at its end and brackets that were opened up.
func keepsAll(t *testing.T, before, after string) {
	t.Helper()
	if _, err := parseJSON(bytes.TrimPrefix([]byte(after), bom)); err != nil {
		t.Fatalf("%v:\n%s", err, after)
	}
	if strings.Contains(before, "\r\n") && strings.Count(after, "\n") != strings.Count(after, "\r\n") {
		t.Errorf("line endings are mixed:\n%q", after)
	}
	at := 0
	for line := range strings.Lines(before) {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n,[]{}", r) })
		for _, w := range words {
			i := strings.Index(after[at:], w)
			if i < 0 {
				t.Errorf("%q is gone or moved:\n%s", w, after)
				return
			}
			at += i + len(w)
		}
	}
}

func TestRefusals(t *testing.T) {
	m := testMachine(t)
	for _, tt := range []struct {
		host, file, text string
		want             error
	}{
		{"claude", ".claude/settings.json", `{"hooks": {`, ErrUnreadable},
		{"claude", ".claude/settings.json", `[]`, ErrUnreadable},
		{"claude", ".claude/settings.json", `{"hooks": []}`, ErrForeign},
		{"claude", ".claude/settings.json", `{"hooks": {"Stop": {}}}`, ErrForeign},
		{"codex", ".codex/config.toml", `model = `, ErrUnreadable},
		{"codex", ".codex/config.toml", "[mcp_servers.handrail]\ncommand = \"other\"\n", ErrForeign},
		{"codex", ".codex/config.toml", "mcp_servers = { a = { command = \"x\" } }\n", ErrForeign},
		{"cursor", ".cursor/mcp.json", `{"mcpServers": {"handrail": {"command": "other"}}}`, ErrForeign},
		{"cursor", ".cursor/mcp.json", `{"mcpServers": []}`, ErrForeign},
	} {
		name := filepath.Join(m.Home, filepath.FromSlash(tt.file))
		if err := write(name, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Install(agent(t, tt.host), false); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.text, err, tt.want)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCodexServer(t *testing.T) {
	m := testMachine(t)
	for name, text := range map[string]string{
		"empty": "", "comments": "# mine\nmodel = \"x\" # keep\n", "no last eol": "model = \"x\"", "CRLF": "model = \"x\"\r\n\r\n[a]\r\nb = 1\r\n",
		"other servers": "[mcp_servers.other]\ncommand = \"x\"\n\n[mcp_servers.other.env]\nA = \"1\"\n",
	} {
		in, err := m.tomlServer([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Contains(in, []byte(`env_vars = ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME"]`)) {
			t.Errorf("the server is started in another environment than the hooks:\n%s", in)
		}
		if again, err := m.tomlServer(in); err != nil || !bytes.Equal(again, in) {
			t.Errorf("%s: twice is\n%s, %v", name, again, err)
		}
		// A table that somebody writes behind ours stays.
		more := append(bytes.Clone(in), "\n[z]\ny = 1\n"...)
		out, err := m.withoutTOMLServer(more)
		if err != nil || strings.Contains(string(out), "handrail") || !strings.HasPrefix(string(out), strings.TrimSpace(text)) || !strings.Contains(string(out), "[z]\ny = 1") {
			t.Errorf("%s: %q, %v", name, out, err)
		}
		if out, err := m.withoutTOMLServer(in); err != nil || strings.TrimSpace(string(out)) != strings.TrimSpace(text) {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}

func TestChangedBetweenPlanAndApply(t *testing.T) {
	m := testMachine(t)
	p, err := m.Install(agent(t, "claude"), false)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(m.Home, ".claude", "settings.json")
	if err := write(name, []byte(`{"mine": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	if src, _ := os.ReadFile(name); string(src) != `{"mine": 1}` {
		t.Errorf("it is now %s", src)
	}
}

func TestALinkIsFollowed(t *testing.T) {
	m := testMachine(t)
	real := filepath.Join(m.Home, "dotfiles", "settings.json")
	if err := write(real, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(m.Home, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	p, err := m.Install(agent(t, "claude"), false)
	apply(t, p, err)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if src, _ := os.ReadFile(real); !strings.Contains(string(src), "handrail") {
		t.Errorf("the file has %s", src)
	}
}

func TestOldEntriesAreReplaced(t *testing.T) {
	m := testMachine(t)
	old := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + filepath.ToSlash(m.Binary) + ` hook Stop"}]},{"hooks":[{"type":"command","command":"other"}]}],"Gone":[{"hooks":[{"type":"command","command":"` + filepath.ToSlash(m.Binary) + ` hook"}]}]}}`
	out, err := agent(t, "claude").files(m, false)[0].edit([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Hooks map[string][]any }
	if err := json.Unmarshal(out, &got); err != nil || len(got.Hooks["Stop"]) != 2 || len(got.Hooks["Gone"]) != 0 || len(got.Hooks["UserPromptSubmit"]) != 1 {
		t.Errorf("%s, %v", out, err)
	}
}

// TestHooksBehindOurs: what others add behind our entry is no reason to install anew.
func TestHooksBehindOurs(t *testing.T) {
	m, claude := testMachine(t), agent(t, "claude")
	p, err := m.Install(claude, false)
	apply(t, p, err)
	name := claude.files(m, false)[0].name
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(string(src), `"Stop": [`, `"Stop": [{"hooks": []},`, 1)
	more = strings.Replace(more, "\n    ],\n    \"SessionStart\"", ", {\"hooks\": [{\"command\": \"theirs\"}]}\n    ],\n    \"SessionStart\"", 1)
	if err := os.WriteFile(name, []byte(more), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err = m.Install(claude, false)
	if err != nil || len(p.Changes) != 0 || !strings.Contains(more, "theirs") {
		t.Errorf("%v, it changes %s", err, p.Diff())
	}
}

// TestBothProgramsOfHooksAreOurs holds that hooks call handrail-hook where it is there, and
// that entries of either form are known whichever is.
func TestBothProgramsOfHooksAreOurs(t *testing.T) {
	m := testMachine(t)
	for _, ext := range []string{"", ".exe"} {
		m.Binary = strings.TrimSuffix(m.Binary, ".exe") + ext
		quick, full := m, m
		quick.Quick = true
		for _, command := range []string{quick.command("Stop"), quick.powershell("Stop")} {
			if !strings.Contains(command, "handrail-hook"+ext+`" Stop`) || !full.ours(command) {
				t.Errorf("quick: %s", command)
			}
		}
		for _, command := range []string{full.command("Stop"), full.powershell("Stop")} {
			if !strings.Contains(command, "handrail"+ext+`" hook Stop`) || !quick.ours(command) {
				t.Errorf("full: %s", command)
			}
		}
		if command := "/usr/bin/other-handrail-hook"; m.ours(command) {
			t.Errorf("not ours: %s", command)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range settings {
		f.Add([]byte(text))
	}
	m := Machine{Home: "/home/p", Binary: "/home/p/.local/share/handrail/bin/handrail", Getenv: func(string) string { return "" }}
	list, _ := Named([]string{"claude"})
	file := list[0].files(m, false)[0]
	f.Fuzz(func(t *testing.T, src []byte) {
		if bytes.Contains(src, []byte("handrail")) {
			return
		}
		in, err := file.edit(src)
		if err != nil {
			return
		}
		if again, err := file.edit(in); err != nil || !bytes.Equal(again, in) {
			t.Errorf("twice: %v\n%s\n%s", err, in, again)
		}
		out, err := file.without(in)
		if err != nil || bytes.Contains(out, []byte("handrail")) {
			t.Errorf("left is %q, %v", out, err)
		}
	})
}
