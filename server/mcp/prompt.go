package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handrail/lessons"
)

// addPrompt adds the one prompt, which a person picks in the agent's own menu.
func (s *session) addPrompt() {
	s.server.AddPrompt(&sdk.Prompt{
		Name: "record-a-lesson", Title: s.word(textPromptTitle), Description: s.word(textPromptAbout),
		Arguments: []*sdk.PromptArgument{{Name: "what", Description: s.word(textPromptWhat)}},
	}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		s.mu.Lock()
		s.clicks++ // a person's word for one more draft
		s.mu.Unlock()
		text := s.word(textPrompt)
		if what := strings.TrimSpace(r.Params.Arguments["what"]); what != "" {
			text += "\n\n" + s.word(textPromptThis, lessons.Inert(what))
		}
		return &sdk.GetPromptResult{
			Description: s.word(textPromptAbout),
			Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
		}, nil
	})
}
