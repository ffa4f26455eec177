package mcp

import (
	"fmt"
	"strings"

	"handrail/lessons"
	"handrail/server"
)

// Every tool's result has a text beside the structure, because many hosts show a model
// the text alone. Text of cards is data: addTool makes
// all of it inert but what lessons.Block and lessons.Context made.

func (s *session) showPreflight(p server.Preflight) string {
	if p.Block == "" && p.Context == "" {
		return s.word(textNothingServed)
	}
	var parts []string
	for _, part := range []string{p.Block, p.Context} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if p.Block != "" {
		parts = append(parts, s.word(textCheckLater, p.AnswerID))
	}
	return strings.Join(parts, "\n\n")
}

func (s *session) showFooter(f server.Footer) string {
	switch {
	case len(f.Lessons) == 0:
		return s.word(textNothingToSee)
	case len(f.Unaddressed) == 0:
		return f.Summary + "\n" + s.word(textAllShown)
	}
	var b strings.Builder
	b.WriteString(f.Summary + "\n")
	for _, u := range f.Unaddressed {
		b.WriteString(s.word(textItem, lessons.Visible(u.Item), lessons.Visible(u.Path), u.Line) + "\n")
	}
	b.WriteString(s.word(textAddress))
	return b.String()
}

func (s *session) showRetrieved(r server.Retrieved) string {
	if len(r.Lessons)+len(r.Notes) == 0 {
		return s.word(textNothingFound)
	}
	var b strings.Builder
	for _, part := range []struct {
		name text
		hits []server.Hit
	}{{textLessons, r.Lessons}, {textNotes, r.Notes}} {
		if len(part.hits) == 0 {
			continue
		}
		b.WriteString(s.word(part.name) + ":\n")
		for i, h := range part.hits {
			fmt.Fprintf(&b, "%d. %s · %s", i+1, lessons.Visible(h.Title), lessons.Visible(h.Path))
			if h.Status != "" {
				b.WriteString(" · " + s.Locale.Status(h.Status))
			}
			b.WriteString("\n")
			if excerpt := strings.Join(strings.Fields(h.Excerpt), " "); excerpt != "" {
				b.WriteString("   " + lessons.Visible(excerpt) + "\n")
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (s *session) showExplanation(e server.Explanation) string {
	if len(e.Cards) == 0 {
		return s.word(textNothingFound)
	}
	var b strings.Builder
	for _, part := range []struct {
		name  text
		comes bool
	}{{textComes, true}, {textStaysOut, false}} {
		head := s.word(part.name) + ":\n"
		for _, c := range e.Cards {
			if c.Comes == part.comes {
				fmt.Fprintf(&b, "%s- %s · %s: %s\n", head, lessons.Visible(c.Title), lessons.Visible(c.Path), lessons.Visible(c.Text))
				head = ""
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (s *session) showCards(cards []server.Card) string {
	if len(cards) == 0 {
		return s.word(textNoCards)
	}
	var b strings.Builder
	b.WriteString(s.word(textCards, len(cards)))
	for _, c := range cards {
		seen := c.LastSeen
		if seen == "" {
			seen = "-"
		}
		fmt.Fprintf(&b, "\n- %s · %s · %s, %d×, %s, %s", lessons.Visible(c.Title), lessons.Visible(c.Path), c.Severity, c.Occurrences, seen, c.Status)
	}
	return b.String()
}

func (s *session) showStats(stats server.Stats) string {
	if len(stats.Cards) == 0 {
		return s.word(textNoStats, stats.Active)
	}
	var b strings.Builder
	b.WriteString(s.word(textStats, stats.Active))
	for _, c := range stats.Cards {
		b.WriteString("\n- " + s.word(textServed, lessons.Visible(c.Title), lessons.Visible(c.Path), c.Served, c.Addressed, c.Unaddressed, c.Recurred))
	}
	return b.String()
}
