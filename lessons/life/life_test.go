package life

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

func date(s string) lessons.Date {
	d, ok := lessons.ParseDate(s)
	if !ok {
		return lessons.Date{}
	}
	return d
}

func TestAged(t *testing.T) {
	today := date("2026-11-21")
	for _, c := range []struct {
		kind    lessons.Kind
		days    int
		archive bool
	}{
		{lessons.Lesson, 298, false},
		{lessons.Lesson, 299, true},
		{lessons.Fact, 199, false},
		{lessons.Fact, 200, true},
		{lessons.Playbook, 597, false},
		{lessons.Playbook, 598, true},
		{lessons.Policy, 9999, false},
		{lessons.Architecture, 9999, false},
		{lessons.Lesson, -30, false}, // somebody's clock is ahead
	} {
		card := lessons.Card{Kind: c.kind, Status: lessons.Active, Occurrences: 1, LastSeen: lessons.DateOf(today.Time(time.UTC).AddDate(0, 0, -c.days))}
		if got := Aged(card, Record{}, today) == Stale; got != c.archive {
			t.Errorf("%s after %d days: stale %v", c.kind, c.days, got)
		}
	}
	used := Record{LastUsed: date("2026-11-20")}
	if why := Aged(lessons.Card{Kind: lessons.Lesson, Status: lessons.Active, Occurrences: 1, LastSeen: date("2020-01-01")}, used, today); why != "" {
		t.Errorf("a card that was served yesterday is %s", why)
	}
}

func auto(path, title, seen string) lessons.Card {
	return lessons.Card{
		Path: path, Kind: lessons.Lesson, Title: title, Source: lessons.Auto, Status: lessons.Active, Severity: lessons.Medium,
		Occurrences: 1, LastSeen: date(seen),
	}
}

func unused(string) Record { return Record{} }

func TestTidy(t *testing.T) {
	today := date("2026-11-21")
	change := func(c lessons.Card, f func(*lessons.Card)) lessons.Card { f(&c); return c }
	old := auto("old.md", "Old one", "2026-05-20")
	for name, c := range map[string]struct {
		cards []lessons.Card
		use   func(string) Record
		want  string
	}{
		"nothing":                  {},
		"a one-off after 6 months": {cards: []lessons.Card{old}, want: "one-off old.md"},
		"on the day":               {cards: []lessons.Card{auto("a.md", "A card", "2026-05-22")}},
		"served meanwhile": {
			cards: []lessons.Card{old},
			use:   func(string) Record { return Record{Served: 1, LastUsed: date("2026-11-01")} },
		},
		"twice is no one-off":   {cards: []lessons.Card{change(old, func(c *lessons.Card) { c.Occurrences = 2 })}},
		"a person wrote it":     {cards: []lessons.Card{change(old, func(c *lessons.Card) { c.Source = lessons.Curated })}},
		"verified":              {cards: []lessons.Card{change(old, func(c *lessons.Card) { c.Verified = true })}},
		"of high severity":      {cards: []lessons.Card{change(old, func(c *lessons.Card) { c.Severity = lessons.High })}},
		"a policy":              {cards: []lessons.Card{change(old, func(c *lessons.Card) { c.Kind = lessons.Policy })}},
		"archived already":      {cards: []lessons.Card{change(old, func(c *lessons.Card) { c.Status = lessons.Archived })}},
		"without a date":        {cards: []lessons.Card{auto("a.md", "A card", "")}},
		"a note":                {cards: []lessons.Card{change(old, func(c *lessons.Card) { c.Kind = lessons.Note })}},
		"a person's, very old":  {cards: []lessons.Card{change(old, func(c *lessons.Card) { c.Source, c.LastSeen = lessons.Curated, date("2025-01-01") })}, want: "stale old.md"},
		"a person's, recurring": {cards: []lessons.Card{change(old, func(c *lessons.Card) { c.Source, c.LastSeen, c.Occurrences = lessons.Curated, date("2020-01-01"), 2 })}},
		"same title": {
			cards: []lessons.Card{auto("a.md", "How do I parse JSON?", "2026-11-01"), change(auto("b.md", "parse JSON", "2026-11-01"), func(c *lessons.Card) { c.Verified = true })},
			want:  "same-title a.md → b.md",
		},
		"same title, both protected": {cards: []lessons.Card{
			change(auto("a.md", "parse JSON", "2026-11-01"), func(c *lessons.Card) { c.Verified = true }),
			change(auto("b.md", "parse JSON", "2026-11-01"), func(c *lessons.Card) { c.Severity = lessons.High }),
		}},
		"same title, other project": {cards: []lessons.Card{
			auto("a.md", "parse JSON", "2026-11-01"),
			change(auto("b.md", "parse JSON", "2026-11-01"), func(c *lessons.Card) { c.Project = "web" }),
		}},
	} {
		if c.use == nil {
			c.use = unused
		}
		var got []string
		for _, s := range Tidy(c.cards, c.use, today) {
			line := string(s.Reason) + " " + s.Path
			if s.Into != "" {
				line += " → " + s.Into
			}
			got = append(got, line)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestTwinsAgainstAllPairs holds the filter against the plain comparison of all pairs.
func TestTwinsAgainstAllPairs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		var cards []lessons.Card
		for i := range 40 {
			var text []string
			for w := range 6 + rnd.IntN(8) {
				if rnd.IntN(6) > 0 {
					text = append(text, fmt.Sprintf("word%c", 'a'+w))
				} else {
					text = append(text, fmt.Sprintf("other%c", 'a'+rnd.IntN(20)))
				}
			}
			cards = append(cards, lessons.Card{
				Path: fmt.Sprint(i), Kind: lessons.Lesson, Title: fmt.Sprintf("Card %c%c", 'a'+i%26, 'a'+i/26),
				Sections: []lessons.Section{{Name: lessons.Fix, Text: strings.Join(text, " ")}},
			})
		}
		sets := setsOf(len(cards), func(i int) []string { return wordsOf(said(cards[i])...) })
		var want []string
		for j := range cards {
			for i := range j {
				if len(sets[j]) >= fewWords && share(sets[i], sets[j], 0) >= twinOverlap {
					want = append(want, cards[i].Path+" "+cards[j].Path)
				}
			}
		}
		var got []string
		for _, tw := range Twins(cards) {
			got = append(got, tw.A+" "+tw.B)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	}
}
