package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"handrail/server"
	"handrail/server/trust"
)

var (
	textTrusted    = text{"%s: trusted (%s)", "%s: 신뢰함 (%s)"}
	textNotTrusted = text{"%s: not trusted. No card comes to an agent without being asked for.", "%s: 신뢰하지 않음. 카드가 에이전트에게 저절로 가지 않습니다."}
	textByOthers   = text{"Files by others:", "다른 사람이 쓴 파일:"}
	textAllOwn     = text{"All of its files are yours, or not in git.", "모든 파일을 직접 썼거나 git에 없습니다."}
	textWaitsFor   = text{"%s · %s", "%s · %s"}
	textWaitsBy    = text{"%s, by %s", "%s, 쓴 사람: %s"}
	textSuspicious = text{"line %d: %s", "%d번 줄: %s"}
	textAskTrust   = text{"Trust this brain? Its cards then come to your agents. [y/N] ", "이 brain을 신뢰할까요? 그러면 카드가 에이전트에게 갑니다. [y/N] "}
	textAskApprove = text{"Approve these cards as they stand now? [y/N] ", "이 카드들을 지금 내용대로 승인할까요? [y/N] "}
	textNoneWaits  = text{"No card waits for an approval.", "승인을 기다리는 카드가 없습니다."}
	textTrustsNone = text{"No brain is trusted yet.", "아직 신뢰하는 brain이 없습니다."}
	textOneOfTrust = text{"Give one of --list, --review and --revoke.", "--list, --review, --revoke 가운데 하나만 주세요."}

	trustGrounds = map[trust.Ground]text{
		trust.Made: {"made here", "여기서 만듦"}, trust.Own: {"all yours", "모두 직접 씀"}, trust.Agreed: {"you agreed", "동의함"},
		trust.Revoked: {"revoked", "취소함"}, trust.Unknown: {"not in git", "git에 없음"},
	}
	trustReasons = map[server.WaitReason]text{
		server.WaitAlways: {"comes with every request", "모든 요청에 나감"}, server.WaitGuard: {"may stop an action", "작업을 막을 수 있음"}, server.WaitChanged: {"new or changed", "새로 생기거나 바뀜"},
	}
)

