// Package judge says what became of each item of a card: verdicts, evidence and the closing line.
package judge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/postcheck"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/server/say"
	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/heard"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// Check checks an answer against the cards that were served for it, as Answered says.
func (s *Room) Check(ctx context.Context, r AnswerRequest) (brain.Footer, error) {
	row := ledger.Turn{ID: r.AnswerID}
	switch {
	case len(r.Lessons) > 0:
		for _, path := range r.Lessons {
			rel, err := s.Files.Rel(path)
			if err != nil {
				return brain.Footer{}, err
			}
			card, err := s.Read(rel)
			if err != nil {
				return brain.Footer{}, fmt.Errorf("check an answer against %s: %w", rel, err)
			}
			row.Lessons = append(row.Lessons, brain.NewHit(index.Hit{Card: card}, brain.Excerpt(brain.FullText(card), nil, brain.ExcerptChars)))
		}
	case r.AnswerID != "":
		var ok bool
		row, ok = s.State.Turns.Get(r.AnswerID)
		if !ok {
			return brain.Footer{}, fmt.Errorf("answer %q: %w", r.AnswerID, brain.ErrUnknownAnswer)
		}
	default:
		return brain.Footer{}, fmt.Errorf("check an answer: %w", brain.ErrUnknownAnswer)
	}

	var cards []lessons.Card
	for _, h := range row.Served() {
		if !row.Owes(h.Path) {
			continue
		}
		card, err := s.Read(h.Path)
		if err != nil { // deleted between question and answer: nothing to hold against it
			s.Logger.Info("card not checked", "card", h.Path, "err", err)
			continue
		}
		cards = append(cards, card)
	}
	if err := ctx.Err(); err != nil {
		return brain.Footer{}, err
	}
	session := cmp.Or(r.SessionID, row.Session)
	footer := brain.Footer{
		Asked:    say.Clip(strings.Join(strings.Fields(leaks.Redact(brain.Head(row.Request, brain.MaxQuery))), " "), maxFirst),
		AnswerID: row.ID, At: s.Now(), Unaddressed: []brain.Verdict{}, Verdicts: []brain.Verdict{}, Evidence: []brain.Evidence{}, Doubts: []brain.Doubt{}, Agent: row.Agent, Turn: row.Number,
		Notes: append([]brain.Hit{}, row.Notes...), Tokens: row.Tokens,
		Repeat: r.SessionID != "" && len(r.Lessons) == 0 && s.State.Check(row.ID, r.Answer), // two hooks may tell of the same answer
	}
	if row.ID != "" && r.Transcript {
		footer.Lost = len(row.Missing(r.Receipts))
	}
	s.Flush(ctx) // what the turn did is known before it is judged
	titled := s.titled(session, row)
	s.verdicts(ctx, &footer, row, r, append(cards, titled...))
	row = s.byTitle(session, row, titled, &footer)
	footer.Lessons, footer.Moments = row.Served(), row.Moments()
	if len(r.Lessons) == 0 {
		s.counted(row.ID, r, footer)
		footer = s.Checked.Keep(footer, session, row.Aside)
	}
	s.State.InSession(r.SessionID, func(t *ledger.Session) { t.Asked = heard.EndsAsking(r.Answer) })
	if footer.Repeat {
		return footer, nil
	}
	if r.Line {
		footer.Line = r.Locale.Line(footer, s.newCandidates(r.SessionID), s.newDistrust(ctx, r.SessionID))
	}
	s.keepLeft(session, r, footer)
	s.Tell(func(n *brain.Notify) {
		if n.Footer != nil {
			n.Footer(footer)
		}
	})
	return footer, nil
}

// titled returns the cards of which a conversation has the title alone, or had where the answer was checked before.
func (s *Room) titled(session string, row ledger.Turn) (cards []lessons.Card) {
	talk, _ := s.State.Sessions.Get(session)
	if _, known := s.Deeds.Deeds(session); !known || row.ID == "" || row.Aside {
		return nil
	}
	paths := map[string]bool{}
	for path, g := range talk.Given {
		paths[path] = g.Share == ledger.Titled
	}
	for _, h := range row.Titles {
		paths[h.Path] = true
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if card, err := s.Read(path); paths[path] && err == nil && card.Status == lessons.Active && s.MaySpeak(&card) {
			cards = append(cards, card)
		}
	}
	return cards
}

