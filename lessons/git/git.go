// Package git runs git for a look at a folder's repository.
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
	"strings"
)

// Command returns a call of git in a folder, with prompts off. Variables that would have git look
// at another repository, as those that a hook of git is started with, are left out; a repository
// without a work tree is none, since a cloned one may hold such a one with settings of its own.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "safe.bareRepository=explicit"}, args...)...)
	cmd.Dir = dir
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "GIT_CONFIG") && !strings.HasPrefix(v, "GIT_EXEC_PATH=")
	})
	// Nothing is fetched to look at history: a git that can be told so is.
	cmd.Env = append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_DISCOVERY_ACROSS_FILESYSTEM=1", "LC_ALL=C")
	return cmd
}

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
