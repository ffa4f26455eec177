// Command effect asks an agent of yours whether lessons help it. It answers each case of
// testdata/effect/cases under three arms (nothing, the titles, the cards as delivered), then judges
// its own three answers, not knowing which is which. What stands before a request comes from the
// built programs, by the hooks of one conversation. Calls cost money: every answer is kept, and a
// run that was cut off goes on from what is there.
//
// A case is a txtar file: its area, language and public source in one line, then card.md,
// request.txt and the files of the repository that the agent reads. One without a card is a neutral
// request: it tells what lessons cost where none matters.
//
// Start reading at study.one; ask.go has the programs and the agent, texts.tmpl what is asked and
// the page.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/txtar"
)

// study is a run: what it was asked for, and its cases.
type study struct {
	Command, Version, Seed string
	Cases, Done            []*testCase
	bin, cases, out        string // folders
	timeout                time.Duration
}

func main() {
	s := &study{}
	flag.StringVar(&s.Command, "agent", "",
		"the `command` that answers a prompt on standard input, or in place of {}")
	flag.StringVar(&s.bin, "bin", "bin", "the `folder` of the built programs")
	flag.StringVar(&s.cases, "cases", "testdata/effect/cases", "the `folder` of the cases")
	flag.StringVar(&s.out, "out", "effect", "the `folder` for the answers and results.md")
	flag.StringVar(&s.Seed, "seed", "1", "orders the answers before the judge")
	flag.DurationVar(&s.timeout, "timeout", 5*time.Minute, "how long one call may take")
	parallel := flag.Int("parallel", 2, "how many cases at a time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := s.run(ctx, max(1, *parallel))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "effect:", err)
		os.Exit(1)
	}
}

func (s *study) run(ctx context.Context, parallel int) error {
	if strings.TrimSpace(s.Command) == "" {
		return errors.New(`no agent is named; for example: make effect AGENT="claude -p"`)
	}
	bin, err := filepath.Abs(s.bin)
	if err != nil {
		return err
	}
	version, err := exec.CommandContext(ctx, filepath.Join(bin, "handrail"), "--version").Output()
	if err != nil {
		return fmt.Errorf("no program in %s (%w); \"make build\" makes it", s.bin, err)
	}
	s.bin, s.Version = bin, strings.TrimSpace(string(version))
	if err := s.readCases(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.out, "answers"), 0o755); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, c := range s.Cases {
		group.Go(func() error { return s.one(ctx, c) })
	}
	failed := group.Wait()
	s.Done = slices.DeleteFunc(slices.Clone(s.Cases), func(c *testCase) bool { return c.Verdicts == nil })
	page := fill("page", s)
	if err := os.WriteFile(filepath.Join(s.out, "results.md"), []byte(page), 0o644); err != nil {
		return err
	}
	if failed != nil {
		const goesOn = "%w (%d of %d cases are done; the same command goes on from there)"
		return fmt.Errorf(goesOn, failed, len(s.Done), len(s.Cases))
	}
	fmt.Print(page)
	return nil
}

// arms are what an answer may know beforehand.
var arms = []string{"nothing", "titles", "cards"}

// testCase is one lesson and a request that may break it, and what became of them.
type testCase struct {
	Name, Area, Lang     string
	Title, Card, Request string // without a card the request is neutral
	Files                []txtar.File

	given
	Arm      string             // that is asked
	Order    []string           // in which the judge gets the arms
	Answers  map[string]answer  // by arm, and the judge's
	Verdicts map[string]verdict // by arm; none in a case that is not done
}

type verdict struct {
	Verdict string // broke, kept or not reached
	Quality int    // 1 to 5
}

// File is the path of the case's card in the brain.
func (c *testCase) File() string { return "lessons/" + c.Name + ".md" }

func (s *study) readCases() error {
	paths, err := filepath.Glob(filepath.Join(s.cases, "*.txtar"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no cases in %s", s.cases)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			return err
		}
		c := &testCase{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), Answers: map[string]answer{}}
		if _, err := fmt.Sscan(string(archive.Comment), &c.Area, &c.Lang); err != nil {
			return fmt.Errorf("%s does not begin with its area and language: %w", path, err)
		}
		for _, f := range archive.Files {
			switch f.Name {
			case "card.md":
				c.Card = string(f.Data)
				_, after, _ := strings.Cut(c.Card, "\n# ")
				c.Title, _, _ = strings.Cut(after, "\n")
			case "request.txt":
				c.Request = strings.TrimSpace(string(f.Data))
			default:
				c.Files = append(c.Files, f)
			}
		}
		s.Cases = append(s.Cases, c)
	}
	return nil
}

// one answers a case and judges the answers.
func (s *study) one(ctx context.Context, c *testCase) (err error) {
	c.given, err = s.deliver(ctx, c)
	for _, c.Arm = range arms {
		if err == nil {
			c.Answers[c.Arm], err = s.ask(ctx, c.Name+"."+c.Arm, fill("prompt", c), func(string) error { return nil })
		}
	}
	c.Order = slices.Clone(arms)
	order := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(s.Seed + c.Name))))
	order.Shuffle(len(arms), func(i, j int) { c.Order[i], c.Order[j] = c.Order[j], c.Order[i] })
	if err == nil {
		c.Answers["judge"], err = s.ask(ctx, c.Name+".judge", fill("judge", c), c.judge)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return nil
}

const letters = "ABC" // that the judge has for the answers

// judge reads the object that the judge printed, whatever stands around it.
func (c *testCase) judge(text string) error {
	named, verdicts := map[string]verdict{}, map[string]verdict{}
	from, to := strings.Index(text, "{"), strings.LastIndex(text, "}")
	if from < 0 || to < from || json.Unmarshal([]byte(text[from:to+1]), &named) != nil {
		return errors.New("the judge printed no verdicts")
	}
	for i, arm := range c.Order {
		v := named[letters[i:i+1]]
		known := c.Card == "" || slices.Contains([]string{"broke", "kept", "not reached"}, v.Verdict)
		if !known || v.Quality < 1 || v.Quality > 5 {
			return fmt.Errorf("the judge gave answer %s no verdict of those it may give", letters[i:i+1])
		}
		verdicts[arm] = v
	}
	c.Verdicts = verdicts
	return nil
}
