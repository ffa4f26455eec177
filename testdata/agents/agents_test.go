// Package agents drives the real command lines of agents, with a stand-in for their model, and looks at what reaches whom. It runs where
// HANDRAIL_AGENTS names the folder that holds them, such as node_modules/.bin, and HANDRAIL_PROGRAM the built program; nothing leaves the machine.
package agents

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// host is how one agent is started. Its arguments begin a conversation, or go on with the last.
type host struct {
	name  string
	env   func(url string) []string
	setup func(t *testing.T, b *bench)
	begin []string
	again []string
	write string // the name of its tool that writes a file
	read  string // that reads one
	quiet bool   // it tells hooks of no prompt
	chat  bool   // it is looked at for what reaches its model alone
	input func(path, text string) map[string]any
}

var hosts = []host{
	{
		name: "claude",
		env: func(url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-ant-none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
		},
		begin: []string{"--permission-mode", "acceptEdits", "--allowedTools", "Write,mcp__handrail__lessons_draft", "-p"},
		again: []string{"--permission-mode", "acceptEdits", "--allowedTools", "Write,mcp__handrail__lessons_draft", "--continue", "-p"},
		write: "Write", read: "Read",
		input: func(path, text string) map[string]any { return map[string]any{"file_path": path, "content": text} },
	},
	{
		name: "codex",
		env:  func(url string) []string { return []string{"STANDIN_KEY=none"} },
		setup: func(t *testing.T, b *bench) {
			file := filepath.Join(b.home, ".codex", "config.toml")
			old, _ := os.ReadFile(file)
			b.write(t, file, "model = \"stand-in\"\nmodel_provider = \"standin\"\n\n[model_providers.standin]\nname = \"Stand-in\"\nbase_url = \""+b.model.URL+"/v1\"\nwire_api = \"responses\"\nenv_key = \"STANDIN_KEY\"\n\n"+string(old))
		},
		begin: []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"},
		again: []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "resume", "--last"},
		write: "exec_command", read: "exec_command",
		input: func(path, text string) map[string]any {
			return map[string]any{"cmd": "cat > '" + path + "' <<'EOF'\n" + text + "EOF"}
		},
	},
	{
		name: "gemini",
		env: func(url string) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		setup: func(t *testing.T, b *bench) {
			file := filepath.Join(b.home, ".gemini", "settings.json")
			old, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b.write(t, file, strings.Replace(string(old), "{", `{"security":{"auth":{"selectedType":"gemini-api-key"}},`, 1))
		},
		begin: []string{"--skip-trust", "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p"},
		again: []string{"--skip-trust", "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "--resume", "latest", "-p"},
		write: "write_file", read: "read_file",
		input: func(path, text string) map[string]any { return map[string]any{"file_path": path, "content": text} },
	},
}

// chatHosts speak to the stand-in by chat completions.
var chatHosts = []host{
	{
		name: "qwen", chat: true,
		env: func(url string) []string {
			return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=none", "OPENAI_MODEL=stand-in"}
		},
		setup: func(t *testing.T, b *bench) {
			file := filepath.Join(b.home, ".qwen", "settings.json")
			old, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b.write(t, file, strings.Replace(string(old), "{", `{"security":{"auth":{"selectedType":"openai"}},"model":{"name":"stand-in"},`, 1))
		},
		begin: []string{"--yolo", "-p"}, read: "read_file",
		input: func(path, _ string) map[string]any { return map[string]any{"file_path": path} },
	},
	{
		name: "opencode", chat: true,
		env: func(string) []string { return nil },
		setup: func(t *testing.T, b *bench) {
			b.write(t, filepath.Join(b.home, ".config", "opencode", "opencode.json"), `{"provider":{"standin":{"npm":"@ai-sdk/openai-compatible","name":"Stand-in","options":{"baseURL":"`+b.model.URL+`/v1","apiKey":"none"},"models":{"stand-in":{"name":"stand-in"}}}},"model":"standin/stand-in","autoupdate":false,"permission":"allow"}`)
		},
		begin: []string{"run"}, read: "read",
		input: func(path, _ string) map[string]any { return map[string]any{"filePath": path} },
	},
	{
		name: "copilot", chat: true,
		env: func(url string) []string {
			return []string{"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_MODEL=gpt-5.4", "COPILOT_OFFLINE=true", "COPILOT_ALLOW_ALL=true", "COPILOT_AUTO_UPDATE=false"}
		},
		begin: []string{"--allow-all-tools", "-p"}, read: "view",
		input: func(path, _ string) map[string]any { return map[string]any{"path": path} },
	},
	{
		name: "cline", chat: true, quiet: true,
		env: func(string) []string { return nil },
		setup: func(t *testing.T, b *bench) {
			b.run(t, filepath.Join(b.bin, "cline"), "auth", "-p", "openai-compatible", "-k", "none", "-m", "stand-in", "-b", b.model.URL+"/v1")
		},
		read: "read_files",
		input: func(path, _ string) map[string]any {
			return map[string]any{"files": []any{map[string]any{"path": path}}}
		},
	},
}

