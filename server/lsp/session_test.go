package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.lsp.dev/uri"
	"golang.org/x/tools/txtar"

	"github.com/handrail-dev/handrail/testdata/home"
)

func TestMain(m *testing.M) { os.Exit(home.Run(m)) }

// testMethods are methods that only sessions under test have.
func testMethods() []method {
	return []method{
		request("test/sync", func(*session, context.Context, Nothing) (Nothing, error) { return Nothing{}, nil }),
		request("test/panic", func(*session, context.Context, Nothing) (Nothing, error) { panic("on purpose") }),
		request("test/wait", func(_ *session, ctx context.Context, _ Nothing) (Nothing, error) {
			<-ctx.Done()
			return Nothing{}, ctx.Err()
		}),
		notification("test/panicNotice", func(*session, context.Context, Nothing) error { panic("on purpose") }),
	}
}

// TestSessions plays the transcripts in testdata/sessions. Each is a txtar archive: files
// under ws/ are the workspace, the others are there to be copied, and "session" is what is
// said. A line begins with a word; indented lines below it are its JSON:
//
//	call METHOD          a request, and the next answer or error is its own
//	begin NAME METHOD    a request that is not waited for; "cancel NAME" cancels it
//	answer [NAME]        the result must be this
//	error [NAME]         the error must be this
//	notify METHOD        a notification from the editor
//	await METHOD [WORD]  wait for a notification (whose JSON holds WORD), which must be this,
//	                     or may be anything when no JSON follows
//	asked METHOD         the server must have asked the editor this
//	raw                  send a body as it stands
//	copy FROM TO, rename FROM TO, remove PATH, link TARGET PATH   another program
//	settle               wait until all reported changes can be found
//	exit CODE            the session must have ended with this status
//
// In JSON, $WS is the workspace's URI, $DIR its path, $answerId, $candidateId and $neverId the
// last ones seen; scores are 0. "go test -update" rewrites what the server says.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("../../testdata/sessions/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := &player{extra: map[string]string{}, vars: map[string]string{}, ids: map[string]string{}}
			workspace := map[string]string{}
			script := -1
			for i, f := range ar.Files {
				if name, ok := strings.CutPrefix(f.Name, "ws/"); ok {
					workspace[name] = string(f.Data)
				} else if f.Name == "session" {
					script = i
				} else {
					p.extra[f.Name] = string(f.Data)
				}
			}
			p.editor = newEditor(t, workspace, testMethods()...)
			played := p.play(string(ar.Files[script].Data))
			if *update {
				ar.Files[script].Data = []byte(played)
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// player runs one transcript.
type player struct {
	*editor
	extra map[string]string // files of the archive by name
	vars  map[string]string
	ids   map[string]string // request ids by name
	last  string            // id of the last call
}

// play runs a script and returns it with what the server really said.
func (p *player) play(script string) string {
	var out strings.Builder
	lines := strings.SplitAfter(script, "\n")
	for i := 0; i < len(lines); {
		head := lines[i]
		i++
		words := strings.Fields(head)
		from := i
		for i < len(lines) && strings.HasPrefix(lines[i], "  ") {
			i++
		}
		body := strings.Join(lines[from:i], "")
		out.WriteString(head)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			out.WriteString(body)
			continue
		}
		if said, ok := p.step(words, body); ok && body != "" {
			want := strings.TrimRight(body, "\n")
			if got := indent(said); got != want {
				if !*update {
					p.t.Errorf("%s: got\n%s\nwant\n%s", strings.TrimSpace(head), got, want)
				}
				body = got + "\n"
			}
		}
		out.WriteString(body)
	}
	return out.String()
}

// step runs one line; said is what the server said, to be compared with the body.
func (p *player) step(words []string, body string) (said string, ok bool) {
	p.t.Helper()
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	params := p.expand(strings.TrimSpace(body))
	if params == "" {
		params = "{}"
	}
	path := func(i int) string { return filepath.Join(p.dir, filepath.FromSlash(arg(i))) }
	var err error
	switch words[0] {
	case "call":
		p.last = p.begin(arg(1), params)
	case "begin":
		p.ids[arg(1)] = p.begin(arg(2), params)
	case "cancel":
		p.notify("$/cancelRequest", `{"id":`+p.ids[arg(1)]+`}`)
	case "answer", "error":
		id := p.last
		if len(words) > 1 {
			id = p.ids[arg(1)]
			if id == "" {
				id = arg(1) // null
			}
		}
		m := p.answer(id)
		if words[0] == "error" {
			return p.normal(m.Error), true
		}
		if m.Error != nil {
			p.t.Errorf("%v: refused: %s", words, m.Error)
		}
		return p.normal(m.Result), true
	case "notify":
		p.notify(arg(1), params)
	case "await":
		holds := make([]string, 0, 1)
		for _, w := range words[2:] {
			holds = append(holds, p.expand(w))
		}
		return p.normal(p.await(arg(1), holds...).Params), true
	case "asked":
		return p.normal(p.asks(arg(1)).Params), true
	case "raw":
		p.raw(p.expand(strings.TrimSpace(body)))
	case "copy":
		put(p.t, path(2), p.extra[arg(1)])
	case "rename":
		err = os.MkdirAll(filepath.Dir(path(2)), 0o755)
		if err == nil {
			err = os.Rename(path(1), path(2))
		}
	case "remove":
		err = os.RemoveAll(path(1))
	case "link":
		err = os.Symlink(p.expand(arg(1)), path(2))
		if errors.Is(err, errors.ErrUnsupported) {
			p.t.Skip("the rest needs links, which Wine 8 does not make")
		}
	case "settle":
		p.settle()
	case "exit":
		if code := p.exited(); strconv.Itoa(code) != arg(1) {
			p.t.Errorf("exit status %d, want %s", code, arg(1))
		}
	default:
		p.t.Fatalf("what is %q?", words[0])
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return "", false
}

// expand fills in variables.
func (p *player) expand(s string) string {
	s = strings.ReplaceAll(s, "$WS", strings.TrimSuffix(p.uri(""), "/"))
	s = strings.ReplaceAll(s, "$DIR", filepath.ToSlash(p.dir))
	for name, value := range p.vars {
		s = strings.ReplaceAll(s, "$"+name, value)
	}
	return s
}

// normal renders what the server said with its variable parts named.
func (p *player) normal(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	// Named before it is laid out: where lines break must not hang on how long a path is.
	said := strings.ReplaceAll(string(raw), strings.TrimSuffix(p.uri(""), "/"), "$WS")
	for _, dir := range []string{p.dir, uri.File(p.dir).FsPath()} { // on Windows an editor writes the drive's letter small
		said = strings.ReplaceAll(said, filepath.ToSlash(dir), "$DIR")
	}
	dec := json.NewDecoder(strings.NewReader(said))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		p.t.Fatalf("%s: %v", raw, err)
	}
	p.walk(v)
	text := render(v, 2)
	for name, value := range p.vars {
		text = strings.ReplaceAll(text, value, "$"+name)
	}
	return text
}