// byTitle leaves of the verdicts on titled cards what was broken, and those of cards that deeds kept whole: a title asks
// nothing of an answer, and one that was obeyed is told once a conversation, as the item "".
func (s *Room) byTitle(session string, row ledger.Turn, titled []lessons.Card, f *brain.Footer) ledger.Turn {
	talk, _ := s.State.Sessions.Get(session)
	before := row.Titles
	row.Titles = nil
	for _, c := range titled {
		of := func(v brain.Verdict) bool { return v.Path == c.Path }
		broken := func(v brain.Verdict) bool { return of(v) && v.State == string(postcheck.Broken) }
		lacks := func(v brain.Verdict) bool {
			return of(v) && (v.State != string(postcheck.Kept) || v.By == string(postcheck.ByAnswer))
		}
		breaks := slices.ContainsFunc(f.Verdicts, broken)
		told := slices.Contains(talk.Given[c.Path].Items, "") && !slices.ContainsFunc(before, func(h brain.Hit) bool { return h.Path == c.Path })
		if breaks || told || slices.ContainsFunc(f.Verdicts, lacks) {
			f.Verdicts = slices.DeleteFunc(f.Verdicts, func(v brain.Verdict) bool { return of(v) && !broken(v) })
		}
		if !slices.ContainsFunc(f.Verdicts, of) {
			continue
		}
		row.Titles = append(row.Titles, brain.NewHit(index.Hit{Card: c}, ""))
		if !breaks {
			s.State.InSession(session, func(t *ledger.Session) { t.Lead(c.Path, "") })
		}
	}
	f.Unaddressed = brain.Unaddressed(f.Verdicts)
	s.State.Turns.Change(row.ID, func(t *ledger.Turn) bool { t.Titles = row.Titles; return len(t.Titles) > 0 })
	return row
}

// counted counts what an answer showed of the cards of its turn, and whether the host of the
// conversation dropped them.
func (s *Room) counted(turn string, r AnswerRequest, f brain.Footer) {
	dropped := r.Transcript && !slices.Contains(r.Receipts, ledger.Receipt(turn))
	addressed := map[string]bool{}
	row, _ := s.State.Turns.Get(turn)
	for _, v := range f.Verdicts {
		if v.State == string(postcheck.Broken) && !row.Aside && !dropped {
			s.State.Recurred(v.Path, row.Session)
		}
		if yes, no := credit(v.Path, f.Verdicts); yes+no > 0 {
			addressed[v.Path] = yes > 0
		}
	}
	s.State.CreditAnswer(turn, dropped, addressed)
	if r.Transcript {
		s.State.Forget(row.Session, row.Missing(r.Receipts))
	}
}

// Receipt returns the short name under which the block of an answer goes to an agent, to be
// looked for in its transcript.
func Receipt(answerID string) string { return ledger.Receipt(answerID) }

// newCandidates returns how many candidates of a conversation wait of which its closing lines have not told, and takes them for told.
func (s *Room) newCandidates(session string) (n int) {
	now := s.Now() // what comes while this counts is told of next time
	waiting := s.Proposals.Waiting()
	s.State.InSession(session, func(row *ledger.Session) {
		for _, c := range waiting {
			if c.SessionID == session && c.At.After(row.Counted) {
				n++
			}
		}
		row.Counted = now
	})
	return n
}

// newDistrust returns what of a conversation did not come for want of trust, where its closing lines
// have not told of it.
func (s *Room) newDistrust(ctx context.Context, session string) (d brain.Distrust) {
	if s.Trusted(ctx) {
		d.Waiting = len(s.Keeper.Waiting())
		d.Who, _ = s.Keeper.Brought()
	} else {
		for _, w := range s.Keeper.Others() {
			d.Files += w.Files
			if name, _, _ := strings.Cut(w.Author, " <"); name != "" {
				d.Who = append(d.Who, name)
			}
		}
	}
	s.State.InSession(session, func(row *ledger.Session) {
		before := row.Untrusted
		row.Untrusted = d.Files + d.Waiting
		if row.Untrusted == before {
			d = brain.Distrust{}
		}
	})
	return d
}

