// Package desk is what a person does with cards and candidates: record, review, change, merge, tidy and undo.
package desk

import (
	"sync"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/say"
)

// Room is what a person does with cards.
type Room struct {
	*brain.Base

	birthMu sync.Mutex // one review, or one draft of an agent, at a time
}

// CreateRequest is a person's word that a lesson be recorded or, where Auto says so, an agent's wish that one be.
type CreateRequest struct {
	Title       string       `json:"title,omitempty"`
	Auto        bool         `json:"auto,omitempty"`        // nobody has confirmed it: a draft without secrets, of source auto, above the quality bar
	CandidateID string       `json:"candidateId,omitempty"` // the candidate this confirms, or the beginning of its id; its quality bar then holds
	SessionID   string       `json:"sessionId,omitempty"`   // of Auto: the agent's conversation
	Asked       bool         `json:"asked,omitempty"`       // of Auto: the person clicked for it
	Situation   string       `json:"situation,omitempty"`
	Fields      CreateFields `json:"fields,omitzero"`
	Language    say.Locale   `json:"-"` // language of the template's headings
}

// CreateFields are the parts of a new card a caller may already know. All are optional.
type CreateFields struct {
	Kind       lessons.Kind     `json:"kind,omitempty"`
	Tags       []string         `json:"tags,omitempty"`
	Paths      []string         `json:"paths,omitempty"`
	Project    string           `json:"project,omitempty"`
	Severity   lessons.Severity `json:"severity,omitempty"`
	Status     lessons.Status   `json:"status,omitempty"` // draft saves an unfinished candidate, never injected
	Mistake    string           `json:"mistake,omitempty"`
	RootCause  string           `json:"rootCause,omitempty"`
	Fix        string           `json:"fix,omitempty"`
	Checklist  []string         `json:"checklist,omitempty"`
	AppliesTo  string           `json:"appliesTo,omitempty"`
	Evidence   string           `json:"evidence,omitempty"`   // markdown that shows the mistake; no agent is told it
	AllowTwins bool             `json:"allowTwins,omitempty"` // write even though a card with the same key exists
	AllowGone  bool             `json:"allowGone,omitempty"`  // write even though the candidate's files are gone
}

// CardFilter selects cards. Zero fields select everything.
type CardFilter struct {
	Kind    lessons.Kind   `json:"kind,omitempty"`
	Status  lessons.Status `json:"status,omitempty"`
	Source  lessons.Source `json:"source,omitempty"`
	Project string         `json:"project,omitempty"`
	// File is an absolute path or file URI that the card's paths must hold, or in which one of the last answers broke an item of
	// it; a card for another project than the file's is left out.
	File  string `json:"file,omitempty" names:"file"`
	Limit int    `json:"limit,omitempty"` // 0 means all
}
