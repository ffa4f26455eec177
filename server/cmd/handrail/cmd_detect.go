package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"handrail/triggers"
)

// detection is one line of detect --jsonl.
type detection struct {
	ID       json.RawMessage   `json:"id"`
	Trigger  *triggers.Trigger `json:"trigger"` // null when the message raises nothing
	Evidence string            `json:"evidence"`
}

func (a *app) detectCommand() *cobra.Command {
	var jsonl bool
	cmd := &cobra.Command{
		Use:   "detect MESSAGE…",
		Short: "Tell whether a message deserves the question \"record this?\"",
		Example: `  handrail detect "it broke again"
  handrail detect --jsonl <messages.jsonl`,
		RunE: func(cmd *cobra.Command, words []string) error {
			if jsonl == (len(words) > 0) {
				return usageError{say(textNeedText)}
			}
			if jsonl {
				return a.eachLine(cmd.Context(), func(id json.RawMessage, text string) (any, error) { return detect(id, text), nil })
			}
			d := detect(json.RawMessage("null"), strings.Join(words, " "))
			if a.json {
				return a.printJSON(d)
			}
			if d.Trigger != nil {
				a.print("%s: %s\n", *d.Trigger, d.Evidence)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&jsonl, "jsonl", false, `read {"id","text"} a line, print {"id","trigger","evidence"} a line`)
	return cmd
}

func detect(id json.RawMessage, text string) detection {
	d := detection{ID: id}
	if t, evidence, ok := triggers.Classify(text); ok {
		d.Trigger, d.Evidence = &t, evidence
	}
	return d
}
