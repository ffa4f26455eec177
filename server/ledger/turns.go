package ledger

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/handrail-dev/handrail/lessons"
)

// servedWithin is how long after it was served a card is held to have been in front of
// somebody who gives no conversation's name, as a rollback in git does.
const servedWithin = 24 * time.Hour

// Turn is one request: what was served for it, and what came of it. One that was given nothing has a row too, so that
// its answer is never checked against the cards of the turn before.
type Turn struct {
	ID       string    `json:"id"`
	Session  string    `json:"session,omitempty"`
	At       time.Time `json:"at"`
	Lessons  []Hit     `json:"lessons"`
	Notes    []Hit     `json:"notes"`
	Agent    string    `json:"agent,omitempty"`
	Number   int       `json:"turn,omitempty"`     // in its conversation
	Known    []Hit     `json:"known,omitempty"`    // cards that speak to the request and were handed over before
	Touched  []Touched `json:"touched,omitempty"`  // cards handed over at an action of this turn
	Checked  string    `json:"checked,omitempty"`  // sum of the answer that was checked
	Counted  bool      `json:"counted,omitempty"`  // what its answer showed was counted
	Credited []string  `json:"credited,omitempty"` // cards that were counted as served
	Titles   []Hit     `json:"titles,omitempty"`   // cards of which the conversation has the title alone, and which the turn kept
	Tokens   int       `json:"tokens,omitempty"`   // of the block and of what came at actions, estimated

	Aside bool `json:"aside,omitempty"` // nobody acts on it: no turn

	Request string `json:"-"` // in memory alone
}

// Touched is a card that was handed over at an action.
type Touched struct {
	Hit     Hit    `json:"hit"`
	Receipt string `json:"receipt"`
	Reads   bool   `json:"reads,omitempty"` // the action only read: the answer owes the card nothing
}

// Receipt returns the short name under which what a turn is given goes to an agent, to be looked for in its transcript.
func Receipt(id string) string { return id[:min(len(id), 8)] }

// Served returns the cards of a turn, each once, whichever way it came.
func (t Turn) Served() []Hit {
	out := append([]Hit{}, t.Lessons...)
	for _, h := range slices.Concat(t.Known, t.touchedHits(true), t.Titles) {
		if !slices.ContainsFunc(out, func(o Hit) bool { return o.Path == h.Path }) {
			out = append(out, h)
		}
	}
	return out
}

// Moments says when the cards of a turn were shown, by path: start (the title alone), before, action, prompt.
func (t Turn) Moments() map[string]string {
	if t.ID == "" || t.Aside {
		return nil
	}
	out := map[string]string{}
	for i, hits := range [][]Hit{t.Titles, t.Known, t.touchedHits(true), t.Lessons} {
		for _, h := range hits {
			out[h.Path] = []string{"start", "before", "action", "prompt"}[i]
		}
	}
	return out
}

func (t Turn) touchedHits(reads bool) []Hit {
	var out []Hit
	for _, touched := range t.Touched {
		if reads || !touched.Reads {
			out = append(out, touched.Hit)
		}
	}
	return out
}

// Owes reports whether the answer is held against a card.
func (t Turn) Owes(path string) bool {
	has := func(h Hit) bool { return h.Path == path }
	return slices.ContainsFunc(t.Lessons, has) || slices.ContainsFunc(t.Known, has) || slices.ContainsFunc(t.touchedHits(false), has)
}

// Missing returns the cards that the turn was given under none of some receipts.
func (t Turn) Missing(receipts []string) map[string]bool {
	out := map[string]bool{}
	for _, h := range t.Lessons {
		out[h.Path] = !slices.Contains(receipts, Receipt(t.ID))
	}
	for _, touched := range t.Touched {
		out[touched.Hit.Path] = out[touched.Hit.Path] || !slices.Contains(receipts, touched.Receipt)
	}
	maps.DeleteFunc(out, func(_ string, missing bool) bool { return !missing })
	return out
}

// Given returns the paths of the cards that were put in front of a conversation or, where that
// has no name, of any within a day.
func (l *Ledger) Given(session string) map[string]bool {
	out, now := map[string]bool{}, l.now()
	for _, t := range l.Turns.All(nil) {
		if session != "" && t.Session != session || session == "" && now.Sub(t.At) > servedWithin {
			continue
		}
		for _, path := range t.Credited {
			out[path] = true
		}
	}
	return out
}

// Check notes which answer to a turn was checked, and reports whether it was this one already.
func (l *Ledger) Check(id, answer string) (before bool) {
	key := sum(answer)
	l.Turns.Change(id, func(t *Turn) bool {
		before, t.Checked = t.Checked == key, key
		return !before
	})
	return before
}

// Hit is a card or note that speaks to a query.
type Hit struct {
	Path        string           `json:"path"` // slash path relative to the brain
	Title       string           `json:"title"`
	Kind        lessons.Kind     `json:"kind"`
	Score       float64          `json:"score"` // relevance times every boost
	Excerpt     string           `json:"excerpt"`
	Severity    lessons.Severity `json:"severity,omitempty"`
	Occurrences int              `json:"occurrences,omitempty"`
	Status      lessons.Status   `json:"status,omitempty"` // of a card that is not active
	Why         Why              `json:"why"`
}

// Why explains a Hit: which words of the query it answers, how relevant that makes it and what each boost multiplied.
type Why struct {
	Terms     []string           `json:"terms"`
	Relevance float64            `json:"relevance"`
	Boosts    map[string]float64 `json:"boosts"`

	Similarity float64 `json:"similarity,omitzero"` // cosine with the query, where an embeddings model has a say
}

// Verdict is what a turn did with one checklist item.
type Verdict struct {
	Path     string   `json:"path"`
	Title    string   `json:"title"`
	Item     string   `json:"item"`
	Line     int      `json:"line"`     // of the item, from 1
	Severity string   `json:"severity"` // of the card
	State    string   `json:"state"`    // kept, said (by the answer alone), broken, open
	By       string   `json:"by"`       // what says so: check, command, line, answer
	Place    *Place   `json:"place,omitempty"`
	Missing  []string `json:"missing"` // of an open item: its words that nothing shows
}

// Place is where a verdict can be seen.
type Place struct {
	File     string `json:"file,omitempty"` // as cards name it
	Path     string `json:"path,omitempty"` // where it is, absolute
	Line     int    `json:"line,omitzero"`  // from 1, 0 where it is not known
	Text     string `json:"text,omitempty"` // of the line
	Command  string `json:"command,omitempty"`
	Sentence string `json:"sentence,omitempty"` // of the answer
}

// String names a place in a few characters: file:line, the command, or the line of code in an answer; "" without any.
func (p *Place) String() string {
	switch {
	case p == nil:
		return ""
	case p.File != "" && p.Line > 0:
		return p.File + ":" + strconv.Itoa(p.Line)
	case p.File != "":
		return p.File
	}
	return cmp.Or(p.Command, p.Text)
}
