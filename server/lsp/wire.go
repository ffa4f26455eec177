package lsp

import (
	"path/filepath"
	"strings"
	"time"

	"go.lsp.dev/uri"

	"handrail/lessons"
	"handrail/server"
)

// What the editor sends and this package alone knows. Results are the server's own types.
// The page docs/protocol.md and vscode-extension/src/protocol.gen.ts follow from these
// structs; tests fail when they do not.

// The notifications of our own.
const (
	candidateNotice = "handrail/candidate"
	footerNotice    = "handrail/footer"
	changedNotice   = "handrail/changed"
)

// RetrieveParams asks for a search.
type RetrieveParams struct {
	Query        string   `json:"query"`                  // empty lists the cards seen last
	All          bool     `json:"all,omitempty"`          // cards that are not active too
	Files        []string `json:"files,omitempty"`        // file URIs the request is about
	Project      string   `json:"project,omitempty"`      // leaves out the cards of other projects
	Limit        int      `json:"limit,omitempty"`        // hits of each sort; 10 when absent
	BudgetTokens int      `json:"budgetTokens,omitempty"` // estimated tokens that all excerpts may take; no bound when absent
}

// PreflightParams asks what must be known before a request is answered.
type PreflightParams struct {
	Query     string   `json:"query"`
	SessionID string   `json:"sessionId,omitempty"` // one conversation with an agent
	Files     []string `json:"files,omitempty"`     // file URIs the request is about
	Project   string   `json:"project,omitempty"`
	Aside     bool     `json:"aside,omitempty"` // nobody is about to act on it: no turn begins
}

// WhyParams asks why cards come before a request, or why one does not.
type WhyParams struct {
	Query     string   `json:"query,omitempty"`    // the request
	AnswerID  string   `json:"answerId,omitempty"` // or the answer to it
	Path      string   `json:"path,omitempty"`     // of one card; absent: those that come and the next few
	SessionID string   `json:"sessionId,omitempty"`
	Files     []string `json:"files,omitempty"` // file URIs the request is about
	Project   string   `json:"project,omitempty"`
}

// NeverParams keeps a card from requests like one.
type NeverParams struct {
	Path     string `json:"path"`               // slash path relative to the brain, or a file URI
	Query    string `json:"query,omitempty"`    // the request
	AnswerID string `json:"answerId,omitempty"` // or the answer to it
}

// AlwaysParams says that a card is about files.
type AlwaysParams struct {
	Path  string   `json:"path"`  // slash path relative to the brain, or a file URI
	Files []string `json:"files"` // file URIs; a folder stands for all files in it
}

// PostcheckParams hands over an answer to be checked against the cards that were served
// for it: those of answerId, or the named ones.
type PostcheckParams struct {
	AnswerID string   `json:"answerId,omitempty"`
	Lessons  []string `json:"lessons,omitempty"` // card paths, used when answerId is absent
	Answer   string   `json:"answer"`
}

// ReportParams is something that the editor saw.
type ReportParams struct {
	Kind        server.EventKind `json:"kind"`
	Text        string           `json:"text,omitempty"`        // message: what the person wrote
	Files       []string         `json:"files,omitempty"`       // file URIs
	Changes     []server.Change  `json:"changes,omitempty"`     // edit: what happened to the lines, by file URI
	Command     string           `json:"command,omitempty"`     // command, test: as typed
	Cwd         string           `json:"cwd,omitempty"`         // command, test: working directory, a path or a file URI
	ExitCode    *int             `json:"exitCode,omitempty"`    // command, test: absent when unknown
	Output      string           `json:"output,omitempty"`      // command, test, tool: what it printed
	Tool        string           `json:"tool,omitempty"`        // command, test, edit, tool: its name
	Failed      bool             `json:"failed,omitempty"`      // command, test, edit, tool: it did
	Interrupted bool             `json:"interrupted,omitempty"` // command, test, edit, tool: somebody ended it
	At          time.Time        `json:"at,omitzero"`           // RFC 3339; now when absent
	SessionID   string           `json:"sessionId,omitempty"`
}

// ReportResult holds the question an event raised, if any.
type ReportResult struct {
	Candidate *server.Candidate `json:"candidate,omitempty"`
	Hint      bool              `json:"hint,omitzero"` // it may be one, which the model of the conversation can tell
}

// LessonsParams selects cards; what is absent selects everything.
type LessonsParams struct {
	Scope   server.Scope   `json:"scope,omitempty"`
	Kind    lessons.Kind   `json:"kind,omitempty"`
	Status  lessons.Status `json:"status,omitempty"`
	Source  lessons.Source `json:"source,omitempty"`
	Project string         `json:"project,omitempty"`
	Query   string         `json:"query,omitempty"` // every word must stand in title, tags, project or path
	File    string         `json:"file,omitempty"`  // file URI that the card's paths must hold
	Limit   int            `json:"limit,omitempty"` // all when absent
}

