// Package learn finds what went wrong before Handrail was there. It reads the conversations that agents keep on this disk,
// and the history of git, takes them through the same signals as live work, and returns what may be worth a card. It
// writes no card, and nothing leaves the machine.
//
// Start with [Find]. A reader of one host's transcripts is a file of its own, dated: their forms change without a word, and a
// file of an unknown one is passed over and counted.
package learn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/server/inbox"
	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// Options say what is looked through.
type Options struct {
	Project  string              // folder that holds the brain
	Home     string              // the person's
	Getenv   func(string) string // of the person's environment
	Since    time.Time           // what is older is left out; zero for nothing
	Memory   string              // file in which what was read is remembered, "" for none
	All      bool                // also what seems to be of its day alone
	Progress func(done, all int) // is told of files; may be nil
}

// Report is what was found, and where.
type Report struct {
	Candidates []inbox.Candidate `json:"-"`     // those that count most first
	Talks      int               `json:"talks"` // conversations of this project
	Commits    int               `json:"commits"`
	Skipped    []Skipped         `json:"skipped,omitempty"`
	New        bool              `json:"new"` // something was there that was not when it was last looked at
}

// Skipped are files of a host that could not be read.
type Skipped struct {
	Host  string `json:"host"`
	Files int    `json:"files"`
	Why   string `json:"why"`
}

// Why a file could not be read.
const (
	UnknownForm = "unknown form"
	Unreadable  = "unreadable"
	NoSQLite    = "no sqlite3" // on the PATH, and nothing here reads its databases
)

// source is where a host keeps its conversations.
type source struct {
	host  string
	title string
	globs []string
	read  func(io.Reader, *talk) error
	db    bool // a database, which read opens itself
}

// sources returns where conversations may lie.
func sources(o Options, p *project) []source {
	under := func(name, dir string) string { return cmp.Or(o.Getenv(name), filepath.Join(o.Home, dir)) }
	config := under("XDG_CONFIG_HOME", ".config")
	switch runtime.GOOS {
	case "darwin":
		config = filepath.Join(o.Home, "Library", "Application Support")
	case "windows":
		config = under("APPDATA", filepath.Join("AppData", "Roaming"))
	}
	user := filepath.Join(config, "Code*", "User")
	data := filepath.Join(o.Home, ".local", "share")
	if runtime.GOOS == "linux" {
		data = under("XDG_DATA_HOME", filepath.Join(".local", "share"))
	}
	stored := func(rest ...string) (globs []string) { // by VS Code, here and where it works from afar
		for _, of := range []string{user, filepath.Join(o.Home, ".vscode-server*", "data", "User")} {
			globs = append(globs, filepath.Join(of, filepath.Join(rest...)))
		}
		return globs
	}
	var history []string
	for _, r := range p.roots {
		history = append(history, filepath.Join(escaped(r.top), ".specstory", "history", "*.md"))
	}
	return []source{
		{"claude", "Claude Code", []string{filepath.Join(under("CLAUDE_CONFIG_DIR", ".claude"), "projects", "*", "*.jsonl")}, readClaude, false},
		{"codex", "Codex", []string{filepath.Join(under("CODEX_HOME", ".codex"), "sessions", "*", "*", "*", "rollout-*.jsonl")}, readCodex, false},
		{"gemini", "Gemini CLI", []string{filepath.Join(o.Home, ".gemini", "tmp", "*", "chats", "session-*.json*")}, readGemini, false},
		{"copilot", "Copilot", []string{filepath.Join(o.Home, ".copilot", "session-state", "*", "events.jsonl")}, readCopilot, false},
		{"qwen", "Qwen Code", []string{filepath.Join(o.Home, ".qwen", "projects", "*", "chats", "*.jsonl")}, readQwen, false},
		{"cline", "Cline", []string{filepath.Join(o.Home, ".cline", "data", "sessions", "*", "*.messages.json")}, readCline, false},
		{"cline", "Cline", stored("globalStorage", "saoudrizwan.claude-dev", "tasks", "*", "ui_messages.json"), readClineTask, false},
		{"vscode", "VS Code", stored("workspaceStorage", "*", "GitHub.copilot-chat", "transcripts", "*.jsonl"), readCopilot, false},
		{"vscode", "VS Code", stored("workspaceStorage", "*", "chatSessions", "*.json*"), readVSCode, false},
		{"claude", "SpecStory", history, readSpecStory, false},
		{"opencode", "opencode", []string{filepath.Join(data, "opencode", "opencode.db")}, readOpencode, true},
		{"cursor", "Cursor", []string{filepath.Join(config, "Cursor", "User", "globalStorage", "state.vscdb")}, readCursor, true},
	}
}

