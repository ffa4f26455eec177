package server

import (
	"context"
	"errors"
	"fmt"

	"handrail/lessons"
	"handrail/lessons/journal"
)

// ReviewRequest is a person's word about many candidates at once. Each is named by its id, or
// by the first characters of it, as long as no other begins so.
type ReviewRequest struct {
	Accept  []string `json:"accept,omitempty"`  // becomes a draft
	Dismiss []string `json:"dismiss,omitempty"` // the same event asks no more
	Mute    []string `json:"mute,omitempty"`    // nor does anything of its pattern
	Unmute  []string `json:"unmute,omitempty"`  // keys of patterns that may ask again, and ids of kinds of requests that cards may come before again
	Reopen  []string `json:"reopen,omitempty"`  // dismissed or expired ones that wait again
	Anyway  bool     `json:"anyway,omitempty"`  // accept although a card says the same or the files are gone

	Language Locale `json:"language,omitempty"` // of the drafts' headings
}

// Reviewed is what came of a review. What is left waits as before.
type Reviewed struct {
	Drafts []Accepted `json:"drafts"`
	Done   []string   `json:"done"` // the others that were named, as they were named
	Left   []Left     `json:"left"`
}

// Accepted is a candidate that is a draft now.
type Accepted struct {
	CandidateID string `json:"candidateId"`
	Path        string `json:"path"`
}

// Left is something that was not done.
type Left struct {
	ID   string `json:"id"`             // as it was named
	Code string `json:"code"`           // why: of an error, or duplicate
	Path string `json:"path,omitempty"` // the card or file that it is about
	Why  string `json:"why"`            // in words; in an editor the person's
}

// duplicate is the code of what was left because a card says the same.
const duplicate = "duplicate"

// Review carries out a person's word about many candidates. Of a conversation one candidate
// becomes a draft; the others wait until that draft is active or gone, so that an evening of
// failures does not leave twenty unfinished cards. Recording one by itself (Confirm) is not
// bound to that.
func (s *Server) Review(ctx context.Context, r ReviewRequest) (Reviewed, error) {
	s.birthMu.Lock()
	defer s.birthMu.Unlock()
	out := Reviewed{Drafts: []Accepted{}, Done: []string{}, Left: []Left{}}
	each := func(ids []string, do func(id string) error) {
		for _, id := range ids {
			if err := do(id); err != nil {
				out.Left = append(out.Left, left(id, err))
				continue
			}
			out.Done = append(out.Done, id)
		}
	}
	each(r.Reopen, func(id string) error { _, err := s.reopen(id); return err })
	each(r.Unmute, s.unmute)
	each(r.Mute, func(id string) error {
		c, err := s.waiting(id)
		if err == nil {
			s.mute(c)
		}
		return err
	})
	each(r.Dismiss, func(id string) error {
		c, err := s.waiting(id)
		if err != nil {
			return err
		}
		return s.Dismiss(ctx, c.ID)
	})
	if len(r.Accept) == 0 {
		return out, nil
	}
	drafts, err := s.draftsOf()
	if err != nil {
		return out, err
	}
	for _, id := range r.Accept {
		made, err := s.accept(ctx, id, r, drafts)
		if err != nil {
			out.Left = append(out.Left, left(id, err))
			continue
		}
		out.Drafts = append(out.Drafts, made)
	}
	return out, nil
}

// accept makes a draft of a candidate. drafts holds those that there are, by conversation.
func (s *Server) accept(ctx context.Context, id string, r ReviewRequest, drafts map[string]string) (Accepted, error) {
	if err := ctx.Err(); err != nil {
		return Accepted{}, err
	}
	c, err := s.waiting(id)
	if err != nil {
		return Accepted{}, err
	}
	if draft, ok := drafts[c.SessionID]; ok {
		return Accepted{}, &lessons.PathError{Path: draft, Err: ErrHeld}
	}
	if c.Similar != "" && !r.Anyway {
		return Accepted{}, twinError(c.Similar)
	}
	made, err := s.Confirm(ctx, CreateRequest{
		CandidateID: c.ID, Language: r.Language,
		Fields: CreateFields{Status: lessons.Drafted, AllowTwins: r.Anyway, AllowGone: r.Anyway},
	})
	switch {
	case err != nil:
		return Accepted{}, err
	case made.DuplicateOf != "":
		return Accepted{}, twinError(made.DuplicateOf)
	}
	if c.SessionID != "" {
		drafts[c.SessionID] = made.Path
	}
	return Accepted{CandidateID: c.ID, Path: made.Path}, nil
}

// waiting returns a candidate by its id or the beginning of it.
func (s *Server) waiting(id string) (Candidate, error) {
	list := s.Candidates()
	i, err := named(list, id, func(c Candidate) string { return c.ID })
	if err != nil {
		return Candidate{}, err
	}
	return list[i], nil
}

// draftsOf returns the drafts that came of candidates, by the conversation of those.
func (s *Server) draftsOf() (map[string]string, error) {
	past, err := s.past(0, func(n journal.Row) bool {
		if n.Verb != "record" {
			return false
		}
		c, err := s.read(n.Made)
		return err == nil && c.Status == lessons.Drafted
	})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, p := range past {
		if p.Candidate.SessionID != "" {
			out[p.Candidate.SessionID] = p.Made
		}
	}
	return out, nil
}

// twinError says which card says the same.
type twinError string

func (e twinError) Error() string { return fmt.Sprintf("the card %s says the same", string(e)) }

func left(id string, err error) Left {
	l := Left{ID: id, Code: Code(err), Why: err.Error()}
	var twin twinError
	var named *lessons.PathError
	switch {
	case errors.As(err, &twin):
		l.Code, l.Path = duplicate, string(twin)
	case errors.As(err, &named):
		l.Path = named.Path
	}
	return l
}

// Left says why something was not done, and the way out.
func (l Locale) Left(x Left) string {
	if x.Code == duplicate {
		return l.say(text{"The card %[1]q says the same. Run \"handrail bump %[1]s\" and dismiss this one, or accept it with --anyway.", "같은 내용의 카드 %[1]q이(가) 있습니다. \"handrail bump %[1]s\"를 실행하고 이 후보를 닫거나, --anyway로 승인하세요."}, x.Path)
	}
	for _, e := range errorTexts {
		if e.code == x.Code {
			return l.Explain(&lessons.PathError{Path: x.Path, Err: e.is})
		}
	}
	return x.Why
}
