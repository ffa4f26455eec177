package lsp

import (
	"testing"

	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/say"
)

func TestLeftInAnEditor(t *testing.T) {
	s := &session{locale: say.English}
	for code, want := range map[string]string{
		"held":            "“drafts/a.md” comes from the same conversation and is still a draft; the others wait.",
		"stale-candidate": "The files of a candidate are gone; dismiss it, or record it by itself.",
		"duplicate":       "“drafts/a.md” says the same; record the candidate by itself to choose.",
		"other":           "The disk is full.",
	} {
		if got := s.left(brain.Left{Code: code, Path: "drafts/a.md", Why: "The disk is full."}); got != want {
			t.Errorf("%s: %s", code, got)
		}
	}
}
