package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handrail/lessons"
)

const (
	cardPrefix = "handrail://card/"
	cardType   = "text/markdown"
)

// cardURI returns the URI of a card.
func cardURI(path string) string {
	return strings.ReplaceAll(cardPrefix+(&url.URL{Path: path}).EscapedPath(), "&", "%26") // which would begin an entity
}

// addResources says how any card or note is read by its path.
func (s *session) addResources(srv *sdk.Server) {
	srv.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "card", Title: "Lesson card or note", Description: "A file of the brain by its path in it",
		URITemplate: cardPrefix + "{+path}", MIMEType: cardType,
	}, s.readResource)
}

// listResources lists the cards that were seen last, as many as lessons_list does: more than a person looks
// through in a menu. Without a brain, or trust in it, the list is empty.
func (s *session) listResources(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if _, ok := r.(*sdk.ListResourcesRequest); !ok {
			return next(ctx, method, r)
		}
		var found Cards
		err := s.ask(ctx, client{}, Request{Name: "lessons_list"}, ListArgs{Limit: maxCount}, &found)
		if err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		list := &sdk.ListResourcesResult{Cacheable: sdk.Cacheable{CacheScope: "private"}, Resources: []*sdk.Resource{}}
		for _, card := range found.Cards {
			list.Resources = append(list.Resources, &sdk.Resource{
				URI: cardURI(card.Path), Name: card.Path, Title: card.Title, MIMEType: cardType,
				Description: fmt.Sprintf("%s, %s, %s, %d×", card.Kind, card.Status, card.Severity, card.Occurrences),
			})
		}
		return list, nil
	}
}

func (s *session) readResource(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	var d Document
	path, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, cardPrefix))
	if err == nil {
		err = s.ask(ctx, clientOf(r, r.Params.InputResponses), Request{Name: "lessons_get"}, GetArgs{path}, &d)
	}
	var open question
	switch {
	case errors.As(err, &open):
		return &sdk.ReadResourceResult{InputRequests: open.asked}, nil
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: s.sentence(err)}
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: cardType, Text: d.Text}}}, nil
}

// addPrompt adds the one prompt, which a person picks in the agent's own menu.
func (s *session) addPrompt(srv *sdk.Server) {
	srv.AddPrompt(&sdk.Prompt{
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
