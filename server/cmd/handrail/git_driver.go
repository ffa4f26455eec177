package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/lessons/git"
	"handrail/server/agents"
)

var (
	textGitLine   = text{"new line in %s: %s", "%s에 새 줄: %s"}
	textGitDriver = text{"git config --local %s: %s", "git config --local %s: %s"}
	textAskGit    = text{"Let git merge cards with Handrail here? [y/N] ", "이 저장소에서 git이 Handrail로 카드를 병합하게 할까요? [y/N] "}
	textNoDriver  = text{"This repository asks for Handrail to merge cards, and git here does not know it", "이 저장소는 Handrail로 카드를 병합하도록 되어 있지만 여기 git에는 설정이 없습니다"}
)

// The merge driver, as .gitattributes and git's settings name it.
const (
	driverSection  = "merge.handrail-card"
	driverKey      = driverSection + ".driver"
	attributesFile = ".gitattributes"
	attributesLine = "*.md merge=handrail-card"
)

// gitDriver is what it takes to have git merge the cards of a brain by Handrail.
type gitDriver struct {
	brain   string
	top     string // of the brain's repository, or the folder in it that the brain will be made in
	line    bool   // .gitattributes of the brain lacks the line
	command string // of the driver; "" where git has it already
}

// planDriver looks at what git lacks to merge the cards of a brain, which need not exist yet, by a program. The others
// will do where git has them already. ok is false where there is no repository, or git keeps the brain out of it.
func planDriver(ctx context.Context, brain, program string, others ...string) (d gitDriver, ok bool) {
	d = gitDriver{brain: brain, top: brain}
	if _, err := os.Stat(brain); err != nil {
		d.top = filepath.Dir(brain)
	}
	if _, ok := find.Repository(d.top); !ok {
		return d, false
	}
	if _, err := git.Output(ctx, d.top, "rev-parse", "--git-dir"); err != nil {
		return d, false // there is no git, or something is called .git and is none
	}
	if _, err := git.Output(ctx, d.top, "check-ignore", "-q", "--", brain); err == nil {
		return d, false
	}
	d.line = !namesDriver(brain)
	d.command = driverCommand(program)
	now, _ := git.Output(ctx, d.top, "config", "--local", "--get", driverKey) // fails where there is none
	for _, p := range append(others, program) {
		if strings.TrimSuffix(now, "\n") == driverCommand(p) {
			d.command = ""
		}
	}
	return d, true
}

// driverCommand is what git runs. Where the program is gone, it merges as it does without a driver.
func driverCommand(program string) string {
	quoted := "'" + strings.NewReplacer("'", `'\''`, "%", "%%").Replace(program) + "'"
	return "if test -x " + quoted + "; then " + quoted + " merge-card -- %O %A %B %P; else git merge-file %A %O %B; fi"
}

// driverChanges says what would be changed, a line each.
func (a *app) driverChanges(d gitDriver) (lines []string) {
	if d.line {
		lines = append(lines, a.word(say(textGitLine, filepath.Join(d.brain, attributesFile), attributesLine)))
	}
	if d.command != "" {
		lines = append(lines, a.word(say(textGitDriver, driverKey, d.command)))
	}
	return lines
}

// apply makes the changes. The brain exists by now.
func (d gitDriver) apply(ctx context.Context) error {
	if d.command != "" {
		for key, value := range map[string]string{".name": "Handrail's merge of cards", ".driver": d.command} {
			if _, err := git.Output(ctx, d.brain, "config", "--local", driverSection+key, value); err != nil {
				return err
			}
		}
	}
	if !d.line {
		return nil
	}
	b, err := lessons.OpenBrain(d.brain)
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // what was written is on disk
	err = b.Edit(attributesFile, func(src []byte) ([]byte, error) {
		if len(src) > 0 && src[len(src)-1] != '\n' {
			src = append(src, '\n')
		}
		return append(src, attributesLine+"\n"...), nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = b.Create(attributesFile, []byte(attributesLine+"\n"))
	}
	return err
}

// offerDriver has git merge the cards of a new brain by Handrail: at once where the person
// called for it, else after a question at a terminal.
func (a *app) offerDriver(ctx context.Context, brain string, called bool) error {
	if !called && (a.json || !a.atTerminal()) {
		return nil
	}
	m, self, err := machine()
	if err != nil {
		return err
	}
	d, ok := planDriver(ctx, a.abs(brain), installed(m, self))
	lines := a.driverChanges(d)
	if !ok || len(lines) == 0 {
		return nil
	}
	for _, line := range lines {
		fmt.Fprintln(a.err, plain(line))
	}
	if !called {
		if agreed, err := a.agrees(textAskGit); err != nil || !agreed {
			return err
		}
	}
	return d.apply(ctx)
}

// installed returns the program that will be there tomorrow: the copy that hooks call, if there
// is one.
func installed(m agents.Machine, self string) string {
	if _, err := os.Stat(m.Binary); err == nil {
		return m.Binary
	}
	return self
}

// namesDriver reports whether the brain's .gitattributes asks for the driver.
func namesDriver(brain string) bool {
	b, err := lessons.OpenBrain(brain)
	if err != nil {
		return false
	}
	defer b.Close()                  //nolint:errcheck // read only
	src, _ := b.Read(attributesFile) // without the file nothing is named
	for line := range strings.Lines(string(src)) {
		if slices.Contains(strings.Fields(line), "merge=handrail-card") && !strings.HasPrefix(line, "#") {
			return true
		}
	}
	return false
}

// lacksDriver reports whether the brain's .gitattributes names a driver that git does not know.
func lacksDriver(ctx context.Context, brain string) bool {
	d, ok := planDriver(ctx, brain, "")
	return ok && !d.line && !hasDriver(ctx, brain)
}

// hasDriver reports whether git's settings for a folder have the driver, in any of their places
// or in the one that scope names.
func hasDriver(ctx context.Context, dir string, scope ...string) bool {
	_, err := git.Output(ctx, dir, slices.Concat([]string{"config"}, scope, []string{"--get", driverKey})...)
	return err == nil
}