// CreateParams is a person's word that a lesson be recorded.
type CreateParams struct {
	Title       string              `json:"title"`
	CandidateID string              `json:"candidateId,omitempty"` // the candidate this confirms; its quality bar then holds
	Auto        bool                `json:"auto,omitempty"`        // a model wrote it: a draft without secrets, above the quality bar
	SessionID   string              `json:"sessionId,omitempty"`   // auto: the conversation, of which one is drafted unasked
	Asked       bool                `json:"asked,omitempty"`       // auto: a person clicked for it
	Situation   string              `json:"situation,omitempty"`
	Fields      server.CreateFields `json:"fields,omitzero"`
}

// TemplateParams is what is known of a card that a person begins.
type TemplateParams struct {
	Situation string              `json:"situation,omitempty"`
	Fields    server.CreateFields `json:"fields,omitzero"`
}

// PromoteParams names a draft that becomes active, and the title of one that has none yet.
type PromoteParams struct {
	Path  string `json:"path"`
	Title string `json:"title,omitempty"`
}

// PathParams names one card.
type PathParams struct {
	Path string `json:"path"` // slash path relative to the brain, or a file URI
}

// BumpParams names a card whose mistake was seen again.
type BumpParams struct {
	Path        string `json:"path"`                  // slash path relative to the brain, or a file URI
	CandidateID string `json:"candidateId,omitempty"` // the candidate that this settles
}

// VerifyParams names a card that a person has checked.
type VerifyParams struct {
	Path string `json:"path"`          // slash path relative to the brain, or a file URI
	Off  bool   `json:"off,omitempty"` // takes it back
}

// QuarantineParams puts a card in quarantine or lifts it.
type QuarantineParams struct {
	Path   string `json:"path"`             // slash path relative to the brain, or a file URI
	Reason string `json:"reason,omitempty"` // why, up to 300 characters; needed unless lift is set
	Lift   bool   `json:"lift,omitempty"`   // the card is active again
}

// MergeParams names two cards that say the same.
type MergeParams struct {
	Into string `json:"into"` // the card that stays
	From string `json:"from"` // the card that goes to the trash
}

// UndoParams says what to take back.
type UndoParams struct {
	Path string `json:"path,omitempty"` // the last act on this card; absent: the last on any
}

// LogParams selects what was done to the cards.
type LogParams struct {
	Path  string `json:"path,omitempty"`  // of one card; absent: all
	Limit int    `json:"limit,omitempty"` // rows, newest first; absent: all
}

// DismissParams names a candidate that is not worth a card.
type DismissParams struct {
	CandidateID string `json:"candidateId"`
}

// CreateBrainParams says where a new brain goes.
type CreateBrainParams struct {
	Path string `json:"path,omitempty"` // absolute, or relative to the workspace; the configured one, else .brain, when absent
}

// BrainResult says where the brain is.
type BrainResult struct {
	URI     string `json:"uri"`     // file URI of the folder
	Trusted bool   `json:"trusted"` // its cards come to agents; in a trusted workspace the editor's get them all the same
	// Paused is until when no card comes without being asked for; absent where they do.
	Paused time.Time `json:"paused,omitzero"`
	// Folders are the workspace's folders that belong to a brain, in their order, where there are several brains.
	Folders []FolderBrain `json:"folders,omitzero"`
}

// FolderBrain is a folder of the workspace and the brain that it belongs to, as file URIs.
type FolderBrain struct {
	Folder string `json:"folder"`
	Brain  string `json:"brain"`
}

// Nothing is an empty object: parameters that no one needs, a result that says only "done".
type Nothing struct{}

// ErrorData is the data of an error answer.
type ErrorData struct {
	Code     string        `json:"code"`               // stable name, such as no-brain, bad-path or weak
	Problems []ProblemData `json:"problems,omitempty"` // weak: what is missing
}

// ProblemData is one thing that keeps a candidate from becoming a card.
type ProblemData struct {
	Code    lessons.ProblemCode `json:"code"`
	Message string              `json:"message"` // in the person's language
	Line    int                 `json:"line"`    // 1-based; 0 means the card as a whole
}

// filePath returns the path of a file URI, or a path as it is. A URI of another scheme (an
// unsaved or a virtual document) has none, which is not an error.
func filePath(field, s string) (path string, err error) {
	if filepath.IsAbs(s) {
		return s, nil
	}
	u, err := uri.Parse(s)
	switch {
	case err != nil || !strings.Contains(s, ":"):
		return "", &server.RequestError{Field: field, Value: clip(s), Need: server.NeedURI}
	case !u.IsFile():
		return "", nil
	}
	return u.FsPath(), nil
}

// files returns the paths of those URIs that have one, as the Server knows them.
func (b *brain) files(uris []string) ([]string, error) {
	paths := make([]string, 0, len(uris))
	for _, u := range uris {
		path, err := filePath("files", u)
		if err != nil {
			return nil, err
		}
		if path != "" {
			paths = append(paths, b.real(path))
		}
	}
	return paths, nil
}

// card returns what names a card as the Server takes it: paths and URIs of files as it
// knows them; anything else is left for it to judge.
func (b *brain) card(name string) (string, error) {
	if strings.HasPrefix(name, "file:") {
		u, err := uri.Parse(name)
		if err != nil {
			return "", &lessons.PathError{Path: clip(name), Err: lessons.ErrBadPath}
		}
		name = u.FsPath()
	}
	if filepath.IsAbs(name) {
		return b.real(name), nil
	}
	return name, nil
}
