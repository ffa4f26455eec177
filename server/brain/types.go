package brain

import (
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/inbox"
	"github.com/handrail-dev/handrail/server/ledger"
	"github.com/handrail-dev/handrail/server/trust"
)

// JudgeRequest is a person's word on an item of a checked answer.
type JudgeRequest struct {
	AnswerID string `json:"answerId"`
	Path     string `json:"path"`  // of the card
	Item     string `json:"item"`  // as its verdict has it
	State    string `json:"state"` // kept or not-here; "" takes the word back
}

// Left is something that was not done.
type Left struct {
	ID   string `json:"id"`             // as it was named
	Code string `json:"code"`           // why, of an error
	Path string `json:"path,omitempty"` // the card or file that it is about
	Why  string `json:"why"`            // in the person's words
}

// The types below are what every surface shows: the editor, the command line and the
// agents print the same JSON, so the names are part of the type.

// Hit is a card or note that speaks to a query.
type Hit = ledger.Hit

// Verdict says what a turn did with one checklist item.
type Verdict = ledger.Verdict

// Told is what agents were given.
type Told = ledger.Told

// RetrieveRequest is a search: ranked hits without a floor. An empty Query lists the cards seen last.
type RetrieveRequest struct {
	Query     string       `json:"query"`                        // empty lists the cards seen last
	All       bool         `json:"all,omitempty"`                // cards that are not active too
	Files     []string     `json:"files,omitempty" names:"file"` // absolute paths or file URIs the request is about
	Project   string       `json:"project,omitempty"`            // leaves out the cards of other projects
	Limit     int          `json:"limit,omitempty"`              // hits of each sort; 0 means 10
	Kind      lessons.Kind `json:"kind,omitempty"`               // cards of this kind alone, and no notes; empty means any
	SessionID string       `json:"-"`                            // of the tools of the agent that asks; it has the titles then

	Only only `json:"-"` // of Query
}

// Retrieved is the result of a search.
type Retrieved struct {
	Lessons []Hit `json:"lessons"`
	Notes   []Hit `json:"notes"`
	Tokens  int   `json:"tokens"` // estimated tokens of all excerpts
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
	AnswerID    string            `json:"answerId"`
	Lessons     []Hit             `json:"lessons"`
	Moments     map[string]string `json:"moments,omitzero"` // when each was shown, by path: start (its title alone), before, prompt, action
	Tokens      int               `json:"tokens,omitzero"`  // of what the turn was shown, estimated
	Notes       []Hit             `json:"notes"`
	Unaddressed []Verdict         `json:"unaddressed"`    // broken and open items, gravest first
	Verdicts    []Verdict         `json:"verdicts"`       // of all items that apply, in the cards' order
	Evidence    []Evidence        `json:"evidence"`       // in the order of the commands
	Doubts      []Doubt           `json:"doubts"`         // claims of the answer that nothing in the conversation supports
	Line        string            `json:"-"`              // where it was asked for: what is amiss, in at most 160 columns, with the candidates that are new; "" when nothing is amiss
	Asked       string            `json:"asked,omitzero"` // the first words of the request, without secrets; "" where they are not known any more
	At          time.Time         `json:"at,omitzero"`    // when the answer was checked
	Agent       string            `json:"agent,omitzero"`
	Turn        int               `json:"turn,omitzero"`   // the request's number in its session
	Lost        int               `json:"lost,omitzero"`   // cards that were handed over and are missing in the transcript: the host drops blocks
	Repeat      bool              `json:"repeat,omitzero"` // this very answer was checked before
}

// Candidate is a lesson that may be worth recording: half a card, and a question to a person. Nothing is written.
type Candidate = inbox.Candidate

// Created says where a card was written, or which card already says the same, in which case nothing was written.
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
	// Nowhere are its paths that no file can match yet.
	Nowhere []string `json:"nowhere,omitempty"`
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
