// Command demo shows the whole loop on a copy of the demo brain: it starts the built
// binary as an editor would, speaks LSP with it, and prints what a person would see. It
// fails when a step does not do what it says, so it is a smoke test too.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

var (
	bin   = flag.String("bin", "bin/handrail", "the built `binary`")
	quiet = flag.Bool("quiet", false, "print the last line only")
)

func main() {
	flag.Parse()
	out := io.Writer(os.Stdout)
	if *quiet {
		out = io.Discard
	}
	if err := demo(out); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
	fmt.Println("demo: every step did what it says")
}

// story is the demo's stage: a repository with a brain, and an editor's connection.
type story struct {
	shown strings.Builder // all that was shown
	out   io.Writer
	dir   string // the workspace
	brain string
	lsp   *client
	step  int
}

type hit struct{ Path, Title string }

type preflight struct {
	AnswerID string
	Block    string
	Lessons  []hit
}

type candidate struct{ ID, Trigger, Title, Situation, Similar string }

func demo(out io.Writer) error {
	exe, err := filepath.Abs(*bin)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "handrail-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	s := &story{out: out, dir: filepath.Join(tmp, "chatops"), brain: filepath.Join(tmp, "chatops", ".brain")}
	if err := os.CopyFS(s.brain, os.DirFS(filepath.Join("testdata", "brains", "demo"))); err != nil {
		return err
	}
	if err := s.repository(); err != nil {
		return err
	}
	s.lsp, err = start(exe, s.dir, tmp)
	if err != nil {
		return err
	}
	defer s.lsp.kill()
	for _, act := range []func() error{s.request, s.answer, s.complaint, s.revert, s.record, s.again} {
		if err := act(); err != nil {
			return err
		}
	}
	if hangul := strings.IndexFunc(s.shown.String(), func(r rune) bool { return unicode.Is(unicode.Hangul, r) }); hangul >= 0 {
		return fmt.Errorf("the demo speaks two languages: …%.80s", s.shown.String()[hangul:])
	}
	return s.lsp.stop()
}

// repository makes a workspace whose last commit will turn out to be a mistake.
func (s *story) repository() error {
	steps := []struct{ file, text, message string }{
		{"bot/restart.go", "package bot\n\nfunc Restart() error { return nil }\n", "Add the bot"},
		{"bot/restart.go", "package bot\n\nfunc Restart() error { return run(\"systemctl restart api\") }\n", "Restart the API from any chat"},
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "bot"), 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.email", "demo@example.com"}} { // whose brain it is
		if _, err := s.git(args...); err != nil {
			return err
		}
	}
	for _, c := range steps {
		if err := os.WriteFile(filepath.Join(s.dir, c.file), []byte(c.text), 0o644); err != nil {
			return err
		}
		if _, err := s.git("add", "-A"); err != nil {
			return err
		}
		if _, err := s.git("commit", "-q", "-m", c.message); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=Demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = s.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, stderr.String())
	}
	return string(out), nil
}

func (s *story) title(text string) {
	s.step++
	fmt.Fprintf(s.out, "\n%d. %s\n\n", s.step, text)
}

func (s *story) show(text string) {
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintln(s.out, "   "+l)
		fmt.Fprintln(&s.shown, l)
	}
}

func (s *story) ask(query string) (preflight, error) {
	var p preflight
	err := s.lsp.call("handrail/preflight", map[string]any{"query": query, "sessionId": "demo"}, &p)
	return p, err
}

const restartRequest = "Add a Telegram command that restarts the API server"

func (s *story) request() error {
	s.title("A request. Before the model answers, the lesson comes first.")
	s.show("> " + restartRequest)
	p, err := s.ask(restartRequest)
	if err != nil {
		return err
	}
	if !strings.Contains(p.Block, "lessons/telegram-allowlist.md") {
		return fmt.Errorf("the block lacks the allowlist card: %q", p.Block)
	}
	s.show("\n" + p.Block)
	silent, err := s.ask("Why do penguins huddle together?")
	if err != nil {
		return err
	}
	if silent.Block != "" {
		return fmt.Errorf("penguins got a block: %q", silent.Block)
	}
	s.show("\n> Why do penguins huddle together?\n(no card speaks to this: nothing is injected)")
	return nil
}

func (s *story) answer() error {
	s.title("The answer forgets an item. Nothing blocks; the footer says it.")
	p, err := s.ask(restartRequest)
	if err != nil {
		return err
	}
	text := "I added the /restart command. The handler looks the chat id up in the allowlist first, and only then runs systemctl restart. An unknown chat gets no reply, so nobody learns that a bot is listening."
	s.show(text)
	var f struct {
		Unaddressed []struct {
			Path, Item string
			Line       int
		}
	}
	if err := s.lsp.call("handrail/postcheck", map[string]any{"answerId": p.AnswerID, "answer": text}, &f); err != nil {
		return err
	}
	for _, u := range f.Unaddressed {
		s.show(fmt.Sprintf("\n⚠ %s (%s:%d)", u.Item, u.Path, u.Line))
	}
	if len(f.Unaddressed) != 1 || !strings.Contains(f.Unaddressed[0].Item, "A test sends the command") {
		return fmt.Errorf("the footer names %+v, want the forgotten test alone", f.Unaddressed)
	}
	return nil
}

