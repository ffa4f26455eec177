package deliver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/triggers/heard"
)

const (
	// ContextTokens is what lessons and notes may take together, lessonTokens the
	// lessons' own slot in it; what they leave unused goes to the notes.
	ContextTokens = 3200
	lessonTokens  = 800
	// MaxBlockChars bounds the block. The tightest host cuts at about 10,000 characters, and a host's own text needs
	// room too.
	MaxBlockChars = 6000
	// HookTokens bounds the two together for an agent's hook: Codex cuts what has more than 2,500 tokens in its middle,
	// and titles or left items may come with them.
	HookTokens = 2200
	// MaxHookChars is the same in bytes: Cursor takes 10,000 characters.
	MaxHookChars = 8500
	// maxTitles is how many titles are told of cards that only may speak to a request.
	maxTitles = 3
	// baselineTokens is the slot of the cards that come with every request, beside that of the lessons: short ones, since such a card mostly is its title.
	baselineTokens = 250
	// maxNotes keeps the context to what a model still reads with care.
	maxNotes = 5
)

// Retrieve returns the active cards and the notes that speak to a query, best first and
// without a floor. An empty query lists the cards, those seen last first. tag:, kind: and project:
// in a query leave the other cards out, and all notes.
func (s *Room) Retrieve(ctx context.Context, r brain.RetrieveRequest) (brain.Retrieved, error) {
	limit := cmp.Or(max(0, r.Limit), brain.DefaultLimit)
	out := brain.Retrieved{Lessons: []brain.Hit{}, Notes: []brain.Hit{}}
	defer func() {
		s.State.Give(s.memoryOf(r.SessionID, true), ledger.Given{Share: ledger.Titled}, PathsOf(out.Lessons)...)
	}()
	r.Query, r.Only = brain.Narrowed(r.Query)
	if strings.TrimSpace(r.Query) == "" {
		out.Lessons = s.recent(r, limit)
		return out, nil
	}
	hits, err := s.Found(ctx, r, limit)
	if err != nil {
		return brain.Retrieved{}, err
	}
	for _, h := range hits {
		text := s.shownOf(h)
		out.Tokens += lessons.CountTokens(text)
		if h.Card.Kind.IsCard() {
			out.Lessons = append(out.Lessons, brain.NewHit(h, text))
		} else {
			out.Notes = append(out.Notes, brain.NewHit(h, text))
		}
	}
	return out, nil
}

// ShortCard is how long a card is that a search shows whole, in bytes.
const ShortCard = 1500

// shownOf returns what a search shows of a hit: a short card, or an excerpt.
func (s *Room) shownOf(h index.Hit) string {
	text, size := s.TextNow(h.Card), brain.ExcerptChars
	if h.Card.Kind.IsCard() && len(text) <= ShortCard {
		size = ShortCard
	}
	return brain.Excerpt(text, brain.Sought(h), size)
}

// Rank is Retrieve without excerpts: the bare ranking of cards and notes together, for
// programs that measure it.
func (s *Room) Rank(ctx context.Context, r brain.RetrieveRequest) ([]brain.Hit, error) {
	hits, err := s.Found(ctx, r, r.Limit)
	if err != nil {
		return nil, err
	}
	out := make([]brain.Hit, len(hits))
	for i, h := range hits {
		out[i] = brain.NewHit(h, "")
	}
	return out, nil
}

// speaking returns the active cards and the notes that certainly speak to a request, by the person's
// own words where it has any: what a log says, the request does not.
func (s *Room) speaking(ctx context.Context, r PreflightRequest) ([]index.Hit, error) {
	q := index.Query{
		Text: wordsOf(r.Query), Files: s.RelFiles(r.Files), Project: r.Project, Limit: 4 * brain.MaxLessons,
		Cards: true, Notes: true, Statuses: []lessons.Status{lessons.Active}, Strength: true,
	}
	ranked := s.RankNear(ctx, q.Text)
	hits, err := s.Index.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search the brain: %w", err)
	}
	if !r.Aside {
		s.Remember(r.SessionID, hits)
	}
	hits = s.Fuse(q, index.Certain(hits), ranked)
	hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return !s.MaySpeak(&h.Card) })
	for i := range hits {
		s.Outdate(&hits[i].Card)
	}
	slices.SortStableFunc(hits, func(a, b index.Hit) int { // those last whose code is not what it was
		return cmp.Compare(min(len(a.Card.Changed), 1), min(len(b.Card.Changed), 1))
	})
	return hits, nil
}

// wordsOf returns what of a request a person wrote, or all of it where that is nothing.
func wordsOf(request string) string {
	request = brain.Head(request, brain.MaxQuery)
	if own, _ := heard.Apart(request); strings.TrimSpace(own) != "" {
		return own
	}
	return request
}