// escaped returns a path for a pattern that means nothing but itself. Windows has no way to write that.
func escaped(path string) string {
	if runtime.GOOS == "windows" {
		return path
	}
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(path)
}

// read is what a file held when it was last looked at.
type read struct {
	Size       int64             `json:"size"`
	Changed    time.Time         `json:"changed"`
	Talks      int               `json:"talks,omitempty"`  // conversations of this project
	Unread     string            `json:"unread,omitempty"` // why it was not read
	Candidates []inbox.Candidate `json:"candidates,omitempty"`
}

// form is the version of what is remembered: whatever changes what is found changes it.
const form = 15

type memory struct {
	Form  int             `json:"form"`
	Rules string          `json:"rules"` // of the project, summed up
	Files map[string]read `json:"files"`
	Head  string          `json:"head"` // of git, when its history was last read
	Git   history         `json:"git"`
	// Asked is which of the candidates were wanted, Found what came of it.
	Asked string            `json:"asked"`
	Found []inbox.Candidate `json:"found"`
}

// file is one to be read.
type file struct {
	source
	path string
	now  read // its size and when it was changed
}

// Find returns what went wrong in a project, as far as this disk remembers. Errors are the context's.
func Find(ctx context.Context, o Options) (Report, error) {
	p := newProject(ctx, o.Project)
	p.ruled = p.rules()
	was := remembered(o.Memory)
	now := memory{Form: form, Rules: side.Sum(fmt.Append(nil, p.ruled)), Files: map[string]read{}}
	if now.Rules != was.Rules { // what people said may repeat others
		was.Files = nil
	}
	files := p.files(o)
	var todo []file
	for _, f := range files {
		if old, ok := was.Files[f.path]; ok && old.Size == f.now.Size && old.Changed.Equal(f.now.Changed) && (old.Unread == "" || old.Unread == UnknownForm) {
			now.Files[f.path] = old
		} else {
			todo = append(todo, f)
		}
	}
	if err := readAll(ctx, p, todo, o.Progress, now.Files); err != nil {
		return Report{}, err
	}
	out := Report{New: len(todo) > 0}
	var list []inbox.Candidate
	for _, f := range files {
		r := now.Files[f.path]
		out.Talks += r.Talks
		if r.Unread != "" {
			i := slices.IndexFunc(out.Skipped, func(s Skipped) bool { return s.Host == f.title && s.Why == r.Unread })
			if i < 0 {
				i, out.Skipped = len(out.Skipped), append(out.Skipped, Skipped{f.title, 0, r.Unread})
			}
			out.Skipped[i].Files++
		}
		for _, c := range r.Candidates {
			if c.At.After(o.Since) {
				list = append(list, c)
			}
		}
	}
	var err error
	now.Git, now.Head, err = p.history(o.Since, was)
	if err != nil {
		return Report{}, err
	}
	out.New = out.New || now.Head != was.Head
	out.Commits = now.Git.Commits
	now.Asked = fmt.Sprint(o.All, o.Since)
	fresh := out.New || now.Asked != was.Asked || len(now.Files) != len(was.Files)
	now.Found = was.Found
	if fresh {
		now.Found = p.rank(append(list, now.Git.Candidates...), time.Unix(now.Git.At, 0), o.All)
	}
	out.Candidates = now.Found
	if fresh && o.Memory != "" {
		_ = os.MkdirAll(filepath.Dir(o.Memory), 0o700)
		_ = side.WriteJSON(o.Memory, now) // else all is read again next time
	}
	return out, ctx.Err()
}

// files returns where conversations lie.
func (p *project) files(o Options) (files []file) {
	for _, s := range sources(o, p) {
		for _, g := range s.globs {
			paths, _ := filepath.Glob(g) // its patterns are well formed
			for _, path := range paths {
				info, err := os.Lstat(path)
				if err != nil || !info.Mode().IsRegular() || info.Size() == 0 { // a link leads to who knows whose
					continue
				}
				f := file{s, path, read{Size: info.Size(), Changed: info.ModTime()}}
				if s.db {
					f.now = withLog(path, info)
				}
				if f.now.Changed.After(o.Since) {
					files = append(files, f)
				}
			}
		}
	}
	return files
}

// readAll reads files, as many at a time as there are processors, and adds what they held.
func readAll(ctx context.Context, p *project, todo []file, progress func(done, all int), into map[string]read) error {
	var mu sync.Mutex
	var group sync.WaitGroup
	done, room := 0, make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, f := range todo {
		room <- struct{}{}
		group.Go(func() {
			r := readFile(ctx, p, f)
			mu.Lock()
			defer mu.Unlock()
			into[f.path] = r
			if done++; progress != nil {
				progress(done, len(todo))
			}
			<-room
		})
	}
	group.Wait()
	return ctx.Err()
}

