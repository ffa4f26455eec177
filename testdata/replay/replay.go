// Package replay plays conversations of real people with their agents through the hooks, to
// measure what comes of them. HANDRAIL_DATA names the folder that holds them; without it the
// tests that want them are skipped.
//
// The conversations are SpecStory's markdown, of Copilot, Cursor and Claude Code. They come
// to the loop as events of Claude Code. What a transcript does not show (the exit status of
// commands, the output of Copilot's) is told as Claude Code tells of a success; Use.Shown says
// whether there was anything to read.
package replay

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"html"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/server/learn"
)

// Session is one conversation.
type Session struct {
	Repo  string // owner/name
	Name  string // of its file, which begins with its time
	Turns []Turn
}

// Turn is what a person asked, what the agent did, and what it said at the end.
type Turn struct {
	Prompt string
	Uses   []Use
	Answer string
}

// Use is one call of a tool. Tool is Claude Code's name for it (Bash, Read, Edit, Write), or the
// transcript's own where it has none.
type Use struct {
	Tool     string
	File     string // relative to the repository; "" where the transcript does not name it
	Command  string
	Old, New string // of an edit, with the lines around it
	Output   string
	Shown    bool // the transcript shows the output
	Failed   bool // the output says that the command failed
}

// Sessions returns all conversations, by repository and time. It skips the test without them.
func Sessions(t testing.TB) []Session {
	t.Helper()
	f := open(t, "transcripts.tgz")
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []Session
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(h.Name, ".md") {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		repo := strings.Replace(strings.Split(h.Name, "/")[0], "+", "/", 1)
		if turns := Read(string(text), path.Base(repo)); len(turns) > 0 {
			out = append(out, Session{repo, path.Base(h.Name), turns})
		}
	}
	slices.SortFunc(out, func(a, b Session) int { return strings.Compare(a.Repo+a.Name, b.Repo+b.Name) })
	return out
}

