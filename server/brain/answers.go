package brain

import (
	"slices"
	"sync"
	"time"

	"github.com/handrail-dev/handrail/postcheck"
)

// MaxAnswers is how many checked answers are at hand.
const MaxAnswers = 20

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
}

// Keep holds the check of an answer, and returns it as it is to be shown: what a person said of
// its items before still holds.
func (a *answers) Keep(f Footer, session string, aside bool) Footer {
	a.mu.Lock()
	defer a.mu.Unlock()
	kept := &answer{f, slices.Clone(f.Verdicts), map[[2]string]string{}, session, aside}
	i := slices.IndexFunc(a.list, func(old *answer) bool { return old.shown.AnswerID == f.AnswerID })
	if i < 0 {
		a.list = append(a.list, kept)
		a.list = a.list[max(0, len(a.list)-MaxAnswers):]
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
	a.shown.Unaddressed = Unaddressed(a.shown.Verdicts)
}

// Answers returns what the last checks found, newest first. They do not outlive the process.
func (s *Base) Answers() []Footer {
	s.Checked.mu.Lock()
	defer s.Checked.mu.Unlock()
	out := []Footer{}
	for _, a := range slices.Backward(s.Checked.list) {
		out = append(out, a.shown)
	}
	return out
}

// BrokenIn returns the cards of which one of the last answers broke an item in a file.
func (s *Base) BrokenIn(file string) map[string]bool {
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

func (a *answers) Judge(r JudgeRequest, recount func(path string, on time.Time, before, after []Verdict)) (Footer, string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	has := func(v Verdict) bool { return v.Path == r.Path && v.Item == r.Item }
	i := slices.IndexFunc(a.list, func(o *answer) bool {
		return o.shown.AnswerID == r.AnswerID && r.AnswerID != "" && slices.ContainsFunc(o.found, has)
	})
	if i < 0 {
		return Footer{}, "", ErrUnknownAnswer
	}
	o := a.list[i]
	o.words[[2]string{r.Path, r.Item}] = r.State
	if r.State == "" {
		delete(o.words, [2]string{r.Path, r.Item})
	}
	before := o.shown.Verdicts
	if o.judge(); !o.aside {
		recount(r.Path, o.shown.At, before, o.shown.Verdicts)
	}
	return o.shown, o.session, nil
}
