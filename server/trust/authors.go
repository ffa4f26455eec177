package trust

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"handrail/lessons/find"
)

// Author is who wrote the text of a file last.
type Author struct {
	Name, Email string
	Own         bool // git's identity here
}

// String returns the author as commits name them.
func (a Author) String() string {
	if a.Email == "" {
		return a.Name
	}
	return strings.TrimSpace(a.Name + " <" + a.Email + ">")
}

// authorsTimeout bounds a look at history, which a repository may have a lot of.
const authorsTimeout = 10 * time.Second

// maxNamed is how many files a command line names; of more all of the folder's history is read.
const maxNamed = 20

// Authors returns who committed each of some files of a folder last, by slash path in it. What
// was never committed is missing: it is the person's.
//
// An author is what a commit says. Git proves none of it, and neither does Authors.
func Authors(ctx context.Context, dir string, files []string) (map[string]Author, error) {
	ctx, cancel := context.WithTimeout(ctx, authorsTimeout)
	defer cancel()
	authors := map[string]Author{}
	if _, ok := find.Repository(dir); !ok || len(files) == 0 {
		return authors, nil
	}
	if _, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		_, err := git(ctx, dir, "rev-parse", "--git-dir")
		if err != nil && strings.Contains(err.Error(), "not a git repository") { // something is called .git and is none
			err = nil
		}
		return authors, err // without an error there is no commit yet
	}
	self, _ := git(ctx, dir, "config", "user.email") // without one nothing is known to be the person's
	self = strings.TrimSpace(self)
	committed, err := git(ctx, dir, "ls-tree", "-r", "-z", "--name-only", "HEAD", "--", ".")
	if err != nil {
		return nil, err
	}
	inHead := map[string]bool{}
	for name := range strings.SplitSeq(committed, "\x00") {
		inHead[name] = true
	}
	missing := map[string]bool{}
	for _, name := range files {
		if inHead[name] {
			missing[name] = true
		}
	}
	if len(missing) == 0 {
		return authors, nil
	}
	err = history(ctx, dir, missing, func(name string, a Author) {
		a.Own = self != "" && strings.EqualFold(a.Email, self)
		authors[name] = a
	})
	return authors, err
}

// history tells of each file the author of its last commit. A merge counts where it made a
// text that none of its parents has: "-c".
func history(ctx context.Context, dir string, missing map[string]bool, tell func(name string, a Author)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	prefix, err := git(ctx, dir, "rev-parse", "--show-prefix") // --relative leaves the names of merges as they are
	if err != nil {
		return err
	}
	prefix = strings.TrimSuffix(prefix, "\n")
	mark := rand.Text() // no name of a file can begin with it
	args := []string{"log", "-c", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-mailmap", "--no-notes", "--name-only", "-z", "--format=" + mark + "%ae%n%an", "--"}
	if len(missing) > maxNamed {
		args = append(args, ".")
	} else {
		for name := range missing {
			args = append(args, ":(literal)"+name)
		}
	}
	cmd := command(ctx, dir, args...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("git log in %s: %w", dir, err)
	}
	in := bufio.NewReader(out)
	var now Author
	var readErr error
	for len(missing) > 0 {
		var token string
		token, readErr = in.ReadString(0)
		token = strings.TrimLeft(strings.TrimSuffix(token, "\x00"), "\n")
		if author, ok := strings.CutPrefix(token, mark); ok {
			now = Author{}
			now.Email, now.Name, _ = strings.Cut(author, "\n")
		} else if name, ok := strings.CutPrefix(token, prefix); ok && missing[name] {
			delete(missing, name)
			tell(name, now)
		}
		if readErr != nil {
			break
		}
	}
	timedOut := ctx.Err()
	cancel() // the rest is of no use
	err = cmd.Wait()
	if timedOut != nil {
		return fmt.Errorf("git log in %s: %w", dir, timedOut)
	}
	if len(missing) > 0 && (err != nil || !errors.Is(readErr, io.EOF)) {
		return fmt.Errorf("git log in %s: %w", dir, errors.Join(err, readErr))
	}
	for name := range missing { // a history that does not tell, such as a shallow one of merges
		tell(name, Author{Name: "?"})
	}
	return nil
}

func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	return cmd
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := command(ctx, dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w: %s", args[0], dir, err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}
