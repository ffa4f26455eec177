package ledger

import (
	"cmp"
	"strconv"

	"github.com/handrail-dev/handrail/lessons"
)

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

// Why explains a Hit: which words of the query it answers, how relevant that makes it
// and what each boost multiplied.
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
