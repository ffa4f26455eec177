package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"handrail/lessons"
	"handrail/postcheck"
	"handrail/server/ledger"
	"handrail/triggers/leaks"
)

const (
	// maxAnswers is how many checked answers are at hand.
	maxAnswers = 20
	// maxFirst bounds the first words of a request that name its answer, in characters.
	maxFirst = 80
)

// answers holds what the last checks found, in memory alone: it has words of requests.
type answers struct {
	mu   sync.Mutex
	list []*answer // oldest first
}

type answer struct {
	shown   Footer
	found   []Verdict            // as the check had them, for who takes a word back
	words   map[[2]string]string // of a person, by card and item: the state in a verdict's place
	session string
	aside   bool // nothing was counted
	summary func(Footer) string
}

// keep holds the check of an answer, and returns it as it is to be shown: what a person said of
// its items before still holds.
func (a *answers) keep(f Footer, session string, aside bool, summary func(Footer) string) Footer {
	a.mu.Lock()
	defer a.mu.Unlock()
	kept := &answer{f, slices.Clone(f.Verdicts), map[[2]string]string{}, session, aside, summary}
	i := slices.IndexFunc(a.list, func(old *answer) bool { return old.shown.AnswerID == f.AnswerID })
	if i < 0 {
		a.list = append(a.list, kept)
		a.list = a.list[max(0, len(a.list)-maxAnswers):]
	} else {
		kept.words, a.list[i] = a.list[i].words, kept
	}
	kept.judge()
	return kept.shown
}

// judge puts a person's words in the place of verdicts.
func (a *answer) judge() {
	a.shown.Verdicts = slices.Clone(a.found)
	for i := range a.shown.Verdicts {
		v := &a.shown.Verdicts[i]
		if state, said := a.words[[2]string{v.Path, v.Item}]; said {
			v.State, v.By, v.Place, v.Missing = state, "person", nil, []string{}
		}
	}
	a.shown.Unaddressed = unaddressed(a.shown.Verdicts)
	a.shown.Summary = a.summary(a.shown)
}

// Answers returns what the last checks found, newest first. They do not outlive the process.
func (s *Base) Answers() []Footer {
	s.answers.mu.Lock()
	defer s.answers.mu.Unlock()
	out := []Footer{}
	for _, a := range slices.Backward(s.answers.list) {
		out = append(out, a.shown)
	}
	return out
}

// brokenIn returns the cards of which one of the last answers broke an item in a file.
func (s *Base) brokenIn(file string) map[string]bool {
	cards := map[string]bool{}
	for _, f := range s.Answers() {
		for _, v := range f.Unaddressed {
			if v.State == string(postcheck.Broken) && v.Place != nil && v.Place.Path == file {
				cards[v.Path] = true
			}
		}
	}
	return cards
}

// firstWords returns what names a request in a list, on one line and without secrets.
func firstWords(request string) string {
	words := []rune(strings.Join(strings.Fields(leaks.Redact(head(request, maxQuery))), " "))
	if len(words) > maxFirst {
		return string(words[:maxFirst-1]) + "…"
	}
	return string(words)
}

// JudgeRequest is a person's word on an item of a checked answer.
type JudgeRequest struct {
	AnswerID string `json:"answerId"`
	Path     string `json:"path"`  // of the card
	Item     string `json:"item"`  // as its verdict has it
	State    string `json:"state"` // kept or not-here; "" takes the word back
}

// Judge puts a person's word in the place of a verdict, in what is shown, counted and left over
// for the next request. An answer that is no longer at hand is ErrUnknownAnswer.
func (s *judgeRoom) Judge(_ context.Context, r JudgeRequest) (Footer, error) {
	if err := oneOf("state", r.State, []string{"", string(postcheck.Kept), string(postcheck.NotHere)}); err != nil {
		return Footer{}, err
	}
	f, session, err := s.answers.judge(r, s.recount)
	if err != nil {
		return Footer{}, fmt.Errorf("judge %q: %w", r.Item, err)
	}
	s.state.InSession(session, func(row *ledger.Session) {
		same := func(v Verdict) bool { return v.Path == r.Path && v.Item == r.Item }
		row.Left = slices.DeleteFunc(slices.Clone(row.Left), same)
		if i := slices.IndexFunc(f.Unaddressed, same); i >= 0 && len(row.Left) < maxLeft && lessons.Severity(f.Unaddressed[i].Severity).Rank() > 0 {
			row.Left = append(row.Left, f.Unaddressed[i])
		}
	})
	s.tell(func(n *Notify) {
		if n.Footer != nil {
			n.Footer(f)
		}
	})
	return f, nil
}

func (a *answers) judge(r JudgeRequest, recount func(path string, on time.Time, before, after []Verdict)) (Footer, string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.list, func(o *answer) bool { return o.shown.AnswerID == r.AnswerID && r.AnswerID != "" })
	if i < 0 {
		return Footer{}, "", ErrUnknownAnswer
	}
	o := a.list[i]
	if !slices.ContainsFunc(o.found, func(v Verdict) bool { return v.Path == r.Path && v.Item == r.Item }) {
		return Footer{}, "", ErrUnknownAnswer
	}
	if o.words[[2]string{r.Path, r.Item}] = r.State; r.State == "" {
		delete(o.words, [2]string{r.Path, r.Item})
	}
	before := o.shown.Verdicts
	if o.judge(); !o.aside {
		recount(r.Path, o.shown.At, before, o.shown.Verdicts)
	}
	return o.shown, o.session, nil
}

// recount gives a card the credit of what a person said of an answer, on the day it was checked.
func (s *judgeRoom) recount(path string, on time.Time, before, after []Verdict) {
	addressed, not := credit(path, after)
	was, wasNot := credit(path, before)
	if addressed == was && not == wasNot {
		return
	}
	s.state.CreditOn(lessons.DateOf(on).String(), path, func(_ *ledger.Usage, t *ledger.Tally) bool {
		t.Addressed, t.Unaddressed = t.Addressed+addressed-was, t.Unaddressed+not-wasNot
		return true
	})
}

// credit returns what an answer counts for a card: nothing where none of its items applies.
func credit(path string, verdicts []Verdict) (addressed, not int) {
	for _, v := range verdicts {
		switch {
		case v.Path != path || v.State == string(postcheck.NotHere):
		case v.State == string(postcheck.Kept):
			addressed = 1
		default:
			return 0, 1
		}
	}
	return addressed, 0
}
