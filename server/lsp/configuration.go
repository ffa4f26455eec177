package lsp

import (
	"cmp"
	"fmt"

	"go.lsp.dev/protocol"

	"handrail/server"
)

// configuration is what initializationOptions and the settings of an editor may hold,
// with or without the section's own name around it. All but Brain counts in the former
// alone: a workspace's settings must not say where texts are sent, nor what is kept.
type configuration struct {
	Trusted    *bool            `json:"trusted"`
	Embeddings *string          `json:"embeddings"` // where a model is
	Overview   *overviewSetting `json:"overview"`
	Hints      *bool            `json:"hints"`    // false: no model is told that it may draft a lesson
	Digest     *bool            `json:"digest"`   // false: conversations begin without the titles of cards
	Notes      *bool            `json:"notes"`    // false: agents get no notes by their hooks
	Titles     *bool            `json:"titles"`   // true: they get titles of cards that may speak to a request
	Trust      *string          `json:"trust"`    // "review": what others changed waits for an approval
	Lens       *bool            `json:"lens"`     // false: no line above a file says that cards are about it
	Commands   []string         `json:"commands"` // of the editor's own, that a lens may run
	Brain      brainSetting     `json:"brain"`
	Handrail   struct {
		Brain brainSetting `json:"brain"`
	} `json:"handrail"`
}

// overviewSetting says whether BRAIN.md follows the cards.
type overviewSetting struct {
	OnChange bool `json:"onChange"`
}

// extras returns what is said of the extras; nil where nothing is.
func (c configuration) extras() *server.Extras {
	if c.Overview == nil && c.Hints == nil && c.Digest == nil && c.Notes == nil && c.Titles == nil && c.Trust == nil {
		return nil
	}
	return &server.Extras{
		Overview: c.Overview != nil && c.Overview.OnChange,
		NoHints:  c.Hints != nil && !*c.Hints, NoDigest: c.Digest != nil && !*c.Digest,
		NoNotes: c.Notes != nil && !*c.Notes, Titles: c.Titles != nil && *c.Titles, Review: c.Trust != nil && *c.Trust == "review",
	}
}

type brainSetting struct {
	Path *string `json:"path"`
}

// readConfiguration reads what the editor sent; nothing is the zero configuration.
func readConfiguration(raw protocol.LSPAny) (c configuration, err error) {
	if len(raw) == 0 {
		return c, nil
	}
	if err := protocol.Unmarshal(raw, &c); err != nil {
		return configuration{}, fmt.Errorf("read configuration: %w", err)
	}
	return c, nil
}

// brainPath returns the configured path and whether anything was said about it.
func (c configuration) brainPath() (path string, said bool) {
	p := cmp.Or(c.Brain.Path, c.Handrail.Brain.Path)
	if p == nil {
		return "", false
	}
	return *p, true
}