// maxFirst bounds the first words of a request that name its answer in a list, in columns.
const maxFirst = 80

// Judge puts a person's word in the place of a verdict, in what is shown, counted and left over
// for the next request. An answer that is no longer at hand is ErrUnknownAnswer.
func (s *Room) Judge(_ context.Context, r brain.JudgeRequest) (brain.Footer, error) {
	if err := lessons.OneOf("state", r.State, []string{"", string(postcheck.Kept), string(postcheck.NotHere)}); err != nil {
		return brain.Footer{}, err
	}
	f, session, err := s.Checked.Judge(r, s.recount)
	if err != nil {
		return brain.Footer{}, fmt.Errorf("judge %q: %w", r.Item, err)
	}
	s.State.InSession(session, func(row *ledger.Session) {
		same := func(v brain.Verdict) bool { return v.Path == r.Path && v.Item == r.Item }
		row.Left = slices.DeleteFunc(slices.Clone(row.Left), same)
		if i := slices.IndexFunc(f.Unaddressed, same); i >= 0 && len(row.Left) < maxLeft && lessons.Severity(f.Unaddressed[i].Severity).Rank() > 0 {
			row.Left = append(row.Left, f.Unaddressed[i])
		}
	})
	s.Tell(func(n *brain.Notify) {
		if n.Footer != nil {
			n.Footer(f)
		}
	})
	return f, nil
}

// recount gives a card the credit of what a person said of an answer, on the day it was checked.
func (s *Room) recount(path string, on time.Time, before, after []brain.Verdict) {
	addressed, not := credit(path, after)
	was, wasNot := credit(path, before)
	if addressed == was && not == wasNot {
		return
	}
	s.State.CreditOn(lessons.DateOf(on).String(), path, func(_ *ledger.Usage, t *ledger.Tally) {
		t.Addressed, t.Unaddressed = t.Addressed+addressed-was, t.Unaddressed+not-wasNot
	})
}

// credit returns what an answer counts for a card: nothing where none of its items applies, or one is only said to be kept.
func credit(path string, verdicts []brain.Verdict) (addressed, not int) {
	said := false
	for _, v := range verdicts {
		switch {
		case v.Path != path || v.State == string(postcheck.NotHere):
		case v.State == string(postcheck.Said):
			said = true
		case v.State == string(postcheck.Kept):
			addressed = 1
		default:
			return 0, 1
		}
	}
	if said {
		return 0, 0
	}
	return addressed, 0
}

// Room says what became of each item.
type Room struct{ *brain.Base }

// AnswerRequest is an answer to be checked against the cards that were served for it:
// those of AnswerID, of the session's last request, or the named ones.
type AnswerRequest struct {
	AnswerID   string            `json:"answerId,omitempty"`
	SessionID  string            `json:"-"`                              // used when AnswerID is empty
	Lessons    []string          `json:"lessons,omitempty" names:"card"` // card paths; they go before AnswerID and SessionID
	Answer     string            `json:"answer"`
	Request    string            `json:"-"` // what it answers, where nobody remembers the words
	Changes    []triggers.Change `json:"-"` // what was done to files, by the names that cards give them, beside what the conversation's events told
	Ran        []brain.Ran       `json:"-"` // commands that ran, likewise
	Watched    bool              `json:"-"` // deeds that are not told were not done
	Commands   bool              `json:"-"` // the host is known to tell of each command
	Elsewhere  bool              `json:"-"` // a sub-agent or a server's tool was at work, of which nobody tells what it ran
	Locale     say.Locale        `json:"-"` // language of the line
	Line       bool              `json:"-"` // the person sees the footer's Line
	Transcript bool              `json:"-"` // Receipts are all that the conversation's transcript holds
	Receipts   []string          `json:"-"` // of blocks and cards that reached the agent
}