// Brain writes a brain of n cards into dir/.brain: those of the mistakes that came again in a
// repository, then others'. It returns the names of the repository's own files.
func Brain(t testing.TB, dir, repo string, n int) (own []string) {
	t.Helper()
	lines := bufio.NewScanner(open(t, "recurrences.jsonl"))
	lines.Buffer(nil, 1<<20)
	type card struct {
		ID   string `json:"card_id"`
		Repo string
		Card string
	}
	var cards []card
	for lines.Scan() {
		var c card
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(cards, func(o card) bool { return o.ID == c.ID }) {
			cards = append(cards, c)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(cards, func(a, b card) int {
		switch {
		case a.Repo == repo && b.Repo != repo:
			return -1
		case a.Repo != repo && b.Repo == repo:
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	for _, c := range cards[:min(n, len(cards))] {
		write(t, filepath.Join(dir, ".brain", "lessons", c.ID+".md"), c.Card)
		if c.Repo == repo {
			own = append(own, "lessons/"+c.ID+".md")
		}
	}
	return own
}

func open(t testing.TB, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join(os.Getenv("HANDRAIL_DATA"), "real", name))
	if err != nil {
		t.Skipf("no %s: set HANDRAIL_DATA to a folder that holds real/%s", name, name)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

var (
	toolBlock = regexp.MustCompile(`(?s)<tool-use [^>]*data-tool-name="([^"]*)">(.*?)\n</(?:details></)?tool-use>`)
	thought   = regexp.MustCompile(`(?s)<think>.*?</think>`)
	toolLine  = regexp.MustCompile(`^Tool use: \*\*(\w+)\*\*`)
	mark      = regexp.MustCompile(`^(?:</?details>|\s*<summary>|<details><summary>|</?summary>|\s*</summary>)`)
	named     = regexp.MustCompile(`(?m)(?:Edit file: |^Read file: |Apply patch for )(.+?)(?:</summary>.*)?$`)
	linked    = regexp.MustCompile(`\]\(file://([^)#]+)`)
	input     = regexp.MustCompile("(?m)^- ([a-zA-Z]+):(?: `|\n\n```\n)")
	jsonBlock = regexp.MustCompile("(?s)(Parameters|Result):\\s+```json\n(.*?)\n```")
	broke     = regexp.MustCompile(`(?im)exit(?:ed with)? (?:code|status)[: ]+[1-9]|command not found|^npm ERR!|no such file or directory$`)
)

// noise is what Cursor's own shell prints after each command.
var noise = regexp.MustCompile(`(?m)^.*command not found: dump_zsh_state\n?`)

// lastLines is how much of an output is read for how its command ended, in bytes: a few lines.
const lastLines = 400

// tools are other hosts' names for what Claude Code has a name for.
var tools = map[string]string{
	"run_in_terminal": "Bash", "run_terminal_cmd": "Bash", "read_file": "Read", "copilot_readFile": "Read",
	"replace_string_in_file": "Edit", "copilot_replaceString": "Edit", "copilot_multiReplaceString": "Edit",
	"multi_replace_string_in_file": "Edit", "search_replace": "Edit", "apply_patch": "Edit",
	"create_file": "Write", "copilot_createFile": "Write", "write": "Write",
}

// Read returns the turns of a transcript of a repository.
func Read(text, repo string) (turns []Turn) {
	for _, said := range learn.Spoken(text) {
		switch {
		case said.User && said.Text != "":
			turns = append(turns, Turn{Prompt: said.Text})
		case !said.User && len(turns) > 0:
			turns[len(turns)-1].hear(said.Text, repo)
		}
	}
	return turns
}

// hear adds what an agent did and said, in order. What it says before a call is not its answer.
func (t *Turn) hear(text, repo string) {
	text = thought.ReplaceAllString(text, "")
	for {
		m := toolBlock.FindStringSubmatchIndex(text)
		if m == nil {
			t.prose(text, repo)
			return
		}
		t.prose(text[:m[0]], repo)
		t.use(blockUse(text[m[2]:m[3]], text[m[4]:m[5]]), repo)
		text = text[m[1]:]
	}
}

func (t *Turn) use(u Use, repo string) {
	u.File = relative(u.File, repo)
	u.Output = noise.ReplaceAllString(u.Output, "")
	u.Failed = u.Tool == "Bash" && broke.MatchString(u.Output[max(0, len(u.Output)-lastLines):])
	t.Uses, t.Answer = append(t.Uses, u), ""
}

// prose reads the parts between lines of dashes: Cursor's calls, and words.
func (t *Turn) prose(text, repo string) {
	for _, part := range parts(text) {
		words, fences := fenced(part)
		name := toolLine.FindStringSubmatch(part)
		file := ""
		if m := named.FindStringSubmatch(part); m != nil {
			file = m[1]
		}
		switch {
		case name != nil && len(fences) == 0 && file == "":
			t.use(Use{Tool: toolName(name[1])}, repo)
		case len(fences) > 0 && (name != nil && toolName(name[1]) == "Bash" || words == "" && shells[fences[0].language]):
			u := Use{Tool: "Bash", Command: fences[0].text}
			u.Shown = len(fences) > 1
			if u.Shown {
				u.Output = fences[1].text
			}
			t.use(u, repo)
		case len(fences) > 0 && (name != nil && toolName(name[1]) == "Edit" || fences[0].language == "diff" && (words == "" || strings.Contains(part, "<summary>Edit file: "))):
			for _, f := range fences {
				before, after := sides(f.text)
				t.use(Use{Tool: "Edit", File: file, Old: before, New: after}, repo)
			}
			if name == nil {
				t.Answer = words
			}
		case file != "" && words == "":
			t.use(Use{Tool: "Read", File: file}, repo)
		case name != nil:
			t.use(Use{Tool: toolName(name[1]), File: file}, repo)
		case words == "" && len(fences) == 0 || part == "<no message>":
		default:
			t.Answer = strings.TrimSpace(t.Answer + "\n\n" + part)
		}
	}
}

var shells = map[string]bool{"bash": true, "sh": true, "shell": true, "zsh": true}

func toolName(name string) string {
	if own := tools[name]; own != "" {
		return own
	}
	return name
}

// parts splits a text at its lines of dashes outside of fences.
func parts(text string) (out []string) {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text + "\n---\n") {
		bare := strings.TrimRight(line, "\n")
		if strings.HasPrefix(bare, "```") {
			inside = bare != "```" || !inside
		}
		if bare != "---" || inside {
			b.WriteString(line)
			continue
		}
		if part := strings.TrimSpace(b.String()); part != "" {
			out = append(out, part)
		}
		b.Reset()
	}
	if rest := strings.TrimSpace(strings.TrimSuffix(b.String(), "---\n")); rest != "" { // a fence that never ends
		out = append(out, rest)
	}
	return out
}

type fence struct{ language, text string }

// fenced returns the fences of a part, and its words without them, its marks and names of files.
func fenced(part string) (words string, out []fence) {
	var rest strings.Builder
	inside := false
	for line := range strings.Lines(part) {
		bare := strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(bare, "```") && !inside:
			inside = true
			out = append(out, fence{language: strings.TrimSpace(bare[3:])})
		case bare == "```" && inside:
			inside = false
		case inside:
			out[len(out)-1].text += line
		case !mark.MatchString(bare) && !named.MatchString(bare) && !toolLine.MatchString(bare) &&
			!strings.HasPrefix(bare, "**Chunk ") && !strings.HasPrefix(bare, "Lines added: "):
			rest.WriteString(line)
		}
	}
	for i := range out {
		out[i].text = strings.TrimRight(out[i].text, "\n")
	}
	return strings.TrimSpace(rest.String()), out
}

// sides returns the text before and after a diff, of SpecStory's or of a patch.
func sides(diff string) (before, after string) {
	width := 1
	if !strings.HasPrefix(diff, "*** Begin Patch") {
		width = 2
	}
	var old, now strings.Builder
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "*** ") || strings.HasPrefix(line, "@@") || line == "" {
			continue
		}
		rest := line[min(width, len(line)-len("\n")*strings.Count(line, "\n")):]
		if line[0] != '+' {
			old.WriteString(rest)
		}
		if line[0] != '-' {
			now.WriteString(rest)
		}
	}
	return strings.TrimSuffix(old.String(), "\n"), strings.TrimSuffix(now.String(), "\n")
}

// blockUse reads a call as Copilot's transcripts have it.
func blockUse(name, block string) Use {
	in := map[string]string{}
	at := input.FindAllStringSubmatchIndex(block, -1)
	for i, m := range at {
		end := len(block)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		value := block[m[1]:end]
		if last := strings.LastIndex(value, "`"); last >= 0 {
			value = strings.TrimSuffix(strings.TrimRight(value[:last], "`"), "\n")
		}
		in[block[m[2]:m[3]]] = value
	}
	var parameters struct {
		FilePath    string                    `json:"file_path"`
		CommandLine struct{ Original string } `json:"commandLine"`
	}
	var result struct{ TextEditContent, Content string }
	for _, m := range jsonBlock.FindAllStringSubmatch(block, -1) {
		if m[1] == "Parameters" {
			_ = json.Unmarshal([]byte(m[2]), &parameters) // of a tool of another shape: nothing is known
		} else {
			_ = json.Unmarshal([]byte(m[2]), &result)
		}
	}
	u := Use{Tool: toolName(name), File: first(in["filePath"], parameters.FilePath)}
	if m := linked.FindStringSubmatch(block); m != nil && u.File == "" {
		u.File = m[1]
	}
	switch u.Tool {
	case "Bash":
		u.Command = first(in["command"], html.UnescapeString(parameters.CommandLine.Original))
		u.Output = html.UnescapeString(result.Content)
		u.Shown = u.Output != ""
	case "Edit", "Write":
		u.Old, u.New = in["oldString"], first(in["newString"], in["content"], html.UnescapeString(result.TextEditContent))
	}
	return u
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// relative returns a file as its repository names it, wherever the person's copy lies.
func relative(file, repo string) string {
	plain := strings.NewReplacer("_", "-")
	file = path.Clean(filepath.ToSlash(file))
	names := strings.Split(file, "/")
	if !path.IsAbs(file) {
		names = append([]string{repo}, names...)
	}
	for i := len(names) - 2; i >= 0; i-- {
		if strings.EqualFold(plain.Replace(names[i]), plain.Replace(repo)) {
			rest := names[i+1:]
			if len(rest) > 2 && rest[0] == "sessions" { // another copy of it
				rest = rest[2:]
			}
			file = path.Join(rest...)
			if filepath.IsLocal(file) && file != "." && len(file) < 200 {
				return file
			}
			break
		}
	}
	return ""
}
