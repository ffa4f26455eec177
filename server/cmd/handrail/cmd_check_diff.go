package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
)

const (
	// lastCommit is the value of --diff where none is given.
	lastCommit = "HEAD"
	// maxPatch bounds a patch on standard input, in bytes.
	maxPatch = 256 << 20
)

// checkDiff holds the checks of the brain against a diff. It reads the cards themselves: no
// index has to be made for that, in a hook or in CI.
func (a *app) checkDiff(ctx context.Context, base string, github bool) error {
	brain, err := a.findBrain()
	if err != nil {
		return err
	}
	b, err := lessons.OpenBrain(brain)
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // read only
	dir, err := a.workDir()
	if err != nil {
		return fmt.Errorf("check the diff: %w", err)
	}
	if base == lastCommit {
		base = ""
	}
	patch := ""
	if base == "-" {
		text, err := a.read(ctx, base, maxPatch+1)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || len(text) > maxPatch {
			return said{Text: textNoPatch, Err: err}
		}
		patch = string(text)
	} else {
		patch, err = server.Diff(ctx, dir, base)
		if err != nil {
			return err
		}
	}
	checked, err := server.CheckDiff(ctx, b, dir, a.projectOf(dir), patch)
	if err != nil {
		return err
	}
	found := []server.Checked{}
	for _, c := range checked {
		for _, p := range c.Problems {
			a.warn(fmt.Sprintf("%s:%d: %s", c.Card, p.Line, a.locale().Problem(p)))
		}
		if c.Cut {
			a.warn(a.word(say(textNotAllRead, c.Card, c.Item)))
		}
		if c.Outcome == "broken" {
			a.status = exitFailed
		}
		if c.Outcome == "broken" || c.Outcome == "outdated" {
			found = append(found, c)
		}
	}
	if a.json {
		return a.printJSON(found)
	}
	for _, c := range found {
		if c.Outcome == "outdated" {
			c.Item = a.word(say(textOutdated))
		}
		switch {
		case github && c.Outcome == "outdated":
			a.annotate("notice", c.Path, 1, c.Title, c.Item+" ["+c.Card+"]")
			continue
		case github:
			a.annotate("error", c.Path, c.Line, c.Title, c.Item+" ["+c.Card+"]")
			continue
		}
		a.print("%s:%d: %s: %s [%s]\n", c.Path, max(1, c.Line), c.Outcome, c.Item, c.Card)
	}
	return nil
}

// annotate prints a workflow command: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
func (a *app) annotate(level, path string, line int, title, message string) {
	fmt.Fprintf(a.out, "::%s file=%s,line=%d,title=%s::%s\n", level, property(path), max(1, line), property(title), escaped(message))
}

// escaped returns a text as a workflow command has it, and property one of its properties.
func escaped(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(plain(s))
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escaped(s))
}
