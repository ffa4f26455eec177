package lsp

import (
	"context"

	"github.com/handrail-dev/handrail/server/brain"
)

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
