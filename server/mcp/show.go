package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
)

func (c *call) showPreflight(p deliver.Preflight) string {
	later := c.Locale.Say(textCheckLater, p.AnswerID)
	switch {
	case p.Block == "" && p.Context == "":
		return c.Locale.Say(textNothingServed)
	case p.Block == "":
		later = ""
	}
	return joined("\n\n", p.Block, p.Context, later)
}

func (c *call) showFooter(f brain.Footer) string {
	if len(f.Lessons) == 0 {
		return c.Locale.Say(textNothingToSee)
	}
	var lines []string
	for _, d := range c.Locale.Worded(f).Doubts {
		lines = append(lines, lessons.Visible(d.Said))
	}
	for _, v := range f.Verdicts {
		if v.State == "said" {
			lines = append(lines, c.Locale.Say(textOnlySaid, lessons.Visible(v.Item)))
		}
	}
	if len(f.Unaddressed) == 0 {
		return strings.Join(append(lines, c.Locale.Say(textAllShown)), "\n")
	}
	for _, u := range f.Unaddressed {
		lines = append(lines, fmt.Sprintf("- [ ] %s (%s:%d)", lessons.Visible(u.Item), lessons.Visible(u.Path), u.Line))
	}
	return strings.Join(append(lines, c.Locale.Say(textAddress)), "\n")
}

func (c *call) showRetrieved(r brain.Retrieved) string {
	found := joined("\n", c.under(textLessons, c.hits(r.Lessons)), c.under(textNotes, c.hits(r.Notes)))
	return cmp.Or(found, c.Locale.Say(textNothingFound))
}

func (c *call) hits(hits []brain.Hit) (lines []string) {
	for i, h := range hits {
		status := ""
		if h.Status != "" {
			status = c.Locale.Status(h.Status)
		}
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, joined(" · ", lessons.Visible(h.Title), lessons.Visible(h.Path), status)))
		if excerpt := strings.Join(strings.Fields(h.Excerpt), " "); excerpt != "" {
			lines = append(lines, "   "+lessons.Visible(excerpt))
		}
	}
	return lines
}

func (c *call) showExplanation(e deliver.Explanation) string {
	var comes, staysOut []string
	for _, card := range e.Cards {
		line := fmt.Sprintf("- %s · %s: %s", lessons.Visible(card.Title), lessons.Visible(card.Path), lessons.Visible(card.Text))
		if card.Comes {
			comes = append(comes, line)
		} else {
			staysOut = append(staysOut, line)
		}
	}
	return cmp.Or(joined("\n", c.under(textComes, comes), c.under(textStaysOut, staysOut)), c.Locale.Say(textNothingFound))
}

func (c *call) showCards(cards []brain.Card) string {
	lines := []string{c.Locale.Say(textCards, len(cards))}
	for _, card := range cards {
		lines = append(lines, fmt.Sprintf("- %s · %s · %s, %d×, %s, %s", lessons.Visible(card.Title), lessons.Visible(card.Path),
			card.Severity, card.Occurrences, cmp.Or(card.LastSeen, "-"), card.Status))
	}
	if len(cards) == 0 {
		lines[0] = c.Locale.Say(textNoCards)
	}
	return strings.Join(lines, "\n")
}

func (c *call) showWaiting(waiting []brain.Candidate) string {
	var lines []string
	for _, w := range waiting {
		lines = append(lines, fmt.Sprintf("- %s · %s · %s", w.ID, lessons.Visible(w.Title), w.At.Format(time.DateOnly)))
		for _, seen := range slices.Concat(w.Evidence, w.Files) {
			lines = append(lines, "   "+lessons.Visible(strings.Join(strings.Fields(seen), " ")))
		}
	}
	return cmp.Or(c.under(textWaits, lines), c.Locale.Say(textNoCards))
}

// under returns lines under a head, "" where there are none.
func (c *call) under(head text, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return c.Locale.Say(head) + ":\n" + strings.Join(lines, "\n")
}

// joined joins the parts that are not empty.
func joined(by string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), by)
}
