// Package git is the one place that runs git. Handrail looks at repositories that others made, and
// nothing that such a repository configures is run by a look at it.
package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// quiet switches off what settings of a repository would have git run whatever it is asked: a monitor of the file
// system, hooks, a pager, checks of signatures, helpers that ask for passwords. A bare repository is none, since a
// cloned one may hold such a one with settings of its own.
var quiet = []string{
	"--no-pager", "-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "log.showSignature=false", "-c", "core.askPass=", "-c", "credential.helper=",
}

// plain are the flags of commands that show changes: no programs for them, no look into
// submodules, which have settings of their own, and names and lines as triggers.ParsePatch reads them.
var plain = map[string][]string{
	"diff": {
		"--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/",
	},
	"blame":  {"--no-textconv"},
	"grep":   {"--no-textconv", "--no-color"},
	"log":    {"--no-ext-diff", "--no-textconv", "--no-color"},
	"show":   {"--no-ext-diff", "--no-textconv", "--no-color"},
	"status": {"--ignore-submodules=all"},
}

// Command returns a call of git in a folder. Variables that would have git look at another
// repository, as those that a hook of git is started with, are left out. The paths that a filter
// belongs to are left out of diff and status, and no filter runs.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	args = slices.Insert(slices.Clone(args), 1, plain[args[0]]...)
	if args[0] != "diff" && args[0] != "status" {
		return command(ctx, dir, args)
	}
	filters := filtersOf(ctx, dir)
	cmd := command(ctx, dir, exclude(args, filters))
	cmd.Env = append(cmd.Env, switchedOff(filters)...)
	return cmd
}

func command(ctx context.Context, dir string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", slices.Concat(quiet, args)...) //nolint:forbidigo // the one place
	cmd.Dir = dir
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "GIT_CONFIG") && !strings.HasPrefix(v, "GIT_EXEC_PATH=")
	})
	// Nothing is fetched to look at history: no protocol is allowed, and a git that can be told so does not try.
	cmd.Env = append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
		"GIT_DISCOVERY_ACROSS_FILESYSTEM=1", "LC_ALL=C")
	return cmd
}

// filtersOf returns the names of the filters that git knows in a folder.
func filtersOf(ctx context.Context, dir string) (names []string) {
	out, _ := command(ctx, dir, []string{"config", "-z", "--name-only", "--get-regexp", `^filter\.`}).Output() // fails where there is none
	for key := range strings.SplitSeq(string(out), "\x00") {
		name, ok := strings.CutPrefix(key[:max(0, strings.LastIndexByte(key, '.'))], "filter.")
		if ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// switchedOff returns variables that make filters do nothing. A setting on the command line could not name every one.
func switchedOff(filters []string) (env []string) {
	n, _ := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT")) // of the person's own, which stay
	for _, name := range filters {
		for key, value := range map[string]string{"clean": "", "smudge": "", "process": "", "required": "false"} {
			env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=filter.%s.%s", n, name, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
			n++
		}
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(n))
}

// exclude adds to a command that the paths with a filter are left out: what stands in the work
// tree is not what git has of them.
func exclude(args, filters []string) []string {
	if len(filters) == 0 {
		return args
	}
	if !slices.Contains(args, "--") {
		args = append(args, "--")
	}
	if args[len(args)-1] == "--" {
		args = append(args, ":/")
	}
	for _, name := range filters {
		if name != "" && strings.Trim(name, attributeValue) == "" { // the paths of another cannot be named, and show as they are
			args = append(args, ":(top,exclude,attr:filter="+name+")")
		}
	}
	return args
}

// attributeValue are the characters that a pathspec may have in the value of an attribute.
const attributeValue = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_,"

// Output runs git in a folder and returns what it prints. An error has what it complains about.
func Output(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := Command(ctx, dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w: %s", args[0], dir, err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}

// Blob returns git's SHA-1 of a file's text, hex. A repository with another hash has no such one.
func Blob(text []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}
