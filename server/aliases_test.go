// The names of the rooms, as the tests of this package write them.
package server

import (
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/server/hear"
	"github.com/handrail-dev/handrail/server/judge"
	"github.com/handrail-dev/handrail/server/say"
	"github.com/handrail-dev/handrail/triggers"
)

type (
	AnswerRequest     = judge.AnswerRequest
	Candidate         = brain.Candidate
	Card              = brain.Card
	CardFilter        = desk.CardFilter
	CardStats         = desk.CardStats
	Change            = triggers.Change
	Changed           = brain.Changed
	Checked           = judge.Checked
	Config            = brain.Config
	CreateFields      = desk.CreateFields
	CreateRequest     = desk.CreateRequest
	Created           = brain.Created
	Embeddings        = brain.Embeddings
	Event             = triggers.Event
	EventKind         = triggers.EventKind
	Explained         = deliver.Explained
	Explanation       = deliver.Explanation
	ExtraSettings     = brain.ExtraSettings
	Extras            = brain.Extras
	Footer            = brain.Footer
	Gift              = brain.Gift
	GuardRequest      = judge.GuardRequest
	Guarded           = judge.Guarded
	Heads             = deliver.Heads
	HeadsRequest      = deliver.HeadsRequest
	Hit               = brain.Hit
	Inbox             = desk.Inbox
	JudgeRequest      = brain.JudgeRequest
	Left              = brain.Left
	Locale            = say.Locale
	LogRequest        = desk.LogRequest
	LogRow            = desk.LogRow
	MergeRequest      = desk.MergeRequest
	NeverRequest      = deliver.NeverRequest
	NoteLine          = desk.NoteLine
	Ingested          = desk.Ingested
	NoteRequest       = desk.NoteRequest
	Notify            = brain.Notify
	Observed          = hear.Observed
	PauseRequest      = brain.PauseRequest
	Paused            = brain.Paused
	Preflight         = deliver.Preflight
	PreflightRequest  = deliver.PreflightRequest
	QuarantineRequest = desk.QuarantineRequest
	Ran               = brain.Ran
	RequestError      = brain.RequestError
	RetrieveRequest   = brain.RetrieveRequest
	Retrieved         = brain.Retrieved
	ReviewRequest     = desk.ReviewRequest
	Reviewed          = desk.Reviewed
	Stats             = desk.Stats
	Template          = desk.Template
	Tidied            = desk.Tidied
	TidyRequest       = desk.TidyRequest
	Touch             = deliver.Touch
	TouchRequest      = deliver.TouchRequest
	Trust             = brain.Trust
	UndoRequest       = desk.UndoRequest
	Undone            = brain.Undone
	Verdict           = brain.Verdict
	WeakError         = brain.WeakError
	WhyRequest        = deliver.WhyRequest
)

const (
	CallEvent      = triggers.Call
	CommandEvent   = triggers.Command
	DuplicateTitle = brain.DuplicateTitle
	EditEvent      = triggers.Edit
	English        = say.English
	Korean         = say.Korean
	MessageEvent   = triggers.Message
	NeedArgument   = brain.NeedArgument
	NeedURI        = brain.NeedURI
	SecretInCard   = brain.SecretInCard
	SessionEvent   = triggers.Begin
	StillDraft     = brain.StillDraft
	ToolEvent      = triggers.Tool
	ToolsEvent     = triggers.Tools
)

var (
	Between             = triggers.Between
	Caches              = brain.Caches
	CheckDiff           = judge.CheckDiff
	Code                = say.Code
	Diff                = judge.Diff
	Endless             = brain.Endless
	ErrNotACard         = brain.ErrNotACard
	ErrNothingToUndo    = brain.ErrNothingToUndo
	ErrStray            = brain.ErrStray
	ErrUncertain        = brain.ErrUncertain
	ErrUnknownAnswer    = brain.ErrUnknownAnswer
	ErrUnknownCandidate = brain.ErrUnknownCandidate
	FindBrain           = brain.FindBrain
	Learned             = brain.Learned
	LocaleOf            = say.LocaleOf
	MakeBrain           = brain.MakeBrain
	Receipt             = judge.Receipt
	Suspects            = desk.Suspects
)
