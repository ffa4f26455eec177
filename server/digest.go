package server

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"handrail/index"
	"handrail/lessons"
	"handrail/lessons/life"
	"handrail/server/ledger"
)

// maxDigest is how many cards a digest holds unless the request says otherwise.
const maxDigest = 5

// Digest returns the block of the cards that are worth knowing whatever comes: curated and
// active ones, the gravest and most frequent first. It is for places that know no request
// (the start of a session, a file of instructions); everywhere else Preflight chooses.
func (s *deliverRoom) Digest(ctx context.Context, r DigestRequest) (Digest, error) {
	out := Digest{Lessons: []Hit{}}
	talk, _ := s.state.Sessions.Get(r.SessionID)
	cards := slices.DeleteFunc(s.idx.Cards(), func(c lessons.Card) bool {
		return c.Status != lessons.Active || c.Source != lessons.Curated || c.Severity == lessons.Low || !c.For(r.Project) || talk.Has(c.Path, ledger.Whole) || !s.speaks(&c)
	})
	slices.SortStableFunc(cards, func(a, b lessons.Card) int {
		return cmp.Or(-cmp.Compare(a.Severity.Rank(), b.Severity.Rank()), -cmp.Compare(a.Occurrences, b.Occurrences), newestFirst(a, b))
	})
	limit := r.Limit
	if limit <= 0 {
		limit = maxDigest
	}
	var read []lessons.Card
	for _, c := range cards[:min(len(cards), 2*limit)] {
		if card, err := s.read(c.Path); err == nil {
			read = append(read, card)
		}
	}
	block, used := lessons.Block(read, lessons.Budget{Tokens: lessonTokens, Chars: maxBlockChars, Cards: limit})
	out.Block = block
	for _, c := range used {
		out.Lessons = append(out.Lessons, hit(index.Hit{Card: c}, excerpt(told(c), nil, excerptChars)))
	}
	s.state.Give(r.SessionID, ledger.Given{Share: ledger.Whole}, pathsOf(out.Lessons)...)
	return out, ctx.Err()
}

// headsTokens is what a conversation begins with, in estimated tokens.
const headsTokens = 300

// Heads returns the titles of the cards that matter most where a conversation begins, a line
// each: those whose mistake came back lately, then the project's own, the gravest and the most
// useful ones. Of the rest it says the number. A conversation gets them once, and again when
// its context was emptied; one whose index is still being built gets them when it asks next.
//
// A title is no served card: neither the ledger nor the usage counts it.
func (s *deliverRoom) Heads(ctx context.Context, r HeadsRequest) (Heads, error) {
	if r.Lost {
		s.state.Unhead(r.SessionID)
		return Heads{}, nil
	}
	s.noteHooks(r)
	select {
	case <-s.idx.CaughtUp():
	default:
		if !r.Resumed { // which has them, and gets none
			return Heads{}, ctx.Err()
		}
	}
	if !s.extras.give(GiftTitles) || r.Client != "" && s.hasHooks(r.Client) {
		return Heads{Hooked: s.served(r.Client)}, nil
	}
	if r.Resumed && r.Receipts != nil {
		r.Resumed = !s.state.Resumed(r.SessionID, r.Receipts)
	}
	given := false
	s.state.InSession(r.SessionID, func(row *ledger.Session) {
		again := r.Dropped && (row.Headed.Turn != row.Turns || s.now().Sub(row.Headed.At) >= ledger.DoubleFire) // else two hooks tell of it
		if given = row.Headed != (ledger.Moment{}) && !again; !given {
			row.Headed = ledger.Moment{At: s.now(), Turn: row.Turns}
		}
	})
	if !given && r.Begins {
		given = s.toldByTools(r.Host)
	}
	if given || r.Resumed {
		return Heads{}, nil
	}
	paths, titles := s.leading(r)
	if len(titles) == 0 {
		return Heads{}, nil
	}
	heading, more := r.Locale.heads(r.Client != "" || s.hasTools(r.Host)), r.Locale.moreHeads(len(titles))
	if r.Client != "" {
		s.state.Tools.Put(strings.ToLower(r.Client)+withTitles, s.now())
	}
	text, n := lessons.Heads(titles, heading, headsTokens-lessons.CountTokens(more))
	s.state.Give(r.SessionID, ledger.Given{Share: ledger.Titled}, paths[:n]...)
	if left := len(titles) - n; left > 0 {
		text += r.Locale.moreHeads(left) + "\n"
	}
	return Heads{Text: strings.TrimSuffix(text, "\n"), Named: n}, nil
}

// nearby returns what a request is told of the cards that it is near to, nearest first, where none speaks to it for sure.
func (s *deliverRoom) nearby(r PreflightRequest) string {
	row, _ := s.state.Sessions.Get(r.SessionID)
	near := s.near(r.SessionID)
	var cards []*lessons.Card
	for path, is := range near {
		c := s.deck().byPath[path]
		if is && c != nil && !row.Has(c.Path, ledger.Titled) && c.Status == lessons.Active && c.For(r.Project) && s.speaks(c) {
			cards = append(cards, c)
		}
	}
	slices.SortFunc(cards, func(a, b *lessons.Card) int {
		return cmp.Or(-cmp.Compare(row.Echo[a.Path], row.Echo[b.Path]), strings.Compare(a.Path, b.Path))
	})
	var names, paths []string
	for _, c := range cards[:min(len(cards), maxTitles)] {
		names, paths = append(names, c.Title+" · "+c.Path), append(paths, c.Path)
	}
	if len(names) == 0 {
		return ""
	}
	text, n := lessons.Heads(names, NearTitles, headsTokens)
	s.state.Give(r.SessionID, ledger.Given{Share: ledger.Titled}, paths[:n]...)
	return strings.TrimSuffix(text, "\n")
}

// leading returns the cards whose titles a conversation may be told, in the order in which it is: not those that have none,
// or that it has whole, or gets so with its first request.
func (s *deliverRoom) leading(r HeadsRequest) (paths, titles []string) {
	type ranked struct {
		card       *lessons.Card
		fell, seen string
		weight     float64 // its project, then its severity, then its utility, which is below 10
	}
	var list []ranked
	always := s.baseline(r.Project)
	always = always[:min(len(always), maxBaseline)]
	talk, _ := s.state.Sessions.Get(r.SessionID)
	may := s.speaker()
	for c := range s.idx.All() {
		if c.Status != lessons.Active || c.Untitled || !c.For(r.Project) || !may(c) || talk.Has(c.Path, ledger.Whole) ||
			slices.ContainsFunc(always, func(h index.Hit) bool { return h.Card.Path == c.Path }) {
			continue
		}
		n := ranked{c, s.state.FellLately(c), c.LastSeen.String(), 10*float64(c.Severity.Rank()) + life.Utility(*c, s.state.Record(c.Path))}
		if c.Project != "" {
			n.weight += 100
		}
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(strings.Compare(b.fell, a.fell), cmp.Compare(b.weight, a.weight), strings.Compare(b.seen, a.seen), strings.Compare(a.card.Path, b.card.Path))
	})
	for _, c := range list {
		paths, titles = append(paths, c.card.Path), append(titles, c.card.Title)
	}
	return paths, titles
}
