package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/server/judge"
)

const (
	// lastCommit is the value of --diff where none is given.
	lastCommit = "HEAD"
	// maxPatch bounds a patch on standard input, in bytes.
	maxPatch = 256 << 20
)

// checkDiff holds the checks of the brain against a diff. It reads the cards themselves: no
// index has to be made for that, in a hook or in CI.
func (a *app) checkDiff(ctx context.Context, base, format string) error {
	folder, err := a.findBrain()
	if err != nil {
		return err
	}
	b, err := lessons.OpenBrain(folder)
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
		given, err := a.read(ctx, base, maxPatch+1)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || len(given) > maxPatch {
			return said{Text: text{"The patch could not be read from standard input, or is larger than 256 MiB.", "표준 입력에서 패치를 읽을 수 없거나 패치가 256MiB보다 큽니다."}, Err: err}
		}
		patch = string(given)
	} else {
		patch, err = judge.Diff(ctx, dir, base)
		if err != nil {
			return err
		}
	}
	checked, err := judge.CheckDiff(ctx, b, dir, a.projectOf(dir), patch)
	if err != nil {
		return err
	}
	found := []judge.Checked{}
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
	switch {
	case a.json:
		return a.printJSON(found)
	case format == "gitlab":
		return a.printJSON(a.codeQuality(found))
	}
	for _, c := range found {
		level := "error"
		if c.Outcome == "outdated" {
			level, c.Item = "notice", a.word(say(textOutdated))
		}
		if format == "github" {
			a.annotate(level, c.Path, c.Line, c.Title, c.Item+" ["+c.Card+"]")
		} else {
			a.print("%s:%d: %s: %s [%s]\n", c.Path, max(1, c.Line), c.Outcome, c.Item, c.Card)
		}
	}
	return nil
}

// quality is a row of GitLab's report: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
type quality struct {
	Description string `json:"description"`
	Check       string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// codeQuality returns what was found as GitLab reads it.
func (a *app) codeQuality(found []judge.Checked) []quality {
	out := make([]quality, len(found))
	for i, c := range found {
		q := &out[i]
		q.Description, q.Severity = c.Item, "major"
		if c.Outcome == "outdated" {
			q.Description, q.Severity = c.Title+": "+a.word(say(textOutdated)), "info"
		}
		q.Check, q.Fingerprint = c.Card, side.Name(16, c.Card, c.Item, c.Path, strconv.Itoa(c.Line))
		q.Location.Path, q.Location.Lines.Begin = c.Path, max(1, c.Line)
	}
	return out
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
