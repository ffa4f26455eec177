package brain

import (
	"errors"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/journal"
	"github.com/handrail-dev/handrail/server/inbox"
)

// Errors that callers tell apart; those of package lessons pass through.
var (
	ErrUnknownCandidate = inbox.ErrUnknown
	ErrNoBase           = errors.New("no such commit") // to compare the work tree with
	ErrStale            = errors.New("the files are gone")
	ErrTwin             = errors.New("a card says the same")
	ErrNotAsked         = errors.New("nobody asked for more lessons") // the conversation has a draft already
	ErrCrowd            = errors.New("too many cards of agents that nobody looked at")
	ErrForbidden        = errors.New("the person wants no lessons made")
	ErrUnknownAnswer    = errors.New("unknown answer")
	ErrNotACard         = errors.New("not a card")
	ErrNothingToUndo    = errors.New("nothing to undo")
	ErrQuarantined      = errors.New("the card is in quarantine") // it takes nothing up until that is lifted
	ErrChanged          = journal.ErrChanged                      // what was to be taken back was changed since
	ErrDamaged          = journal.ErrDamaged                      // the text from before is not what it was
	ErrUnfinished       = journal.ErrUnfinished                   // a change stopped half-way and is not taken back yet

	// Of a loop that another process runs: it could not be asked, or it was and ended before it answered.
	ErrUncertain = errors.New("the loop's process ended before it answered")
)

// DuplicateTitle is the code of the problem that another card has the same key. Its argument is that card's path.
const DuplicateTitle lessons.ProblemCode = "duplicate-title"

// QuarantinedTitle is the code of the problem that a card in quarantine has the same key. Its
// arguments are that card's path and why it is there.
const QuarantinedTitle lessons.ProblemCode = "quarantined-title"

// StillDraft is the code of the notice that a card is a draft and how it becomes active.
const StillDraft lessons.ProblemCode = "draft"

// IdleGuard is the code of the warning that a card's guard can never speak: none of its items
// has a check that forbids a line or a command.
const IdleGuard lessons.ProblemCode = "idle-guard"

// NoSuchPath is the code of the notice that no file can match a path of a card, its argument.
const NoSuchPath lessons.ProblemCode = "no-such-path"

// WeakError says why a candidate may not become a card yet.
type WeakError struct{ Problems []lessons.Problem }

func (e *WeakError) Error() string {
	codes := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		codes[i] = string(p.Code)
	}
	return "candidate below the quality bar: " + strings.Join(codes, ", ")
}

// RequestError says that a request has a value that is not allowed, and which are, or what it needs instead.
type RequestError = lessons.ValueError

// What a request may lack.
const (
	NeedText     lessons.Need = "text"     // a field must not be empty
	NeedReason   lessons.Need = "reason"   // of 1 to lessons.MaxReason characters
	NeedMinutes  lessons.Need = "minutes"  // at least one
	NeedTwo      lessons.Need = "two"      // a card is not merged into itself
	NeedWords    lessons.Need = "words"    // a request that has words of its own
	NeedURI      lessons.Need = "uri"      // the address of a file
	NeedArgument lessons.Need = "argument" // one of those that a tool has
)

// InjectionSuspect is the code of the warning that a line of a card may be there to steer an
// agent. Its argument is what looks like it.
const InjectionSuspect lessons.ProblemCode = "injection-suspect"

// SecretInCard is the code of the warning that a line of a card holds what looks like a secret.
const SecretInCard lessons.ProblemCode = "secret-in-card"
