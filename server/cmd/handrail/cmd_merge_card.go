package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"handrail/lessons"
	"handrail/lessons/git"
)

// exitNoMerge tells git that a merge driver failed. A status up to 128 is a conflict, and git
// would go on with our side's text.
const exitNoMerge = 255

func (a *app) mergeCardCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "merge-card BASE OURS THEIRS PATH",
		Short:  "Merge two versions of a card for git",
		Hidden: true, // git calls it
		Long: `Merge-card is the merge driver that "handrail init" and "handrail setup" enter in git's
settings. It writes the merged card to OURS. The exit status is 1 where a conflict remains,
with the usual markers in the file.`,
		Args: args(cobra.ExactArgs(4)),
		RunE: func(cmd *cobra.Command, list []string) error {
			clean, err := mergeCard(cmd.Context(), list[0], list[1], list[2], list[3])
			switch {
			case err != nil:
				a.warn(a.explain(err))
				a.status = exitNoMerge
			case !clean:
				a.status = exitFailed
			}
			return nil
		},
	}
}

// mergeCard merges three files into the second, and reports whether no conflict remains.
func mergeCard(ctx context.Context, base, ours, theirs, name string) (clean bool, err error) {
	var texts [3][]byte
	for i, file := range []string{base, ours, theirs} {
		if texts[i], err = os.ReadFile(file); err != nil {
			return false, fmt.Errorf("merge %s: %w", name, err)
		}
	}
	out, clean, err := lessons.MergeSides(filepath.ToSlash(name), texts[0], texts[1], texts[2], func(base, ours, theirs []byte) ([]byte, bool, error) {
		return mergeLines(ctx, base, ours, theirs)
	})
	if err != nil {
		return false, fmt.Errorf("merge %s: %w", name, err)
	}
	if err := os.WriteFile(ours, out, 0o600); err != nil { //nolint:forbidigo // git's own temporary file
		return false, fmt.Errorf("merge %s: %w", name, err)
	}
	return clean, nil
}

// mergeLines merges three texts line by line, as git does without a driver. What is no text
// stays as our side has it, in conflict.
func mergeLines(ctx context.Context, base, ours, theirs []byte) (out []byte, clean bool, err error) {
	dir, err := os.MkdirTemp("", "handrail-merge-")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of temporary files
	for name, src := range map[string][]byte{"base": base, "ours": ours, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), src, 0o600); err != nil { //nolint:forbidigo // a temporary file
			return nil, false, err
		}
	}
	cmd := git.Command(ctx, "", "merge-file", "-p", "-q", "-L", "ours", "-L", "base", "-L", "theirs",
		filepath.Join(dir, "ours"), filepath.Join(dir, "base"), filepath.Join(dir, "theirs"))
	out, err = cmd.Output()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out, true, nil
	case errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 128: // the number of conflicts
		return out, false, nil
	case errors.As(err, &exit) && exit.ExitCode() == 255:
		return ours, false, nil
	}
	return nil, false, fmt.Errorf("git merge-file: %w", err)
}