func (s *story) complaint() error {
	s.title("The person complains. A candidate is raised; nothing is written.")
	text := "It still does not work, you said you fixed it yesterday"
	s.show("> " + text)
	var r struct{ Candidate *candidate }
	if err := s.lsp.call("handrail/report", map[string]any{"kind": "message", "text": "The dates of the report are a day late", "sessionId": "demo"}, &r); err != nil {
		return err
	}
	if err := s.lsp.call("handrail/report", map[string]any{"kind": "message", "text": text, "sessionId": "demo"}, &r); err != nil {
		return err
	}
	if r.Candidate == nil || r.Candidate.Trigger != "complaint" {
		return fmt.Errorf("no candidate for %q", text)
	}
	s.show(fmt.Sprintf("\ncandidate (%s): %s\n%s", r.Candidate.Trigger, r.Candidate.Title, r.Candidate.Situation))
	return s.lsp.call("handrail/review", map[string]any{"dismiss": []string{r.Candidate.ID}}, nil)
}

func (s *story) revert() error {
	s.title("Somebody reverts a commit, in any terminal. That is a candidate too.")
	if _, err := s.git("revert", "--no-edit", "HEAD"); err != nil {
		return err
	}
	log, err := s.git("log", "--oneline", "-1")
	if err != nil {
		return err
	}
	s.show("$ git revert --no-edit HEAD\n" + log)
	var c candidate
	for c.Trigger != "rollback" {
		if err := s.lsp.await("handrail/candidate", &c); err != nil {
			return err
		}
	}
	s.show(fmt.Sprintf("candidate (%s): %s", c.Trigger, c.Title))
	if !strings.Contains(c.Title, "restart.go") {
		return fmt.Errorf("the candidate is about %q", c.Title)
	}
	return nil
}

// lesson is what the person fills in when confirming.
var lesson = map[string]any{
	"title": "Service restarts must go through the deploy lock",
	"fields": map[string]any{
		"severity": "high", "tags": []string{"deploy", "systemctl"},
		"mistake":   "The restart command ran while a deploy was writing the new binary.",
		"rootCause": "The restart did not know of the lock that a deploy holds.",
		"checklist": []string{"The restart takes the deploy lock before systemctl runs", "A test restarts while the lock is held"},
	},
}

func (s *story) record() error {
	s.title("A person confirms. Only now is a card written, and the next request shows it.")
	var waiting []candidate
	if err := s.lsp.call("handrail/candidates", nil, &waiting); err != nil {
		return err
	}
	if len(waiting) != 1 {
		return fmt.Errorf("%d candidates wait, want the rollback alone", len(waiting))
	}
	params := map[string]any{"candidateId": waiting[0].ID}
	for k, v := range lesson {
		params[k] = v
	}
	var made struct{ Path, DuplicateOf string }
	if err := s.lsp.call("handrail/create", params, &made); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(s.brain, filepath.FromSlash(made.Path)))
	if err != nil {
		return err
	}
	s.show(made.Path + "\n\n" + string(text))
	query := "let the ops bot restart the service with systemctl during a deploy"
	p, err := s.ask(query)
	if err != nil {
		return err
	}
	if !strings.Contains(p.Block, made.Path) {
		return fmt.Errorf("the next request does not show %s: %q", made.Path, p.Block)
	}
	s.show("\n> " + query + "\n\n" + p.Block)
	return nil
}

func (s *story) again() error {
	s.title("The same mistake again: no second card, the first one counts two.")
	var made struct{ Path, DuplicateOf string }
	if err := s.lsp.call("handrail/create", lesson, &made); err != nil {
		return err
	}
	if made.DuplicateOf == "" {
		return fmt.Errorf("a second card %s was written", made.Path)
	}
	s.show("the same as " + made.DuplicateOf)
	before, err := os.ReadFile(filepath.Join(s.brain, filepath.FromSlash(made.DuplicateOf)))
	if err != nil {
		return err
	}
	var card struct{ Occurrences int }
	if err := s.lsp.call("handrail/bump", map[string]any{"path": made.DuplicateOf}, &card); err != nil {
		return err
	}
	after, err := os.ReadFile(filepath.Join(s.brain, filepath.FromSlash(made.DuplicateOf)))
	if err != nil {
		return err
	}
	if card.Occurrences != 2 {
		return fmt.Errorf("occurrences %d, want 2", card.Occurrences)
	}
	old, now := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
	for i := range old {
		if i < len(now) && old[i] != now[i] {
			s.show("- " + old[i] + "\n+ " + now[i])
		}
	}
	return nil
}

// patience bounds one wait of the demo.
const patience = 20 * time.Second
