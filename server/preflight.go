package server

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"handrail/index"
	"handrail/lessons"
	"handrail/lessons/lazyregexp"
	"handrail/server/ledger"
	"handrail/triggers/heard"
)

const (
	// contextTokens is what lessons and notes may take together, lessonTokens the
	// lessons' own slot in it; what they leave unused goes to the notes.
	contextTokens = 3200
	lessonTokens  = 800
	// maxLessons is how many lessons a block holds.
	maxLessons = 5
	// maxBlockChars bounds the block. The tightest host cuts at about 10,000 characters, and a host's own text needs
	// room too.
	maxBlockChars = 6000
	// hookTokens and maxHookChars bound the two together for an agent's hook: Codex cuts what has more than
	// 2,500 tokens in its middle, Cursor takes 10,000 characters, and titles or left items may come with them.
	hookTokens   = 2200
	maxHookChars = 8500
	// maxTitles is how many titles are told of cards that only may speak to a request.
	maxTitles = 3
	// maxBaseline is how many cards that come with every request are in one block.
	maxBaseline = 4
	// baselineTokens is their slot, beside that of the lessons: short ones, since such a card mostly is its title.
	baselineTokens = 250
	// maxPlaybooks is how many of the lessons may be playbooks.
	maxPlaybooks = 3
	// maxNotes keeps the context to what a model still reads with care.
	maxNotes = 5
	// defaultLimit is how many hits a search shows.
	defaultLimit = 10
	// maxQuery is how much of a query is read, in bytes. Beyond it the words that
	// matter have long been seen.
	maxQuery = 64 << 10
)

// Retrieve returns the active cards and the notes that speak to a query, best first and
// without a floor. An empty query lists the cards, those seen last first. tag:, kind: and project:
// in a query leave the other cards out, and all notes.
func (s *deliverRoom) Retrieve(ctx context.Context, r RetrieveRequest) (Retrieved, error) {
	limit := r.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	out := Retrieved{Lessons: []Hit{}, Notes: []Hit{}}
	defer func() {
		s.state.Give(s.memoryOf(r.SessionID, true), ledger.Given{Share: ledger.Titled}, pathsOf(out.Lessons)...)
	}()
	r.Query, r.only = narrowed(r.Query)
	if strings.TrimSpace(r.Query) == "" {
		out.Lessons = s.recent(r, limit)
		return out, nil
	}
	hits, err := s.found(ctx, r, limit)
	if err != nil {
		return Retrieved{}, err
	}
	for _, h := range hits {
		text := excerpt(s.toldNow(h.Card), sought(h), excerptChars)
		if r.BudgetTokens > 0 {
			n := lessons.CountTokens(text)
			if out.Tokens+n > r.BudgetTokens {
				continue // the next one may be shorter
			}
			out.Tokens += n
		}
		if h.Card.Kind.IsCard() {
			out.Lessons = append(out.Lessons, hit(h, text))
		} else {
			out.Notes = append(out.Notes, hit(h, text))
		}
	}
	if r.BudgetTokens <= 0 {
		for _, h := range slices.Concat(out.Lessons, out.Notes) {
			out.Tokens += lessons.CountTokens(h.Excerpt)
		}
	}
	return out, nil
}

// Rank is Retrieve without excerpts: the bare ranking of cards and notes together, for
// programs that measure it.
func (s *deliverRoom) Rank(ctx context.Context, r RetrieveRequest) ([]Hit, error) {
	hits, err := s.found(ctx, r, r.Limit)
	if err != nil {
		return nil, err
	}
	out := make([]Hit, len(hits))
	for i, h := range hits {
		out[i] = hit(h, "")
	}
	return out, nil
}

// search returns what speaks to a query, best first and without a floor. Everything is
// searchable, whatever its status.
func (s *Base) search(ctx context.Context, query string, files []string, project string, limit int) ([]index.Hit, error) {
	return s.found(ctx, RetrieveRequest{Query: query, Files: files, Project: project, All: true}, limit)
}

