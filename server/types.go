package server

import (
	"time"

	"handrail/lessons"
	"handrail/server/inbox"
	"handrail/server/ledger"
	"handrail/server/trust"
	"handrail/triggers"
)

// The types below are what every surface shows: the editor, the command line and the
// agents print the same JSON, so the names are part of the type.

// Hit is a card or note that speaks to a query.
type Hit = ledger.Hit

// Why says which words of a query a hit answers.
type Why = ledger.Why

// Verdict says what a turn did with one checklist item.
type Verdict = ledger.Verdict

// Place is where a verdict can be seen.
type Place = ledger.Place

// Delivery says what became of the cards that speak to a request.
type Delivery = ledger.Delivery

// Never is a kind of request that a card is kept from.
type Never = ledger.Never

// Ignored is a line that breaks an item and may.
type Ignored = ledger.Ignored

// WeekStats is what came of a card, or of all, in seven days.
type WeekStats = ledger.WeekStats

// RetrieveRequest is a search: ranked hits without a floor. An empty Query lists the
// cards seen last.
type RetrieveRequest struct {
	Query        string       `json:"query"`                        // empty lists the cards seen last
	All          bool         `json:"all,omitempty"`                // cards that are not active too
	Files        []string     `json:"files,omitempty" names:"file"` // absolute paths or file URIs the request is about
	Project      string       `json:"project,omitempty"`            // leaves out the cards of other projects
	Limit        int          `json:"limit,omitempty"`              // hits of each sort; 0 means 10
	BudgetTokens int          `json:"budgetTokens,omitempty"`       // estimated tokens the excerpts may take together; 0 means no bound
	Kind         lessons.Kind `json:"kind,omitempty"`               // cards of this kind alone, and no notes; empty means any
	SessionID    string       `json:"-"`                            // of the tools of the agent that asks; it has the titles then

	only only // of Query
}

// Retrieved is the result of a search.
type Retrieved struct {
	Lessons []Hit `json:"lessons"`
	Notes   []Hit `json:"notes"`
	Tokens  int   `json:"tokens"` // estimated tokens of all excerpts
}

// PreflightRequest asks what must be known before a request is answered.
type PreflightRequest struct {
	Query     string   `json:"query"`
	SessionID string   `json:"sessionId,omitempty"`          // one conversation with an agent
	Files     []string `json:"files,omitempty" names:"file"` // absolute paths or file URIs the request is about
	Project   string   `json:"project,omitempty"`
	Agent     string   `json:"-"`               // who asks, as people call it; may be empty
	CardsOnly bool     `json:"-"`               // no notes: there is no room for a context
	Hooked    bool     `json:"-"`               // an agent's hook asks: Block and Context keep to what the tightest host takes
	Once      bool     `json:"-"`               // the same query of the same session and agent within ten seconds gets no second block
	Told      bool     `json:"-"`               // the words are what an agent says that the person said
	Unserved  bool     `json:"-"`               // a turn begins and nothing is served: the agent does not wait any more
	Compacts  bool     `json:"-"`               // the host tells when it drops what the conversation held; else that is guessed
	Aside     bool     `json:"aside,omitempty"` // nobody is about to act on it, such as when an answer is to be checked: no turn begins
}

// Preflight is what goes before a request. Block is empty when no card clears the
// floor, which is the ordinary case.
type Preflight struct {
	AnswerID string `json:"answerId"`        // names the coming answer in Answered
	Block    string `json:"block"`           // the lessons, to be put before the request
	Lessons  []Hit  `json:"lessons"`         // the cards in Block, best first
	Notes    []Hit  `json:"notes"`           // the notes in Context
	Context  string `json:"context"`         // excerpts of notes, to be put after Block
	Tokens   int    `json:"tokens"`          // estimated tokens of Block and Context
	Repeat   bool   `json:"repeat,omitzero"` // nothing is served: the agent got the block a moment ago
}

// AnswerRequest is an answer to be checked against the cards that were served for it:
// those of AnswerID, of the session's last request, or the named ones.
type AnswerRequest struct {
	AnswerID   string   `json:"answerId,omitempty"`
	SessionID  string   `json:"-"`                              // used when AnswerID is empty
	Lessons    []string `json:"lessons,omitempty" names:"card"` // card paths; they go before AnswerID and SessionID
	Answer     string   `json:"answer"`
	Changes    []Change `json:"-"` // what was done to files, by the names that cards give them, beside what the conversation's events told
	Ran        []Ran    `json:"-"` // commands that ran, likewise
	Watched    bool     `json:"-"` // deeds that are not told were not done
	Commands   bool     `json:"-"` // the host is known to tell of each command
	Elsewhere  bool     `json:"-"` // a sub-agent or a server's tool was at work, of which nobody tells what it ran
	Locale     Locale   `json:"-"` // language of the summary
	Line       bool     `json:"-"` // the person sees the footer's Line
	Transcript bool     `json:"-"` // Receipts are all that the conversation's transcript holds
	Receipts   []string `json:"-"` // of blocks and cards that reached the agent
}

