package deliver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/server/say"
)

// WhyRequest asks why cards come before a request, or why one does not.
type WhyRequest struct {
	Query     string     `json:"query,omitempty"`             // the request
	AnswerID  string     `json:"answerId,omitempty"`          // or the answer to it, for as long as this process remembers its request
	Path      string     `json:"path,omitempty" names:"card"` // of one card; without it those that come and the next few
	SessionID string     `json:"sessionId,omitempty"`         // its conversation; the answer's is known
	Files     []string   `json:"files,omitempty" names:"file"`
	Project   string     `json:"project,omitempty"`
	Language  say.Locale `json:"-"`
}

// Explanation says of cards whether they come before a request, and why.
type Explanation struct {
	Request string      `json:"request"`
	Cards   []Explained `json:"cards"` // those that come first, the others by how near they are
}

// Explained is why one card comes before a request, or does not.
type Explained struct {
	Path   string         `json:"path"`
	Title  string         `json:"title"`
	Status lessons.Status `json:"status"`
	Comes  bool           `json:"comes"`
	Code   string         `json:"code"` // matched, path, work, always, action; paused, room, given, never, status, project, weak, nothing
	Text   string         `json:"text"` // one sentence for a person
}

const (
	// NearlyCame is how many cards that stay out are named beside those that come.
	NearlyCame = 3
	// aBit is the share of what the floor asks for from which a card fell short by a bit.
	aBit = 0.6
	// maxNamedWords is how many words a reason names.
	maxNamedWords = 5
)

// Why says which cards come before a request and which nearly do, or why one card does or
// does not. It changes nothing. ErrUnknownAnswer when the request of an answer is not
// remembered; ErrNotACard for a note.
func (s *Room) Why(ctx context.Context, r WhyRequest) (Explanation, error) {
	e, err := s.explain(ctx, &r)
	if err != nil {
		return Explanation{}, fmt.Errorf("explain a request: %w", err)
	}
	out := Explanation{Request: r.Query, Cards: []Explained{}}
	paths := []string{r.Path}
	if r.Path == "" {
		paths, err = e.paths(ctx)
		if err != nil {
			return Explanation{}, fmt.Errorf("explain a request: %w", err)
		}
	}
	for _, path := range paths {
		card, err := s.CardAt(path)
		if err != nil {
			if r.Path == "" {
				continue // deleted a moment ago
			}
			return Explanation{}, fmt.Errorf("explain %s: %w", path, err)
		}
		reason, err := e.reason(ctx, card)
		if err != nil {
			return Explanation{}, fmt.Errorf("explain %s: %w", path, err)
		}
		out.Cards = append(out.Cards, reason)
	}
	return out, nil
}

// maxSimilar is how many similar cards are named: a hover shows them at a glance.
const maxSimilar = 3

// Similar returns the active cards that certainly speak to what a card is about (its title and tags), the most similar
// first and at most maxSimilar. Cards of other projects are left out. ErrNotACard for a note.
func (s *Room) Similar(ctx context.Context, path string) ([]brain.Hit, error) {
	card, err := s.CardAt(path)
	if err != nil {
		return nil, fmt.Errorf("find cards similar to %s: %w", path, err)
	}
	hits, err := s.Index.Search(ctx, index.Query{
		Text: strings.Join(append([]string{card.Title}, card.Tags...), "\n"), Project: card.Project, Limit: 1 + maxSimilar,
		Cards: true, Statuses: []lessons.Status{lessons.Active}, Strength: true,
	})
	if err != nil {
		return nil, fmt.Errorf("find cards similar to %s: %w", path, err)
	}
	hits = index.Certain(slices.DeleteFunc(hits, func(h index.Hit) bool { return h.Card.Path == card.Path }))
	out := []brain.Hit{}
	for _, h := range hits[:min(maxSimilar, len(hits))] {
		out = append(out, brain.NewHit(h, ""))
	}
	return out, nil
}

