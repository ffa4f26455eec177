package deliver

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/life"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/server/say"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// The tightest hosts: Codex cuts what has more than 2,500 tokens in its middle, Cursor what has more than 10,000
// characters. A host's own text needs room too.
const (
	hostTokens = 2400
	hostChars  = 9600
)

// Heads returns titles of cards that the conversation was not told yet, a line each: where it begins, those of all
// active cards that may speak here, as many as there is room for, those that matter most first; at a later request the
// nearest three. Of the rest a conversation's beginning says the number. Once its context was emptied it is told anew;
// one whose index is still being built is told when it asks next.
//
// A title is no served card: neither the ledger nor the usage counts it.
func (s *Room) Heads(ctx context.Context, r HeadsRequest) (Heads, error) {
	if r.Lost {
		s.State.Unhead(r.SessionID)
		return Heads{}, nil
	}
	s.noteHooks(r)
	if r.Begins {
		s.LookLater()
	}
	select {
	case <-s.Index.CaughtUp():
	default:
		if !r.Resumed { // which has them, and gets none
			return Heads{}, ctx.Err()
		}
	}
	bound, room := s.Extras.TitleTokens(), lessons.Budget{Tokens: hostTokens - lessons.CountTokens(r.Beside), Chars: max(1, hostChars-len(r.Beside))}
	if bound == 0 || r.Client != "" && s.HasHooks(r.Client) {
		return Heads{Hooked: s.ServedByHooks(r.Client)}, nil
	}
	if r.Resumed && r.Receipts != nil {
		r.Resumed = !s.State.Resumed(r.SessionID, r.Receipts)
	}
	given := false
	s.State.InSession(r.SessionID, func(row *ledger.Session) {
		again := r.Dropped && (row.Headed.Turn != row.Turns || s.Now().Sub(row.Headed.At) >= ledger.DoubleFire) // else two hooks tell of it
		if again {
			row.Untitle(0)
		}
		given = row.Headed != (ledger.Moment{}) && !again
		if !given {
			row.Headed = ledger.Moment{At: s.Now(), Turn: row.Turns}
		}
	})
	if r.Resumed || given && (r.Begins || r.Client != "") || room.Tokens <= 0 {
		return Heads{}, nil
	}
	if given {
		return s.told(r, s.nearest(r), r.Locale.Say(say.NearHeads), room), nil
	}
	room.Tokens = min(room.Tokens, bound)
	more := r.Locale.Say(say.MoreHeads, s.Deck().Active)
	cards := s.leading(ctx, r, room.Tokens)
	room.Tokens, room.Chars = room.Tokens-lessons.CountTokens(more), room.Chars-len(more)
	out := s.told(r, cards, r.Locale.Heads(s.Mine(), r.Client != "" || s.HasTools(r.Host)), room)
	if out.Named == 0 || r.Begins && s.GotTitlesByTools(r.Host) { // the same ones, a moment ago
		return Heads{}, nil
	}
	if left := len(cards) - out.Named; left > 0 {
		out.Text += "\n" + r.Locale.Say(say.MoreHeads, left)
	}
	if r.Client != "" {
		s.State.Tools.Put(strings.ToLower(r.Client)+brain.WithTitles, s.Now())
	}
	return out, nil
}

// told returns the titles of cards, as many as there is room for, and notes that the conversation has them.
func (s *Room) told(r HeadsRequest, cards []*lessons.Card, heading string, room lessons.Budget) Heads {
	var paths, titles []string
	for _, c := range cards {
		paths, titles = append(paths, c.Path), append(titles, c.Title)
	}
	text, n := lessons.Heads(titles, heading, room)
	if n == 0 {
		return Heads{}
	}
	if r.SessionID != "" {
		s.State.Give(r.SessionID, ledger.Given{Share: ledger.Titled}, paths[:n]...)
		s.State.Tell(ledger.Told{Titles: n, Tokens: lessons.CountTokens(text)})
	}
	return Heads{Text: strings.TrimSuffix(text, "\n"), Named: n}
}

// nearest returns the cards that a request is near to and that its conversation was not told of, nearest first.
func (s *Room) nearest(r HeadsRequest) (cards []*lessons.Card) {
	row, _ := s.State.Sessions.Get(r.SessionID)
	may := s.untold(r, row)
	for path, is := range s.near(r.SessionID) {
		if c := s.Deck().ByPath[path]; is && c != nil && may(c) {
			cards = append(cards, c)
		}
	}
	slices.SortFunc(cards, func(a, b *lessons.Card) int {
		return cmp.Or(-cmp.Compare(row.Echo[a.Path], row.Echo[b.Path]), strings.Compare(a.Path, b.Path))
	})
	return cards[:min(len(cards), maxTitles)]
}

