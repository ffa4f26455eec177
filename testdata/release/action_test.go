package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAction: a pull request that breaks a check has an annotation and a row in the run's summary, and fails;
// one that breaks none says so.
func TestAction(t *testing.T) {
	for _, program := range []string{"sh", "git", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the action needs " + program)
		}
	}
	script, err := filepath.Abs("../../.github/actions/check/check.sh")
	if err != nil {
		t.Fatal(err)
	}
	bin, home, repo := t.TempDir(), t.TempDir(), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin+"/", "github.com/handrail-dev/handrail/server/cmd/handrail").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	summary := filepath.Join(home, "summary.md")
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_CACHE_HOME="+home,
			"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "BASE=HEAD", "GITHUB_STEP_SUMMARY="+summary, "HANDRAIL_BRAIN=", "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	write := func(name, text string) {
		path := filepath.Join(repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("bot/send.go", "package bot\n")
	write(".brain/lessons/token.md", "---\ntype: lesson\n---\n# Tokens stood in the log\n\n## Root Cause\n\nNobody looked.\n\n## Prevention Checklist\n\n"+
		"- [ ] No | token is logged\n  ```check\n  forbid: 'log.*token'\n  matches: ['log(token)']\n  ```\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "one"}} {
		if out, err := run("git", args...); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	for _, c := range []struct {
		name, code, out, row string
		fails                bool
	}{
		{"nothing broken", "package bot\n\nfunc send() {}\n", "", "No lesson is broken.", false},
		{"a line that is forbidden", "package bot\n\nfunc send() { log(token) }\n", "::error file=bot/send.go,line=3,", `| broken | bot/send.go:3 | No \| token is logged | lessons/token.md |`, true},
	} {
		write("bot/send.go", c.code)
		out, err := run("sh", script)
		if (err != nil) != c.fails || !strings.Contains(out, c.out) {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
		page, err := os.ReadFile(summary)
		if err != nil || !strings.Contains(string(page), c.row+"\n") {
			t.Errorf("%s: the summary has no row %q: %v\n%s", c.name, c.row, err, page)
		}
	}
}