// bench is a home folder, a repository with a brain, and a stand-in.
type bench struct {
	home, repo, program, bin string
	env                      []string
	model                    *standIn
}

func (b *bench) write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run starts a program in the repository, for at most two minutes, and returns what it printed.
func (b *bench) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute) // cleanups run programs, too
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = b.repo, b.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// newBench is a bench whose agent is connected by "handrail setup".
func newBench(t *testing.T, h host, bin string, flags ...string) *bench {
	t.Helper()
	b := bareBench(t, h, bin)
	b.run(t, b.program, append([]string{"setup", h.name, "--yes"}, flags...)...)
	if h.setup != nil {
		h.setup(t, b)
	}
	return b
}

func bareBench(t *testing.T, h host, bin string) *bench {
	t.Helper()
	dir := t.TempDir()
	program, err := filepath.Abs(os.Getenv("HANDRAIL_PROGRAM"))
	if err != nil || os.Getenv("HANDRAIL_PROGRAM") == "" {
		t.Fatal("HANDRAIL_PROGRAM names no program")
	}
	b := &bench{home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "shop"), program: program, bin: bin, model: newStandIn(t)}
	b.env = append([]string{"HOME=" + b.home, "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1"}, h.env(b.model.URL)...)
	b.write(t, filepath.Join(b.repo, "README.md"), "# Shop\n")
	if err := os.MkdirAll(b.home, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "Begin"}} {
		b.run(t, "git", args...)
	}
	b.run(t, program, "init")
	return b
}

// ask sends a prompt as a person would and returns the requests that the model got for it.
func (b *bench) ask(t *testing.T, h host, args []string, prompt string) []request {
	t.Helper()
	n := len(b.model.requests(0))
	all := make([]string, 0, len(args)+1)
	for _, a := range args {
		all = append(all, strings.ReplaceAll(a, "$HOME", b.home))
	}
	out := b.run(t, filepath.Join(b.bin, h.name), append(all, prompt)...)
	t.Logf("%s: %s\n%s", h.name, prompt, out)
	return b.model.requests(n)
}

func each(t *testing.T, list []host, test func(t *testing.T, h host, bin string)) {
	bin := os.Getenv("HANDRAIL_AGENTS")
	if bin == "" {
		t.Skip("HANDRAIL_AGENTS names no folder with agents")
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		t.Run(h.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(bin, h.name)); err != nil {
				t.Skip(err)
			}
			test(t, h, bin)
		})
	}
}