// found returns what speaks to a search: active cards, or all, and notes.
func (s *Base) found(ctx context.Context, r RetrieveRequest, limit int) ([]index.Hit, error) {
	if limit <= 0 {
		limit = defaultLimit
	}
	q := index.Query{Text: head(r.Query, maxQuery), Files: s.relFiles(r.Files), Project: r.Project, Limit: limit, Cards: true, Notes: true}
	if r.Kind != lessons.Note || r.only != nil {
		q.Limit, q.Notes = len(s.idx.Cards()), false
	}
	if !r.All {
		q.Statuses = []lessons.Status{lessons.Active}
	}
	ranked := s.rank(ctx, q.Text)
	if len(ranked) > 0 {
		q.Limit = max(q.Limit, nearest) // vectors may lift what words have further down
	}
	hits, err := s.idx.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search the brain: %w", err)
	}
	hits = s.fuse(q, hits, ranked)
	if r.Kind != lessons.Note {
		hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return h.Card.Kind != r.Kind })
	}
	hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return !r.only.keeps(&h.Card) })
	return hits[:min(limit, len(hits))], nil
}

// speaking returns the active cards and the notes that certainly speak to a request, with
// what its conversation was about before.
func (s *deliverRoom) speaking(ctx context.Context, r PreflightRequest) ([]index.Hit, error) {
	q := index.Query{
		Text: head(r.Query, maxQuery), Files: s.relFiles(r.Files), Project: r.Project, Limit: 4 * maxLessons,
		Cards: true, Notes: true, Statuses: []lessons.Status{lessons.Active}, Strength: true,
	}
	ranked := s.rank(ctx, q.Text)
	hits, err := s.idx.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search the brain: %w", err)
	}
	if !r.Aside {
		s.echo(r.SessionID, hits)
	}
	hits = s.fuse(q, index.Certain(hits), ranked)
	return slices.DeleteFunc(hits, func(h index.Hit) bool { return !s.speaks(&h.Card) }), nil
}

const (
	// echoShare is how much of a card's strength for the requests before counts for the next.
	// Half of it lets a card through for one neutral request in five; docs/decisions/0007-one-floor.md.
	echoShare = 0.3
	// leastEcho is what is worth remembering.
	leastEcho = 0.1
)

// echo adds to the strength of cards what the requests before had for them: a short request
// speaks of what the conversation is about. A request that comes twice counts once.
func (s *deliverRoom) echo(id string, hits []index.Hit) {
	s.state.InSession(id, func(row *ledger.Session) {
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
		for i := range hits {
			h := &hits[i]
			if !h.Card.Kind.IsCard() {
				continue
			}
			if before := row.Past[h.Card.Path]; before > 0 {
				h.Score *= 1 + before/h.Strength
				h.Strength += before
			}
			row.Echo[h.Card.Path] = h.Strength
		}
	})
	slices.SortStableFunc(hits, func(a, b index.Hit) int { return -cmp.Compare(a.Score, b.Score) })
}

// known reports whether a card stands in the conversation: it takes no other's place.
type known func(path string) bool

// atMost returns the first n of hits that are known, and the first n that are not.
func atMost(n int, hits []index.Hit, has known) []index.Hit {
	old, fresh := 0, 0
	return slices.DeleteFunc(hits, func(h index.Hit) bool {
		count := &fresh
		if has(h.Card.Path) {
			count = &old
		}
		*count++
		return *count > n
	})
}

// selected returns all that a request would get if there were room: the cards that come with
// every request, what speaks to it, and cards about its files and the work that it starts.
func (s *deliverRoom) selected(ctx context.Context, r PreflightRequest, has known) ([]index.Hit, error) {
	hits, err := s.speaking(ctx, r)
	if err != nil {
		return nil, err
	}
	hits = append(hits, s.aboutFiles(r.Files, filesNamed(r.Query), r.Project, hits, has)...)
	hits = append(hits, s.aboutWork(r.Query, r.Project, hits, has)...)
	return append(s.baseline(r.Project), hits...), nil
}

