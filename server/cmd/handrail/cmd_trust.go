package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/server/trust"
)

var (
	textMute       = text{"No card of this brain comes to an agent until you trust it: handrail trust", "신뢰하기 전에는 이 brain의 카드가 에이전트에게 전달되지 않습니다: handrail trust"}
	textSuspicious = text{"line %d: %s", "%d번 줄: %s"}
	textAskTeam    = text{"Trust this brain? y: as it stands, t: as your team's, with what others add later. [y/t/N] ", "이 brain을 신뢰할까요? y: 지금 내용만, t: 팀의 brain으로 앞으로 추가되는 것까지. [y/t/N] "}
	textAskReview  = text{"Approve these as they stand now? t: also what this team adds later. [y/t/N] ", "지금 내용대로 승인할까요? t: 이 팀이 앞으로 추가하는 것까지. [y/t/N] "}
	textAskTrust   = text{"Trust this brain? Its cards then come to your agents. [y/N] ", "이 brain을 신뢰할까요? 그러면 카드가 에이전트에게 전달됩니다. [y/N] "}
	textAskApprove = text{"Approve these cards as they stand now? [y/N] ", "이 카드들을 지금 내용대로 승인할까요? [y/N] "}

	trustGrounds = map[trust.Ground]text{
		trust.Made: {"made here", "여기서 만듦"}, trust.Own: {"all yours", "모두 직접 씀"}, trust.Agreed: {"you agreed", "동의함"},
	}
	trustReasons = map[trust.WaitReason]text{
		trust.WaitAlways: {"comes with every request", "모든 요청에 붙음"}, trust.WaitGuard: {"may stop an action", "작업을 막을 수 있음"}, trust.WaitChanged: {"new or changed", "새로 생기거나 바뀜"},
		trust.WaitNew: {"new or changed", "새로 생기거나 바뀜"},
	}
)

