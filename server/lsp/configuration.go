package lsp

import (
	"cmp"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/handrail-dev/handrail/server/brain"
)

// configuration is what initializationOptions and the settings of an editor may hold,
// with or without the section's own name around it. All but Brain counts in the former
// alone: a workspace's settings must not say where texts are sent, nor what is kept.
type configuration struct {
	Trusted    *bool        `json:"trusted"`
	Embeddings *string      `json:"embeddings"` // where a model is
	Agents     []brain.Gift `json:"agents"`     // what agents get beside cards
	Trust      *string      `json:"trust"`      // "review": what others changed waits for an approval
	Lens       *bool        `json:"lens"`       // false: no line above a file says that cards are about it
	Commands   []string     `json:"commands"`   // of the editor's own, that a lens may run
	Brain      brainSetting `json:"brain"`
	Handrail   struct {
		Brain brainSetting `json:"brain"`
	} `json:"handrail"`
}

// extras returns what is said of the extras; nil where nothing is.
func (c configuration) extras() *brain.Extras {
	if c.Agents == nil && c.Trust == nil {
		return nil
	}
	return &brain.Extras{Agents: c.Agents, Review: c.Trust != nil && *c.Trust == "review"}
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
