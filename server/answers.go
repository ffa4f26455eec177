package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	found   []Verdict // as the check had them, for who takes a word back
	session string
}

// keep holds the check of an answer; another check of the same request takes its place.
func (a *answers) keep(f Footer, session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = slices.DeleteFunc(a.list, func(old *answer) bool { return old.shown.AnswerID == f.AnswerID })
	a.list = append(a.list, &answer{f, slices.Clone(f.Verdicts), session})
	a.list = a.list[max(0, len(a.list)-maxAnswers):]
}

// Answers returns what the last checks found, newest first. They do not outlive the process.
func (s *Server) Answers() []Footer {
	s.answers.mu.Lock()
	defer s.answers.mu.Unlock()
	out := []Footer{}
	for _, a := range slices.Backward(s.answers.list) {
		out = append(out, a.shown)
	}
	return out
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
func (s *Server) Judge(_ context.Context, r JudgeRequest) (Footer, error) {
	if err := oneOf("state", r.State, []string{"", string(postcheck.Kept), string(postcheck.NotHere)}); err != nil {
		return Footer{}, err
	}
	f, session, err := s.answers.judge(r, s.recount)
	if err != nil {
		return Footer{}, fmt.Errorf("judge %q: %w", r.Item, err)
	}
	s.state.InSession(session, func(row *ledger.Session) {
		row.Left = slices.DeleteFunc(row.Left, func(v Verdict) bool { return v.Path == r.Path && v.Item == r.Item && r.State != "" })
	})
	s.tell(func(n *Notify) {
		if n.Footer != nil {
			n.Footer(f)
		}
	})
	return f, nil
}

func (a *answers) judge(r JudgeRequest, recount func(path string, before, after []Verdict)) (Footer, string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.list, func(o *answer) bool { return o.shown.AnswerID == r.AnswerID && r.AnswerID != "" })
	if i < 0 {
		return Footer{}, "", ErrUnknownAnswer
	}
	o := a.list[i]
	same := func(v Verdict) bool { return v.Path == r.Path && v.Item == r.Item }
	at := slices.IndexFunc(o.found, same)
	if at < 0 {
		return Footer{}, "", ErrUnknownAnswer
	}
	f := o.shown
	f.Verdicts = slices.Clone(f.Verdicts)
	if f.Verdicts[at] = o.found[at]; r.State != "" {
		f.Verdicts[at].State, f.Verdicts[at].By = r.State, "person"
		f.Verdicts[at].Place, f.Verdicts[at].Missing = nil, []string{}
	}
	f.Unaddressed = unaddressed(f.Verdicts)
	recount(r.Path, o.shown.Verdicts, f.Verdicts)
	o.shown = f
	return f, o.session, nil
}

// recount gives a card the credit of what a person said of an answer.
func (s *Server) recount(path string, before, after []Verdict) {
	missed := func(list []Verdict) bool {
		return slices.ContainsFunc(unaddressed(list), func(v Verdict) bool { return v.Path == path })
	}
	was, is := missed(before), missed(after)
	if was == is {
		return
	}
	by := 1
	if is {
		by = -1
	}
	s.state.Credit(path, func(_ *ledger.Usage, t *ledger.Tally) bool {
		t.Addressed, t.Unaddressed = t.Addressed+by, t.Unaddressed-by
		return true
	})
}