// Ran is a command that ended.
type Ran struct {
	Command string `json:"command"`
	Failed  *bool  `json:"failed,omitempty"` // nil when unknown
}

// Evidence is what a command of the turn proved.
type Evidence struct {
	Kind    string `json:"kind"` // tests, build, lint, run, commit, push
	Command string `json:"command"`
	Failed  *bool  `json:"failed,omitempty"` // nil when unknown
	Stale   bool   `json:"stale,omitzero"`   // code was edited after it
	Said    string `json:"said,omitzero"`    // all of it in a person's words, where an editor shows it
}

// Doubt is a claim of an answer that nothing in the conversation supports.
type Doubt struct {
	Kind    string `json:"kind"` // as Evidence has it
	Text    string `json:"text"` // the sentence
	Why     string `json:"why"`  // never-run, failed
	Command string `json:"command,omitempty"`
	Said    string `json:"said,omitzero"` // why it is doubted, in a person's words, where an editor shows it
}

// Footer is what a person sees under an answer.
type Footer struct {
	AnswerID    string     `json:"answerId"`
	Lessons     []Hit      `json:"lessons"`
	Notes       []Hit      `json:"notes"`
	Unaddressed []Verdict  `json:"unaddressed"`    // broken and open items, gravest first
	Verdicts    []Verdict  `json:"verdicts"`       // of all items that apply, in the cards' order
	Evidence    []Evidence `json:"evidence"`       // in the order of the commands
	Doubts      []Doubt    `json:"doubts"`         // claims of the answer that nothing in the conversation supports
	Summary     string     `json:"summary"`        // one line, in the person's language; "" when nothing was served
	Line        string     `json:"-"`              // where it was asked for: Summary in at most 160 columns, with the candidates that are new; "" when nothing is amiss
	Asked       string     `json:"asked,omitzero"` // the first words of the request, without secrets; "" where they are not known any more
	At          time.Time  `json:"at,omitzero"`    // when the answer was checked
	Agent       string     `json:"agent,omitzero"`
	Turn        int        `json:"turn,omitzero"` // the request's number in its session
	Delivery    Delivery   `json:"delivery,omitzero"`
	Repeat      bool       `json:"repeat,omitzero"` // this very answer was checked before
}

// TouchRequest says what an agent is about to do or has just done.
type TouchRequest struct {
	SessionID string
	Project   string
	Files     []string // absolute paths that are read, searched or edited
	Command   string   // as typed
	Output    string   // of a command that failed
	Reads     bool     // the files are only read
}

// Touch is the cards that belong beside an action, best first, with their items in Text. Text is empty in the ordinary case.
type Touch struct {
	Text    string `json:"text"`
	Lessons []Hit  `json:"lessons,omitzero"`
	Receipt string `json:"receipt,omitzero"`
}

// DigestRequest asks for the cards that are worth knowing whatever the request is.
type DigestRequest struct {
	SessionID string // of the conversation that begins with it; it gets no card that it has
	Project   string
	Limit     int // cards; 0 means 5
}

// Digest is a block of them for places that know no request. Block is empty when the brain
// has none.
type Digest struct {
	Block   string `json:"block"`
	Lessons []Hit  `json:"lessons"`
}

// HeadsRequest asks for what a conversation begins with. Host or Client says who asks.
type HeadsRequest struct {
	SessionID string
	Project   string
	Host      string   // the agent's host, as its hooks name it
	Client    string   // what an agent that has our tools calls itself
	Served    bool     // Host's hooks lead to the model at each prompt, and this is one
	Begins    bool     // the conversation begins now, or goes on after a pause
	Resumed   bool     // it goes on with what it was given
	Receipts  []string // of a resumed one, those in its transcript; nil where that is not known
	Dropped   bool     // it goes on without the titles that it was given where it began
	Lost      bool     // the titles of a moment ago did not arrive: they are to come again, and none now
	Locale    Locale
}

// Heads are the titles of cards, for the agent. Text is empty where there is nothing to say,
// or where the conversation has them already.
type Heads struct {
	Text  string `json:"text"`
	Named int    `json:"named"` // cards whose title is in it
	// Hooked says that our hooks give the agent behind Client the block for each request.
	Hooked bool `json:"hooked,omitzero"`
}

// EventKind names what happened.
type EventKind = triggers.EventKind

// The kinds of Event, which triggers explains.
const (
	MessageEvent  = triggers.Message
	RollbackEvent = triggers.Rollback
	RejectedEvent = triggers.Rejected
	TestEvent     = triggers.TestRun
	CommandEvent  = triggers.Command
	EditEvent     = triggers.Edit
	UndoEvent     = triggers.Undo
	CallEvent     = triggers.Call
	SessionEvent  = triggers.Begin
	ToolsEvent    = triggers.Tools
	ToolEvent     = triggers.Tool
)

// Event is something that an editor, a hook or a watcher saw, with absolute paths.
type Event = triggers.Event

// Change is what happened to the lines of one file.
type Change = triggers.Change

// Between returns the change from one text of a file to another.
func Between(file, was, is string) Change { return triggers.Between(file, was, is) }