// Each is called with an event of a conversation as a host tells of it, with what it raised. Files are named as cards name them.
type Each func(host string, e triggers.Event, found []inbox.Candidate) error

// Walk calls with each event of the project's conversations, those whose files were changed last at the end. It ends with the
// first error.
func Walk(ctx context.Context, o Options, each Each) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := newProject(ctx, o.Project)
	p.ruled = p.rules()
	files := p.files(o)
	slices.SortStableFunc(files, func(a, b file) int { return a.now.Changed.Compare(b.now.Changed) })
	for i, f := range files {
		readFile(ctx, p, f, func(host string, e triggers.Event, found []inbox.Candidate) error {
			if ctx.Err() != nil || !e.At.After(o.Since) {
				return ctx.Err()
			}
			err := each(host, e, found)
			if err != nil {
				cancel(err)
			}
			return err
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if o.Progress != nil {
			o.Progress(i+1, len(files))
		}
	}
	return nil
}

// readFile reads one conversation.
func readFile(ctx context.Context, p *project, f file, with ...Each) read {
	out := f.now
	t := newTalk(f.host, f.title, f.path, p)
	t.with = with
	var in io.Reader
	if !f.db {
		opened, err := os.Open(f.path)
		if err != nil {
			out.Unread = Unreadable
			return out
		}
		defer opened.Close()                                      //nolint:errcheck // read only
		defer context.AfterFunc(ctx, func() { opened.Close() })() //nolint:errcheck // so that nobody waits for a large one
		in = opened
	}
	err := f.read(in, t)
	t.settle()
	switch {
	case errors.Is(err, errForm):
		out.Unread = UnknownForm
	case errors.Is(err, errNoSQLite):
		out.Unread = NoSQLite
	case !errors.Is(err, errElsewhere):
		out.Talks, out.Candidates = t.talks, t.found
	}
	return out
}

// rank joins what tells of the same and returns what counts most first: what came in two conversations or more, then a
// person's own rules, then what they put right. The rest, which is mostly a day's work, comes with all, and so does what
// git took back years before its last commit.
func (p *project) rank(list []inbox.Candidate, last time.Time, all bool) []inbox.Candidate {
	slices.SortStableFunc(list, func(a, b inbox.Candidate) int { return a.At.Compare(b.At) })
	out := inbox.Joined(list)
	out = slices.DeleteFunc(out, func(c inbox.Candidate) bool {
		return c.Talks() < 2 && (c.Weak && !c.Likely || !all && !alone(c))
	})
	slices.SortStableFunc(out, func(a, b inbox.Candidate) int {
		return cmp.Or(-cmp.Compare(a.Talks(), b.Talks()), -cmp.Compare(weight[triggers.Trigger(a.Trigger)], weight[triggers.Trigger(b.Trigger)]), -a.At.Compare(b.At))
	})
	commits := 0
	return slices.DeleteFunc(out, func(c inbox.Candidate) bool {
		if c.Seen[0].Host != fromGit || all {
			return false
		}
		commits++
		return commits > maxOfGit || c.At.Before(last.AddDate(-yearsOfGit, 0, 0))
	})
}

// fromGit is where it says that something was seen which git's history tells.
const fromGit = "git"

// maxOfGit bounds what comes of git's history alone: who mended something, and why, it does not tell; nobody knows after
// yearsOfGit, counted from the last commit.
const maxOfGit, yearsOfGit = 3, 2

// alone reports whether a candidate may be worth a card at once: what git took back, and what a person said of how things
// are done, or of what the agent did. A complaint, read months after, is mostly the report of a bug that is gone.
func alone(c inbox.Candidate) bool {
	switch triggers.Trigger(c.Trigger) {
	case triggers.Record, triggers.Constraint, triggers.Preference:
		return true
	case triggers.Correction:
		names := len(c.Rules) > 0 || len(c.Mistake) <= maxNaming && heard.NamesRules(c.Mistake) // what was known already
		first := !c.Weak || strings.HasPrefix(c.Mistake, "> "+c.Seen[0].Said)                   // what may be one, if it says so first
		return names || first && heard.Blames(strings.ReplaceAll(c.Mistake, "> ", ""))
	}
	return c.Seen[0].Host == fromGit
}

// weight orders signals: a person's own rule, what they put right or wanted kept, what they saw fail, what a machine saw.
var weight = map[triggers.Trigger]int{triggers.Constraint: 4, triggers.Preference: 4, triggers.Correction: 3, triggers.Record: 3, triggers.Complaint: 2, triggers.RolledBack: 2, triggers.MendedSoon: 2}

// remembered returns what was read before, nothing where that is not known.
func remembered(name string) (m memory) {
	raw, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(raw, &m) != nil || m.Form != form {
		return memory{}
	}
	return m
}
