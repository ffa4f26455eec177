package deliver

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"handrail/index"
	"handrail/lessons"
	"handrail/lessons/life"
	"handrail/server/brain"
	"handrail/server/ledger"
	"handrail/server/say"
)

// maxDigest is how many cards a digest holds unless the request says otherwise.
const maxDigest = 5

// Digest returns the block of the cards that are worth knowing whatever comes: curated and
// active ones, the gravest and most frequent first. It is for places that know no request
// (the start of a session, a file of instructions); everywhere else Preflight chooses.
func (s *Room) Digest(ctx context.Context, r DigestRequest) (Digest, error) {
	out := Digest{Lessons: []brain.Hit{}}
	talk, _ := s.State.Sessions.Get(r.SessionID)
	cards := slices.DeleteFunc(s.Index.Cards(), func(c lessons.Card) bool {
		return c.Status != lessons.Active || c.Source != lessons.Curated || c.Severity == lessons.Low || !c.For(r.Project) || talk.Has(c.Path, ledger.Whole) || !s.MaySpeak(&c)
	})
	slices.SortStableFunc(cards, func(a, b lessons.Card) int {
		return cmp.Or(-cmp.Compare(a.Severity.Rank(), b.Severity.Rank()), -cmp.Compare(a.Occurrences, b.Occurrences), brain.NewestFirst(a, b))
	})
	limit := r.Limit
	if limit <= 0 {
		limit = maxDigest
	}
	var read []lessons.Card
	for _, c := range cards[:min(len(cards), 2*limit)] {
		if card, err := s.Read(c.Path); err == nil {
			read = append(read, card)
		}
	}
	block, used := lessons.Block(read, lessons.Budget{Tokens: lessonTokens, Chars: MaxBlockChars, Cards: limit})
	out.Block = block
	for _, c := range used {
		out.Lessons = append(out.Lessons, brain.NewHit(index.Hit{Card: c}, brain.Excerpt(brain.FullText(c), nil, brain.ExcerptChars)))
	}
	s.State.Give(r.SessionID, ledger.Given{Share: ledger.Whole}, PathsOf(out.Lessons)...)
	return out, ctx.Err()
}

// HeadsTokens is what a conversation begins with, in estimated tokens.
const HeadsTokens = 300

// Heads returns the titles of the cards that matter most where a conversation begins, a line
// each: those whose mistake came back lately, then the project's own, the gravest and the most
// useful ones. Of the rest it says the number. A conversation gets them once, and again when
// its context was emptied; one whose index is still being built gets them when it asks next.
//
// A title is no served card: neither the ledger nor the usage counts it.
func (s *Room) Heads(ctx context.Context, r HeadsRequest) (Heads, error) {
	if r.Lost {
		s.State.Unhead(r.SessionID)
		return Heads{}, nil
	}
	s.noteHooks(r)
	select {
	case <-s.Index.CaughtUp():
	default:
		if !r.Resumed { // which has them, and gets none
			return Heads{}, ctx.Err()
		}
	}
	if !s.Extras.Give(brain.GiftTitles) || r.Client != "" && s.HasHooks(r.Client) {
		return Heads{Hooked: s.ServedByHooks(r.Client)}, nil
	}
	if r.Resumed && r.Receipts != nil {
		r.Resumed = !s.State.Resumed(r.SessionID, r.Receipts)
	}
	given := false
	s.State.InSession(r.SessionID, func(row *ledger.Session) {
		again := r.Dropped && (row.Headed.Turn != row.Turns || s.Now().Sub(row.Headed.At) >= ledger.DoubleFire) // else two hooks tell of it
		given = row.Headed != (ledger.Moment{}) && !again
		if !given {
			row.Headed = ledger.Moment{At: s.Now(), Turn: row.Turns}
		}
	})
	if !given && r.Begins {
		given = s.GotTitlesByTools(r.Host)
	}
	if given || r.Resumed {
		return Heads{}, nil
	}
	paths, titles := s.leading(r)
	if len(titles) == 0 {
		return Heads{}, nil
	}
	heading, more := r.Locale.Heads(r.Client != "" || s.HasTools(r.Host)), r.Locale.MoreHeads(len(titles))
	if r.Client != "" {
		s.State.Tools.Put(strings.ToLower(r.Client)+brain.WithTitles, s.Now())
	}
	text, n := lessons.Heads(titles, heading, HeadsTokens-lessons.CountTokens(more))
	s.State.Give(r.SessionID, ledger.Given{Share: ledger.Titled}, paths[:n]...)
	if left := len(titles) - n; left > 0 {
		text += r.Locale.MoreHeads(left) + "\n"
	}
	return Heads{Text: strings.TrimSuffix(text, "\n"), Named: n}, nil
}

// Nearby returns what a request is told of the cards that it is near to, nearest first, where none speaks to it for sure.
func (s *Room) Nearby(r PreflightRequest) string {
	row, _ := s.State.Sessions.Get(r.SessionID)
	near := s.near(r.SessionID)
	var cards []*lessons.Card
	for path, is := range near {
		c := s.Deck().ByPath[path]
		if is && c != nil && !row.Has(c.Path, ledger.Titled) && c.Status == lessons.Active && c.For(r.Project) && s.MaySpeak(c) {
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
	text, n := lessons.Heads(names, say.NearTitles, HeadsTokens)
	s.State.Give(r.SessionID, ledger.Given{Share: ledger.Titled}, paths[:n]...)
	return strings.TrimSuffix(text, "\n")
}

// leading returns the cards whose titles a conversation may be told, in the order in which it is: not those that have none,
// or that it has whole, or gets so with its first request.
func (s *Room) leading(r HeadsRequest) (paths, titles []string) {
	type ranked struct {
		card       *lessons.Card
		fell, seen string
		weight     float64 // its project, then its severity, then its utility, which is below 10
	}
	var list []ranked
	always := s.baseline(r.Project)
	always = always[:min(len(always), brain.MaxBaseline)]
	talk, _ := s.State.Sessions.Get(r.SessionID)
	may := s.WhoMaySpeak()
	for c := range s.Index.All() {
		if c.Status != lessons.Active || c.Untitled || !c.For(r.Project) || !may(c) || talk.Has(c.Path, ledger.Whole) ||
			slices.ContainsFunc(always, func(h index.Hit) bool { return h.Card.Path == c.Path }) {
			continue
		}
		n := ranked{c, s.State.FellLately(c), c.LastSeen.String(), 10*float64(c.Severity.Rank()) + life.Utility(*c, s.State.Record(c.Path))}
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