// TestDelivery: the block is in the first request that the model gets for a prompt, once, and the card of a file in the request after that was
// read, once.
func TestDelivery(t *testing.T) {
	each(t, append(hosts[:len(hosts):len(hosts)], chatHosts...), func(t *testing.T, h host, bin string) {
		b := newBench(t, h, bin)
		const card = "---\ntype: lesson\ntitle: TITLE\npaths: PATHS\n---\n\n## Root Cause\n\nCAUSE\n\n## Prevention Checklist\n\n- [ ] ITEM\n"
		put := func(name string, fill ...string) {
			b.write(t, filepath.Join(b.repo, ".brain", "lessons", name), strings.NewReplacer(fill...).Replace(card))
		}
		put("allow.md", "TITLE", "Telegram commands need an allowlist", "PATHS", "[]", "CAUSE", "The handler trusted every chat.", "ITEM", "The allowlist is checked before any command runs")
		put("pdf.md", "TITLE", "Pages of a PDF differ in size", "PATHS", `["map.ts"]`, "CAUSE", "The size was read once.", "ITEM", "The size is read for each page")
		b.write(t, filepath.Join(b.repo, "map.ts"), "export const map = 1\n")
		in := h.input(filepath.Join(b.repo, "map.ts"), "")
		if h.name == "codex" {
			in = map[string]any{"cmd": "cat map.ts"}
		}
		delete(in, "content")
		b.model.rules = []rule{{When: regexp.MustCompile(`add a telegram command`), Call: h.read, In: in}}
		block, action := 0, 0
		for _, r := range b.ask(t, h, h.begin, "add a telegram command that restarts the server") {
			block = max(block, strings.Count(r.Turn, "lessons/allow.md"))
			action = max(action, strings.Count(r.Turn, "lessons/pdf.md"))
		}
		if want := 1; block != want && !h.quiet || action != 1 {
			t.Errorf("the block %d times, the card %d times\n%+v", block, action, b.model.requests(0))
		}
	})
}

// stores are the hosts that have a store of their own, and how each installs what .agents, .claude-plugin, .github/plugin
// and .release/gemini hold. The last is put together as its archive is.
var stores = map[string][][]string{
	"claude":  {{"plugin", "marketplace", "add", "$REPO"}, {"plugin", "install", "handrail@handrail"}},
	"codex":   {{"plugin", "marketplace", "add", "$REPO"}, {"plugin", "add", "handrail@handrail"}},
	"copilot": {{"plugin", "marketplace", "add", "$REPO"}, {"plugin", "install", "handrail@handrail"}},
	"gemini":  {{"extensions", "install", "$GEMINI", "--consent"}},
}

// TestStores: what this repository offers the hosts' stores is taken by each host's own command and delivers, with
// the program in ~/.local/bin, which is on nobody's PATH. Without the program no hook fails, and the first alone says how to get it.
func TestStores(t *testing.T) {
	var with []host
	for _, h := range append(hosts[:len(hosts):len(hosts)], chatHosts...) {
		if stores[h.name] != nil {
			with = append(with, h)
		}
	}
	each(t, with, func(t *testing.T, h host, bin string) {
		for _, installed := range []bool{true, false} {
			if h.name == "gemini" && !installed {
				continue // its archive holds the programs
			}
			t.Run(map[bool]string{true: "with the program", false: "without"}[installed], func(t *testing.T) {
				b, repo := bareBench(t, h, bin), t.TempDir()
				for _, name := range []string{".agents", ".claude-plugin", ".github/plugin", ".release/gemini"} {
					from, err := filepath.Abs(filepath.Join("..", "..", name))
					if err != nil {
						t.Fatal(err)
					}
					b.copy(t, from, filepath.Join(repo, name))
				}
				local, gemini := filepath.Join(b.home, ".local", "bin"), filepath.Join(repo, "gemini")
				if h.name == "gemini" {
					for from, to := range map[string]string{"gemini-extension.json": "", "unix": "hooks", "skills": "skills"} {
						b.copy(t, filepath.Join(repo, ".release", "gemini", from), filepath.Join(gemini, to))
					}
					local = gemini
				}
				if installed {
					b.copy(t, b.program, local)
					b.copy(t, filepath.Join(filepath.Dir(b.program), "handrail-hook"), local)
				}
				for _, args := range stores[h.name] {
					list := make([]string, len(args))
					for i, a := range args {
						list[i] = strings.NewReplacer("$REPO", repo, "$GEMINI", gemini).Replace(a)
					}
					t.Log(b.run(t, filepath.Join(bin, h.name), list...))
				}
				if h.name == "gemini" {
					b.write(t, filepath.Join(b.home, ".gemini", "settings.json"), `{"general":{}}`)
				}
				if h.setup != nil {
					h.setup(t, b)
				}
				b.write(t, filepath.Join(b.repo, ".brain", "lessons", "allow.md"), "---\ntype: lesson\ntitle: Telegram commands need an allowlist\n---\n\n## Root Cause\n\nThe handler trusted every chat.\n\n## Prevention Checklist\n\n- [ ] The allowlist is checked before any command runs\n")
				if installed {
					b.daemon(t)
				}
				got := 0
				for _, r := range b.ask(t, h, h.begin, "add a telegram command that restarts the server") {
					got = max(got, strings.Count(r.Turn, "lessons/allow.md"))
				}
				if want := map[bool]int{true: 1}[installed]; got != want {
					t.Errorf("the block came %d times, want %d\n%+v", got, want, b.model.requests(0))
				}
				told := strings.Count(b.run(t, "find", b.home, repo, "-name", ".told"), "\n")
				if want := map[bool]int{false: 1}[installed]; told != want {
					t.Errorf("%d hooks said how to get the program, want %d", told, want)
				}
			})
		}
	})
}