// untold reports of a card whether a conversation may be told its title, and was told neither that nor the card. A title
// is obeyed, so that one whose card has aged is not told.
func (s *Room) untold(r HeadsRequest, talk ledger.Session) func(*lessons.Card) bool {
	may, today := s.WhoMaySpeak(), lessons.DateOf(s.Now())
	return func(c *lessons.Card) bool {
		return c.Status == lessons.Active && !c.Untitled && c.For(r.Project) && !talk.Has(c.Path, ledger.Titled) &&
			!slices.ContainsFunc(r.Whole, func(h brain.Hit) bool { return h.Path == c.Path }) && may(c) && life.Aged(*c, s.State.Record(c.Path), today) == ""
	}
}

// leading returns the cards whose titles a conversation begins with, those first that are standing rules, then by
// severity, by when their mistake fell again and when they were last seen, and those about files that changed lately.
// An agent whose hooks bring some rules whole with its first request is not told those. Where all fit into a number of
// tokens, nobody asks git.
func (s *Room) leading(ctx context.Context, r HeadsRequest, room int) (cards []*lessons.Card) {
	type ranked struct {
		stands, lately int
		fell, seen     string
	}
	rank, size := map[*lessons.Card]*ranked{}, 0
	talk, _ := s.State.Sessions.Get(r.SessionID)
	may, always := s.untold(r, talk), map[string]bool{}
	for i, h := range s.baseline(r.Project) {
		always[h.Card.Path] = r.Host != "" && i < brain.MaxBaseline
	}
	for _, c := range s.Index.Heads() {
		if always[c.Path] || !may(c) {
			continue
		}
		n := &ranked{fell: s.State.FellLately(c), seen: c.LastSeen.String()}
		if c.Kind == lessons.Policy || c.Kind == lessons.Preference || c.Kind == lessons.Architecture {
			n.stands = 1
		}
		rank[c], cards, size = n, append(cards, c), size+lessons.CountTokens(c.Title)
	}
	if size > room {
		files := s.Git.ChangedLately(ctx, filepath.Dir(s.Files.Root()))
		for c, n := range rank {
			if _, ok := lessons.MatchPaths(c.Paths, files); ok {
				n.lately = 1
			}
		}
	}
	slices.SortFunc(cards, func(x, y *lessons.Card) int {
		a, b := rank[x], rank[y]
		return cmp.Or(
			b.stands-a.stands, y.Severity.Rank()-x.Severity.Rank(), cmp.Compare(b.fell, a.fell), cmp.Compare(b.seen, a.seen),
			b.lately-a.lately, cmp.Compare(y.Project, x.Project), y.Occurrences-x.Occurrences, cmp.Compare(x.Path, y.Path),
		)
	})
	return cards
}

// learned answers a request that asks what was learned of late: the cards whose mistakes were seen since, and
// what waits for the person's word, also in a pause: it is asked for. It is empty for any other request.
func (s *Room) learned(r PreflightRequest) string {
	days := heard.AsksWhatWasLearned(r.Query)
	if days == 0 {
		return ""
	}
	since := lessons.DateOf(s.Now().AddDate(0, 0, 1-days))
	var lines []string
	cards := slices.DeleteFunc(slices.Clone(s.Index.Heads()), func(c *lessons.Card) bool {
		return !c.Kind.IsCard() || c.Status != lessons.Active || !c.For(r.Project) || c.LastSeen.Compare(since) < 0 || !s.Keeper.Approved(c)
	})
	if len(cards) == 0 && s.Mine() { // the project's brain answers
		return ""
	}
	slices.SortFunc(cards, brain.NewestFirst)
	for _, c := range cards[:min(len(cards), maxLearned)] {
		lines = append(lines, "- "+lessons.Shown(c.Title)+" · "+lessons.Shown(c.Path))
	}
	text := fmt.Sprintf("[LEARNED SINCE %s — tell the person]\nLessons: %d. More that wait for the person (handrail review): %d.\n", since, len(cards), len(s.Candidates()))
	return text + strings.Join(append(lines, "[/LEARNED]"), "\n")
}

// maxLearned bounds the cards that an answer to what was learned names.
const maxLearned = 20
