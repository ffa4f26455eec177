package mcp

import (
	"fmt"
	"strings"

	"handrail/lessons"
	"handrail/server"
)

func (c *call) showPreflight(p server.Preflight) string {
	if p.Block == "" && p.Context == "" {
		return c.word(textNothingServed)
	}
	var parts []string
	for _, part := range []string{p.Block, p.Context} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if p.Block != "" {
		parts = append(parts, c.word(textCheckLater, p.AnswerID))
	}
	return strings.Join(parts, "\n\n")
}

func (c *call) showFooter(f server.Footer) string {
	switch {
	case len(f.Lessons) == 0:
		return c.word(textNothingToSee)
	case len(f.Unaddressed) == 0:
		return f.Summary + "\n" + c.word(textAllShown)
	}
	var b strings.Builder
	b.WriteString(f.Summary + "\n")
	for _, u := range f.Unaddressed {
		b.WriteString(c.word(textItem, lessons.Visible(u.Item), lessons.Visible(u.Path), u.Line) + "\n")
	}
	b.WriteString(c.word(textAddress))
	return b.String()
}

func (c *call) showRetrieved(r server.Retrieved) string {
	if len(r.Lessons)+len(r.Notes) == 0 {
		return c.word(textNothingFound)
	}
	var b strings.Builder
	for _, part := range []struct {
		name text
		hits []server.Hit
	}{{textLessons, r.Lessons}, {textNotes, r.Notes}} {
		if len(part.hits) == 0 {
			continue
		}
		b.WriteString(c.word(part.name) + ":\n")
		for i, h := range part.hits {
			fmt.Fprintf(&b, "%d. %s · %s", i+1, lessons.Visible(h.Title), lessons.Visible(h.Path))
			if h.Status != "" {
				b.WriteString(" · " + c.Locale.Status(h.Status))
			}
			b.WriteString("\n")
			if excerpt := strings.Join(strings.Fields(h.Excerpt), " "); excerpt != "" {
				b.WriteString("   " + lessons.Visible(excerpt) + "\n")
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (c *call) showExplanation(e server.Explanation) string {
	if len(e.Cards) == 0 {
		return c.word(textNothingFound)
	}
	var b strings.Builder
	for _, part := range []struct {
		name  text
		comes bool
	}{{textComes, true}, {textStaysOut, false}} {
		head := c.word(part.name) + ":\n"
		for _, card := range e.Cards {
			if card.Comes == part.comes {
				fmt.Fprintf(&b, "%s- %s · %s: %s\n", head, lessons.Visible(card.Title), lessons.Visible(card.Path), lessons.Visible(card.Text))
				head = ""
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (c *call) showCards(cards []server.Card) string {
	if len(cards) == 0 {
		return c.word(textNoCards)
	}
	var b strings.Builder
	b.WriteString(c.word(textCards, len(cards)))
	for _, card := range cards {
		seen := card.LastSeen
		if seen == "" {
			seen = "-"
		}
		fmt.Fprintf(&b, "\n- %s · %s · %s, %d×, %s, %s", lessons.Visible(card.Title), lessons.Visible(card.Path), card.Severity, card.Occurrences, seen, card.Status)
	}
	return b.String()
}

func (c *call) showStats(stats server.Stats) string {
	if len(stats.Cards) == 0 {
		return c.word(textNoStats, stats.Active)
	}
	var b strings.Builder
	b.WriteString(c.word(textStats, stats.Active))
	for _, card := range stats.Cards {
		b.WriteString("\n- " + c.word(textServed, lessons.Visible(card.Title), lessons.Visible(card.Path), card.Served, card.Addressed, card.Unaddressed, card.Recurred))
	}
	return b.String()
}
