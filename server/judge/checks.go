package judge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/git"
	"github.com/handrail-dev/handrail/lessons/life"
	"github.com/handrail-dev/handrail/postcheck/check"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/say"
	"github.com/handrail-dev/handrail/server/watch"
	"github.com/handrail-dev/handrail/triggers"
)

// Checked is what a check says of a diff.
type Checked struct {
	Card     string            `json:"card"` // path in the brain
	Title    string            `json:"title"`
	Item     string            `json:"item"`
	ItemLine int               `json:"itemLine"`
	Outcome  string            `json:"outcome"`        // kept, broken or absent; outdated: the diff removes a file or symbol that the card names
	Path     string            `json:"path,omitempty"` // of the place that breaks or keeps it, as the diff has it
	Line     int               `json:"line,omitempty"` // 0 where there is none
	Cut      bool              `json:"cut,omitempty"`  // not all of the diff was read
	Problems []lessons.Problem `json:"-"`              // what keeps the check from running; it then has no outcome
}

// CheckDiff holds a patch against the checks of a brain's active cards, those for another
// project left out. dir is a folder of the repository that the patch is about. Checks of
// commands, of which a patch tells nothing, are left out, and so are the files of the brain
// itself: a card shows what it forbids.
func CheckDiff(ctx context.Context, b *lessons.Brain, dir, project, patch string) ([]Checked, error) {
	place := InWorkspace(b.Root(), dir)
	files := map[string]string{} // names in the diff
	gone := map[string]string{}  // likewise, of the files that it removes, and of words in the lines that it does
	var deeds check.Deeds
	for i, c := range triggers.ReadPatch(patch) {
		name, ok := place(c.File)
		if !ok {
			continue
		}
		files[name] = c.File
		between := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		for word := range strings.FieldsFuncSeq(strings.Join(c.Removed, "\n"), between) {
			gone[word] = c.File
		}
		if c.Gone {
			gone[name] = c.File
		}
		if c.Gone && len(c.Removed) == 0 { // it has another name now
			continue
		}
		deeds.Edits = append(deeds.Edits, check.Edit{File: name, Seq: i, Added: brain.AddedBy(c)})
	}
	var checks []check.Check
	var out, outdated []Checked
	add := func(rel string, _ fs.FileInfo) error {
		src, err := b.Read(rel)
		if err != nil {
			return err
		}
		c, _ := lessons.Parse(rel, src)
		if c.Status != lessons.Active || !c.For(project) {
			return nil
		}
		code := life.CodeOf(c)
		for _, name := range slices.Concat(code.Files, code.Symbols) {
			if path, removed := gone[name]; removed && (slices.Contains(code.Files, name) || nowhere(ctx, dir, filepath.Base(b.Root()), name)) {
				outdated = append(outdated, Checked{Card: rel, Title: c.Title, Outcome: "outdated", Path: path})
			}
		}
		for _, x := range brain.ChecksOf(c) {
			if !x.Check.OfCommands() {
				checks = append(checks, x.Check)
				out = append(out, Checked{Card: rel, Title: c.Title, Item: x.Item.Text, ItemLine: x.Item.Line, Problems: x.Problems})
			}
		}
		return nil
	}
	var unread error
	err := b.Walk(ctx, add, func(rel string, err error) {
		if !errors.Is(err, lessons.ErrTooLarge) && !errors.Is(err, lessons.ErrTooDeep) { // no card either
			unread = errors.Join(unread, fmt.Errorf("read %s: %w", rel, err))
		}
	})
	if err := errors.Join(err, unread); err != nil {
		return nil, fmt.Errorf("check the diff: %w", err)
	}
	for i, r := range check.RunAll(ctx, checks, deeds) {
		if checks[i].Runs() {
			out[i].Outcome, out[i].Path, out[i].Line, out[i].Cut = string(r.Outcome), files[r.File], r.Line.N, r.Cut
		}
	}
	return append(out, outdated...), ctx.Err()
}

