package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

const (
	// likeThis is the share of the words of either request that the other must hold more of, to
	// be one like it: of five words none may differ, of six one.
	likeThis = 0.8
	// maxNeverWords and maxNeverRequest bound what is kept of a request, in words and bytes.
	maxNeverWords   = 64
	maxNeverRequest = 200
)

// Never is a kind of request that a card is kept from.
type Never struct {
	ID      string    `json:"id"` // Review takes it back by this, as undo does
	Path    string    `json:"path"`
	Request string    `json:"request"` // its beginning, without secrets
	Words   []string  `json:"words"`   // a request that holds nearly these is one like it
	At      time.Time `json:"at"`
}

// NeverRow is one as it is kept.
type NeverRow struct {
	Never
	Act string `json:"act"` // of the journal, which undo takes back
}

// NewNever returns what keeps a card from requests like one, to be put into the table once its
// act is in the journal. It has no Words where the request has none to know it by.
func (l *Ledger) NewNever(act, path, request string) NeverRow {
	return NeverRow{Act: act, Never: Never{
		ID: NewID(), Path: path, Request: head(strings.Join(strings.Fields(leaks.Redact(request)), " "), maxNeverRequest),
		Words: significant(request), At: l.now(),
	}}
}

// Nevers returns what cards are kept from, oldest first.
func (l *Ledger) Nevers() []NeverRow {
	return l.Never.All(func(a, b NeverRow) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
}

// NeverFor returns who tells whether a card is kept from a request, and by what.
func (l *Ledger) NeverFor(request string) func(path string) (Never, bool) {
	var words []string
	rows := l.Nevers()
	if len(rows) > 0 {
		words = significant(request)
	}
	return func(path string) (Never, bool) {
		i := slices.IndexFunc(rows, func(n NeverRow) bool { return n.Path == path && alike(n.Words, words) })
		if i < 0 {
			return Never{}, false
		}
		return rows[i].Never, true
	}
}

// significant returns the words of a request that say what it is about, each once.
func significant(request string) (words []string) {
	for _, t := range terms.Words(terms.Normalize(leaks.Redact(request))) {
		if !t.Stop && len(words) < maxNeverWords {
			words = With(words, t.Text)
		}
	}
	return words
}

// alike reports whether two requests hold nearly the same words.
func alike(a, b []string) bool {
	both := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			both++
		}
	}
	return float64(both) > likeThis*float64(max(len(a), len(b)))
}
