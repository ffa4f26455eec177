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
			d := triggers.NewDetector(triggers.Options{})
			if jsonl {
				return a.eachLine(cmd.Context(), func(id json.RawMessage, text string) (any, error) { return detect(d, id, text), nil })
			}
			found := detect(d, json.RawMessage("null"), strings.Join(words, " "))
			if a.json {
				return a.printJSON(found)
			}
			if found.Trigger != nil {
				a.print("%s: %s\n", *found.Trigger, found.Evidence)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&jsonl, "jsonl", false, `read {"id","text"} a line, print {"id","trigger","evidence"} a line`)
	return cmd
}

func detect(d *triggers.Detector, id json.RawMessage, text string) detection {
	found := detection{ID: id}
	if t, evidence, ok := d.Classify(text); ok {
		found.Trigger, found.Evidence = &t, evidence
	}
	return found
}
