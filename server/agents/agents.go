package agents

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Agent is a program that can call Handrail.
type Agent struct {
	Name  string    // as the command line takes it
	Title string    // as people call it
	Note  [2]string // what the person must do or know, in English and Korean
	Trust bool      // it skips hooks until the person trusts them
	home  func(m Machine) string
	list  func(m Machine, guard bool, dir string) []file // dir is home
}

// Machine is where agents are looked for. Folders are absolute.
type Machine struct {
	Home   string              // the person's home
	State  string              // where copies of changed files and what was done are kept
	Binary string              // the stable path of the program
	Quick  bool                // handrail-hook stands beside the program, to be called by hooks
	Getenv func(string) string // CLAUDE_CONFIG_DIR and the like
	Look   func(string) bool   // whether a program of this name is on the path
	System string              // as runtime.GOOS, which "" means
}

// All returns the agents, in the order they are listed.
func All() []Agent {
	return []Agent{
		{
			Name: "claude", Title: "Claude Code",
			home: func(m Machine) string { return m.folder("CLAUDE_CONFIG_DIR", ".claude") },
			list: func(m Machine, guard bool, dir string) []file {
				name := filepath.Join(dir, "settings.json")
				server := m.mcp(filepath.Join(cmp.Or(m.Getenv("CLAUDE_CONFIG_DIR"), m.Home), ".claude.json"), nil)
				const tools = "Read|Grep|Glob|Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell"
				hooks := m.groups(name, before(guard, []registration{
					{event: "SessionStart"},
					{event: "UserPromptSubmit"},
					{event: "PostToolUse", matcher: tools},
					{event: "PostToolUseFailure", matcher: tools},
					{event: "Stop"},
				}, registration{event: "PreToolUse", matcher: tools}), 5, gitBash)
				return []file{strictly(hooks), strictly(server)}
			},
		},
		{
			Name: "codex", Title: "Codex", Trust: true,
			Note: [2]string{"trust the hooks once with /hooks; until then Codex skips them", "/hooks에서 hook을 한 번 신뢰해 주세요. 그 전에는 Codex가 hook을 건너뜁니다"},
			home: func(m Machine) string { return m.folder("CODEX_HOME", ".codex") },
			list: func(m Machine, guard bool, dir string) []file {
				hooks := m.groups(filepath.Join(dir, "hooks.json"), before(guard, []registration{
					{event: "SessionStart"}, {event: "UserPromptSubmit"}, {event: "PostToolUse"}, {event: "Stop"},
				}, registration{event: "PreToolUse"}), 5, powerShell)
				return []file{strictly(hooks), {
					name: filepath.Join(dir, "config.toml"), use: Server, without: m.withoutTOMLServer,
					edit: m.tomlServer,
				}}
			},
		},
		{
			Name: "gemini", Title: "Gemini CLI",
			home: func(m Machine) string { return m.folder("", ".gemini") },
			list: func(m Machine, guard bool, dir string) []file {
				const reads = "read_file|read_many_files|grep_search|search_file_content|glob|"
				const acts = "write_file|replace|run_shell_command"
				name := filepath.Join(dir, "settings.json")
				hooks := m.groups(name, before(guard, []registration{
					{event: "SessionStart"}, {event: "BeforeAgent"}, {event: "AfterTool", matcher: reads + acts}, {event: "AfterAgent"},
				}, registration{event: "BeforeTool", matcher: acts}), 5000, powerShell|titled) // milliseconds
				return []file{m.both(hooks, m.mcp(name, nil))}
			},
		},
		{
			Name: "cursor", Title: "Cursor",
			Note: [2]string{"context at each prompt is not documented by Cursor; at session start and after a tool it is", "Cursor 문서에 프롬프트마다 문맥을 넣는 방법은 없습니다. 세션을 시작할 때와 도구를 쓴 뒤에는 넣을 수 있습니다"},
			home: func(m Machine) string { return m.folder("", ".cursor") },
			list: func(m Machine, guard bool, dir string) []file {
				hooks := m.flat(filepath.Join(dir, "hooks.json"), each(func(e string) map[string]any {
					return map[string]any{"command": m.command(e), "timeout": 5}
				}, "sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "afterFileEdit", "afterAgentResponse"), true)
				return []file{hooks, m.mcp(filepath.Join(dir, "mcp.json"), nil)}
			},
		},
		{
			Name: "qwen", Title: "Qwen Code",
			home: func(m Machine) string { return m.folder("", ".qwen") },
			list: func(m Machine, guard bool, dir string) []file {
				name := filepath.Join(dir, "settings.json")
				hooks := m.groups(name, before(guard, []registration{
					{event: "SessionStart"}, {event: "UserPromptSubmit"}, {event: "PostToolUse"}, {event: "PostToolUseFailure"}, {event: "Stop"},
				}, registration{event: "PreToolUse"}), 5000, powerShell|titled|namesShell) // milliseconds
				return []file{m.both(hooks, m.mcp(name, nil))}
			},
		},
		{
			Name: "opencode", Title: "opencode",
			home: func(m Machine) string { return filepath.Join(m.folder("XDG_CONFIG_HOME", ".config"), "opencode") },
			list: func(m Machine, guard bool, dir string) []file {
				return []file{m.plugin(filepath.Join(dir, "plugins", "handrail.js"), guard)}
			},
		},
		{
			Name: "cline", Title: "Cline",
			Note: [2]string{"switch hooks on in Cline's settings; its command line tells of no prompts, so cards come at actions alone", "Cline 설정에서 hook을 켜 주세요. 명령줄에서는 프롬프트를 알려 주지 않아 카드가 작업할 때만 나옵니다"},
			home: func(m Machine) string { return m.folder("", ".cline") },
			list: func(m Machine, _ bool, dir string) []file {
				return m.scripts(filepath.Join(dir, "hooks"), "TaskStart", "TaskResume", "UserPromptSubmit", "PostToolUse", "TaskComplete")
			},
		},
		{
			Name: "copilot", Title: "Copilot CLI, Copilot and the local agent in VS Code",
			Note: [2]string{"VS Code's hooks are a preview that an organisation can switch off", "VS Code의 hook은 미리 보기 기능이라 조직에서 끌 수 있습니다"},
			home: func(m Machine) string { return m.folder("COPILOT_HOME", ".copilot") },
			list: func(m Machine, guard bool, dir string) []file {
				camel := each(func(e string) map[string]any {
					return map[string]any{"type": "command", "bash": m.command(e), "powershell": m.powershell(e), "timeoutSec": 5}
				}, "sessionStart", "userPromptTransformed", "postToolUse", "postToolUseFailure", "agentStop")
				if guard { // a hook that fails here denies the tool: each way ends with status 0
					call := guardFlag + "preToolUse"
					camel["preToolUse"] = map[string]any{
						"type": "command", "bash": m.command(call), "powershell": m.powershell(call) + "; exit 0", "timeoutSec": 5,
					}
				}
				pascal := each(func(e string) map[string]any {
					return map[string]any{
						"type": "command", "timeout": 5, "command": `[ -z "$COPILOT_HOOK_DIR" ] && ` + m.command(e),
						"windows": "if (-not $env:COPILOT_HOOK_DIR) { " + m.powershell(e) + " }",
					}
				}, "SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")
				// Event names do not survive a change of case in VS Code, so each runtime has
				// a file in its own spelling. Copilot's runtime, which names the folder of its hooks, reads
				// both: VS Code's then does nothing.
				hooks := filepath.Join(dir, "hooks")
				return []file{
					m.flat(filepath.Join(hooks, "handrail.json"), camel, true), m.flat(filepath.Join(hooks, "handrail-vscode.json"), pascal, false),
					m.mcp(filepath.Join(dir, "mcp-config.json"), map[string]any{"tools": []string{"*"}}),
				}
			},
		},
	}
}

// each returns an entry for each event.
func each(entry func(event string) map[string]any, events ...string) map[string]any {
	out := map[string]any{}
	for _, e := range events {
		out[e] = entry(e)
	}
	return out
}

// files returns the files by which the agent takes Handrail. With guard its hooks also ask or refuse before a guarded
// card's check is broken, and notice a denied tool call.
func (a Agent) files(m Machine, guard bool) []file { return a.list(m, guard, a.home(m)) }

// Named returns the agents with these names; missing is the first name nobody has.
func Named(names []string) (list []Agent, missing string) {
	all := All()
	for _, n := range names {
		i := slices.IndexFunc(all, func(a Agent) bool { return a.Name == n })
		if i < 0 {
			return nil, n
		}
		list = append(list, all[i])
	}
	return list, ""
}

// Names returns what Named takes.
func Names() []string {
	var out []string
	for _, a := range All() {
		out = append(out, a.Name)
	}
	return out
}

// Found reports whether the agent seems to be on the machine.
func (a Agent) Found(m Machine) bool {
	switch {
	case a.Name == "cline" && m.windows(): // which takes none of its hooks there
		return false
	case m.Look(a.Name), a.Name == "copilot" && m.Look("code"):
		return true
	}
	info, err := os.Stat(a.home(m))
	return err == nil && info.IsDir()
}

// folder returns where a variable says that an agent keeps its settings, else a folder in the person's home.
func (m Machine) folder(variable, name string) string {
	if variable != "" && m.Getenv(variable) != "" {
		return m.Getenv(variable)
	}
	return filepath.Join(m.Home, name)
}

// portable returns a program's path as a shell reads it: from the home folder where it is
// below that, so that the file suits another machine, too.
func (m Machine) portable(program string) string {
	m.Binary = program
	return filepath.ToSlash(m.below("$HOME"))
}

// Beside returns where handrail-hook is when it stands beside a program.
func Beside(program string) string {
	return filepath.Join(filepath.Dir(program), "handrail-hook"+filepath.Ext(program))
}

// hook returns the program that a hook calls and how its arguments begin.
func (m Machine) hook() (program, args string) {
	if m.Quick {
		return Beside(m.Binary), " "
	}
	return m.Binary, " hook "
}

// command returns the shell command of a hook. It is silent when the program is gone.
func (m Machine) command(event string) string {
	program, args := m.hook()
	if m.windows() {
		return `"` + filepath.ToSlash(program) + `"` + args + event
	}
	p := `"` + m.portable(program) + `"`
	return "[ -x " + p + " ] && " + p + args + event + " || true"
}

func (m Machine) windows() bool { return cmp.Or(m.System, runtime.GOOS) == "windows" }

// powershell is command for PowerShell, in which a path in quotes alone would be a text.
func (m Machine) powershell(event string) string {
	program, args := m.hook()
	p := `"` + m.portable(program) + `"`
	return "if (Test-Path " + p + ") { & " + p + args + event + " }"
}

// ours reports whether a command is Handrail's, by the path it calls from whatever a host calls
// the home folder: with or without "-hook" at its end.
func (m Machine) ours(command string) bool {
	command = filepath.ToSlash(command)
	m.Binary = strings.TrimSuffix(m.Binary, filepath.Ext(m.Binary))
	return command == "handrail" || strings.Contains(command, filepath.ToSlash(m.Binary)) || strings.Contains(command, m.below("HOME")) ||
		strings.Contains(command, m.below("HOME}")) || strings.Contains(command, m.below("userHome}"))
}

// registration is a hook in the form that Claude Code brought up.
type registration struct{ event, matcher, flags string }

// guardFlag tells a hook that its host is to be asked for more than to listen.
const guardFlag = "--guard "

// before adds the hook that runs before a tool, where it is wanted.
func before(guard bool, list []registration, r registration) []registration {
	if guard {
		r.flags = guardFlag
		list = append(list, r)
	}
	return list
}

// manner is how a host takes a hook.
type manner int

const (
	gitBash    manner = 0
	powerShell manner = 1 << (iota - 1) // what runs its commands on Windows
	namesShell                          // if a hook says so
	titled                              // it shows a hook's name, else the whole command
)

// groups returns the file that registers hooks in groups with a matcher.
func (m Machine) groups(name string, list []registration, timeout int, how manner) file {
	entries := map[string]any{}
	for _, r := range list {
		hook := map[string]any{"type": "command", "command": m.command(r.flags + r.event), "timeout": timeout}
		if how&titled != 0 {
			hook["name"] = "handrail"
		}
		if how&powerShell != 0 && m.windows() {
			hook["command"] = m.powershell(r.flags + r.event)
			if how&namesShell != 0 {
				hook["shell"] = "powershell"
			}
		}
		group := map[string]any{"hooks": []any{hook}}
		if r.matcher != "" {
			group["matcher"] = r.matcher
		}
		entries[r.event] = group
	}
	return m.flat(name, entries, false)
}

// flat returns the file that registers one entry for each event.
func (m Machine) flat(name string, entries map[string]any, version bool) file {
	return file{
		name: name,
		use:  Hooks,
		edit: func(src []byte) ([]byte, error) { return addHooks(src, entries, version, m.ours) },
		without: func(src []byte) ([]byte, error) { // Handrail's entries, and what held nothing else
			return edited(src, func(d *document) error { d.cutHooks(m.ours, true); return nil })
		},
	}
}

// strictly marks a file whose host reads no JSON with comments.
func strictly(f file) file {
	f.strict = true
	return f
}

// below returns the program's path with what a host calls the home folder, for files that may be copied to another machine.
func (m Machine) below(home string) string {
	if rel, err := filepath.Rel(m.Home, m.Binary); err == nil && !strings.HasPrefix(rel, "..") {
		return home + "/" + filepath.ToSlash(rel)
	}
	return m.Binary
}

// mcp returns the file that registers the MCP server.
func (m Machine) mcp(name string, more map[string]any) file {
	const key = "mcpServers"
	server := map[string]any{"command": m.Binary, "args": []string{"mcp"}}
	maps.Copy(server, more)
	return file{
		name:    name,
		use:     Server,
		edit:    func(src []byte) ([]byte, error) { return addServer(src, key, server, m.ours) },
		without: func(src []byte) ([]byte, error) { return removeServer(src, key, m.ours) },
	}
}

// both returns one file with the hooks of one and the MCP server of another.
func (m Machine) both(hooks, server file) file {
	chain := func(f, g func([]byte) ([]byte, error)) func([]byte) ([]byte, error) {
		return func(src []byte) ([]byte, error) {
			src, err := f(src)
			if err != nil {
				return nil, err
			}
			return g(src)
		}
	}
	hooks.edit, hooks.without, hooks.use = chain(hooks.edit, server.edit), chain(server.without, hooks.without), HooksAndServer
	return hooks
}