func (a *app) trustCommand() *cobra.Command {
	var review, revoke, yes, team bool
	cmd := &cobra.Command{
		Use:   "trust [CARD…]",
		Short: "Say who wrote the cards of this brain, and let them come to agents",
		Long: `Trust shows who else wrote cards of this brain, and asks whether they may come to your
agents. Until then hooks, MCP and the command line show none. A brain that you made here
(handrail init), and one of which you committed every file, need no answer.

What others add or change after that waits for a look of yours, unless you say --team. A card of
somebody else that comes with every request, or that may stop an action, waits in any case; with
HANDRAIL_TRUST=review every card that others changed does. --review shows what waits, with what
changed, all or the cards that you name.`,
		Example: `  handrail trust
  handrail trust --review
  handrail trust --revoke`,
		RunE: func(cmd *cobra.Command, cards []string) error {
			a.strays = true
			switch {
			case review && revoke:
				return usageError{say(text{"Give one of --review and --revoke.", "--review와 --revoke 가운데 하나만 주세요."})}
			case revoke, yes, a.json:
				return a.decideTrust(cmd.Context(), cards, review, revoke, yes, team)
			}
			return a.askTrust(cmd.Context(), cards, review, team)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&review, "review", false, "show the cards that wait for an approval, with what changed")
	f.BoolVar(&revoke, "revoke", false, "take the trust and every approval back")
	f.BoolVar(&team, "team", false, "trust what the others add later, too")
	f.BoolVar(&yes, "yes", false, "do not ask; needed without a terminal")
	return cmd
}

// decideTrust carries out what the person said, or only prints how things stand.
func (a *app) decideTrust(ctx context.Context, cards []string, review, revoke, yes, team bool) error {
	s, err := a.openReady(ctx, brain.Config{})
	if err != nil {
		return err
	}
	switch {
	case revoke:
		return s.Revoke(ctx)
	case !yes:
	case team, !review && len(cards) == 0:
		err = s.Agree(ctx, team)
	default:
		var t trust.Trust
		t, err = s.Trust(ctx)
		if err == nil {
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
func chosen(waiting []trust.Waiting, names []string) []trust.Waiting {
	return slices.DeleteFunc(slices.Clone(waiting), func(w trust.Waiting) bool {
		return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return n == w.Path || strings.HasSuffix(n, "/"+w.Path) })
	})
}

func waitingPaths(waiting []trust.Waiting) []string {
	out := make([]string, len(waiting))
	for i, w := range waiting {
		out[i] = w.Path
	}
	return out
}

// askTrust shows what is to be decided and asks. The loop hears of it by the program's own
// commands, since a daemon has no terminal.
func (a *app) askTrust(ctx context.Context, cards []string, review, team bool) error {
	folder, err := a.findBrain()
	if err != nil {
		return err
	}
	t, err := asks[trust.Trust](ctx, a, nil, "trust")
	if err != nil {
		return err
	}
	review = review || len(cards) > 0
	if !review {
		a.showTrust(folder, t)
	}
	waiting := chosen(t.Waiting, cards)
	for _, w := range waiting {
		a.showWaiting(w)
	}
	question, args := textAskApprove, append([]string{"trust", "--yes", "--review"}, waitingPaths(waiting)...)
	switch {
	case !review && (!t.Trusted || team && !t.Team):
		question, args = textAskTrust, []string{"trust", "--yes"}
	case len(waiting) == 0:
		if review {
			a.tell(text{"No card waits for an approval.", "승인을 기다리는 카드가 없습니다."})
		}
		return nil
	}
	if len(t.Others) > 0 && t.Others[0].Author != "" && !t.Team && !team {
		question = map[text]text{textAskTrust: textAskTeam, textAskApprove: textAskReview}[question]
	}
	answer, err := a.answer(question)
	switch {
	case err != nil:
		return err
	case slices.Contains([]string{"t", "team", "팀"}, answer) && (question == textAskTeam || question == textAskReview):
		args = []string{"trust", "--yes", "--team"}
	case !slices.Contains(yeses, answer):
		return nil
	case team:
		args = append(args, "--team")
	}
	_, err = a.command(ctx, nil, args...)
	return err
}

// offerTrust asks about a brain that is not trusted. Without a terminal it says so.
func (a *app) offerTrust(ctx context.Context, yes bool) error {
	t, err := asks[trust.Trust](ctx, a, nil, "trust")
	switch {
	case err != nil || t.Trusted:
		return err
	case yes || !a.atTerminal():
		a.warn(a.word(say(textMute)))
		return nil
	}
	return a.askTrust(ctx, nil, false, false)
}

func (a *app) showTrust(folder string, t trust.Trust) {
	if t.Trusted {
		ground := a.word(say(trustGrounds[t.Ground]))
		if t.Team {
			ground = a.word(say(text{"%s, and your team's", "%s, 팀의 brain"}, ground))
		}
		a.tell(text{"%s: trusted (%s)", "%s: 신뢰함 (%s)"}, folder, ground)
	} else {
		a.tell(text{"%s: not trusted. No card comes to an agent without being asked for.", "%s: 신뢰하지 않음. 카드가 에이전트에게 저절로 전달되지 않습니다."}, folder)
		if len(t.Titles) > 0 {
			a.tell(text{"Its cards:", "카드:"})
		}
		for _, title := range t.Titles {
			a.print("        %s\n", title)
		}
	}
	if len(t.Others) == 0 {
		a.tell(text{"Nobody else wrote a file of it, as far as git knows.", "git 기록에는 다른 사람이 쓴 파일이 없습니다."})
		return
	}
	a.tell(text{"Files by others:", "다른 사람이 쓴 파일:"})
	for _, w := range t.Others {
		a.print("%6d  %s\n", w.Files, cmp.Or(w.Author, a.word(say(text{"nobody knows who", "쓴 사람을 알 수 없음"}))))
	}
}

// showWaiting prints a card that waits: what changed since it was approved, or all of it, and
// what in it looks as if it were there to steer an agent.
func (a *app) showWaiting(w trust.Waiting) {
	about := a.word(say(trustReasons[w.Reason]))
	if w.Author != "" {
		about = a.word(say(text{"%s, by %s", "%s, 쓴 사람: %s"}, about, w.Author))
	}
	a.print("\n%s · %s\n", w.Path, about)
	text := w.Now
	if w.Before != "" {
		text = udiff.Unified("approved", "now", w.Before, w.Now)
	}
	for line := range strings.Lines(text) {
		a.print("    %s\n", strings.TrimRight(line, "\r\n"))
	}
	for _, p := range desk.Suspects([]byte(w.Now)) {
		a.print("  ⚠ %s\n", a.word(say(textSuspicious, p.Line, a.locale().Problem(p))))
	}
}

// mute says that no card comes to an agent.
func (a *app) mute(ctx context.Context, s *server.Server) {
	if s.Keeper.Distrust(ctx) != nil && a.namedBrain() == "" {
		a.warn(a.word(say(textMute)))
	}
}

// untrusted says, once for a command, that nothing is shown for want of trust, or that something
// waits. Who names a brain has said yes for that command.
func (a *app) untrusted(ctx context.Context, s *server.Server) bool {
	err := s.Keeper.Distrust(ctx)
	switch {
	case err != nil && a.namedBrain() != "":
		return false
	case err != nil:
		a.warn(a.locale().Explain(err))
		return true
	}
	if who, n := s.Keeper.Brought(); n > 0 {
		a.warn(a.locale().Brought(who, n))
	}
	return false
}