const (
	// echoShare is how much of a card's strength for the requests before is remembered with the next.
	echoShare = 0.3
	// leastEcho is what is worth remembering.
	leastEcho = 0.1
)

// Remember notes how strongly a request speaks to cards, with what is left of the requests before: an action belongs to
// the whole conversation. A request that comes twice counts once.
func (s *Room) Remember(id string, hits []index.Hit) {
	s.State.InSession(id, func(row *ledger.Session) {
		if row.Echoed != row.Turn {
			row.Echoed, row.Past = row.Turn, map[string]float64{}
			for path, strength := range row.Echo {
				if strength *= echoShare; strength >= leastEcho {
					row.Past[path] = strength
				}
			}
		}
		row.Echo = map[string]float64{}
		maps.Copy(row.Echo, row.Past)
		for _, h := range hits {
			if h.Card.Kind.IsCard() {
				row.Echo[h.Card.Path] += h.Strength
			}
		}
	})
}

// known reports whether a card stands in the conversation: it takes no other's place.
type known func(path string) bool

// selected returns all that a request would get if there were room: the cards that come with
// every request, what speaks to it, and cards about the files that come with it: those that it only
// names are for the action that touches them.
func (s *Room) selected(ctx context.Context, r PreflightRequest, has known) ([]index.Hit, error) {
	hits, err := s.speaking(ctx, r)
	if err != nil {
		return nil, err
	}
	hits = append(hits, s.aboutFiles(r.Files, r.Project, hits, has)...)
	return append(s.baseline(r.Project), hits...), nil
}

// Preflight returns what must be known before a request is answered, and notes in the
// ledger what was served. A request that matches nothing gets nothing.
func (s *Room) Preflight(ctx context.Context, r PreflightRequest) (Preflight, error) {
	row, repeat := s.State.BeginTurn(ledger.Turn{Session: r.SessionID, Agent: r.Agent, Aside: r.Aside, Request: r.Query}, r.Once, r.Told)
	out := Preflight{AnswerID: row.ID, Lessons: []brain.Hit{}, Notes: []brain.Hit{}, Repeat: repeat}
	if repeat {
		return out, nil
	}
	row.Request = brain.Head(r.Query, brain.MaxQuery)
	memory := s.memoryOf(r.SessionID, r.Told)
	if !r.Compacts && !r.Told && !r.Aside {
		s.State.ForgetOld(memory)
	}
	if strings.TrimSpace(r.Query) != "" && !r.Unserved {
		has := s.knows(r, memory)
		hits, err := s.selected(ctx, r, has)
		if err != nil {
			s.State.CancelTurn(row)
			return Preflight{}, err
		}
		if r.CardsOnly || r.Hooked && !s.Extras.Give(brain.GiftNotes) {
			hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return !h.Card.Kind.IsCard() })
		}
		hits, row.Known = s.splitKnown(r, hits, has)
		room := lessons.Budget{Tokens: ContextTokens}
		if r.Hooked {
			room = lessons.Budget{Tokens: HookTokens, Chars: MaxHookChars}
		}
		s.serve(&out, hits, room)
	}
	if !r.Aside && !r.Unserved {
		text, left := s.LeftOver(r.SessionID)
		if text != "" {
			out.Tokens += lessons.CountTokens(text)
			out.Block = strings.TrimSuffix(text+"\n\n"+out.Block, "\n\n")
		}
		for _, path := range left {
			if card, err := s.Read(path); err == nil && !slices.ContainsFunc(out.Lessons, func(h brain.Hit) bool { return h.Path == path }) {
				row.Known = append(row.Known, brain.NewHit(index.Hit{Card: card}, ""))
			}
		}
	}
	if text := s.learned(r); text != "" && !r.Unserved {
		out.Tokens += lessons.CountTokens(text)
		out.Context = strings.TrimPrefix(out.Context+"\n\n"+text, "\n\n")
	}
	row.Lessons, row.Notes, row.Tokens = out.Lessons, out.Notes, out.Tokens
	if !r.Aside {
		s.State.Give(memory, ledger.Given{Share: ledger.Whole, Ref: ledger.Receipt(row.ID)}, PathsOf(out.Lessons)...)
	}
	s.State.Turns.Update(row.ID, func(t *ledger.Turn) {
		if t.ID == "" {
			*t = row
			return
		}
		// Another agent fired for the same request: what was counted since stays.
		t.Lessons, t.Notes, t.Known, t.Agent, t.Request, t.Tokens = row.Lessons, row.Notes, row.Known, row.Agent, row.Request, row.Tokens
	})
	if !r.Aside {
		s.State.Tell(ledger.Told{Cards: len(out.Lessons), Tokens: out.Tokens})
		s.State.CreditServed(row.ID)
		s.Git.StartTurn(r.SessionID)
	}
	return out, nil
}