// daemon starts the brain's daemon, so that a hook need not wait for one.
func (b *bench) daemon(t *testing.T) {
	t.Helper()
	cmd := exec.Command(b.program, "daemon", "--brain", filepath.Join(b.repo, ".brain"))
	cmd.Env = b.env
	ready, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		_, err = ready.Read(make([]byte, 1))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// copy copies a file, or all of a folder, into a folder.
func (b *bench) copy(t *testing.T, from, to string) {
	t.Helper()
	b.run(t, "mkdir", "-p", to)
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		from += "/."
	}
	b.run(t, "cp", "-R", from, to)
}

// TestHint: on a message that may be a complaint the model gets one line more, and the draft that it makes waits for the person.
func TestHint(t *testing.T) {
	each(t, hosts, func(t *testing.T, h host, bin string) {
		lesson := map[string]any{
			"title": "The map takes its place from the first page", "task": "Placing a map on the second page", "mistake": "The map was drawn beside the page",
			"rootCause": "Each page has its own size, and the size was read once", "solution": "The size is read for each page",
			"checklist": []any{"`map.ts` reads the size of the page that it draws on"},
		}
		b := newBench(t, h, bin)
		b.model.rules = []rule{
			{When: regexp.MustCompile(`add a map to the second page`), Call: h.write, In: h.input(filepath.Join(b.repo, "map.ts"), "export const map = 1\n")},
			{When: regexp.MustCompile(`(?s)\[HANDRAIL\].*call lessons_draft`), Call: "lessons_draft", In: lesson},
			// Claude Code offers tools of MCP servers by name alone until they are searched for.
			{When: regexp.MustCompile(`(?s)\[HANDRAIL\].*call lessons_draft`), Call: "ToolSearch", In: map[string]any{"query": "select:mcp__handrail__lessons_draft"}},
		}
		for _, r := range b.ask(t, h, h.begin, "add a map to the second page") {
			if strings.Contains(r.Turn, "[HANDRAIL]") {
				t.Errorf("a line where nothing was hinted:\n%s", r.Turn)
			}
		}
		if _, err := os.Stat(filepath.Join(b.repo, "map.ts")); err != nil {
			t.Fatalf("the agent wrote nothing: %v\n%+v", err, b.model.requests(0))
		}
		invited := 0
		for _, r := range b.ask(t, h, h.again, "the map is off on the second page") {
			invited += strings.Count(r.Turn, "[HANDRAIL]")
		}
		if invited == 0 {
			t.Errorf("no line: %+v", b.model.requests(0))
		}
		drafts, _ := filepath.Glob(filepath.Join(b.repo, ".brain", "drafts", "*.md"))
		if len(drafts) != 1 {
			t.Fatalf("drafts: %v\n%+v", drafts, b.model.requests(0))
		}
		if got := b.run(t, b.program, "review", "--list", "--lang", "en"); !strings.Contains(got, "The map takes its place from the first page") {
			t.Errorf("the review:\n%s", got)
		}
		if got := b.run(t, b.program, "preflight", "the map is placed beside the page"); strings.Contains(got, "ACTIVE LESSONS") {
			t.Errorf("a draft speaks before a person says so:\n%s", got)
		}
	})
}

