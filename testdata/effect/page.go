package main

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

//go:embed texts.tmpl
var texts string

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"letter":   func(i int) string { return letters[i : i+1] },
	"contains": strings.Contains,
	"arms":     func() []string { return arms },
	"today":    func() string { return time.Now().Format(time.DateOnly) },
}).Parse(texts))

// fill fills a template, which cannot fail but by a mistake in it.
func fill(name string, with any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, with); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// row is what became of a group of cases under an arm.
type row struct {
	Group, Arm                    string
	cases, quality, ours, in, out int
	cost                          float64
	verdicts                      map[string]int
}

// Rows returns the groups of the page under each arm, and the judging of all.
func (s *study) Rows() (rows []*row) {
	for _, group := range []string{"all", "en", "ko", "neutral"} {
		for _, arm := range arms {
			r := s.row(group, arm, func(c *testCase) bool {
				return (c.Card == "") == (group == "neutral") && (len(group) != 2 || c.Lang == group)
			})
			if r.cases > 0 {
				rows = append(rows, r)
			}
		}
	}
	return append(rows, s.row("judging", "judge", func(*testCase) bool { return true }))
}

func (s *study) row(group, arm string, has func(*testCase) bool) *row {
	r := &row{Group: group, Arm: arm, verdicts: map[string]int{}}
	for _, c := range s.Done {
		if has(c) {
			is := c.Answers[arm]
			r.cases, r.in, r.out, r.cost = r.cases+1, r.in+is.Input, r.out+is.Output, r.cost+is.Cost
			r.ours += lessons.CountTokens(is.Prompt) - lessons.CountTokens(c.Answers["nothing"].Prompt)
			r.quality += c.Verdicts[arm].Quality
			r.verdicts[c.Verdicts[arm].Verdict]++
		}
	}
	return r
}

// Share returns how many got a verdict: "3 of 12 (.25)".
func (r *row) Share(verdict string) string {
	if r.Group == "neutral" {
		return "–"
	}
	n := r.verdicts[verdict]
	share := fmt.Sprintf("%.2f", float64(n)/float64(r.cases))
	return fmt.Sprintf("%d of %d (%s)", n, r.cases, strings.TrimPrefix(share, "0"))
}

// Quality is that of the answers, on average.
func (r *row) Quality() string { return fmt.Sprintf("%.1f", float64(r.quality)/float64(r.cases)) }

// Ours is what Handrail put before a request, in tokens, on average.
func (r *row) Ours() int { return r.ours / r.cases }

// Told is what the agent told of its tokens, on average, and of its cost, in all.
func (r *row) Told() string {
	if r.in+r.out == 0 {
		return "not told | not told"
	}
	return fmt.Sprintf("%d, %d | $%.2f", r.in/r.cases, r.out/r.cases, r.cost)
}