// maxByFile bounds the cards that a request gets for its files alone.
const maxByFile = 2

// besideWords is the score of a card that comes for another reason than its words: behind
// those that come for theirs, and before the baseline's, which have none.
const besideWords = 0.001

// aboutFiles returns the active cards whose paths hold one of files, those with the narrowest
// globs first, without those found already. A glob that holds half of a repository says nothing.
func (s *Room) aboutFiles(files []string, project string, found []index.Hit, has known) []index.Hit {
	if len(files) == 0 {
		return nil
	}
	files = s.RelFiles(files)
	var out []index.Hit
	for _, c := range s.Deck().Paths {
		if !c.For(project) || slices.ContainsFunc(found, func(h index.Hit) bool { return h.Card.Path == c.Path }) {
			continue
		}
		glob, ok := lessons.MatchPaths(c.Paths, files)
		if !ok {
			continue
		}
		if narrow := Narrowness(glob); narrow > 0 && s.MaySpeak(c) {
			out = append(out, index.Hit{Card: *c, Score: float64(narrow), Terms: []string{glob}})
		}
	}
	slices.SortFunc(out, func(a, b index.Hit) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), -cmp.Compare(a.Card.Severity.Rank(), b.Card.Severity.Rank()), strings.Compare(a.Card.Path, b.Card.Path))
	})
	count := map[bool]int{} // by whether they are known
	out = slices.DeleteFunc(out, func(h index.Hit) bool {
		old := has(h.Card.Path)
		count[old]++
		return count[old] > maxByFile
	})
	for i := range out {
		out[i].Score = besideWords
	}
	return out
}

// memoryOf returns the conversation that remembers what an agent was given. Its tools and its
// hooks come under different names.
func (s *Room) memoryOf(session string, byTools bool) string {
	if byTools {
		return s.State.Conversation(session).ID
	}
	return session
}

// Gave notes that an agent read files whole by its tools, so that no card of them comes again in
// its conversation.
func (s *Room) Gave(session string, paths ...string) {
	s.State.Give(s.memoryOf(session, true), ledger.Given{Share: ledger.Whole, Act: true}, paths...)
}

// knows returns what stands in an agent's conversation. What came with this very request does not
// count: another agent may have got the same one.
func (s *Room) knows(r PreflightRequest, memory string) known {
	if r.Aside {
		return func(string) bool { return false }
	}
	talk, _ := s.State.Sessions.Get(memory)
	return func(path string) bool {
		given := talk.Given[path]
		return given.Share == ledger.Whole && (given.Turn < talk.Turns || given.Act || r.Told)
	}
}

// splitKnown takes out of hits the cards that are kept from the request, and those that stand in the conversation, but
// for the nearest one where the request says that its mistake fell again, and what was left of it is not told anyway.
func (s *Room) splitKnown(r PreflightRequest, hits []index.Hit, has known) (rest []index.Hit, old []brain.Hit) {
	var stand []index.Hit
	never := s.State.NeverFor(brain.Head(r.Query, brain.MaxQuery))
	for _, h := range hits {
		_, kept := never(h.Card.Path)
		switch {
		case kept:
		case h.Card.Kind.IsCard() && has(h.Card.Path):
			stand = append(stand, h)
		default:
			rest = append(rest, h)
		}
	}
	slices.SortStableFunc(stand, func(a, b index.Hit) int { return -cmp.Compare(a.Score, b.Score) })
	talk, _ := s.State.Sessions.Get(r.SessionID)
	told := func(v brain.Verdict) bool { return v.Path == stand[0].Card.Path }
	if len(stand) > 0 && stand[0].Score > besideWords && !slices.ContainsFunc(talk.Left, told) && s.fellAgain(r.Query, stand[0].Card) {
		rest, stand = append(rest, stand[0]), stand[1:]
	}
	for _, h := range stand[:min(len(stand), brain.MaxLessons+brain.MaxBaseline)] {
		old = append(old, brain.NewHit(h, brain.Excerpt(s.TextNow(h.Card), brain.Sought(h), brain.ExcerptChars)))
	}
	return rest, old
}

// fellAgain reports whether a request plainly complains or corrects, or seems to and names a card's mistake. Of 15 cards
// that came again for it where a mistake did, 14 were of that mistake.
func (s *Room) fellAgain(request string, card lessons.Card) bool {
	said := heard.Judge(request, heard.Context{Later: true})
	return (said.Kind == heard.Complaint || said.Kind == heard.Correction) &&
		(said.Strength == heard.Plain || s.SameMistake(card, brain.Candidate{Mistake: request}))
}

// PathsOf returns the paths of hits, in their order.
func PathsOf(hits []brain.Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.Path
	}
	return out
}

