package server

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"handrail/index"
	"handrail/lessons"
	"handrail/lessons/journal"
	"handrail/lessons/terms"
	"handrail/triggers/leaks"
)

// NeverRequest says that a card is not to come before requests like this one.
type NeverRequest struct {
	Path     string // of the card
	Query    string // the request
	AnswerID string // or the answer to it
}

// Never is a kind of request that a card is kept from.
type Never struct {
	ID      string    `json:"id"` // Review takes it back by this, as undo does
	Path    string    `json:"path"`
	Request string    `json:"request"` // its beginning, without secrets
	Words   []string  `json:"words"`   // a request that holds nearly these is one like it
	At      time.Time `json:"at"`
}

// neverRow is one as it is kept.
type neverRow struct {
	Never
	Act string `json:"act"` // of the journal, which undo takes back
}

const (
	// likeThis is the share of the words of either request that the other must hold more of, to
	// be one like it: of five words none may differ, of six one.
	likeThis = 0.8
	// maxNeverWords and maxNeverRequest bound what is kept of a request, in words and bytes.
	maxNeverWords   = 64
	maxNeverRequest = 200
)

// NeverFor keeps a card from requests like one, until Undo or Review takes it back. The card
// stays as it is.
func (s *Server) NeverFor(_ context.Context, r NeverRequest) (Never, error) {
	rel, err := s.cardPath(r.Path)
	if err != nil {
		return Never{}, fmt.Errorf("keep %s from requests: %w", r.Path, err)
	}
	query, _, err := s.requestOf(r.Query, r.AnswerID)
	if err != nil {
		return Never{}, fmt.Errorf("keep %s from requests: %w", rel, err)
	}
	words := s.significant(query)
	if len(words) == 0 {
		return Never{}, &RequestError{Field: "query", Value: head(query, maxNeverRequest), Allowed: []string{"a request with words to know it by"}}
	}
	if n, ok := s.nevers(query)(rel); ok {
		return n, nil
	}
	act := s.act("never")
	n := neverRow{Act: act.Name(), Never: Never{ID: newID(), Path: rel, Request: head(strings.Join(strings.Fields(leaks.Redact(query)), " "), maxNeverRequest), Words: words, At: s.now()}}
	act.Why = n.Request
	if err := act.Mark(rel); err != nil {
		return Never{}, fmt.Errorf("keep %s from requests: %w", rel, err)
	}
	s.state.never.Put(n.ID, n)
	s.tellChanged(Changed{Candidates: true})
	return n.Never, nil
}

// neverRows returns what cards are kept from, oldest first.
func (s *Server) neverRows() []neverRow {
	return s.state.never.All(func(a, b neverRow) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
}

// allow ends what an act began, if it kept a card from requests.
func (s *Server) allow(act string) {
	for _, n := range s.neverRows() {
		if n.Act == act {
			s.state.never.Delete(n.ID)
			s.tellChanged(Changed{Candidates: true})
		}
	}
}

// nevers returns who tells whether a card is kept from a request, and by what.
func (s *Server) nevers(query string) func(path string) (Never, bool) {
	rows := s.neverRows()
	var words []string
	if len(rows) > 0 {
		words = s.significant(query)
	}
	return func(path string) (Never, bool) {
		i := slices.IndexFunc(rows, func(n neverRow) bool { return n.Path == path && alike(n.Words, words) })
		if i < 0 {
			return Never{}, false
		}
		return rows[i].Never, true
	}
}

// withoutNever leaves out the cards that are kept from a request.
func (s *Server) withoutNever(query string, hits []index.Hit) []index.Hit {
	never := s.nevers(query)
	return slices.DeleteFunc(hits, func(h index.Hit) bool { _, ok := never(h.Card.Path); return ok })
}

// significant returns the words of a request that say what it is about, each once.
func (s *Server) significant(query string) (words []string) {
	for _, t := range terms.Words(terms.Normalize(leaks.Redact(head(query, maxQuery)))) {
		if !t.Stop && len(words) < maxNeverWords && !slices.Contains(words, t.Text) {
			words = append(words, t.Text)
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

// AlwaysRequest says that a card is about files.
type AlwaysRequest struct {
	Path  string   // of the card
	Files []string // absolute; a folder stands for all files in it
}

// AlwaysFor adds files to the paths of a card. Only their line changes.
func (s *Server) AlwaysFor(_ context.Context, r AlwaysRequest) (Card, error) {
	var globs []string
	for i, rel := range s.relFiles(r.Files) {
		if path.IsAbs(rel) || rel == "." || strings.HasPrefix(rel, "..") {
			return Card{}, &RequestError{Field: "files", Value: r.Files[i], Allowed: []string{"a file of the project"}}
		}
		glob := globEscape.Replace(rel)
		if strings.HasPrefix(glob, "!") {
			glob = `\` + glob // it takes nothing out
		}
		if info, err := os.Stat(r.Files[i]); err == nil && info.IsDir() {
			glob = path.Join(glob, "**")
		}
		globs = append(globs, glob)
	}
	if len(globs) == 0 {
		return Card{}, &RequestError{Field: "files", Allowed: []string{"a file of the project"}}
	}
	return s.edit("paths", "add files to", r.Path, func(src []byte) ([]byte, error) { return lessons.AddPaths(src, globs...) })
}

// globEscape makes a file's name a pattern of itself.
var globEscape = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`)

// takeBackNever lets a card come before requests again.
func (s *Server) takeBackNever(n neverRow) error {
	rows, err := s.journal.Rows()
	if err != nil {
		return fmt.Errorf("take back: %w", err)
	}
	for _, act := range journal.Undoable(rows) {
		if act[0].Act == n.Act {
			_, err := s.undoAct(act)
			return err
		}
	}
	s.allow(n.Act) // the journal could not be written at the time
	return nil
}
