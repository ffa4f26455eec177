package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/triggers"
)

// disk is a person's home with a project in it.
type disk struct {
	home, dir string
}

func newDisk(t *testing.T) disk {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := disk{filepath.Join(root, "home"), filepath.Join(root, "shop")}
	d.write(t, filepath.Join(d.dir, "map.ts"), "export const map = 1\n")
	return d
}

func (d disk) write(tb testing.TB, name, text string) {
	tb.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		tb.Fatal(err)
	}
}

// put writes a transcript of testdata into the home, as if it had been written in the project.
func (d disk) put(t *testing.T, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", from))
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.Trim(string(str(d.dir)), `"`) // as JSON has it
	d.write(t, filepath.Join(d.home, to), strings.NewReplacer("$DIR", dir, "$SLASH", filepath.ToSlash(d.dir), "$HASH", side.Sum([]byte(d.dir))).Replace(string(raw)))
}

func (d disk) find(t *testing.T, edit func(*Options)) Report {
	t.Helper()
	o := Options{Project: d.dir, Home: d.home, Getenv: func(string) string { return "" }, Memory: filepath.Join(d.home, "learned.json")}
	if edit != nil {
		edit(&o)
	}
	r, err := Find(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A person put the agent right in the second turn, in each host's transcript. Those of command lines were written by the
// hosts' own in November 2026, those of VS Code, Cline's extension and SpecStory are of the documented form.
var transcripts = []struct{ from, to, title, file string }{
	{"claude.jsonl", ".claude/projects/-shop/a07a8572.jsonl", "Claude Code", "map.ts"},
	{"codex.jsonl", ".codex/sessions/2026/11/26/rollout-1.jsonl", "Codex", "map.ts"},
	{"gemini.jsonl", ".gemini/tmp/shop/chats/session-1.jsonl", "Gemini CLI", "map.ts"},
	{"copilot.jsonl", ".copilot/session-state/7c1f/events.jsonl", "Copilot", ""},
	{"qwen.jsonl", ".qwen/projects/-shop/chats/1.jsonl", "Qwen Code", ""},
	{"cline.messages.json", ".cline/data/sessions/1/1.messages.json", "Cline", ""},
	{"cline-task.json", ".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/tasks/1795691232297/ui_messages.json", "Cline", "map.ts"},
	{"vscode.jsonl", ".vscode-server/data/User/workspaceStorage/1/chatSessions/1.jsonl", "VS Code", ""},
	{"vscode-1.108.json", ".vscode-server/data/User/workspaceStorage/1/chatSessions/2.json", "VS Code", ""},
	{"copilot-chat.jsonl", ".vscode-server/data/User/workspaceStorage/1/GitHub.copilot-chat/transcripts/3.jsonl", "VS Code", "map.ts"},
	{"specstory.md", "../shop/.specstory/history/2026-11-26_11-07-double.md", "SpecStory", "map.ts"},
}

func (d disk) beside(t *testing.T) {
	t.Helper()
	d.put(t, "cline.json", ".cline/data/sessions/1/1.json")
	folder := url.URL{Scheme: "file", Path: filepath.ToSlash(d.dir)}
	d.write(t, filepath.Join(d.home, ".vscode-server/data/User/workspaceStorage/1/workspace.json"), `{"folder":"`+folder.String()+`"}`)
}

func TestTranscripts(t *testing.T) {
	for _, tr := range transcripts {
		t.Run(tr.from, func(t *testing.T) {
			d := newDisk(t)
			d.beside(t)
			d.put(t, tr.from, tr.to)
			r := d.find(t, nil)
			if r.Talks != 1 || len(r.Skipped) > 0 || len(r.Candidates) != 1 {
				t.Fatalf("%d conversations, skipped %v, candidates %+v", r.Talks, r.Skipped, r.Candidates)
			}
			c := r.Candidates[0]
			if len(c.Seen) != 1 || c.Seen[0].Host != tr.title || !strings.Contains(c.Seen[0].Said, "`map.ts`") || c.Seen[0].At.Year() != 2026 {
				t.Errorf("seen %+v", c.Seen)
			}
			if tr.file != "" && !slices.Contains(c.Files, tr.file) {
				t.Errorf("files %q", c.Files)
			}
		})
	}
}

// sql makes a database by statements of testdata, as put does a transcript.
func (d disk) sql(t *testing.T, from, to string) {
	t.Helper()
	d.put(t, from, to+".sql")
	cmd := exec.Command("sqlite3", filepath.Join(d.home, to), ".read "+filepath.ToSlash(filepath.Join(d.home, to+".sql")))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("sqlite3: %v\n%s", err, out)
	}
}

// The databases of opencode and Cursor, of the documented form, are read by sqlite3, and named where there is none.
func TestDatabases(t *testing.T) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip("no sqlite3 on the PATH: ", err)
	}
	d := newDisk(t)
	folder := url.URL{Scheme: "file", Path: filepath.ToSlash(d.dir)}
	cursor := ".config/Cursor/User/"
	switch runtime.GOOS {
	case "darwin":
		cursor = "Library/Application Support/Cursor/User/"
	case "windows":
		cursor = "AppData/Roaming/Cursor/User/"
	}
	d.write(t, filepath.Join(d.home, cursor, "workspaceStorage/1/workspace.json"), `{"folder":"`+folder.String()+`"}`)
	d.write(t, filepath.Join(d.home, cursor, "globalStorage/empty"), "")
	d.sql(t, "opencode.sql", ".local/share/opencode/opencode.db")
	d.sql(t, "cursor.sql", cursor+"globalStorage/state.vscdb")
	d.sql(t, "cursor-workspace.sql", cursor+"workspaceStorage/1/state.vscdb")
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	if r := d.find(t, nil); !slices.Equal(r.Skipped, []Skipped{{"opencode", 1, NoSQLite}, {"Cursor", 1, NoSQLite}}) {
		t.Errorf("without sqlite3: %+v", r)
	}
	t.Setenv("PATH", path)
	r := d.find(t, nil)
	var got []string
	for _, c := range r.Candidates {
		for _, s := range c.Seen {
			got = append(got, s.Host+" "+s.At.UTC().Format(time.DateOnly)+" "+strings.Join(c.Files, ","))
		}
	}
	slices.Sort(got)
	if want := []string{"Cursor 2026-11-03 ", "opencode 2026-11-01 map.ts"}; r.Talks != 2 || len(r.Skipped) > 0 || !slices.Equal(got, want) {
		t.Errorf("%d conversations, skipped %+v: %q, want %q", r.Talks, r.Skipped, got, want)
	}
	if again := d.find(t, nil); again.New {
		t.Error("read again")
	}
	drifted := newDisk(t)
	drifted.write(t, filepath.Join(drifted.home, ".local/share/opencode/empty"), "")
	cmd := exec.Command("sqlite3", filepath.Join(drifted.home, ".local/share/opencode/opencode.db"), "create table conversation (id text)")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("sqlite3: %v\n%s", err, out)
	}
	if r := drifted.find(t, nil); !slices.Equal(r.Skipped, []Skipped{{"opencode", 1, UnknownForm}}) {
		t.Errorf("of another form: %+v", r)
	}
}

