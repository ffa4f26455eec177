package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// bin is the folder of the built programs.
var bin string

// TestMain is also the command itself, and the agent that it asks: the binary of the tests runs as
// three programs.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "standin":
		os.Exit(standin())
	case os.Getenv("EFFECT_COMMAND") != "":
		main()
		os.Exit(0)
	}
	os.Exit(tests(m))
}

func tests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "effect-bin-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	bin = os.Getenv("HANDRAIL_BUILT")
	if bin == "" {
		bin = dir
		build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "github.com/handrail-dev/handrail/server/cmd/...")
		if out, err := build.CombinedOutput(); err != nil {
			panic(string(out))
		}
	}
	return m.Run()
}

// standin answers as a simple mind would: it heeds the lesson of a request if it has read it. As
// the judge it goes by what the answers say. It tells its tokens as Claude Code does, but not to the
// judge's question.
func standin() int {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 2
	}
	if len(os.Args) > 2 {
		prompt = []byte(os.Args[2])
	}
	log, err := os.OpenFile(os.Getenv("EFFECT_CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 2
	}
	fmt.Fprintln(log, "called")
	text := string(prompt)
	if strings.HasPrefix(strings.TrimSpace(text), "Judge three answers") {
		if os.Getenv("EFFECT_DO") == "babble" {
			fmt.Println("They are all fine.")
			return 0
		}
		verdicts := map[string]verdict{}
		means := map[string]verdict{"I forgot": {"broke", 3}, "I remembered": {"kept", 4}, "I heeded": {"kept", 5}}
		answers := regexp.MustCompile(`(?s)<answer name="(.)">\n(.*?)\n</answer>`)
		for _, m := range answers.FindAllStringSubmatch(text, -1) {
			verdicts[m[1]] = means[m[2]]
		}
		out, _ := json.Marshal(verdicts)
		fmt.Printf("Here it is:\n```json\n%s\n```\n", out)
		return 0
	}
	s := &study{cases: os.Getenv("EFFECT_CASES")}
	if err := s.readCases(); err != nil {
		return 2
	}
	said := "I forgot"
	for _, c := range s.Cases {
		if !strings.Contains(text, c.Request) {
			continue
		}
		switch {
		case c.Name == os.Getenv("EFFECT_AT") && os.Getenv("EFFECT_DO") == "fail":
			fmt.Fprintln(os.Stderr, "You are out of credits.\nSee the documentation.")
			return 3
		case c.Name == os.Getenv("EFFECT_AT") && os.Getenv("EFFECT_DO") == "hang":
			never := make(chan os.Signal, 1)
			signal.Notify(never)
			if os.WriteFile(os.Getenv("EFFECT_CALLS")+".hangs", strconv.AppendInt(nil, int64(os.Getpid()), 10), 0o600) == nil {
				<-never
			}
		case c.Name == os.Getenv("EFFECT_AT") && os.Getenv("EFFECT_DO") == "silence":
			return 0
		case c.Card != "" && strings.Contains(text, c.File()):
			said = "I heeded"
		case c.Card != "" && strings.Contains(text, c.Title):
			said = "I remembered"
		}
	}
	const form = `{"type":"result","is_error":false,"result":%q,"total_cost_usd":0.01,` +
		`"usage":{"input_tokens":70,"cache_read_input_tokens":30,"output_tokens":7}}`
	fmt.Printf(form, said)
	return 0
}

// trial is a run of the command over some of the cases, with the stand-in.
type trial struct {
	t     *testing.T
	dir   string
	agent string
	env   []string
}