// Observed is what came of an event.
type Observed struct {
	Candidate *Candidate `json:"candidate,omitempty"` // it is asked about; of several the first
	// Hint says that a message may be a complaint or a correction, which somebody who has read the conversation can tell. No person is shown it.
	Hint bool `json:"hint,omitzero"`
	// Invite says that the agent has our tools and may be told so, once.
	Invite bool `json:"invite,omitzero"`
}

// Candidate is a lesson that may be worth recording: half a card, and a question to a person. Nothing is written.
type Candidate = inbox.Candidate

// CreateRequest is a person's word that a lesson be recorded or, where Auto says so, an
// agent's wish that one be.
type CreateRequest struct {
	Title       string       `json:"title,omitempty"`
	Auto        bool         `json:"auto,omitempty"`        // nobody has confirmed it: a draft without secrets, of source auto, above the quality bar
	CandidateID string       `json:"candidateId,omitempty"` // the candidate this confirms, or the beginning of its id; its quality bar then holds
	Origin      string       `json:"-"`                     // answer id of the turn that makes it; a candidate knows its own, and Auto finds it
	SessionID   string       `json:"sessionId,omitempty"`   // of Auto: the agent's conversation
	Asked       bool         `json:"asked,omitempty"`       // of Auto: the person clicked for it
	Situation   string       `json:"situation,omitempty"`
	Fields      CreateFields `json:"fields,omitzero"`
	Language    Locale       `json:"-"` // language of the template's headings
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

// Created says where a card was written, or which card already says the same, in which
// case nothing was written.
type Created struct {
	Path        string `json:"path"`
	DuplicateOf string `json:"duplicateOf,omitempty"`
	Quarantined string `json:"quarantined,omitempty"` // why that card is in quarantine: it takes nothing up
	// EveryRequest says that the card comes with every request once it is active: by its kind and severity, which was
	// proposed where nobody named one and the card no topic.
	EveryRequest bool `json:"everyRequest,omitzero"`
	// Draft says that the card comes before no request yet: as asked, or for what it lacks.
	Draft bool                  `json:"draft,omitzero"`
	Lacks []lessons.ProblemCode `json:"lacks,omitempty"` // what it lacks to be active
	Weak  []lessons.Problem     `json:"-"`               // the same, with what a sentence names
}

// Card is a card as lists show it.
type Card struct {
	Path        string           `json:"path"`
	Title       string           `json:"title"`
	Kind        lessons.Kind     `json:"kind"`
	Tags        []string         `json:"tags"`
	Paths       []string         `json:"paths"`
	Project     string           `json:"project"`
	Severity    lessons.Severity `json:"severity"`
	Source      lessons.Source   `json:"source"`
	Occurrences int              `json:"occurrences"`
	LastSeen    string           `json:"lastSeen"` // YYYY-MM-DD or ""
	Status      lessons.Status   `json:"status"`
	ArchivedAt  string           `json:"archivedAt"` // YYYY-MM-DD or ""
	Verified    bool             `json:"verified"`
	Quarantine  string           `json:"quarantine,omitempty"` // why it is quarantined
	Waits       trust.WaitReason `json:"waits,omitempty"`      // it is others', and speaks once its text is approved
	Broken      bool             `json:"broken,omitzero"`      // its file cannot be read as it was meant; the problems of the file say why
	Served      int              `json:"served,omitzero"`      // turns that were given it; in lists alone
	Stale       bool             `json:"stale,omitzero"`       // Tidy would suggest to archive it for its age; in lists alone
	Items       []CardItem       `json:"items"`
}

// CardItem is one checklist item of a Card.
type CardItem struct {
	Text string `json:"text"`
	Line int    `json:"line"` // 1-based
}

// CardFilter selects cards. Zero fields select everything.
type CardFilter struct {
	Scope   Scope          `json:"scope,omitempty"`
	Kind    lessons.Kind   `json:"kind,omitempty"`
	Status  lessons.Status `json:"status,omitempty"`
	Source  lessons.Source `json:"source,omitempty"`
	Project string         `json:"project,omitempty"`
	Query   string         `json:"query,omitempty"` // every word must stand in title, tags, project or path
	// File is an absolute path or file URI that the card's paths must hold, or in which one of the last answers broke an item of
	// it; a card for another project than the file's is left out.
	File  string `json:"file,omitempty" names:"file"`
	Limit int    `json:"limit,omitempty"` // 0 means all
}

// Scope is a span of days by a card's last-seen date, in the clock's own time zone.
type Scope string

// The scopes. Cards without a date are in All alone.
const (
	All   Scope = "all"
	Today Scope = "today"
	Week  Scope = "week" // the last seven days
)

// Changed tells a connection what to refresh.
type Changed struct {
	Cards      bool `json:"cards"`
	Candidates bool `json:"candidates"`
}

// Notify is how a Server reaches one connection. Every field may be nil. The functions
// are called from the server's goroutines, one at a time, and must not block.
type Notify struct {
	Candidate func(Candidate)
	Footer    func(Footer)
	Changed   func(Changed)

	NoEmbeddings func(why error) // the embeddings model cannot be used; Locale.NoEmbeddings words it
}