// nowhere reports whether a symbol is in no file of a work tree but those of brains.
func nowhere(ctx context.Context, dir, brains, symbol string) bool {
	_, err := watch.GitOutput(ctx, dir, "grep", "--untracked", "-I", "-q", "-w", "-F", "-e", symbol, "--", ":/", ":(exclude,top,glob)**/"+brains+"/**")
	none, ok := errors.AsType[*exec.ExitError](err)
	return ok && none.ExitCode() == 1
}

// InWorkspace returns a function that gives a file of a patch the path that globs are written
// against, and tells whether it is one of the workspace and none of the brain.
func InWorkspace(brain, dir string) func(file string) (string, bool) {
	project := filepath.Dir(brain)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	top, ok := find.Repository(dir)
	if !ok {
		top = dir
	}
	below := func(folder, file string) (string, bool) {
		rel, err := filepath.Rel(folder, file)
		return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
	}
	_, part := below(top, project)
	return func(file string) (string, bool) {
		abs := filepath.Join(top, filepath.FromSlash(file))
		for _, at := range []func(string) string{filepath.Clean, find.InMain} {
			if _, own := below(brain, at(abs)); own {
				return "", false
			}
			if rel, ok := below(project, at(abs)); ok {
				return rel, true
			}
		}
		return file, !part // of a repository that the brain is no part of, as it is named there
	}
}

// Diff returns as a patch what the work tree that holds dir has changed since the commit where
// it left base, or since its last commit where base is "". Files that git does not know yet
// are no part of it.
func Diff(ctx context.Context, dir, base string) (string, error) {
	commit, err := watch.GitOutput(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", base+"^{commit}")
	switch {
	case base == "":
		commit, err = watch.GitOutput(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD")
		if err != nil {
			commit, err = watch.GitOutput(ctx, dir, "hash-object", "-t", "tree", "--stdin") // before the first commit: the empty tree
		}
	case err == nil:
		if fork, err := watch.GitOutput(ctx, dir, "merge-base", strings.TrimSpace(commit), "HEAD"); err == nil {
			commit = fork
		}
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", &lessons.PathError{Path: base, Err: brain.ErrNoBase}, err)
	}
	// Without the time limit of a look at history: a person waits for this.
	cmd := git.Command(ctx, dir, "diff", "-M", "-U0", strings.TrimSpace(commit), "--")
	patch, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git diff %s: %w", base, err)
	}
	return string(patch), nil
}

// GuardRequest says what an agent is about to do.
type GuardRequest struct {
	Project string
	Changes []triggers.Change // with absolute paths
	Command string            // as typed
	Locale  say.Locale
}

// Guarded is what the cards want of the host. Decision is empty in the ordinary case.
type Guarded struct {
	Decision lessons.Guard `json:"decision,omitzero"`
	Reason   string        `json:"reason,omitzero"` // one line, for the agent and the person
	Path     string        `json:"path,omitzero"`   // of the card
}

// Guard returns the gravest wish of the cards of which the action would break a check. What is
// not known in time breaks none.
func (s *Room) Guard(ctx context.Context, r GuardRequest) (Guarded, error) {
	deeds := s.Planned(r.Command, r.Changes)
	var out Guarded
	for _, head := range s.Deck().Special {
		if !guards(head, r.Project) || out.Decision == lessons.GuardDeny || out.Decision != "" && head.Guard != lessons.GuardDeny {
			continue
		}
		card, err := s.Read(head.Path) // the index may be behind the disk
		if err != nil || !guards(&card, r.Project) || !s.MaySpeak(&card) {
			continue
		}
		for _, x := range brain.ChecksOf(card) {
			if !x.Check.Runs() || !x.Check.Forbids() {
				continue
			}
			if result := x.Check.Run(ctx, deeds); result.Outcome == check.Broken && (out.Decision == "" || card.Guard == lessons.GuardDeny) {
				out = Guarded{Decision: card.Guard, Reason: r.Locale.Guarded(card, x.Item, result), Path: card.Path}
				break
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return Guarded{}, err
	}
	return out, nil
}

// guards reports whether a card may ask or refuse: a person put it there, or verified it, and
// it is not another project's.
func guards(c *lessons.Card, project string) bool {
	return c.Guard != "" && c.Kind.IsCard() && c.Status == lessons.Active && (c.Source != lessons.Auto || c.Verified) &&
		c.For(project)
}