func newTrial(t *testing.T, names ...string) *trial {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &trial{t: t, dir: t.TempDir(), agent: "'" + exe + "' standin"}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("cases", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(r.dir, "cases"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.dir, "cases", name+".txtar"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// run runs the command and returns what it prints and says.
func (r *trial) run(args ...string) (page, said string, failed bool) {
	r.t.Helper()
	cases, out := filepath.Join(r.dir, "cases"), filepath.Join(r.dir, "out")
	args = append([]string{"-agent", r.agent, "-bin", bin, "-cases", cases, "-out", out}, args...)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "EFFECT_COMMAND=1", "EFFECT_CASES="+cases)
	cmd.Env = append(append(cmd.Env, "EFFECT_CALLS="+filepath.Join(r.dir, "calls")), r.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return stdout.String(), stderr.String(), err != nil
}

// calls is how often the agent was called, in all.
func (r *trial) calls() int {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, "calls"))
	if err != nil {
		r.t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// answers returns the calls that are kept, by case and arm.
func (r *trial) answers() map[string]answer {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, "out", "answers", "*.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	kept := map[string]answer{}
	for _, file := range files {
		var is answer
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &is)
		}
		if err != nil {
			r.t.Fatal(file, err)
		}
		parts := strings.Split(filepath.Base(file), ".")
		kept[parts[0]+"."+parts[1]] = is
	}
	return kept
}

func TestStudy(t *testing.T) {
	r := newTrial(t, "index-concurrently", "pin-actions", "commit-unasked", "generated-code", "neutral-kebab")
	page, said, failed := r.run()
	if failed {
		t.Fatal(said)
	}
	for _, row := range []string{
		"| all | nothing | 4 of 4 (1.00) | 0 of 4 (.00) | 0 of 4 (.00) | 3.0 | 0 | 100, 7 | $0.04 |",
		"| all | titles | 0 of 4 (.00) | 4 of 4 (1.00) | 0 of 4 (.00) | 4.0 |",
		"| all | cards | 0 of 4 (.00) | 4 of 4 (1.00) |",
		"| ko | nothing | 1 of 1 (1.00) |",
		"| neutral | cards | – | – | – | 3.0 |",
		"| judging | | | | | | | not told | not told |",
		"| pin-actions | ci | broke 3 | kept 4 | kept 5 | title card |",
		"5 of 5 cases",
	} {
		if !strings.Contains(page, "\n"+row) && !strings.Contains(page, ": "+row) {
			t.Errorf("the page lacks %q:\n%s", row, page)
		}
	}
	file, err := os.ReadFile(filepath.Join(r.dir, "out", "results.md"))
	if err != nil || string(file) != page {
		t.Errorf("results.md is not the page that was printed: %v", err)
	}
	const title = "Never create an index on a live table without CONCURRENTLY"
	kept := r.answers()
	for arm, want := range map[string][3]bool{ // the title; the card; the file
		"nothing": {false, false, true}, "titles": {true, false, true}, "cards": {true, false, true}, // a request that does not say index
	} {
		prompt := kept["index-concurrently."+arm].Prompt
		got := [3]bool{
			strings.Contains(prompt, "- "+title), strings.Contains(prompt, "lessons/index-concurrently.md"),
			strings.Contains(prompt, "ALTER TABLE orders ADD COLUMN note text;"),
		}
		if got != want {
			t.Errorf("%s: %v, want %v:\n%s", arm, got, want, prompt)
		}
	}
	if !strings.Contains(kept["pin-actions.cards"].Prompt, "lessons/pin-actions.md") {
		t.Error("no card came before a request that names its subject")
	}
	question := kept["index-concurrently.judge"].Prompt
	if !strings.Contains(question, "# "+title) || regexp.MustCompile(`LESSON TITLES|ACTIVE LESSON|\(ref `).MatchString(question) {
		t.Errorf("the judge gets the lesson, and nothing of what the answers got:\n%s", question)
	}
	if n := r.calls(); n != 20 {
		t.Errorf("%d calls, want 20", n)
	}

	again, said, failed := r.run()
	if failed || again != page || r.calls() != 20 {
		t.Errorf("a second run asks nothing and prints the same: %d calls, %s\n%s", r.calls(), said, again)
	}
	other, said, failed := r.run("-seed", "2", "-parallel", "4")
	if failed || r.calls() < 21 || r.calls() > 25 {
		t.Errorf("another seed asks the judge alone: %d calls, %s", r.calls(), said)
	}
	if strings.Replace(other, "seed 2", "seed 1", 1) != page {
		t.Errorf("the order changes the verdicts:\n%s", other)
	}
}

// TestOrder holds that the judge cannot go by the place of an answer.
func TestOrder(t *testing.T) {
	r := newTrial(t, "add-all", "npm-ci", "pickle-load", "rows-err", "zip-slip", "fetch-ok")
	if _, said, failed := r.run("-parallel", "3"); failed {
		t.Fatal(said)
	}
	first := map[string]bool{}
	for name, is := range r.answers() {
		if strings.HasSuffix(name, ".judge") {
			_, after, _ := strings.Cut(is.Prompt, "<answer name=\"A\">\n")
			text, _, _ := strings.Cut(after, "\n")
			first[text] = true
		}
	}
	if len(first) < 2 {
		t.Errorf("the first answer is always %v", first)
	}
}

func TestCutOff(t *testing.T) {
	r := newTrial(t, "force-with-lease", "money-float")
	r.env = []string{"EFFECT_AT=money-float", "EFFECT_DO=fail"}
	page, said, failed := r.run("-parallel", "1")
	want := "failed (exit status 3): You are out of credits. " +
		"(1 of 2 cases are done; the same command goes on from there)\n"
	begins := strings.Contains(said, "effect: money-float: the agent ")
	if !failed || page != "" || !begins || !strings.HasSuffix(said, want) {
		t.Fatalf("got %q, want … %q", said, want)
	}
	if n := len(r.answers()); n != 4 {
		t.Errorf("%d answers are kept, want 4", n)
	}
	r.env = nil
	page, said, failed = r.run()
	if failed || !strings.Contains(page, "2 of 2 cases") || r.calls() != 4+1+4 {
		t.Errorf("it goes on: %d calls, %s\n%s", r.calls(), said, page)
	}
}

func TestAgentFails(t *testing.T) {
	for name, test := range map[string]struct {
		agent, do, want string
		args            []string
	}{
		"none":    {agent: " ", want: `no agent is named; for example: make effect AGENT="claude -p"`},
		"missing": {agent: "no-such-agent -p", want: `the agent "no-such-agent -p" failed (exit status 127): `},
		"hangs":   {do: "hang", args: []string{"-timeout", "3s"}, want: "gave no answer within 3s"},
		"silent":  {do: "silence", want: "gave no answer: it said nothing"},
		"babbles": {do: "babble", want: "fetch-ok: the judge printed no verdicts"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTrial(t, "fetch-ok")
			if test.agent != "" {
				r.agent = test.agent
			}
			r.env = []string{"EFFECT_AT=fetch-ok", "EFFECT_DO=" + test.do}
			page, said, failed := r.run(test.args...)
			lines := strings.Split(strings.TrimSpace(said), "\n")
			last := lines[len(lines)-1]
			if !failed || page != "" || !strings.HasPrefix(last, "effect: ") || !strings.Contains(last, test.want) {
				t.Errorf("got %q, want … %q", said, test.want)
			}
			if pid, err := os.ReadFile(filepath.Join(r.dir, "calls.hangs")); err == nil {
				n, _ := strconv.Atoi(string(pid))
				if p, err := os.FindProcess(n); err == nil && p.Signal(syscall.Signal(0)) == nil {
					t.Errorf("the agent, %d, runs on", n)
				}
			}
		})
	}
	r := newTrial(t, "fetch-ok")
	r.agent += " {}"
	if page, said, failed := r.run(); failed || !strings.Contains(page, "1 of 1 cases") {
		t.Errorf("the prompt in place of {}: %s", said)
	}
}