func (a *app) trustCommand() *cobra.Command {
	var review, revoke, list, yes bool
	cmd := &cobra.Command{
		Use:   "trust [CARD…]",
		Short: "Say who wrote the cards of this brain, and let them come to agents",
		Long: `Trust shows who else wrote cards of this brain, and asks whether they may come to your
agents. Until then hooks, MCP and the command line show none. A brain that you made here, one
of which you wrote every file, and one outside git need no answer.

A card of somebody else that comes with every request, or that may stop an action, needs your
approval for each of its texts; with HANDRAIL_TRUST=review every card that others changed
does. --review shows them with what changed, all or those that you name.`,
		Example: `  handrail trust
  handrail trust --review
  handrail trust --revoke`,
		ValidArgsFunction: a.completeCards,
		RunE: func(cmd *cobra.Command, cards []string) error {
			switch {
			case review && (revoke || list) || revoke && list:
				return usageError{say(textOneOfTrust)}
			case list:
				return a.listTrust()
			case revoke:
				s, err := a.openReady(cmd.Context())
				if err != nil {
					return err
				}
				return s.Revoke(cmd.Context())
			case yes || a.json:
				return a.agree(cmd.Context(), cards, review, yes)
			}
			return a.askTrust(cmd.Context(), cards, review)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&review, "review", false, "show the cards that wait for an approval, with what changed")
	f.BoolVar(&revoke, "revoke", false, "take the trust and every approval back")
	f.BoolVar(&list, "list", false, "list the brains that you trust")
	f.BoolVar(&yes, "yes", false, "do not ask; needed without a terminal")
	return cmd
}

// agree carries out what the person said, or only prints how things stand.
func (a *app) agree(ctx context.Context, cards []string, review, yes bool) error {
	s, err := a.openReady(ctx)
	if err != nil {
		return err
	}
	switch {
	case !yes:
	case !review && len(cards) == 0:
		err = s.Agree(ctx)
	default:
		var t server.Trust
		if t, err = s.Trust(ctx); err == nil {
			err = s.Approve(ctx, waitingPaths(chosen(t.Waiting, cards)))
		}
	}
	if err != nil || !a.json {
		return err
	}
	t, err := s.Trust(ctx)
	if err != nil {
		return err
	}
	return a.printJSON(t)
}

// chosen returns the cards that are named, or all where none is.
func chosen(waiting []server.Waiting, names []string) (out []server.Waiting) {
	for _, w := range waiting {
		named := len(names) == 0
		for _, n := range names {
			named = named || n == w.Path || strings.HasSuffix(n, "/"+w.Path)
		}
		if named {
			out = append(out, w)
		}
	}
	return out
}

func waitingPaths(waiting []server.Waiting) []string {
	out := make([]string, len(waiting))
	for i, w := range waiting {
		out[i] = w.Path
	}
	return out
}

// askTrust shows what is to be decided and asks. The loop hears of it by the program's own
// commands, since a daemon has no terminal.
func (a *app) askTrust(ctx context.Context, cards []string, review bool) error {
	brain, err := a.findBrain()
	if err != nil {
		return err
	}
	out, err := a.command(ctx, "trust", "--json")
	if err != nil {
		return err
	}
	var t server.Trust
	if err := json.Unmarshal(out, &t); err != nil {
		return fmt.Errorf("read who is trusted: %w", err)
	}
	review = review || len(cards) > 0
	if !review {
		a.showTrust(brain, t)
	}
	waiting := chosen(t.Waiting, cards)
	for _, w := range waiting {
		a.showWaiting(w)
	}
	question, args := textAskApprove, append([]string{"trust", "--yes", "--review"}, waitingPaths(waiting)...)
	switch {
	case !review && !t.Trusted:
		question, args = textAskTrust, []string{"trust", "--yes"}
	case len(waiting) == 0:
		if review {
			a.tell(textNoneWaits)
		}
		return nil
	}
	agreed, err := a.agrees(question)
	if err != nil || !agreed {
		return err
	}
	_, err = a.command(ctx, args...)
	return err
}

func (a *app) showTrust(brain string, t server.Trust) {
	if t.Trusted {
		a.tell(textTrusted, brain, a.word(say(trustGrounds[t.Ground])))
	} else {
		a.tell(textNotTrusted, brain)
	}
	if len(t.Others) == 0 {
		a.tell(textAllOwn)
		return
	}
	a.tell(textByOthers)
	for _, w := range t.Others {
		a.print("%6d  %s\n", w.Files, w.Author)
	}
}

// showWaiting prints a card that waits: what changed since it was approved, or all of it, and
// what in it looks as if it were there to steer an agent.
func (a *app) showWaiting(w server.Waiting) {
	about := a.word(say(trustReasons[w.Reason]))
	if w.Author != "" {
		about = a.word(say(textWaitsBy, about, w.Author))
	}
	a.print("\n")
	a.tell(textWaitsFor, w.Path, about)
	text := w.Now
	if w.Before != "" {
		text = udiff.Unified("approved", "now", w.Before, w.Now)
	}
	for line := range strings.Lines(text) {
		a.print("    %s\n", strings.TrimRight(line, "\r\n"))
	}
	for _, p := range server.Suspects([]byte(w.Now)) {
		a.print("  ⚠ %s\n", a.word(say(textSuspicious, p.Line, a.locale().Problem(p))))
	}
}

func (a *app) listTrust() error {
	list, err := server.TrustedBrains()
	if err != nil {
		return err
	}
	if a.json {
		type row struct {
			Brain    string       `json:"brain"`
			Ground   trust.Ground `json:"ground"`
			Approved int          `json:"approved"` // cards
		}
		rows := []row{}
		for _, r := range list {
			rows = append(rows, row{r.Brain, r.Ground, len(r.Texts)})
		}
		return a.printJSON(rows)
	}
	for _, r := range list {
		a.print("%s  %s\n", r.Brain, a.word(say(trustGrounds[r.Ground])))
	}
	if len(list) == 0 {
		a.tell(textTrustsNone)
	}
	return nil
}

// untrusted says, once for a command, that nothing is shown for want of trust.
func (a *app) untrusted(ctx context.Context, s *server.Server) bool {
	if s.Trusted(ctx) {
		return false
	}
	a.warn(a.locale().Explain(server.ErrUntrusted))
	return true
}
