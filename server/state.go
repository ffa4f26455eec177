package server

import (
	"cmp"
	"strings"
	"time"

	"handrail/server/ledger"
	"handrail/triggers"
)

// state is what Handrail remembers about a brain outside its cards, in the tables of one file
// in the user's state folder. They save themselves.
type state struct {
	*ledger.Store
	turns    *ledger.Table[answer]             // by answer id
	sessions *ledger.Table[session]            // by conversation
	usage    *ledger.Table[usage]              // by path of the card
	merged   *ledger.Table[merged]             // by act and card
	failing  *ledger.Table[[]triggers.Failing] // under failingKey: the test runs that wait for a pass
	worn     *ledger.Table[wornFile]           // by file
	ignored  *ledger.Table[Ignored]            // by ignoredKey
	never    *ledger.Table[neverRow]           // by its id
	hooks    *ledger.Table[time.Time]          // by an agent's host: when its hooks last asked what to begin with
	tools    *ledger.Table[time.Time]          // by what an agent calls itself: when it last started our MCP server
}

const failingKey = "failing"

func newState(s *ledger.Store) *state {
	return &state{
		Store:    s,
		turns:    ledger.NewTable[answer](s, "answers").Bound(maxAnswers, func(a, b answer) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) }),
		sessions: ledger.NewTable[session](s, "sessions").Bound(maxSessions, func(a, b session) int { return a.At.Compare(b.At) }),
		usage:    ledger.NewTable[usage](s, "usage"),
		merged:   ledger.NewTable[merged](s, "merged").Bound(maxMerged, merged.compare),
		failing:  ledger.NewTable[[]triggers.Failing](s, "detector"),
		worn:     ledger.NewTable[wornFile](s, "worn").Bound(maxWorn, func(a, b wornFile) int { return a.At.Compare(b.At) }),
		ignored:  ledger.NewTable[Ignored](s, "ignored"),
		never:    ledger.NewTable[neverRow](s, "never"),
		hooks:    ledger.NewTable[time.Time](s, "hooks"),
		tools:    ledger.NewTable[time.Time](s, "tools"),
	}
}
