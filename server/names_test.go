package server

import (
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/judge"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/triggers"
)

// What tests alone name.
type (
	Base          = brain.Base
	Evidence      = brain.Evidence
	IgnoreRequest = judge.IgnoreRequest
	Never         = ledger.Never
	Why           = ledger.Why
)

const (
	GiftNotes        = brain.GiftNotes
	GiftTitles       = brain.GiftTitles
	IdleGuard        = brain.IdleGuard
	QuarantinedTitle = brain.QuarantinedTitle
	RejectedEvent    = triggers.Rejected
	RollbackEvent    = triggers.Rollback
	TestEvent        = triggers.TestRun
)

var (
	ErrDamaged     = brain.ErrDamaged
	ErrForbidden   = brain.ErrForbidden
	ErrNotAsked    = brain.ErrNotAsked
	ErrQuarantined = brain.ErrQuarantined
	ErrStale       = brain.ErrStale
)
