package lsp

import (
	"context"
	"time"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/server/brain"
)

// What the editor sends and this package alone knows. Results are the server's own types. The page docs/protocol.md and
// vscode-extension/src/protocol.gen.ts follow from these structs; tests fail when they do not.

// The notifications of our own.
const (
	candidateNotice = "handrail/candidate"
	footerNotice    = "handrail/footer"
	changedNotice   = "handrail/changed"
)

// CardParams names one card, and what some methods take beside it.
type CardParams struct {
	Path        string `json:"path" names:"card"`     // slash path relative to the brain, or a file URI
	CandidateID string `json:"candidateId,omitempty"` // bump: the candidate that this settles
	Title       string `json:"title,omitempty"`       // promote: of a draft that has none yet
	Off         bool   `json:"off,omitempty"`         // verify: takes it back
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

// TrustParams says what a person decides about the brain and its cards.
type TrustParams struct {
	Do    TrustDeed `json:"do,omitempty"`                 // nothing is changed when absent
	Paths []string  `json:"paths,omitempty" names:"card"` // approve: of cards, as PathParams has them
	Team  bool      `json:"team,omitempty"`               // agree: what others add later speaks, too
}

// TrustDeed is what a person decides.
type TrustDeed string

// The deeds.
const (
	TrustAgree   TrustDeed = "agree"   // trust the brain, and the cards that wait as they stand now
	TrustApprove TrustDeed = "approve" // let some of the cards that wait speak
	TrustRevoke  TrustDeed = "revoke"  // take all of it back
)

// trust carries out a decision and returns how things stand then.
func (b *openBrain) trust(ctx context.Context, p TrustParams) (brain.Trust, error) {
	var err error
	switch p.Do {
	case "":
	case TrustAgree:
		err = b.Agree(ctx, p.Team)
	case TrustRevoke:
		err = b.Revoke(ctx)
	case TrustApprove:
		err = b.Approve(ctx, p.Paths)
	default:
		err = &brain.RequestError{Field: "do", Value: string(p.Do), Allowed: []string{string(TrustAgree), string(TrustApprove), string(TrustRevoke)}}
	}
	if err != nil {
		return brain.Trust{}, err
	}
	return b.Trust(ctx)
}

// silent reports whether no card may come without being asked for: in a workspace that is not
// trusted, or, where the editor says nothing of trust, of a brain that is not.
func (b *openBrain) silent(ctx context.Context) bool {
	return b.s.limited || !b.s.trusted && !b.Trusted(ctx)
}