// Preflight returns what must be known before a request is answered, and notes in the
// ledger what was served. A request that matches nothing gets nothing.
func (s *deliverRoom) Preflight(ctx context.Context, r PreflightRequest) (Preflight, error) {
	before := s.state.TurnOf(r.SessionID)
	row, repeat := s.state.BeginTurn(ledger.Turn{Session: r.SessionID, Agent: r.Agent, Aside: r.Aside, Request: r.Query}, r.Once, r.Told)
	if before != row.ID && !r.Aside {
		s.state.EndTurn(before)
	}
	out := Preflight{AnswerID: row.ID, Lessons: []Hit{}, Notes: []Hit{}, Repeat: repeat}
	if repeat {
		return out, nil
	}
	row.Request = head(r.Query, maxQuery)
	memory := s.memoryOf(r.SessionID, r.Told)
	if !r.Compacts && !r.Told && !r.Aside {
		s.state.ForgetOld(memory)
	}
	if strings.TrimSpace(r.Query) != "" && !r.Unserved {
		has := s.knows(r, memory)
		hits, err := s.selected(ctx, r, has)
		if err != nil {
			s.state.CancelTurn(row)
			return Preflight{}, err
		}
		if r.CardsOnly || r.Hooked && !s.extras.give(GiftNotes) {
			hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return !h.Card.Kind.IsCard() })
		}
		hits, row.Known = s.splitKnown(r, s.withoutNever(r.Query, hits), has)
		room := lessons.Budget{Tokens: contextTokens}
		if r.Hooked {
			room = lessons.Budget{Tokens: hookTokens, Chars: maxHookChars}
		}
		row.Cut = s.serve(&out, hits, room)
		if r.Hooked && out.Block+out.Context == "" && len(row.Known) == 0 && s.extras.give(GiftNear) {
			out.Context = s.nearby(r)
		}
	}
	if !r.Aside && !r.Unserved {
		var left []string
		if text, paths := s.leftOver(r.SessionID); text != "" {
			out.Tokens += lessons.CountTokens(text)
			out.Block, left = strings.TrimSuffix(text+"\n\n"+out.Block, "\n\n"), paths
		}
		for _, path := range left {
			if card, err := s.read(path); err == nil && !slices.ContainsFunc(out.Lessons, func(h Hit) bool { return h.Path == path }) {
				row.Known = append(row.Known, hit(index.Hit{Card: card}, ""))
			}
		}
	}
	row.Lessons, row.Notes = out.Lessons, out.Notes
	if !r.Aside {
		s.state.Give(memory, ledger.Given{Share: ledger.Whole, Ref: ledger.Receipt(row.ID)}, pathsOf(out.Lessons)...)
	}
	s.state.Turns.Update(row.ID, func(t *ledger.Turn) {
		if t.ID == "" {
			*t = row
			return
		}
		// Another agent fired for the same request: what was counted since stays.
		t.Lessons, t.Notes, t.Known, t.Cut, t.Agent, t.Request = row.Lessons, row.Notes, row.Known, row.Cut, row.Agent, row.Request
	})
	if !r.Aside {
		s.state.CreditServed(row.ID)
		s.git.StartTurn(r.SessionID)
	}
	return out, nil
}

// maxFileNames bounds the files that are looked for in a request, and maxByFile the cards that it
// gets for them alone.
const (
	maxFileNames = 20
	maxByFile    = 2
)

// besideWords is the score of a card that comes for another reason than its words: behind
// those that come for theirs, and before the baseline's, which have none.
const besideWords = 0.001

// fileName matches what a request calls a file: a name with an extension, in folders or not.
// "client/server" is no file.
var fileName = lazyregexp.New(`(?:[A-Za-z]:|~)?[\p{L}\p{N}_./\\-]*[\p{L}\p{N}_-][\p{L}\p{N}_.-]*[\p{L}\p{N}_-]\.[A-Za-z]\w{0,4}\b`)

// filesNamed returns the files that a request names, as it does.
func filesNamed(request string) []string {
	return unique(fileName.FindAllString(head(request, maxQuery), maxFileNames))
}