// What came in two conversations comes first, with both.
func TestTwoConversations(t *testing.T) {
	d := newDisk(t)
	d.put(t, "claude.jsonl", ".claude/projects/-shop/one.jsonl")
	raw, err := os.ReadFile(filepath.Join(d.home, ".claude/projects/-shop/one.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	later := strings.NewReplacer("2026-11-26T", "2026-11-28T", "No, that is wrong. Never edit", "No, wrong again. You must never edit").Replace(string(raw))
	d.write(t, filepath.Join(d.home, ".claude/projects/-shop/two.jsonl"), later)
	d.write(t, filepath.Join(d.home, ".claude/projects/-shop/copy.jsonl"), string(raw)) // the same conversation, kept twice
	r := d.find(t, nil)
	if len(r.Candidates) != 1 || r.Candidates[0].Talks() != 2 || r.Candidates[0].Times != 2 || r.Talks != 3 {
		t.Fatalf("%d conversations: %+v", r.Talks, r.Candidates)
	}
}

// said writes a conversation of Claude Code in which a person says these things.
func (d disk) said(t *testing.T, name, day string, words ...string) {
	t.Helper()
	var out strings.Builder
	for i, w := range words {
		fmt.Fprintf(&out, `{"type":"user","message":{"role":"user","content":%s},"timestamp":"%sT09:%02d:00Z","cwd":%s}`+"\n", str(w), day, 5*i, str(d.dir))
	}
	d.write(t, filepath.Join(d.home, ".claude/projects/-shop", name+".jsonl"), out.String())
}

// A correction that repeats a line of the project's rules, or names their file, is a candidate in the rule's own words.
func TestRulesThatWereBroken(t *testing.T) {
	d := newDisk(t)
	d.write(t, filepath.Join(d.dir, "CLAUDE.md"), "# Shop\n\n- **Never** write generated files under `dist` by hand\n- Labels are printed with zebra, never with pdf\n- Names of tables are singular\n\n<!-- handrail:begin -->\n- Never sort the baskets of a customer\n<!-- handrail:end -->\n")
	d.write(t, filepath.Join(d.dir, ".cursor/rules/money.mdc"), "---\ndescription: Everything about prices\n---\n\n# How prices are kept\n\nAlways keep prices as integers of cents\n")
	d.said(t, "one", "2026-03-02", "add a page", "why did you write generated files under dist by hand? don't")
	d.said(t, "two", "2026-03-09", "add a price", "why didn't you follow @money.mdc?")
	d.said(t, "three", "2026-03-20", "add a discount", "no, that's wrong, see money.mdc: prices stay integers of cents")
	d.said(t, "four", "2026-03-21", "sort the list", "why did you sort the baskets of a customer? don't")
	d.said(t, "five", "2026-03-22", "print a label", "No, you used the pdf again. Labels are printed with zebra here.")
	d.said(t, "six", "2026-03-23", "add a table", "no, you called it users, the names of tables are singular")
	got := map[string]int{}
	for _, c := range d.find(t, nil).Candidates {
		got[c.Title] = c.Talks()
		if c.Untitled != (c.Title == "How prices are kept") { // a heading is no rule
			t.Errorf("%q: untitled %t", c.Title, c.Untitled)
		}
		if len(c.Rules) != 1 || c.Rules[0] != c.Title || strings.Contains(c.Seen[0].Said, c.Title) {
			t.Errorf("%+v", c)
		}
	}
	want := map[string]int{"Never write generated files under `dist` by hand": 1, "How prices are kept": 1, "Labels are printed with zebra, never with pdf": 1, "Always keep prices as integers of cents": 1, "Names of tables are singular": 1}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	d.write(t, filepath.Join(d.dir, "CLAUDE.md"), "# Shop\n")
	if again := d.find(t, nil).Candidates; len(again) != 4 {
		t.Errorf("without the rule: %+v", again)
	}
}

// What may be a correction becomes a candidate once it is said in another conversation, in other words.
func TestHintsOfTwoConversations(t *testing.T) {
	d := newDisk(t)
	d.said(t, "one", "2026-03-02", "add a page", "why are you editing the prices of the old catalogue?")
	d.said(t, "copy", "2026-03-02", "add a page", "why are you editing the prices of the old catalogue?")
	if r := d.find(t, nil); len(r.Candidates) > 0 {
		t.Errorf("once: %+v", r.Candidates)
	}
	d.said(t, "two", "2026-03-09", "add a price", "no, you edited the prices of the old catalogue, not the new one")
	r := d.find(t, nil)
	if len(r.Candidates) != 1 || len(r.Candidates[0].Seen) != 2 || r.Candidates[0].Talks() != 2 || !strings.HasPrefix(r.Candidates[0].Title, "you edited") {
		t.Errorf("twice: %+v", r.Candidates)
	}
}

// What is more likely a correction than not counts at once where it blames the agent first.
func TestLikelyCorrections(t *testing.T) {
	d := newDisk(t)
	short, ban := "why didn't you take the prices from the catalogue?", "do not fill the %s. Leave that for now. What else do you need for this page, and how long will it take?"
	d.said(t, "one", "2026-03-02", "add a page", short)
	d.said(t, "two", "2026-03-09", "add a price", fmt.Sprintf(ban, "shop"))
	d.said(t, "three", "2026-03-16", fmt.Sprintf(ban, "cellar")) // nothing was done before
	var got []string
	for _, c := range d.find(t, nil).Candidates {
		got = append(got, c.Seen[0].Said)
	}
	if !slices.Equal(got, []string{"do not fill the shop.", short}) {
		t.Errorf("%q", got)
	}
}

// What an agent's rules are to say is a rule, where it says something; so is what a file of them said that is gone.
func TestRulesThatWereAskedFor(t *testing.T) {
	d := newDisk(t)
	d.said(t, "one", "2026-03-02", "add a page", "create a cursor rule that specifies that each bug first gets a test that must fail")
	d.said(t, "two", "2026-03-09", "add a price", "Update my cursor rules with an important item. The agent must NEVER print (e.g. by cat) files of the environment!")
	d.said(t, "three", "2026-03-16", "add a list", "add it to the cursor rules")
	d.said(t, "four", "2026-03-23", "add a list", "make sure the spec says to update the @prices.mdc rule, and nothing must be left")
	d.said(t, "five", "2026-03-30", "add a list", "no, that's not right, take the command for prices, see @prices.mdc")
	var got []string
	for _, c := range d.find(t, nil).Candidates {
		got = append(got, c.Title)
		if c.Trigger == string(triggers.Record) && (len(c.Rules) != 1 || c.Seen[0].Said != c.Rules[0]) {
			t.Errorf("%q: rules %q, seen %+v", c.Title, c.Rules, c.Seen)
		}
	}
	if want := []string{
		"take the command for prices, see @prices.mdc", "The agent must NEVER print (e.g. by cat) files of the environment", "each bug first gets a test that must fail",
	}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// The files that SpecStory's markdown says were changed: none that was read, nothing of prose, and whole paths.
func TestEditedFiles(t *testing.T) {
	text := "Create a page, then run it.\nCreated conversation: 1\n<details><summary>Edit file: docs/first steps.md</summary>\n" +
		"Tool use: **read_file**\n\n- filePath: `/shop/read.ts`\n\nTool use: **replace_string_in_file**\n\n- filePath: `/shop/map.ts`\n" +
		"Tool use: **copilot_readFile**\n  \"file_path\": \"/shop/read.ts\",\nTool use: **copilot_createFile**\n  \"file_path\": \"/shop/new.ts\",\n" +
		"Tool use: **search_replace** • Apply patch for cart.ts\n"
	if got, want := slices.Collect(edited(text)), []string{"docs/first steps.md", "/shop/map.ts", "/shop/new.ts", "cart.ts"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Of what was only read nothing is taken, but the reason why the person turned it down.
func TestCallsThatOnlyRead(t *testing.T) {
	d := newDisk(t)
	dir := string(str(d.dir))
	call := func(id string) string {
		return `{"type":"assistant","cwd":` + dir + `,"timestamp":"2026-03-02T09:00:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"Read","input":{"file_path":"map.ts"}}]}}` + "\n"
	}
	result := func(id, part, read string) string {
		return `{"type":"user","cwd":` + dir + `,"timestamp":"2026-03-02T09:05:00Z","message":{"role":"user","content":[{"tool_use_id":"` + id + `","type":"tool_result",` + part + `}]}` + read + "}\n"
	}
	said := string(str("The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nNo, that is wrong. You must never read map.ts, read its generator."))
	d.write(t, filepath.Join(d.home, ".claude/projects/-shop/one.jsonl"),
		`{"type":"user","cwd":`+dir+`,"timestamp":"2026-03-02T08:00:00Z","message":{"role":"user","content":"double the map"}}`+"\n"+
			call("a")+result("a", `"content":"1\tNo, that is wrong. You must never sort the map."`, `,"toolUseResult":{"type":"text","file":{"content":"No, that is wrong. You must never sort the map."}}`)+
			call("b")+result("b", `"is_error":true,"content":`+said, ""))
	r := d.find(t, nil)
	if len(r.Candidates) != 1 || !strings.Contains(r.Candidates[0].Seen[0].Said, "generator") {
		t.Errorf("%+v", r.Candidates)
	}
}

// Nothing is read of another project, through a link, or twice; what is torn or unknown costs nothing but itself.
func TestWhatIsLeftOut(t *testing.T) {
	d := newDisk(t)
	d.put(t, "claude.jsonl", ".claude/projects/-shop/1.jsonl")
	raw, err := os.ReadFile(filepath.Join(d.home, ".claude/projects/-shop/1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	d.write(t, filepath.Join(d.home, ".claude/projects/-shop/other.jsonl"), strings.ReplaceAll(string(raw), d.dir, filepath.Join(d.home, "elsewhere")))
	d.write(t, filepath.Join(d.home, ".claude/projects/-shop/drifted.jsonl"), "{\"kind\":\"turn\",\"body\":{}}\n")
	d.write(t, filepath.Join(d.home, ".claude/projects/-shop/torn.jsonl"), string(raw[:len(raw)-40]))
	d.write(t, filepath.Join(d.home, ".claude/projects/-shop/long.jsonl"), `{"type":"user","x":"`+strings.Repeat("a", maxLine)+"\"}\n"+string(raw))
	if err := os.Symlink(filepath.Join(d.home, ".claude/projects/-shop/1.jsonl"), filepath.Join(d.home, ".claude/projects/-shop/link.jsonl")); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Log(err)
	}
	r := d.find(t, nil)
	if r.Talks != 3 || len(r.Candidates) != 1 || !r.New {
		t.Errorf("%d conversations, new %t: %+v", r.Talks, r.New, r.Candidates)
	}
	if len(r.Skipped) != 1 || r.Skipped[0] != (Skipped{"Claude Code", 1, UnknownForm}) {
		t.Errorf("skipped %+v", r.Skipped)
	}
	memory, past := filepath.Join(d.home, "learned.json"), time.Unix(7, 0)
	if err := os.Chtimes(memory, past, past); err != nil {
		t.Fatal(err)
	}
	if again := d.find(t, nil); again.New || len(again.Candidates) != 1 || again.Talks != 3 {
		t.Errorf("again: new %t, %d conversations: %+v", again.New, again.Talks, again.Candidates)
	}
	if file, err := os.Stat(memory); err != nil || !file.ModTime().Equal(past) {
		t.Errorf("what was read is written again though nothing is new: %v", err)
	}
	old := d.find(t, func(o *Options) { o.Since = time.Now().Add(time.Hour) })
	if old.Talks != 0 || len(old.Candidates) != 0 {
		t.Errorf("older than asked for: %+v", old)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ended, Options{Project: d.dir, Home: d.home, Getenv: os.Getenv}); !errors.Is(err, context.Canceled) {
		t.Errorf("an end that nobody minds: %v", err)
	}
}

// Whatever lies in the place of a transcript, nothing fails, the others are read, and at most one sentence says so.
func TestBrokenTranscripts(t *testing.T) {
	const deep = 100_000
	for _, tr := range transcripts {
		for name, lay := range map[string]func(path, raw string) error{
			"empty": func(path, _ string) error { return os.WriteFile(path, nil, 0o600) },
			"torn":  func(path, raw string) error { return os.WriteFile(path, []byte(raw[:len(raw)-40]), 0o600) },
			"zeros": func(path, raw string) error {
				return os.WriteFile(path, []byte(raw+strings.Repeat("\x00", 999)), 0o600)
			},
			"a folder": func(path, _ string) error { return os.Mkdir(path, 0o700) },
			"nested": func(path, raw string) error {
				return os.WriteFile(path, []byte(strings.Repeat("[", deep)+"\n"+strings.Repeat(`{"requests":`, deep)+"\n{\n"+raw), 0o600)
			},
			"a link": func(path, raw string) error {
				return errors.Join(os.WriteFile(path+"-", []byte(raw), 0o600), os.Symlink(path+"-", path))
			},
			"shut": func(path, raw string) error { return os.WriteFile(path, []byte(raw), 0) },
			"long line": func(path, raw string) error {
				return os.WriteFile(path, []byte(`{"type":"user","x":"`+strings.Repeat("a", 30<<20)+"\"}\n"+raw), 0o600)
			},
		} {
			t.Run(tr.from+"/"+name, func(t *testing.T) {
				t.Parallel()
				d := newDisk(t)
				d.beside(t)
				d.said(t, "good", "2026-03-02", "add a page", "no, that's wrong, never sort the baskets of a customer")
				d.put(t, tr.from, tr.to)
				path := filepath.Join(d.home, tr.to)
				raw, err := os.ReadFile(path)
				err = errors.Join(err, os.Remove(path), lay(path, string(raw)))
				if _, open := os.ReadFile(path); err != nil || name == "shut" && open == nil {
					t.Skip("this machine or user cannot have it: ", err)
				}
				r := d.find(t, nil)
				silent := len(r.Skipped) == 0
				if r.Talks < 1 || len(r.Candidates) < 1 || len(r.Skipped) > 1 || name == "empty" && !silent || name == "shut" && (silent || r.Skipped[0].Why != Unreadable) {
					t.Errorf("%d conversations, skipped %+v, %d candidates", r.Talks, r.Skipped, len(r.Candidates))
				}
			})
		}
	}
}

// around writes what each host says of the folder in which a transcript was written, and returns the transcript's path.
func (d disk) around(tb testing.TB) string {
	tb.Helper()
	folder := url.URL{Scheme: "file", Path: filepath.ToSlash(d.dir)}
	file := filepath.Join(d.dir, ".specstory", "history", "2026-11-26_11-07-a.md")
	for name, text := range map[string]string{
		file + ".json":                                       `{"cwd":` + string(str(d.dir)) + `}`,
		filepath.Join(d.dir, "workspace.json"):               `{"folder":"` + folder.String() + `"}`,
		filepath.Join(d.dir, ".specstory", "workspace.json"): `{"folder":"` + folder.String() + `"}`,
		filepath.Join(d.dir, ".specstory", ".project_root"):  d.dir,
	} {
		d.write(tb, name, text)
	}
	return file
}

// zeros is a file that never ends.
type zeros struct{ read int }

func (z *zeros) Read(b []byte) (int, error) {
	clear(b)
	z.read += len(b)
	if z.read > 2*maxObject {
		return 0, io.EOF
	}
	return len(b), nil
}

// A conversation that is one object is read up to a bound, however large its file.
func TestHugeObjects(t *testing.T) {
	d := newDisk(t)
	p := newProject(t.Context(), d.dir)
	for _, s := range sources(Options{Home: d.home, Getenv: func(string) string { return "" }}, p) {
		for _, g := range s.globs {
			if filepath.Ext(g) != ".json" && filepath.Ext(g) != ".json*" && filepath.Ext(g) != ".md" {
				continue
			}
			file := d.around(t)
			endless := &zeros{}
			_ = s.read(io.MultiReader(strings.NewReader("{\n"), endless), newTalk(s.host, s.title, file, p)) // a form that it knows or not
			if endless.read > maxObject+1<<20 {
				t.Errorf("%s: %d bytes were read of %s", s.title, endless.read, g)
			}
		}
	}
}

// A conversation that goes to another project for a while is heard before and after.
func TestAwayForAWhile(t *testing.T) {
	d := newDisk(t)
	var out strings.Builder
	for i, dir := range []string{d.dir, d.dir, d.home, d.dir} {
		said := []string{"add a page", "never write labels by hand", "never write homes by hand", "never write receipts by hand"}[i]
		fmt.Fprintf(&out, `{"type":"user","message":{"role":"user","content":%q},"timestamp":"2026-03-02T09:%02d:00Z","cwd":%s}`+"\n", said, 5*i, str(dir))
	}
	d.write(t, filepath.Join(d.home, ".claude/projects/-shop/a.jsonl"), out.String())
	var got []string
	for _, c := range d.find(t, nil).Candidates {
		got = append(got, c.Title)
	}
	slices.Sort(got)
	if want := []string{"never write labels by hand", "never write receipts by hand"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A conversation that began above the project is read as far as what was edited and run tells that it is about it: a message
// whose turn, or the one before it, was about another project is not.
func TestAboveTheProject(t *testing.T) {
	d := newDisk(t)
	work := filepath.Dir(d.dir)
	d.write(t, filepath.Join(work, "bank", "map.ts"), "")
	for _, tt := range []struct{ name, dir, did, then string }{
		{"labels", work, "shop/map.ts", "shop/map.ts"},
		{"boxes", work, "", "$ cd shop && make boxes"},
		{"trays", filepath.Dir(work), "$ cd " + filepath.Base(work) + "/shop\nmake", work + "/shop/new/map.ts"},
		{"homes", work, "shop/map.ts", "bank/map.ts"},
		{"cards", work, "bank/map.ts", "shop/map.ts"},
		{"pins", work, "shop/map.ts", "$ cd ../bank && make pins && cd ../shop"},
		{"notes", work, "shop/map.ts", "notes.md"},
		{"walls", work, "shop/map.ts", ""},
		{"doors", work, "shop/map.ts", "$ make doors"},
		{"floors", filepath.Join(work, "bank"), "../shop/map.ts", "../shop/map.ts"},
	} {
		deed := func(what string) string {
			tool, input := "Edit", map[string]string{"file_path": what, "old_string": "1", "new_string": "2"}
			if command, runs := strings.CutPrefix(what, "$ "); runs {
				tool, input = "Bash", map[string]string{"command": command}
			}
			raw, err := json.Marshal(input)
			if err != nil || what == "" {
				return ""
			}
			return fmt.Sprintf(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"a","name":%q,"input":%s}]},"timestamp":"2026-03-02T09:01:00Z","cwd":%s}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"done"}]},"toolUseResult":{},"timestamp":"2026-03-02T09:02:00Z","cwd":%[3]s}
`, tool, raw, str(tt.dir))
		}
		said := func(what, at string) string {
			return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":%q},"timestamp":"2026-03-02T09:%s:00Z","cwd":%s}`+"\n", what, at, str(tt.dir))
		}
		d.write(t, filepath.Join(d.home, ".claude/projects/-work", tt.name+".jsonl"),
			said("add a page", "00")+deed(tt.did)+said("never write "+tt.name+" by hand", "05")+deed(tt.then)+said("thanks", "09"))
	}
	var got []string
	r := d.find(t, nil)
	for _, c := range r.Candidates {
		got = append(got, c.Title)
	}
	slices.Sort(got)
	if want := []string{"never write boxes by hand", "never write labels by hand", "never write trays by hand"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What Handrail itself put before a request is no person's word, nor is what a host writes.
func TestOwnWords(t *testing.T) {
	for said, want := range map[string]string{
		"[ACTIVE LESSONS — verify before finalizing]\n1. You must never do X\n[/ACTIVE LESSONS] (ref A)\n\nadd a page": "add a page",
		"[LESSON TITLES — mistakes made here before]\n- Never log the token\n\nadd a page":                             "add a page",
		"<command-name>/clear</command-name>":         "",
		"[Request interrupted by user for tool use]":  "",
		"Caveat: The messages below were generated …": "",
		"no, not like that":                           "no, not like that",
	} {
		if got := ownWords(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// A transcript from another clone and from a work tree is this project's too.
func TestClonesAndWorktrees(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	d := newDisk(t)
	runGit(t, d.dir, "", "init", "-q")
	runGit(t, d.dir, "", "remote", "add", "origin", "https://git.example/shop.git")
	runGit(t, d.dir, "2026-11-01T10:00:00Z", "add", "-A")
	runGit(t, d.dir, "2026-11-01T10:00:00Z", "commit", "-qm", "Begin")
	tree, clone := filepath.Join(d.home, "tree"), filepath.Join(d.home, "clone")
	runGit(t, d.dir, "", "worktree", "add", "-q", tree)
	runGit(t, d.home, "", "clone", "-q", d.dir, clone)
	runGit(t, clone, "", "remote", "set-url", "origin", "https://git.example/shop")
	for i, dir := range []string{tree, clone, filepath.Join(d.home, "stranger")} {
		disk{d.home, dir}.put(t, "claude.jsonl", ".claude/projects/p/"+string(rune('a'+i))+".jsonl")
	}
	for i, dir := range []string{filepath.Join(clone, "web"), filepath.Join(d.home, "stranger")} { // Cline's extension, in a folder of it
		disk{d.home, dir}.put(t, "cline-task.json", fmt.Sprintf(".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/tasks/%d/ui_messages.json", i))
	}
	r := d.find(t, nil)
	if r.Talks != 3 || len(r.Candidates) != 1 || !slices.Contains(r.Candidates[0].Files, "map.ts") || !slices.Contains(r.Candidates[0].Files, "web/map.ts") {
		t.Errorf("%d conversations: %+v", r.Talks, r.Candidates)
	}
}

// Gemini CLI says of another clone, and of a folder in it, only where they are.
func TestGeminiElsewhere(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	d := newDisk(t)
	clone := filepath.Join(d.home, "clone")
	if err := os.MkdirAll(filepath.Join(clone, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{d.dir, clone} {
		runGit(t, dir, "", "init", "-q")
		runGit(t, dir, "", "remote", "add", "origin", "https://git.example/shop.git")
	}
	for i, dir := range []string{clone, filepath.Join(clone, "web"), filepath.Join(d.home, "stranger")} {
		at := ".gemini/tmp/" + string(rune('a'+i))
		disk{d.home, dir}.put(t, "gemini.jsonl", at+"/chats/session-1.jsonl")
		d.write(t, filepath.Join(d.home, at, ".project_root"), filepath.ToSlash(dir))
	}
	if r := d.find(t, nil); r.Talks != 2 || len(r.Skipped) > 0 {
		t.Errorf("%d conversations, skipped %v", r.Talks, r.Skipped)
	}
}

func FuzzReaders(f *testing.F) {
	for _, tr := range transcripts {
		raw, err := os.ReadFile(filepath.Join("testdata", tr.from))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	dir := f.TempDir()
	file := disk{dir, dir}.around(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		p := &project{ctx: t.Context(), part: ".", roots: []root{{dir, dir}}, known: map[string]place{}, asked: map[string]bool{}}
		raw = []byte(strings.NewReplacer("$DIR", dir, "$SLASH", dir, "$HASH", side.Sum([]byte(dir))).Replace(string(raw)))
		for _, s := range sources(Options{Home: dir, Getenv: func(string) string { return "" }}, p) {
			talk := newTalk(s.host, s.title, file, p)
			if s.db {
				continue
			}
			err := s.read(strings.NewReader(string(raw)), talk)
			talk.settle()
			if err != nil && !errors.Is(err, errForm) && !errors.Is(err, errElsewhere) {
				t.Errorf("%s: %v", s.title, err)
			}
		}
	})
}

// BenchmarkFind reads 20 MB of transcripts anew; a gigabyte is to take a minute of two processors.
func BenchmarkFind(b *testing.B) {
	raw, err := os.ReadFile(filepath.Join("testdata", "claude.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	dir, home := b.TempDir(), b.TempDir()
	talk := strings.Repeat(strings.ReplaceAll(string(raw), "$DIR", filepath.ToSlash(dir)), (1<<20)/len(raw)+1)
	all := 0
	for i := range 20 {
		name := filepath.Join(home, ".claude", "projects", "p", fmt.Sprint(i, ".jsonl"))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(talk), 0o644); err != nil {
			b.Fatal(err)
		}
		all += len(talk)
	}
	b.SetBytes(int64(all))
	for b.Loop() {
		r, err := Find(b.Context(), Options{Project: dir, Home: home, Getenv: func(string) string { return "" }})
		if err != nil || r.Talks != 20 {
			b.Fatal(r.Talks, err)
		}
	}
}
