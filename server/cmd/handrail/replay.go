package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // the page
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/learn"
	"github.com/handrail-dev/handrail/triggers"
)

// replayed is what a past conversation would have been given.
type replayed struct {
	Host    string
	At      time.Time
	Turns   int
	Titles  int
	Tokens  int // estimated
	Moments []moment
	Falls   []fall
}

// moment is when cards would have come: at a request, or an action of the agent.
type moment struct {
	At            time.Time
	Of            string // what was asked, or the file or command
	Titles, Cards []string
}

// fall is what the person said went wrong, and the card that a search finds for it.
type fall struct {
	At    time.Time
	Said  string
	Title string // of the card, "" for none
	There string // what the conversation would have had of it: "card", "title" or ""
}

// replay takes past conversations, the oldest first, to the brain as it is, remembering none of them, and writes a page that
// says what would have come of it. It returns the page's name.
func (a *app) replay(ctx context.Context, o learn.Options, folder, name string) (string, error) {
	side, err := os.MkdirTemp("", "handrail-replay-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the replay: %w", err)
	}
	defer os.RemoveAll(side) //nolint:errcheck // it is a temporary one
	now := time.Now()
	s, err := server.New(ctx, brain.Config{Brain: folder, CacheDir: side, StateDir: side, Now: func() time.Time { return now }})
	if err != nil {
		return "", err
	}
	defer s.Close() //nolint:errcheck // what it keeps goes with the folder
	select {
	case <-s.Ready():
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if err := s.Agree(ctx, false); err != nil {
		return "", err
	}
	past, err := learn.Find(ctx, o)
	if err != nil {
		return "", err
	}
	proposed := map[string]bool{}
	for _, c := range past.Candidates {
		for _, id := range c.IDs() {
			proposed[id] = true
		}
	}
	talks := map[string]*replayed{}
	var order []*replayed
	err = learn.Walk(ctx, o, func(host string, e triggers.Event, found []brain.Candidate) error {
		now = e.At
		r := talks[e.SessionID]
		if r == nil {
			r = &replayed{Host: host, At: e.At}
			talks[e.SessionID], order = r, append(order, r)
		}
		for _, c := range found {
			if proposed[c.ID] {
				err := r.fell(ctx, s, c)
				if err != nil {
					return err
				}
			}
		}
		return r.given(ctx, s, o.Project, e)
	})
	if err != nil {
		return "", err
	}
	return a.replayPage(order, name)
}

// fell notes what went wrong, and what the conversation had of the card that tells of it.
func (r *replayed) fell(ctx context.Context, s *server.Server, c brain.Candidate) error {
	f := fall{At: c.At, Said: c.Seen[0].Said}
	// what a search finds for sure, in no conversation; what comes with every request has no score, and is known by its words
	p, err := s.Preflight(ctx, deliver.PreflightRequest{Query: f.Said, CardsOnly: true, Aside: true})
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(p.Lessons, func(h brain.Hit) bool { return h.Score > 0 || triggers.SameRule(h.Title, c.Title) }); i >= 0 {
		f.Title = p.Lessons[i].Title
		f.There = r.had(f.Title)
	}
	r.Falls = append(r.Falls, f)
	return nil
}

// had returns what the conversation was given of a card so far.
func (r *replayed) had(title string) (there string) {
	for _, m := range r.Moments {
		switch {
		case slices.Contains(m.Cards, title):
			return "card"
		case slices.Contains(m.Titles, title):
			there = "title"
		}
	}
	return there
}

// given asks, as an agent's hooks do, what belongs to an event.
func (r *replayed) given(ctx context.Context, s *server.Server, project string, e triggers.Event) error {
	m := moment{At: e.At}
	cards := func(hits []brain.Hit) {
		for _, h := range hits {
			m.Cards = append(m.Cards, h.Title)
		}
	}
	switch e.Kind {
	case triggers.Message:
		m.Of = learn.Shown(e.Text)
		r.Turns++
		p, err := s.Preflight(ctx, deliver.PreflightRequest{Query: e.Text, SessionID: e.SessionID, Hooked: true, Compacts: true})
		if err != nil {
			return err
		}
		cards(p.Lessons)
		block := p.Block + p.Context
		heads, err := s.Heads(ctx, deliver.HeadsRequest{SessionID: e.SessionID, Host: r.Host, Served: true, Beside: block})
		if err != nil {
			return err
		}
		for line := range strings.Lines(heads.Text) {
			if title, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
				m.Titles = append(m.Titles, title)
			}
		}
		r.Titles += heads.Named
		r.Tokens += lessons.CountTokens(block) + lessons.CountTokens(heads.Text)
	case triggers.Edit, triggers.Command, triggers.TestRun:
		touch := deliver.TouchRequest{SessionID: e.SessionID, Command: e.Command}
		for _, f := range e.Files {
			touch.Files = append(touch.Files, filepath.Join(project, filepath.FromSlash(f)))
		}
		if failed := e.HasFailed(); e.Kind != triggers.Edit && failed != nil && *failed {
			touch.Output = e.Output
		}
		m.Of = cmp.Or(learn.Shown(e.Command), strings.Join(e.Files, ", "))
		got, err := s.Touch(ctx, touch)
		if err != nil {
			return err
		}
		cards(got.Lessons)
		r.Tokens += lessons.CountTokens(got.Text)
	}
	if len(m.Titles)+len(m.Cards) > 0 {
		r.Moments = append(r.Moments, m)
	}
	return nil
}

//go:embed replay.html
var replayHTML string

// replayPage writes the page, to a temporary file where it has no name.
func (a *app) replayPage(talks []*replayed, name string) (string, error) {
	var sum struct {
		replayed
		Talks, Card, Title, Missing, None int
		Shown                             []*replayed
	}
	for _, r := range talks {
		sum.Talks, sum.Turns, sum.Titles, sum.Tokens = sum.Talks+1, sum.Turns+r.Turns, sum.Titles+r.Titles, sum.Tokens+r.Tokens
		for _, f := range r.Falls {
			switch {
			case f.There == "card":
				sum.Card++
			case f.There == "title":
				sum.Title++
			case f.Title != "":
				sum.Missing++
			default:
				sum.None++
			}
		}
		sum.Falls = append(sum.Falls, r.Falls...)
		if len(r.Moments)+len(r.Falls) > 0 {
			sum.Shown = append(sum.Shown, r)
		}
	}
	slices.SortStableFunc(sum.Falls, func(a, b fall) int { return b.At.Compare(a.At) })
	slices.SortStableFunc(sum.Shown, func(a, b *replayed) int { return b.At.Compare(a.At) })
	page, err := template.New("replay").Funcs(template.FuncMap{
		"say":  func(en, ko string) string { return a.word(say(text{en, ko})) },
		"lang": func() string { return string(a.locale()) },
		"day":  func(t time.Time) string { return t.Local().Format("2006-01-02 15:04") },
	}).Parse(replayHTML)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := page.Execute(&out, sum); err != nil {
		return "", err
	}
	create := func() (*os.File, error) { return os.CreateTemp("", "handrail-replay-*.html") }
	if name != "" {
		create = func() (*os.File, error) { return os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600) }
	}
	f, err := create()
	if err != nil {
		return "", said{Text: text{"The page could not be written to %q.", "페이지를 %q에 쓸 수 없습니다."}, Args: []any{cmp.Or(name, os.TempDir())}, Err: err}
	}
	_, err = f.Write(out.Bytes())
	return f.Name(), errors.Join(err, f.Close())
}