// aboutFiles returns the active cards whose paths hold one of files, those with the narrowest
// globs first, without those found already; named are as the request calls them. A glob that
// holds half of a repository says nothing. A file's name alone is held by a path that ends
// with it.
func (s *deliverRoom) aboutFiles(files, named []string, project string, found []index.Hit, has known) []index.Hit {
	if len(files)+len(named) == 0 {
		return nil
	}
	files = s.relFiles(slices.Concat(files, named))
	for i, f := range files {
		files[i] = path.Clean(strings.ReplaceAll(f, "\\", "/"))
	}
	named = slices.DeleteFunc(named, func(f string) bool { return strings.ContainsAny(f, `/\`) })
	var out []index.Hit
	for _, c := range s.deck().paths {
		if !c.For(project) || slices.ContainsFunc(found, func(h index.Hit) bool { return h.Card.Path == c.Path }) {
			continue
		}
		glob, ok := lessons.MatchPaths(c.Paths, files)
		if !ok {
			i := slices.IndexFunc(c.Paths, func(g string) bool { return slices.Contains(named, path.Base(g)) && !strings.HasPrefix(g, "!") })
			if i < 0 {
				continue
			}
			glob = c.Paths[i]
		}
		if narrow := narrowness(glob); narrow > 0 && s.speaks(c) {
			out = append(out, index.Hit{Card: *c, Score: float64(narrow), Terms: []string{glob}})
		}
	}
	slices.SortFunc(out, func(a, b index.Hit) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), -cmp.Compare(a.Card.Severity.Rank(), b.Card.Severity.Rank()), strings.Compare(a.Card.Path, b.Card.Path))
	})
	out = atMost(maxByFile, out, has)
	for i := range out {
		out[i].Score = besideWords
	}
	return out
}

// memoryOf returns the conversation that remembers what an agent was given. Its tools and its
// hooks come under different names.
func (s *deliverRoom) memoryOf(session string, byTools bool) string {
	if byTools {
		return s.state.Conversation(session).ID
	}
	return session
}

// Gave notes that an agent read files whole by its tools, so that no card of them comes again in
// its conversation.
func (s *deliverRoom) Gave(session string, paths ...string) {
	s.state.Give(s.memoryOf(session, true), ledger.Given{Share: ledger.Whole, Act: true}, paths...)
}

// knows returns what stands in an agent's conversation. What came with this very request does not
// count: another agent may have got the same one.
func (s *deliverRoom) knows(r PreflightRequest, memory string) known {
	if r.Aside {
		return func(string) bool { return false }
	}
	talk, _ := s.state.Sessions.Get(memory)
	return func(path string) bool {
		given := talk.Given[path]
		return given.Share == ledger.Whole && (given.Turn < talk.Turns || given.Act || r.Told)
	}
}

// splitKnown takes out of hits the cards that stand in the conversation, but for the nearest one
// where the request says that its mistake fell again.
func (s *deliverRoom) splitKnown(r PreflightRequest, hits []index.Hit, has known) (rest []index.Hit, old []Hit) {
	var stand []index.Hit
	for _, h := range hits {
		if h.Card.Kind.IsCard() && has(h.Card.Path) {
			stand = append(stand, h)
		} else {
			rest = append(rest, h)
		}
	}
	slices.SortStableFunc(stand, func(a, b index.Hit) int { return -cmp.Compare(a.Score, b.Score) })
	if len(stand) > 0 && stand[0].Score > besideWords && s.fellAgain(r.Query, stand[0].Card) {
		rest, stand = append(rest, stand[0]), stand[1:]
	}
	for _, h := range stand[:min(len(stand), maxLessons+maxBaseline)] {
		old = append(old, hit(h, excerpt(s.toldNow(h.Card), sought(h), excerptChars)))
	}
	return rest, old
}

// fellAgain reports whether a request plainly complains or corrects, or seems to and names a card's mistake. Of 15 cards
// that came again for it where a mistake did, 14 were of that mistake.
func (s *deliverRoom) fellAgain(request string, card lessons.Card) bool {
	said := heard.Judge(request, heard.Context{Later: true})
	return (said.Kind == heard.Complaint || said.Kind == heard.Correction) &&
		(said.Strength == heard.Plain || s.sameMistake(card, Candidate{Mistake: request}))
}

func pathsOf(hits []Hit) []string {
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
func (s *deliverRoom) baseline(project string) []index.Hit {
	var out []index.Hit
	fell := map[string]string{}
	for _, c := range s.deck().special {
		if isBaseline(*c) && c.For(project) && s.speaks(c) {
			out = append(out, index.Hit{Card: *c})
			fell[c.Path] = s.state.FellLately(c)
		}
	}
	slices.SortFunc(out, func(x, y index.Hit) int {
		a, b := &x.Card, &y.Card
		return cmp.Or(-strings.Compare(fell[a.Path], fell[b.Path]), strings.Compare(b.Project, a.Project), -cmp.Compare(a.Occurrences, b.Occurrences), strings.Compare(a.Path, b.Path))
	})
	return out
}

func isBaseline(c lessons.Card) bool {
	return c.Severity == lessons.High && (c.Kind == lessons.Policy || c.Kind == lessons.Architecture || c.Kind == lessons.Preference)
}

// layers reads the cards of a block, each layer by itself so that none takes another's
// place: those that come with every request, then the lessons that speak to this one and up
// to three playbooks, of which those that proved themselves go first. It returns how many
// speak to this request, too.
func (s *deliverRoom) layers(hits []index.Hit) (base, scored []lessons.Card, speaking int) {
	var playbooks []lessons.Card
	seen := map[string]bool{}
	for _, h := range hits {
		if !h.Card.Kind.IsCard() || seen[h.Card.Path] {
			continue
		}
		seen[h.Card.Path] = true
		layer, most := &scored, 2*maxLessons
		switch {
		case h.Score == 0: // of the baseline
			layer, most = &base, maxBaseline
		case h.Card.Kind == lessons.Playbook:
			layer, most = &playbooks, maxPlaybooks
		}
		if h.Score > 0 {
			speaking++
		}
		if len(*layer) == most {
			continue
		}
		card, err := s.read(h.Card.Path)
		if err != nil {
			s.log.Warn("card left out of the block", "card", h.Card.Path, "err", err)
			continue // deleted a moment ago; the watcher will tell
		}
		if !s.trust.Approved(&card) {
			continue // changed a moment ago
		}
		*layer = append(*layer, card)
	}
	slices.SortStableFunc(playbooks, func(a, b lessons.Card) int { return -cmp.Compare(s.state.Proven(a.Path), s.state.Proven(b.Path)) })
	return base, append(scored, playbooks...), speaking
}

// serve fills the block and the context from hits, best first. It returns how many cards
// that speak to the request found no room. room is what both may take.
func (s *deliverRoom) serve(out *Preflight, hits []index.Hit, room lessons.Budget) (cut int) {
	base, scored, speaking := s.layers(hits)
	share := baselineTokens / max(1, len(base))
	cardTokens := func(c lessons.Card) int { // an oversize one starves nobody
		if isBaseline(c) {
			return share
		}
		return lessonTokens / 2
	}
	always, base := lessons.Block(base, lessons.Budget{Tokens: baselineTokens, Cards: maxBaseline, Card: cardTokens})
	limit := lessons.Budget{Tokens: lessonTokens + lessons.CountTokens(always), Chars: maxBlockChars, Cards: maxLessons + len(base), Card: cardTokens}
	block, used := lessons.Block(slices.Concat(base, scored), limit)
	out.Block = block
	for _, c := range used {
		i := slices.IndexFunc(hits, func(h index.Hit) bool { return h.Card.Path == c.Path })
		out.Lessons = append(out.Lessons, hit(hits[i], excerpt(told(c), sought(hits[i]), excerptChars)))
	}
	out.Tokens = lessons.CountTokens(block)

	var notes []lessons.Excerpt
	byPath := map[string]Hit{}
	for _, h := range hits {
		if h.Card.Kind.IsCard() || len(notes) == maxNotes {
			continue
		}
		of := excerpts(s.toldNow(h.Card), sought(h), passageChars, excerptChars)
		notes = append(notes, lessons.Excerpt{Path: h.Card.Path, Title: h.Card.Title, Text: of[0]})
		byPath[h.Card.Path] = hit(h, of[1])
	}
	var served []lessons.Excerpt
	out.Context, served = lessons.Context(notes, lessons.Budget{Tokens: room.Tokens - out.Tokens, Chars: max(0, room.Chars-len(block)), Cards: maxNotes})
	for _, n := range served {
		out.Notes = append(out.Notes, byPath[n.Path])
	}
	out.Tokens += lessons.CountTokens(out.Context)
	return speaking - (len(used) - len(base))
}

// toldNow returns what a card or note says as the file stands now, "" when it is gone.
func (s *Base) toldNow(c lessons.Card) string {
	card, err := s.read(c.Path)
	if err != nil {
		s.log.Warn("no excerpt", "file", c.Path, "err", err)
		return ""
	}
	return told(card)
}

// recent lists cards, active ones or all, by the day they were last seen, then by how often.
func (s *deliverRoom) recent(r RetrieveRequest, limit int) []Hit {
	cards := s.idx.Cards()
	cards = slices.DeleteFunc(cards, func(c lessons.Card) bool {
		return !r.All && c.Status != lessons.Active || c.Status == lessons.Conflicted || !c.For(r.Project) || !r.only.keeps(&c)
	})
	slices.SortStableFunc(cards, newestFirst)
	out := make([]Hit, 0, min(limit, len(cards)))
	for _, c := range cards[:min(limit, len(cards))] {
		out = append(out, hit(index.Hit{Card: c}, excerpt(s.toldNow(c), nil, excerptChars)))
	}
	return out
}

// relFiles turns absolute paths into the forms a card's paths globs are written
// against: relative to the folder that holds the brain.
func (s *Base) relFiles(files []string) []string {
	if len(files) == 0 {
		return nil
	}
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = s.projectPath(f)
	}
	return out
}

// head returns at most n bytes of text, whole characters.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