// baseline returns the cards that come with a request whatever it says, as hits: the active
// policies, architecture and preferences of high severity, those that fell last first, then the
// project's own, then those seen most often. As many as fit come with the first request of a
// conversation, the others with the next ones.
func (s *Room) baseline(project string) []index.Hit {
	var out []index.Hit
	fell := map[string]string{}
	for _, c := range s.Deck().Special {
		if brain.IsBaseline(*c) && c.For(project) && s.MaySpeak(c) {
			out = append(out, index.Hit{Card: *c})
			fell[c.Path] = s.State.FellLately(c)
		}
	}
	slices.SortFunc(out, func(x, y index.Hit) int {
		a, b := &x.Card, &y.Card
		return cmp.Or(-strings.Compare(fell[a.Path], fell[b.Path]), strings.Compare(b.Project, a.Project), -cmp.Compare(a.Occurrences, b.Occurrences), strings.Compare(a.Path, b.Path))
	})
	return out
}

// layers reads the cards of a block, each layer by itself so that none takes another's
// place: those that come with every request, then those that speak to this one.
func (s *Room) layers(hits []index.Hit) (base, scored []lessons.Card) {
	seen := map[string]bool{}
	for _, h := range hits {
		if !h.Card.Kind.IsCard() || seen[h.Card.Path] {
			continue
		}
		seen[h.Card.Path] = true
		layer, most := &scored, 2*brain.MaxLessons
		if h.Score == 0 { // of the baseline
			layer, most = &base, brain.MaxBaseline
		}
		if len(*layer) == most {
			continue
		}
		card, err := s.Read(h.Card.Path)
		if err != nil {
			s.Logger.Warn("card left out of the block", "card", h.Card.Path, "err", err)
			continue // deleted a moment ago; the watcher will tell
		}
		if !s.Keeper.Approved(&card) {
			continue // changed a moment ago
		}
		*layer = append(*layer, card)
	}
	return base, scored
}

// serve fills the block and the context from hits, best first. room is what both may take.
func (s *Room) serve(out *Preflight, hits []index.Hit, room lessons.Budget) {
	base, scored := s.layers(hits)
	share := baselineTokens / max(1, len(base))
	cardTokens := func(c lessons.Card) int { // an oversize one starves nobody
		if brain.IsBaseline(c) {
			return share
		}
		return lessonTokens / 2
	}
	always, base := lessons.Block(base, lessons.Budget{Tokens: baselineTokens, Cards: brain.MaxBaseline, Card: cardTokens})
	limit := lessons.Budget{Tokens: lessonTokens + lessons.CountTokens(always), Chars: MaxBlockChars, Cards: brain.MaxLessons + len(base), Card: cardTokens}
	block, used := lessons.Block(slices.Concat(base, scored), limit)
	out.Block = block
	for _, c := range used {
		i := slices.IndexFunc(hits, func(h index.Hit) bool { return h.Card.Path == c.Path })
		out.Lessons = append(out.Lessons, brain.NewHit(hits[i], brain.Excerpt(brain.FullText(c), brain.Sought(hits[i]), brain.ExcerptChars)))
	}
	out.Tokens = lessons.CountTokens(block)

	var notes []lessons.Excerpt
	byPath := map[string]brain.Hit{}
	for _, h := range hits {
		if h.Card.Kind.IsCard() || len(notes) == maxNotes {
			continue
		}
		of := brain.Excerpts(s.TextNow(h.Card), brain.Sought(h), brain.PassageChars, brain.ExcerptChars)
		notes = append(notes, lessons.Excerpt{Path: h.Card.Path, Title: h.Card.Title, Text: of[0]})
		byPath[h.Card.Path] = brain.NewHit(h, of[1])
	}
	var served []lessons.Excerpt
	out.Context, served = lessons.Context(notes, lessons.Budget{Tokens: room.Tokens - out.Tokens, Chars: max(0, room.Chars-len(block)), Cards: maxNotes})
	for _, n := range served {
		out.Notes = append(out.Notes, byPath[n.Path])
	}
	out.Tokens += lessons.CountTokens(out.Context)
}

// recent lists cards, active ones or all, by the day they were last seen, then by how often.
func (s *Room) recent(r brain.RetrieveRequest, limit int) []brain.Hit {
	cards := slices.DeleteFunc(slices.Clone(s.Index.Heads()), func(c *lessons.Card) bool {
		return !r.All && c.Status != lessons.Active || c.Status == lessons.Conflicted || !c.For(r.Project) || !r.Only.Keeps(c)
	})
	slices.SortStableFunc(cards, brain.NewestFirst)
	out := make([]brain.Hit, 0, min(limit, len(cards)))
	for _, c := range cards[:min(limit, len(cards))] {
		h := index.Hit{Card: *c}
		out = append(out, brain.NewHit(h, s.shownOf(h)))
	}
	return out
}
