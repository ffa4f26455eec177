package lsp

import (
	"encoding/xml"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"handrail/lessons"
	"handrail/server"
)

func weeksServed(served ...int) (out []server.WeekStats) {
	for i, n := range served {
		out = append(out, server.WeekStats{From: fmt.Sprintf("2026-09-0%d", i+1), Served: n})
	}
	return out
}

// served returns what came of a card called A that was served once.
func served(change func(*server.CardStats)) server.CardStats {
	c := server.CardStats{
		Path: "lessons/a.md", Title: "A", Status: lessons.Active, Served: 1, LastUsed: "2026-11-20", Weeks: weeksServed(0, 1),
	}
	change(&c)
	return c
}

func pageOf(t *testing.T, stats server.Stats, l server.Locale) string {
	t.Helper()
	if stats.Weeks == nil {
		stats.Weeks = weeksServed(0, 0)
	}
	page, err := renderStats(stats, l, PageParams{Style: "https://x/stats.css", Source: "'self' https://*.example"})
	if err != nil {
		t.Fatal(err)
	}
	return page.HTML
}

var tag = regexp.MustCompile(`<[^>]*>`)

// texts returns what stands in all elements of a name, without markup.
func texts(page, element string) (out []string) {
	for _, m := range regexp.MustCompile(`(?s)<`+element+`[ >].*?</`+element+`>`).FindAllString(page, -1) {
		out = append(out, strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(m, ""))))
	}
	return out
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestPageHasARowForEachCard(t *testing.T) {
	page := pageOf(t, server.Stats{Active: 7, Cards: []server.CardStats{
		served(func(c *server.CardStats) { c.Served, c.Addressed, c.Unaddressed, c.Recurred = 9, 4, 3, 2 }),
		served(func(c *server.CardStats) {
			c.Path, c.Title, c.Status, c.Weeks, c.Succeeded, c.Failed = "b", "B", lessons.Archived, weeksServed(5, 0), 4, 1
		}),
	}}, server.English)
	same(t, "rows", texts(page, "tr"),
		"LessonServedAddressedNot addressedCame backLast usedBy week",
		"A94322026-11-20Served by week since 2026-09-01: 0, 1",
		"B archivedended well 4×, badly 1×10002026-11-20Served by week since 2026-09-01: 5, 0")
	same(t, "totals", texts(page, "dd"), "7", "10", "4", "3", "2")
	same(t, "caption", texts(page, "caption"), "Lessons that were served")
	same(t, "what came back", texts(page, "li"), "AThis card was served 9 times and the mistake came back twice.")
	if want := `href="command:handrail.lesson.open?%5B%22lessons%2Fa.md%22%5D"`; !strings.Contains(page, want) {
		t.Errorf("no %s in\n%s", want, page)
	}
}

func TestPageNamesWhatNothingMatched(t *testing.T) {
	page := pageOf(t, server.Stats{Active: 3, Never: []server.Card{{Path: "x", Title: "X"}, {Path: "lessons/y.md"}}}, server.English)
	same(t, "head", texts(page, "h2"), "No request has matched these yet (2 of 3 active cards)")
	same(t, "cards", texts(page, "li"), "X", "lessons/y.md")
	same(t, "instead of a table", texts(page, "p"), "No card was served yet.")
	if strings.Contains(page, "<table>") {
		t.Error("a table of nothing")
	}
}

func TestPageFoldsLongLists(t *testing.T) {
	var stats server.Stats
	for i := range 21 {
		stats.Cards = append(stats.Cards, served(func(c *server.CardStats) { c.Path, c.Recurred = fmt.Sprint(i), 1 }))
	}
	for i := range 530 {
		stats.Never = append(stats.Never, server.Card{Path: fmt.Sprint("n", i)})
	}
	page := pageOf(t, stats, server.English)
	same(t, "folded", texts(page, "summary"), "and 1 more", "and 1 more", "and 510 more")
	open := regexp.MustCompile(`(?s)<details>.*?</details>`).ReplaceAllString(page, "")
	if rows, items := strings.Count(open, `<th scope="row">`), len(texts(open, "li")); rows != 20 || items != 40 {
		t.Errorf("%d rows and %d items are open", rows, items)
	}
	var names []string
	for _, m := range regexp.MustCompile(`<td data-name="([^"]*)"`).FindAllStringSubmatch(page, 6) {
		names = append(names, m[1])
	}
	same(t, "names of the figures in narrow windows", names, "Served", "Addressed", "Not addressed", "Came back", "Last used", "By week")
	stats = server.Stats{Cards: stats.Cards[:20]}
	if strings.Contains(pageOf(t, stats, server.English), "<details>") {
		t.Error("twenty rows are folded")
	}
}

func TestPageDrawsTheMostServedWeekHighest(t *testing.T) {
	page := pageOf(t, server.Stats{Cards: []server.CardStats{served(func(c *server.CardStats) { c.Weeks = weeksServed(0, 2, 4) })}}, server.English)
	var bars []string
	for _, m := range regexp.MustCompile(`<rect class="(\w+)"[^>]* height="(\d+)"`).FindAllStringSubmatch(page[strings.Index(page, "<table>"):], -1) {
		bars = append(bars, m[1]+" "+m[2])
	}
	same(t, "bars", bars, "none 1", "bar 10", "bar 20")
}

func TestPageLetsNoCardBeMoreThanText(t *testing.T) {
	hostile := `</th><script>alert(1)</script><a href="command:rm">x</a>"' onload='x' &lt;`
	page := pageOf(t, server.Stats{
		Cards: []server.CardStats{served(func(c *server.CardStats) {
			c.Title, c.Path, c.Recurred = hostile, `lessons/"><img src=x onerror=alert(1)>'.md`, 1
		})},
		Never: []server.Card{{Path: hostile, Title: hostile}},
	}, server.English)
	allowed := []string{"html", "head", "meta", "title", "link", "body", "h1", "h2", "dl", "div", "dt", "dd", "figure", "figcaption", "svg", "rect", "ul", "li", "a", "bdi", "br", "table", "caption", "thead", "tbody", "tr", "th", "td"}
	links, shown := 0, 0
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch token := token.(type) {
		case xml.StartElement:
			if !slices.Contains(allowed, token.Name.Local) {
				t.Errorf("the page has <%s>", token.Name.Local)
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "style" {
					t.Errorf("<%s %s=%q>", token.Name.Local, a.Name.Local, a.Value)
				}
				if a.Name.Local == "href" && token.Name.Local == "a" {
					links++
					if !regexp.MustCompile(`^command:handrail\.lesson\.open\?[\w%.()!*~'+&=:-]+$`).MatchString(a.Value) {
						t.Errorf("a link leads to %q", a.Value)
					}
				}
			}
		case xml.CharData:
			if string(token) == hostile {
				shown++
			}
		}
	}
	if links != 3 || shown != 3 {
		t.Errorf("%d links, %d titles", links, shown)
	}
}

func TestPageMayLoadItsStyleSheetAlone(t *testing.T) {
	page := pageOf(t, server.Stats{}, server.Korean)
	for _, want := range []string{
		`content="default-src 'none'; style-src &#39;self&#39; https://*.example"`, `<html lang="ko">`, `href="https://x/stats.css"`, "아직 제공한 카드가 없습니다.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
}