// requestOf fills in the request that an answer was given to.
func (s *Room) requestOf(query, answerID string) (string, ledger.Turn, error) {
	row, known := s.State.Turns.Get(answerID)
	query = cmp.Or(strings.TrimSpace(query), row.Request)
	if query != "" {
		return query, row, nil
	}
	if answerID != "" && (!known || row.Request == "") {
		return "", row, fmt.Errorf("answer %q: %w", answerID, brain.ErrUnknownAnswer)
	}
	return "", row, &brain.RequestError{Field: "query", Need: brain.NeedText}
}

// explaining is one request as Preflight would answer it.
type explaining struct {
	s     *Room
	r     WhyRequest
	row   ledger.Turn // of the answer that is asked about
	hits  []index.Hit
	comes []brain.Hit
	has   known
	never func(path string) (ledger.Never, bool)
}

func (s *Room) explain(ctx context.Context, r *WhyRequest) (*explaining, error) {
	query, row, err := s.requestOf(r.Query, r.AnswerID)
	if err != nil {
		return nil, err
	}
	r.Query, r.SessionID = query, cmp.Or(r.SessionID, row.Session)
	e := &explaining{s: s, r: *r, row: row, never: s.State.NeverFor(query)}
	talk, _ := s.State.Sessions.Get(r.SessionID)
	e.has = func(path string) bool {
		return row.ID == "" && talk.Has(path, ledger.Whole) || slices.ContainsFunc(row.Known, func(h brain.Hit) bool { return h.Path == path })
	}
	e.hits, err = s.selected(ctx, PreflightRequest{Query: query, Files: r.Files, Project: r.Project, Aside: true}, e.has)
	if err != nil {
		return nil, err
	}
	var out Preflight
	s.serve(&out, slices.DeleteFunc(slices.Clone(e.hits), func(h index.Hit) bool {
		_, never := e.never(h.Card.Path)
		return never || e.has(h.Card.Path)
	}), lessons.Budget{Tokens: ContextTokens})
	e.comes = out.Lessons
	if row.ID != "" {
		e.comes = row.Lessons // what the conversation added too
	}
	return e, nil
}

