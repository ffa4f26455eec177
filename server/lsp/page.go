package lsp

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"handrail/server"
	"handrail/server/say"
)

// PageParams say where a page may load its style sheet from.
type PageParams struct {
	Style  string `json:"style"`  // URI of the style sheet
	Source string `json:"source"` // what a content security policy calls its place
}

// Page is an HTML page without scripts. Its links run the command handrail.lesson.open.
type Page struct {
	HTML string `json:"html"`
}

//go:embed page.html
var pageSource string

// pageRows is how many rows of a list are seen at once; the rest is folded.
const pageRows = 20

// folded is a list of which the rest is unfolded by a click.
type folded[T any] struct{ First, Rest []T }

func fold[T any](rows []T) folded[T] {
	n := min(pageRows, len(rows))
	return folded[T]{rows[:n], rows[n:]}
}

// total is a figure of all cards.
type total struct {
	Name string
	N    int
}

// statsPage returns what came of the cards as a page: a person's, so that a title is text and nothing else.
func (b *brain) statsPage(ctx context.Context, p PageParams) (Page, error) {
	stats, err := b.Stats(ctx)
	if err != nil {
		return Page{}, err
	}
	return renderStats(stats, b.s.locale, p)
}

func renderStats(stats server.Stats, l server.Locale, p PageParams) (Page, error) {
	t := func(en, ko string, args ...any) string { return say.Text{en, ko}.In(string(l), args...) }
	columns := []string{
		t("Served", "제공"), t("Addressed", "반영"), t("Not addressed", "반영되지 않음"), t("Came back", "되풀이됨"), t("Last used", "마지막 사용"), t("By week", "주별"),
	}
	page, err := template.New("page").Funcs(template.FuncMap{
		"t": t, "status": l.Status, "open": openLink, "chart": chart,
		"columns": func() []string { return columns },
		"times": func(n int) string {
			switch n {
			case 1:
				return t("once", "한 번")
			case 2:
				return t("twice", "두 번")
			}
			return t("%d times", "%d번", n)
		},
	}).Parse(pageSource)
	if err != nil {
		return Page{}, fmt.Errorf("reading the page of statistics: %w", err)
	}
	totals := []total{{t("Active cards", "사용 중인 카드"), stats.Active}, {columns[0], 0}, {columns[1], 0}, {columns[2], 0}, {columns[3], 0}}
	var back []server.CardStats
	for _, c := range stats.Cards {
		for i, n := range []int{c.Served, c.Addressed, c.Unaddressed, c.Recurred} {
			totals[i+1].N += n
		}
		if c.Recurred > 0 {
			back = append(back, c)
		}
	}
	data := map[string]any{
		"Language": l, "Source": p.Source, "Style": template.URL(p.Style), //nolint:gosec // the client's own, and escaped as an attribute
		"Totals": totals, "Weeks": stats.Weeks, "Active": stats.Active, "Unused": len(stats.Never),
		"Back": fold(back), "Cards": fold(stats.Cards), "Never": fold(stats.Never),
	}
	var out strings.Builder
	if err := page.Execute(&out, data); err != nil {
		return Page{}, fmt.Errorf("writing the page of statistics: %w", err)
	}
	return Page{HTML: out.String()}, nil
}

// openLink returns the URI that opens a card in VS Code.
func openLink(path string) template.URL {
	args, _ := json.Marshal([]string{path})
	return template.URL("command:handrail.lesson.open?" + url.PathEscape(string(args))) //nolint:gosec // nothing of the path is left unescaped
}

// weeksChart is a bar for each week, the most often served one as high as the chart.
type weeksChart struct {
	Width, Height int // in CSS pixels
	From, Counts  string
	Bars          []bar
}

type bar struct {
	Class               string
	X, Y, Width, Height int
}

func chart(weeks []server.WeekStats, width, height int) weeksChart {
	out := weeksChart{Width: len(weeks) * width, Height: height}
	most := 1
	for _, w := range weeks {
		most = max(most, w.Served)
	}
	counts := make([]string, len(weeks))
	for i, w := range weeks {
		served, class := max(0, w.Served), "none"
		if served > 0 {
			class = "bar"
		}
		high := max(1, (served*height+most/2)/most)
		out.Bars = append(out.Bars, bar{class, i * width, height - high, width - 2, high})
		counts[i] = fmt.Sprint(served)
	}
	if len(weeks) > 0 {
		out.From = weeks[0].From
	}
	out.Counts = strings.Join(counts, ", ")
	return out
}
