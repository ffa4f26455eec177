package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// decision does one thing to the named candidates, or with --all to all of those that wait.
func (a *app) decision(verb, short string) *cobra.Command {
	var r desk.ReviewRequest
	named := map[string]*[]string{"accept": &r.Accept, "dismiss": &r.Dismiss, "unmute": &r.Unmute}[verb]
	all := false
	cmd := &cobra.Command{
		Use:   verb + " ID...",
		Short: short,
		Args: args(func(cmd *cobra.Command, list []string) error {
			if all {
				return cobra.NoArgs(cmd, list)
			}
			return cobra.MinimumNArgs(1)(cmd, list)
		}),
		RunE: ask[desk.Reviewed]{a.openIndexed, func(s *server.Server, cmd *cobra.Command, ids []string) (desk.Reviewed, error) {
			if all {
				for _, c := range s.Candidates() {
					ids = append(ids, c.ID)
				}
			}
			*named, r.Language = ids, a.locale()
			done, err := s.Review(cmd.Context(), r)
			for _, l := range done.Left {
				a.status = exitFailed
				a.warn(l.ID + ": " + l.Why)
			}
			return done, err
		}, func(done desk.Reviewed) {
			for _, d := range done.Drafts {
				a.print("%s\n", d.Path)
			}
		}}.run(a),
	}
	if verb == "accept" {
		cmd.Flags().BoolVar(&r.Anyway, "anyway", false, "accept despite a duplicate card or missing files")
	}
	if verb == "accept" || verb == "dismiss" {
		cmd.Flags().BoolVar(&all, "all", false, "all waiting candidates")
	}
	return cmd
}

func (a *app) showInbox(box desk.Inbox) {
	a.print("%s\n", a.word(say(text{"Candidates waiting: %d. Drafts: %d.", "기다리는 후보: %d개. 초안: %d개."}, len(box.Candidates), len(box.Drafts))))
	for _, c := range box.Candidates {
		a.showCandidate(c)
	}
	for _, d := range box.Drafts {
		a.print("\n%s  %s\n", d.Path, d.Title)
		a.showEvidence(d.Evidence)
	}
	if len(box.Never) > 0 {
		a.print("\n%s\n", a.word(say(text{"Cards excluded from requests like these (\"handrail review unmute ID\" ends it):", "이런 요청에는 쓰지 않는 카드 (\"handrail review unmute ID\"로 되돌립니다):"})))
	}
	for _, n := range box.Never {
		a.print("%s  %s  %s  %s\n", n.ID[:min(8, len(n.ID))], n.At.Local().Format("2006-01-02"), n.Path, n.Request)
	}
}

// showCandidate prints a candidate with its evidence.
func (a *app) showCandidate(c brain.Candidate) {
	times := ""
	if c.Times > 1 {
		times = fmt.Sprintf(" %d×", c.Times)
	}
	a.print("\n%s  %s%s  %s  %s\n", c.ID[:min(8, len(c.ID))], c.Trigger, times, strings.Join(c.Days(), ", "), c.Title)
	past := 0
	for _, s := range c.Seen {
		if s.Host != "" && past < maxSightings {
			past++
			a.print("    %s %s: %s\n", s.At.Local().Format(time.DateOnly), s.Host, strings.Join(strings.Fields(s.Said), " "))
		}
	}
	if past == 0 {
		a.showEvidence(c.Evidence)
	}
	if c.Similar != "" {
		a.print("    %s\n", a.word(say(text{"says the same as %s", "%s와(과) 같은 내용"}, c.Similar)))
	}
}

// maxSightings bounds how often a candidate that was found later is shown to have come.
const maxSightings = 4

func (a *app) showEvidence(list []string) {
	for _, e := range list {
		if words := strings.Fields(e); len(words) > 0 {
			a.print("    %s\n", strings.Join(words, " "))
		}
	}
}

// detection is what it prints for each.
type detection struct {
	ID       json.RawMessage `json:"id"`
	Trigger  *heard.Kind     `json:"trigger"`  // null when the message raises nothing
	Strength *heard.Strength `json:"strength"` // plain or hint, null when there is no trigger
	Evidence string          `json:"evidence"`
}

func (a *app) detectCommand() *cobra.Command {
	var jsonl bool
	cmd := &cobra.Command{
		Use:    "detect MESSAGE…",
		Hidden: true, // for tests and figures
		Short:  "Tell whether a message raises the question \"record this?\"",
		Long: `Tell whether a message raises the question "record this?", or is only a hint, which waits for confirmation.
With --jsonl a line may include the conversation: "before", the messages before it, and "edited", the files that the last answer changed.`,
		Example: `  handrail detect "it broke again"
  handrail detect --jsonl <messages.jsonl`,
		RunE: func(cmd *cobra.Command, words []string) error {
			if jsonl == (len(words) > 0) {
				return usageError{say(textNeedText)}
			}
			d := triggers.NewDetector(triggers.Options{})
			if jsonl {
				return a.eachLine(cmd.Context(), func(m message) (any, error) { return detect(d, m), nil })
			}
			return a.printJSON(detect(d, message{ID: json.RawMessage("null"), Text: strings.Join(words, " ")}))
		},
	}
	cmd.Flags().BoolVar(&jsonl, "jsonl", false, `read {"id","text","before":[{"role","text"}…],"edited":[paths]} a line, print {"id","trigger","strength","evidence"} a line`)
	return cmd
}

func detect(d *triggers.Detector, m message) detection {
	found := detection{ID: m.ID}
	if j := d.Judge(m.Text, heard.ContextOf(m.Before, m.Edited)); j.Kind != "" {
		found.Trigger, found.Strength, found.Evidence = &j.Kind, &j.Strength, j.Evidence
	}
	return found
}
