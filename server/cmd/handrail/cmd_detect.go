package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/handrail-dev/handrail/triggers"
	"github.com/handrail-dev/handrail/triggers/heard"
)

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
			found := detect(d, message{ID: json.RawMessage("null"), Text: strings.Join(words, " ")})
			if a.json {
				return a.printJSON(found)
			}
			switch {
			case found.Trigger == nil:
			case *found.Strength == heard.Hint:
				a.print("%s (hint): %s\n", *found.Trigger, found.Evidence)
			default:
				a.print("%s: %s\n", *found.Trigger, found.Evidence)
			}
			return nil
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
