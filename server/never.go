package server

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"handrail/index"
	"handrail/lessons"
	"handrail/lessons/journal"
	"handrail/server/ledger"
)

// NeverRequest says that a card is not to come before requests like this one.
type NeverRequest struct {
	Path     string `json:"path" names:"card"`  // of the card
	Query    string `json:"query,omitempty"`    // the request
	AnswerID string `json:"answerId,omitempty"` // or the answer to it
}

// NeverFor keeps a card from requests like one until Undo or Review takes it back.
// The card stays as it is, and comes to everybody else.
func (s *deliverRoom) NeverFor(_ context.Context, r NeverRequest) (Never, error) {
	rel, err := s.cardPath(r.Path)
	if err != nil {
		return Never{}, fmt.Errorf("keep %s from requests: %w", r.Path, err)
	}
	query, _, err := s.requestOf(r.Query, r.AnswerID)
	if err != nil {
		return Never{}, fmt.Errorf("keep %s from requests: %w", rel, err)
	}
	query = head(query, maxQuery)
	if n, ok := s.state.NeverFor(query)(rel); ok {
		return n, nil
	}
	act := s.act("never")
	n := s.state.NewNever(act.Name(), rel, query)
	if len(n.Words) == 0 {
		return Never{}, &RequestError{Field: "query", Value: n.Request, Need: NeedWords}
	}
	act.Why = n.Request
	act.Also(func() error {
		s.state.Never.Put(n.ID, n)
		return s.state.Save()
	})
	if err := s.do(act, func() error { act.Mark(rel); return nil }); err != nil {
		return Never{}, fmt.Errorf("keep %s from requests: %w", rel, err)
	}
	s.tellChanged(Changed{Candidates: true})
	return n.Never, nil
}

// takeBack undoes in the ledger what an act of the journal did there.
func (s *Base) takeBack(act string) {
	if s.state.TakeBack(func(a string) bool { return a == act }) {
		s.tellChanged(Changed{Cards: true, Candidates: true})
	}
}

// withoutNever leaves out the cards that are kept from a request.
func (s *deliverRoom) withoutNever(query string, hits []index.Hit) []index.Hit {
	never := s.state.NeverFor(head(query, maxQuery))
	return slices.DeleteFunc(hits, func(h index.Hit) bool {
		_, kept := never(h.Card.Path)
		return kept
	})
}

// speaks reports whether a card may come without being asked for: there is no pause, and nobody has to
// approve its text first.
func (s *Base) speaks(c *lessons.Card) bool { return s.speaker()(c) }

// speaker is speaks for many cards.
func (s *Base) speaker() func(*lessons.Card) bool {
	_, pause := s.state.Pause.Get(pauseKey)
	pause = pause && !s.Paused(context.Background()).Until.IsZero()
	return func(c *lessons.Card) bool { return !pause && s.trust.Approved(c) }
}

// AlwaysRequest says that a card is about files.
type AlwaysRequest struct {
	Path  string   `json:"path" names:"card"`  // of the card
	Files []string `json:"files" names:"file"` // absolute; a folder stands for all files in it
}

// AlwaysFor adds files to the paths of a card. Only their line changes.
func (s *deskRoom) AlwaysFor(_ context.Context, r AlwaysRequest) (Card, error) {
	var globs []string
	for i, rel := range s.relFiles(r.Files) {
		if path.IsAbs(rel) || rel == "." || strings.HasPrefix(rel, "..") {
			return Card{}, &RequestError{Field: "files", Value: r.Files[i], Need: NeedFile}
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
		return Card{}, &RequestError{Field: "files", Need: NeedFile}
	}
	return s.edit("paths", "add files to", r.Path, func(src []byte) ([]byte, error) { return lessons.AddPaths(src, globs...) })
}

// DropRequest names an item of a card.
type DropRequest struct {
	Path string `json:"path" names:"card"`
	Item string `json:"item"` // its text, as verdicts have it
}

// DropItem takes an item out of a card's checklist. Only its lines go.
func (s *deskRoom) DropItem(_ context.Context, r DropRequest) (Card, error) {
	return s.edit("drop", "take an item out of", r.Path, func(src []byte) ([]byte, error) {
		out, found := lessons.DropItem(r.Path, src, r.Item)
		if !found {
			return nil, &RequestError{Field: "item", Value: head(r.Item, 80), Need: NeedItem}
		}
		return out, nil
	})
}

// globEscape makes a file's name a pattern of itself.
var globEscape = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`)

// takeBackNever lets a card come before requests again.
func (s *Base) takeBackNever(n ledger.NeverRow) error {
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
	s.takeBack(n.Act) // the journal could not be written at the time
	return nil
}