// paths returns the cards that come, those that were kept back, and the next few.
func (e *explaining) paths(ctx context.Context) ([]string, error) {
	var out []string
	add := func(path string) {
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, h := range e.comes {
		add(h.Path)
	}
	for _, t := range e.row.Touched {
		add(t.Hit.Path)
	}
	next, err := e.s.Found(ctx, brain.RetrieveRequest{Query: e.r.Query, Files: e.r.Files, All: true}, len(e.hits)+2*NearlyCame)
	if err != nil {
		return nil, err
	}
	most := len(out) + NearlyCame
	for _, h := range append(slices.Clone(e.hits), next...) {
		if h.Card.Kind.IsCard() && len(out) < most {
			add(h.Card.Path)
		}
	}
	return out, nil
}

func (e *explaining) reason(ctx context.Context, card lessons.Card) (Explained, error) {
	path := card.Path
	out := Explained{Path: path, Title: card.Title, Status: card.Status}
	is := func(h brain.Hit) bool { return h.Path == path }
	touch := slices.IndexFunc(e.row.Touched, func(t ledger.Touched) bool { return is(t.Hit) })
	at := slices.IndexFunc(e.comes, is)
	never, kept := e.never(path)
	because := func(code string, t say.Text, args ...any) (Explained, error) {
		out.Code, out.Text = code, e.r.Language.Say(t, args...)
		return out, nil
	}
	switch {
	case !e.s.Paused(ctx).Until.IsZero():
		return because("paused", say.WhyPaused)
	case kept:
		return because("never", say.WhyNever, never.Request)
	case at >= 0:
		out.Comes = true
		switch terms := e.comes[at].Why.Terms; {
		case len(terms) == 1 && slices.Contains(card.Paths, terms[0]):
			return because("path", say.WhyPath, terms[0])
		case len(terms) > 0:
			return because("matched", say.WhyMatched, wordList(terms))
		default:
			return because("always", say.WhyAlways)
		}
	case touch >= 0:
		out.Comes = true
		return because("action", say.WhyAction, wordList(e.row.Touched[touch].Hit.Why.Terms))
	case card.Status == lessons.Quarantined:
		return because("status", say.WhyQuarantined, brain.ReasonOf(card))
	case card.Status != lessons.Active:
		return because("status", say.WhyStatus, e.r.Language.Status(card.Status))
	case e.r.Project != "" && card.Project != "" && !strings.EqualFold(e.r.Project, card.Project):
		return because("project", say.WhyProject, card.Project)
	case e.has(path):
		return because("given", say.WhyGiven)
	case slices.ContainsFunc(e.hits, func(h index.Hit) bool { return h.Card.Path == path }):
		return because("room", say.WhyRoom)
	}
	q := index.Query{Text: wordsOf(e.r.Query), Files: e.s.RelFiles(e.r.Files), Cards: true, Notes: true, Limit: 4 * brain.MaxLessons, Statuses: []lessons.Status{lessons.Active}}
	stands, err := e.s.Index.Explain(ctx, q, path)
	if err != nil {
		return Explained{}, err
	}
	has, lacks := stands.Hit.Terms, stands.Missing
	switch {
	case len(has) == 0:
		return because("nothing", say.WhyNothing)
	case len(has) == 1 && len(lacks) > 0:
		return because("weak", say.WhyOneWord, has[0], wordList(lacks))
	case len(lacks) == 0:
		return because("weak", say.WhyCommon, wordList(has))
	case stands.Share >= aBit:
		return because("weak", say.WhyABit, wordList(has), wordList(lacks))
	}
	return because("weak", say.WhyFar, wordList(has), wordList(lacks))
}

// wordList names words of a request.
func wordList(words []string) string {
	list := strings.Join(words[:min(len(words), maxNamedWords)], ", ")
	if len(words) > maxNamedWords {
		list += " …"
	}
	return lessons.Visible(list)
}

// NeverRequest says that a card is not to come before requests like this one.
type NeverRequest struct {
	Path     string `json:"path" names:"card"`  // of the card
	Query    string `json:"query,omitempty"`    // the request
	AnswerID string `json:"answerId,omitempty"` // or the answer to it
}

// NeverFor keeps a card from requests like one until Undo or Review takes it back.
// The card stays as it is, and comes to everybody else.
func (s *Room) NeverFor(_ context.Context, r NeverRequest) (ledger.Never, error) {
	card, err := s.CardAt(r.Path)
	if err != nil {
		return ledger.Never{}, fmt.Errorf("keep %s from requests: %w", r.Path, err)
	}
	rel := card.Path
	query, _, err := s.requestOf(r.Query, r.AnswerID)
	if err != nil {
		return ledger.Never{}, fmt.Errorf("keep %s from requests: %w", rel, err)
	}
	query = brain.Head(query, brain.MaxQuery)
	if n, ok := s.State.NeverFor(query)(rel); ok {
		return n, nil
	}
	act := s.Begin("never")
	n := s.State.NewNever(act.Name(), rel, query)
	if len(n.Words) == 0 {
		return ledger.Never{}, &brain.RequestError{Field: "query", Value: n.Request, Need: brain.NeedWords}
	}
	act.Why = n.Request
	s.State.Never.Put(n.ID, n) // before the act: one that fails or is cut short takes it back
	err = s.State.Save()
	if err == nil {
		err = s.Do(act, func() error { act.Mark(rel); return nil })
	}
	if err != nil {
		s.State.Never.Delete(n.ID)
		return ledger.Never{}, fmt.Errorf("keep %s from requests: %w", rel, err)
	}
	s.TellChanged(brain.Changed{Candidates: true})
	return n.Never, nil
}
