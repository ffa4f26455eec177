package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// repository returns one with a.txt, b.txt and c.md committed and changed since, and a function
// that runs plain git in it.
func repository(t *testing.T) (dir string, plain func(args ...string)) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell lines")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir = t.TempDir()
	plain = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plain("init", "-q")
	files := []string{"a.txt", "b.txt", "c.md"}
	for _, name := range files {
		write(name, "one\n")
	}
	plain("add", "-A")
	plain("commit", "-q", "-m", "One")
	write("c.md", "two\n")
	plain("commit", "-q", "-a", "-m", "Two")
	write(".gitattributes", "a.txt filter=own diff=own\nb.txt filter=a=b\n*.md diff=own\n")
	for _, name := range files {
		write(name, "three\n")
	}
	return dir, plain
}

// TestNothingOfARepositoryRuns: whatever its settings name, no program but git runs.
func TestNothingOfARepositoryRuns(t *testing.T) {
	dir, plain := repository(t)
	marks := t.TempDir()
	hook := filepath.Join(marks, "post-index-change")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ntouch "+marks+"/ran-hook\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"core.fsmonitor", "diff.external", "diff.own.command", "diff.own.textconv", "filter.own.clean", "filter.own.smudge", "filter.own.process",
		"filter.a=b.clean", "gpg.program", "core.pager", "core.askPass", "core.sshCommand", "remote.origin.uploadpack", "credential.helper",
	} {
		plain("config", key, "touch '"+marks+"/ran-"+key+"'; cat #")
	}
	for key, value := range map[string]string{
		"core.hooksPath": marks, "log.showSignature": "true", "filter.own.required": "true", "filter.a=b.required": "true", "color.ui": "always",
		"remote.origin.url": filepath.Join(marks, "elsewhere"), "remote.origin.promisor": "true", "extensions.partialClone": "origin",
		"core.repositoryFormatVersion": "1",
	} {
		plain("config", key, value)
	}
	for _, args := range [][]string{
		{"status", "--porcelain=v2", "--branch", "-z", "-uall"},
		{"diff"},
		{"diff", "HEAD", "--"},
		{"diff", "--name-only", "-z"},
		{"diff", "--quiet", "HEAD", "--", "a.txt", "c.md"},
		{"diff", "HEAD~1", "HEAD"},
		{"log", "-1", "-p", "--format=%s"},
		{"show", "HEAD"},
		{"show", "HEAD:c.md"},
		{"ls-files", "-s", "--", "a.txt"},
		{"check-ignore", "-q", "--", "a.txt"},
		{"show", "0123456789012345678901234567890123456789"},
		{"worktree", "list", "--porcelain"},
		{"stash", "show", "--name-only"},
	} {
		out, err := Output(t.Context(), dir, args...)
		if strings.Contains(out, "\x1b") || err == nil && args[0] == "diff" && strings.Contains(out, "a.txt") {
			t.Errorf("git %v: %q", args, out)
		}
	}
	ran, err := os.ReadDir(marks)
	if err != nil || len(ran) != 1 {
		t.Errorf("%v ran (%v)", ran, err)
	}
	out, err := Output(t.Context(), dir, "diff", "-U0")
	if err != nil || !strings.Contains(out, "--- a/c.md\n+++ b/c.md\n@@ -1 +1 @@\n-two\n+three\n") {
		t.Errorf("%s%v", out, err)
	}
}

// TestNoSubmoduleIsAsked: it has settings of its own.
func TestNoSubmoduleIsAsked(t *testing.T) {
	inner, _ := repository(t)
	dir, plain := repository(t)
	plain("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "inner")
	plain("commit", "-q", "-m", "Hold another")
	mark := filepath.Join(t.TempDir(), "ran")
	plain("-C", "inner", "config", "filter.own.clean", "touch '"+mark+"'; cat")
	for name, text := range map[string]string{"a.txt": "four\n", ".gitattributes": "a.txt filter=own\n"} {
		if err := os.WriteFile(filepath.Join(dir, "inner", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"status", "--porcelain"}, {"diff", "HEAD"}, {"diff", "--name-only"}} {
		if out, err := Output(t.Context(), dir, args...); err != nil || strings.Contains(out, "inner") {
			t.Errorf("git %v: %q, %v", args, out, err)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a filter of a submodule ran")
	}
}

// TestSettingsOfThePersonStay: what is passed on for git in the environment counts.
func TestSettingsOfThePersonStay(t *testing.T) {
	dir, plain := repository(t)
	plain("config", "filter.own.clean", "false")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "user.email")
	t.Setenv("GIT_CONFIG_VALUE_0", "ada@example.com")
	t.Setenv("GIT_DIR", t.TempDir())
	cmd := Command(t.Context(), dir, "diff", "--name-only")
	cmd.Args = append(slices.Clone(cmd.Args[:slices.Index(cmd.Args, "diff")]), "config", "user.email")
	if out, err := cmd.Output(); err != nil || string(out) != "ada@example.com\n" {
		t.Errorf("%q, %v", out, err)
	}
}
