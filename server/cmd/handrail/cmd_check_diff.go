package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"handrail/lessons"
	"handrail/server"
)

// format is a flag that says how broken checks are printed; "" where it is not given.
type format string

// The formats.
const (
	asText   format = "text"
	asJSON   format = "json"
	asSARIF  format = "sarif"
	asGitHub format = "github"
)

var formats = []format{asText, asJSON, asSARIF, asGitHub}

func (f *format) String() string { return string(*f) }
func (f *format) Type() string   { return "format" }

func (f *format) Set(s string) error {
	if *f = format(s); !slices.Contains(formats, *f) {
		return errors.New("it is no format")
	}
	return nil
}

const (
	// lastCommit is the value of --diff where none is given.
	lastCommit = "HEAD"
	// maxPatch bounds a patch on standard input, in bytes.
	maxPatch = 256 << 20
)

// checkDiff holds the checks of the brain against a diff. It reads the cards themselves: no
// index has to be made for that, in a hook or in CI.
func (a *app) checkDiff(ctx context.Context, base string, as format) error {
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
	var patch string
	if base == "-" {
		text, err := io.ReadAll(io.LimitReader(&interruptible{ctx: ctx, r: a.in}, maxPatch+1))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || len(text) > maxPatch {
			return said{text: textNoPatch, err: err}
		}
		patch = string(text)
	} else if patch, err = server.Diff(ctx, dir, base); err != nil {
		return err
	}
	checked, err := server.CheckDiff(ctx, b, dir, a.projectOf(dir), patch)
	if err != nil {
		return err
	}
	broken := []server.Checked{}
	for _, c := range checked {
		for _, p := range c.Problems {
			a.warn(fmt.Sprintf("%s:%d: %s", c.Card, p.Line, a.locale().Problem(p)))
		}
		if c.Cut {
			a.warn(a.word(say(textNotAllRead, c.Card, c.Item)))
		}
		if c.Outcome == "broken" {
			broken = append(broken, c)
			a.status = exitFailed
		}
	}
	switch {
	case as == asSARIF:
		return a.printJSON(sarifOf(checked))
	case as == asJSON || a.json && as == "":
		return a.printJSON(broken)
	}
	for _, c := range broken {
		if as == asGitHub {
			a.annotate("error", c.Path, c.Line, c.Title, c.Item+" ["+c.Card+"]")
			continue
		}
		a.print("%s:%d: broken: %s [%s]\n", c.Path, max(1, c.Line), c.Item, c.Card)
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

// sarif is a log of SARIF 2.1.0, as far as it is written here.
type sarif struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver struct {
			Name    string      `json:"name"`
			Version string      `json:"version"`
			Rules   []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifText struct {
	Text string `json:"text"`
}

// sarifRule is an item that carries a check, or a kind of problem.
type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
	Full  sarifText `json:"fullDescription"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

// sarifOf returns checks as SARIF: a rule for each that runs, a result for each that is broken.
func sarifOf(checked []server.Checked) sarif {
	run := newSARIFRun()
	driver := &run.Tool.Driver
	nth := map[string]int{}
	for _, c := range checked {
		nth[c.Card]++
		if len(c.Problems) > 0 {
			continue
		}
		item := sarifText{plain(c.Item)}
		rule := sarifRule{ID: fmt.Sprintf("%s#%d", c.Card, nth[c.Card]), Short: item, Full: sarifText{plain(c.Title + ": " + c.Item)}}
		driver.Rules = append(driver.Rules, rule)
		if c.Outcome != "broken" {
			continue
		}
		run.add(len(driver.Rules)-1, "error", c.Path, c.Line, c.Item+" ["+c.Card+"]")
	}
	return run.log()
}

func newSARIFRun() sarifRun {
	run := sarifRun{Results: []sarifResult{}}
	driver := &run.Tool.Driver
	driver.Name, driver.Version, driver.Rules = "handrail", versionText(), []sarifRule{}
	return run
}

func (r *sarifRun) add(rule int, level, path string, line int, message string) {
	var at sarifLocation
	at.Physical.Artifact.URI = strings.ReplaceAll((&url.URL{Path: path}).String(), "&", "%26") // of an entity a reader makes a tag
	at.Physical.Region.StartLine = max(1, line)
	r.Results = append(r.Results, sarifResult{
		RuleID: r.Tool.Driver.Rules[rule].ID, RuleIndex: rule, Level: level,
		Message: sarifText{plain(message)}, Locations: []sarifLocation{at},
	})
}

func (r *sarifRun) log() sarif {
	return sarif{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{*r}}
}
