package server

import (
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/judge"
)

// What tests alone name.
type (
	Base          = brain.Base
	Evidence      = brain.Evidence
	IgnoreRequest = judge.IgnoreRequest
	Never         = brain.Never
	Why           = brain.Why
)

const (
	GiftNotes        = brain.GiftNotes
	GiftTitles       = brain.GiftTitles
	IdleGuard        = brain.IdleGuard
	QuarantinedTitle = brain.QuarantinedTitle
	RejectedEvent    = brain.RejectedEvent
	RollbackEvent    = brain.RollbackEvent
	TestEvent        = brain.TestEvent
)

var (
	ErrDamaged     = brain.ErrDamaged
	ErrForbidden   = brain.ErrForbidden
	ErrNotAsked    = brain.ErrNotAsked
	ErrQuarantined = brain.ErrQuarantined
	ErrStale       = brain.ErrStale
)
