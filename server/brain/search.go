package brain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/server/ledger"
)

// NewHit turns what the index found into what people see.
func NewHit(h index.Hit, excerpt string) Hit {
	boosts := map[string]float64{}
	maps.Copy(boosts, h.Boosts)
	status := h.Card.Status
	if !h.Card.Kind.IsCard() || status == lessons.Active {
		status = ""
	}
	return Hit{
		Path: h.Card.Path, Title: h.Card.Title, Kind: h.Card.Kind, Score: h.Score, Excerpt: excerpt,
		Severity: h.Card.Severity, Occurrences: h.Card.Occurrences, Status: status,
		Why: ledger.Why{Terms: OrEmpty(h.Terms), Relevance: h.Relevance, Boosts: boosts, Similarity: h.Similarity},
	}
}

// Narrowed takes the filters out of a search.
func Narrowed(query string) (words string, o only) {
	for _, m := range filters().FindAllStringSubmatch(query, -1) {
		if o == nil {
			o = only{}
		}
		o[m[1]] = append(o[m[1]], strings.ToLower(m[2]+m[3]))
	}
	if o == nil {
		return query, nil
	}
	return strings.TrimSpace(filters().ReplaceAllString(query, " ")), o
}

// MaySpeak reports whether a card may come without being asked for: there is no pause, and nobody has to
// approve its text first.
func (s *Base) MaySpeak(c *lessons.Card) bool { return s.WhoMaySpeak()(c) }

// WhoMaySpeak is speaks for many cards.
func (s *Base) WhoMaySpeak() func(*lessons.Card) bool {
	_, pause := s.State.Pause.Get(pauseKey)
	pause = pause && !s.Paused(context.Background()).Until.IsZero()
	return func(c *lessons.Card) bool { return !pause && s.Keeper.Approved(c) }
}

// DefaultLimit is how many hits a search shows.
const DefaultLimit = 10

// Found returns what speaks to a search, best first and without a floor: active cards, or all, and notes.
func (s *Base) Found(ctx context.Context, r RetrieveRequest, limit int) ([]index.Hit, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	q := index.Query{Text: Head(r.Query, MaxQuery), Files: s.RelFiles(r.Files), Project: r.Project, Limit: limit, Cards: true, Notes: true}
	if r.Kind != lessons.Note || r.Only != nil {
		q.Limit, q.Notes = len(s.Index.Heads()), false
	}
	if !r.All {
		q.Statuses = []lessons.Status{lessons.Active}
	}
	ranked := s.RankNear(ctx, q.Text)
	if len(ranked) > 0 {
		q.Limit = max(q.Limit, nearest) // vectors may lift what words have further down
	}
	hits, err := s.Index.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search the brain: %w", err)
	}
	hits = s.Fuse(q, hits, ranked)
	if r.Kind != lessons.Note {
		hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return h.Card.Kind != r.Kind })
	}
	hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return !r.Only.Keeps(&h.Card) })
	return hits[:min(limit, len(hits))], nil
}

// only is what a search asks of cards besides its words. Of one key any value will do; of each key one must.
type only map[string][]string

// filters matches tag:telegram, kind:playbook and project:"my shop" in a search.
var filters = lazyregexp.New(`(?:^|\s)(tag|kind|project):(?:"([^"]*)"|(\S+))`)

// Keeps reports whether a card is what the filters ask for.
func (o only) Keeps(c *lessons.Card) bool {
	for key, wanted := range o {
		has := map[string][]string{"tag": c.Tags, "kind": {string(c.Kind)}, "project": {c.Project}}[key]
		if !slices.ContainsFunc(has, func(v string) bool { return slices.Contains(wanted, strings.ToLower(v)) }) {
			return false
		}
	}
	return true
}

// A pause keeps all cards from coming without being asked for, to every agent and editor of this
// brain. Searches answer as ever, and what happens is still noticed.

// PauseRequest begins a pause or ends it.
type PauseRequest struct {
	Minutes int  `json:"minutes,omitzero"` // how long it lasts; 0: until it is ended
	Off     bool `json:"off,omitzero"`     // ends it
}

// Paused says until when no card comes; the zero time where they do, Endless where a person has to end the pause.
type Paused struct {
	Until time.Time `json:"until,omitzero"`
}

const pauseKey = "until"

// Endless is the end of a pause that has none.
var Endless = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Pause begins a pause or ends it, and returns what holds then. It is kept beyond the process.
func (s *Base) Pause(ctx context.Context, r PauseRequest) (Paused, error) {
	switch {
	case r.Minutes < 0:
		return Paused{}, &RequestError{Field: "minutes", Value: strconv.Itoa(r.Minutes), Need: NeedMinutes}
	case r.Off:
		s.State.Pause.Delete(pauseKey)
	case r.Minutes > 0:
		s.State.Pause.Put(pauseKey, s.Now().Add(time.Duration(r.Minutes)*time.Minute).UTC().Truncate(time.Second))
	default:
		s.State.Pause.Put(pauseKey, Endless)
	}
	s.TellChanged(Changed{Cards: true})
	return s.Paused(ctx), nil
}

// Paused returns whether a pause is on.
func (s *Base) Paused(context.Context) Paused {
	until, on := s.State.Pause.Get(pauseKey)
	if !on || !s.Now().Before(until) {
		return Paused{}
	}
	return Paused{until}
}