// TestCases holds what the set promises, and that its cards are good ones.
func TestCases(t *testing.T) {
	s := &study{cases: "cases"}
	if err := s.readCases(); err != nil {
		t.Fatal(err)
	}
	brain, lang, areas, neutral := t.TempDir(), map[string]int{}, map[string]int{}, 0
	for _, c := range s.Cases {
		if c.Request == "" {
			t.Errorf("%s has no request", c.Name)
		}
		if c.Card == "" {
			neutral++
			continue
		}
		lang[c.Lang]++
		areas[c.Area]++
		if words := len(strings.Fields(c.Title)); words < 4 || words > 18 {
			t.Errorf("%s: the title has %d words", c.Name, words)
		}
		text, err := os.ReadFile(filepath.Join("cases", c.Name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n")
		if fields := strings.Fields(head); len(fields) != 3 || !strings.HasPrefix(fields[2], "https://") {
			t.Errorf("%s names no public source", c.Name)
		}
		if err := os.MkdirAll(filepath.Join(brain, "lessons"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(brain, filepath.FromSlash(c.File())), []byte(c.Card), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if lang["en"] < 16 || lang["ko"] < 8 || neutral < 4 {
		t.Errorf("%v and %d neutral requests", lang, neutral)
	}
	for _, area := range []string{"sql", "git", "ci", "typescript", "go", "python", "docker", "security", "process"} {
		if areas[area] < 2 {
			t.Errorf("%d cases of %s", areas[area], area)
		}
	}
	check := exec.Command(filepath.Join(bin, "handrail"), "check", "--strict", "--brain", brain)
	home := t.TempDir()
	check.Env = slices.DeleteFunc(environment(), func(v string) bool { return strings.HasPrefix(v, "XDG_") })
	check.Env = append(check.Env, "HOME="+home, "USERPROFILE="+home, "LocalAppData="+home)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("handrail check: %v\n%s", err, out)
	}
}

// TestTitles holds that the second arm is what it says: the titles of all cards of the set come.
func TestTitles(t *testing.T) {
	s := &study{cases: "cases", bin: bin}
	if err := s.readCases(); err != nil {
		t.Fatal(err)
	}
	got, err := s.deliver(t.Context(), s.Cases[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Cases {
		if !strings.Contains(got.Titles, c.Title) {
			t.Errorf("the title of %s does not come:\n%s", c.Name, got.Titles)
		}
	}
}