// TestTitles: the model of a conversation is told the titles of cards once, at its beginning, and not again when it goes on, but where its host
// loses them then. Only in the very first conversation the tools tell them too, where they start before any hook.
func TestTitles(t *testing.T) {
	const card = "---\ntype: lesson\ntitle: Tokens reached the log\n---\n\n## Root Cause\n\nThe whole request was logged.\n\n## Prevention Checklist\n\n- [ ] Nobody logs the token\n"
	each(t, hosts, func(t *testing.T, h host, bin string) {
		b := newBench(t, h, bin)
		b.write(t, filepath.Join(b.repo, ".brain", "lessons", "token.md"), card)
		told := func(args []string, prompt string) (n int) {
			for _, r := range b.ask(t, h, args, prompt) {
				n = max(n, strings.Count(r.Turn, "- Tokens reached the log"))
			}
			return n
		}
		if n := told(h.begin, "add a map to the first page"); n > 2 { // none, where the index was not made in time
			t.Errorf("told %d times in the very first conversation\n%+v", n, b.model.requests(0))
		}
		if n := told(h.begin, "add a map to the second page"); n != 1 {
			t.Errorf("told %d times at the beginning\n%+v", n, b.model.requests(0))
		}
		again := 0
		if h.name == "gemini" { // which leaves out of its history what hooks said at the beginning
			again = 1
		}
		if n := told(h.again, "make the map larger"); n != again {
			t.Errorf("told %d times when it goes on, want %d\n%+v", n, again, b.model.requests(0))
		}
	})
}

// TestGuard: with --guard a write that breaks the check of a guarded card is refused, and the model reads why; another write goes through, and so
// does this one without the flag, or where the host has no way to ask.
func TestGuard(t *testing.T) {
	const card = "---\ntype: lesson\ntitle: Tokens reached the log\nguard: GUARD\n---\n\n## Root Cause\n\nThe whole request was logged.\n\n## Prevention Checklist\n\n- [ ] Nobody logs the token\n  ```check\n  forbid: 'log.*token'\n  paths: ['*.ts']\n  matches: ['log(token)']\n  ```\n- [ ] Commands never log the token\n  ```check\n  command: 'log[(]token'\n  matches: ['cat log(token)']\n  ```\n"
	each(t, hosts, func(t *testing.T, h host, bin string) {
		for _, tt := range []struct {
			name, guard, text string
			flags             []string
			told, written     bool
		}{
			{name: "deny", guard: "deny", flags: []string{"--guard"}, text: "log(token)\n", told: true},
			{name: "deny, another text", guard: "deny", flags: []string{"--guard"}, text: "log(id)\n", written: true},
			{name: "deny without the flag", guard: "deny", text: "log(token)\n", written: true},
			// Nobody is there to say yes, so where the host can ask the answer is no.
			{name: "ask", guard: "ask", flags: []string{"--guard"}, text: "log(token)\n", told: h.name == "claude", written: h.name != "claude"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				b := newBench(t, h, bin, tt.flags...)
				b.write(t, filepath.Join(b.repo, ".brain", "lessons", "token.md"), strings.ReplaceAll(card, "GUARD", tt.guard))
				b.model.rules = []rule{{When: regexp.MustCompile(`add a map`), Call: h.write, In: h.input(filepath.Join(b.repo, "map.ts"), tt.text)}}
				told := false
				for _, r := range b.ask(t, h, h.begin, "add a map to the second page") {
					told = told || strings.Contains(r.Turn, "the token [lessons/token.md]")
				}
				_, err := os.Stat(filepath.Join(b.repo, "map.ts"))
				if (err == nil) != tt.written || told != tt.told {
					t.Errorf("written: %v, told: %v\n%+v", err == nil, told, b.model.requests(0))
				}
			})
		}
	})
}