// walk notes ids and blanks scores, which change with every better ranking.
func (p *player) walk(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			p.walk(x)
		}
	case map[string]any:
		if id, ok := v["answerId"].(string); ok && id != "" {
			p.vars["answerId"] = id
		}
		if id, ok := v["id"].(string); ok && v["trigger"] != nil {
			p.vars["candidateId"] = id
		} else if ok && v["request"] != nil {
			p.vars["neverId"] = id
		}
		for key, x := range v {
			_, number := x.(json.Number)
			switch {
			case number && (key == "score" || key == "relevance"):
				v[key] = json.Number("0")
			case key == "boosts":
				v[key] = map[string]any{}
			case key == "serverInfo":
				v[key] = map[string]any{"name": "handrail"}
			default:
				p.walk(x)
			}
		}
	}
}

// render writes JSON as a person would: what fits on a line stands on one.
func render(v any, column int) string {
	var open, end string
	var parts []string
	line := func(render func(any) string) {
		parts = nil
		switch v := v.(type) {
		case []any:
			open, end = "[", "]"
			for _, x := range v {
				parts = append(parts, render(x))
			}
		case map[string]any:
			open, end = "{", "}"
			for _, key := range slices.SortedFunc(maps.Keys(v), startFirst) {
				parts = append(parts, strconv.Quote(key)+": "+render(v[key]))
			}
		}
	}
	line(func(x any) string { return render(x, -1<<20) })
	if open == "" {
		var buf strings.Builder
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return err.Error()
		}
		return strings.TrimSpace(buf.String())
	}
	if one := open + strings.Join(parts, ", ") + end; column+len(one) <= 120 {
		return one
	}
	line(func(x any) string { return render(x, column+2) })
	space := "\n" + strings.Repeat(" ", column)
	return open + space + strings.Join(parts, ","+space) + "\n" + strings.Repeat(" ", column-2) + end
}

// startFirst sorts keys by name, but as people say positions.
func startFirst(a, b string) int {
	for _, pair := range [][2]string{{"start", "end"}, {"line", "character"}} {
		if a == pair[0] && b == pair[1] {
			return -1
		}
		if a == pair[1] && b == pair[0] {
			return 1
		}
	}
	return strings.Compare(a, b)
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// needGit skips a test where there is no git, as under Wine.
func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
}

// git runs git as nobody in particular.
func git(t *testing.T, dir string, words ...string) {
	t.Helper()
	needGit(t)
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, words...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("git %v: %w\n%s", words, err, out))
	}
}

// TestOneBrainForAllWorktrees holds that an editor takes the brain that a hook takes in the
// same folder.
func TestOneBrainForAllWorktrees(t *testing.T) {
	needGit(t)
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo, tree := filepath.Join(base, "shop"), filepath.Join(base, "feature")
	if err := os.MkdirAll(filepath.Join(repo, ".brain"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "Begin"},
		{"worktree", "add", "-q", tree},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := os.MkdirAll(filepath.Join(tree, ".brain"), 0o755); err != nil { // a copy, as git makes one of cards that are committed
		t.Fatal(err)
	}
	want := filepath.Join(repo, ".brain")
	for _, folders := range [][]string{{repo}, {tree}, {filepath.Join(tree, "src")}, {t.TempDir(), tree}} {
		if got, err := locate("", folders); got != want || err != nil {
			t.Errorf("locate(%v) = %q, %v; want %q", folders, got, err, want)
		}
	}
	s := &session{folders: []string{tree}}
	if got := s.project(nil); got != "shop" {
		t.Errorf("the project of the worktree is %q", got)
	}
	s.folders = append(s.folders, repo)
	if got := s.project(nil); got != "" {
		t.Errorf("the project of two folders is %q", got)
	}
	if got := s.project([]string{filepath.Join(tree, "a.go")}); got != "shop" {
		t.Errorf("the project of a file in the worktree is %q", got)
	}
}
