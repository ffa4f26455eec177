package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handrail/lessons"
	"handrail/server"
)

const (
	cardScheme = "handrail"
	cardHost   = "card"
	cardType   = "text/markdown"
)

// cardURI returns the URI of a card.
func cardURI(path string) string {
	u := url.URL{Scheme: cardScheme, Host: cardHost, Path: "/" + path}
	return strings.ReplaceAll(u.String(), "&", "%26") // which would begin an entity
}

// addTemplate says how any card or note is read by its path.
func (s *session) addTemplate() {
	s.server.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "card", Title: "Lesson card or note", Description: "A file of the brain by its path in it",
		URITemplate: cardScheme + "://" + cardHost + "/{+path}", MIMEType: cardType,
	}, s.readResource)
}

// list brings the list of resources up to the cards there are. The SDK pages it, and
// tells the client when it changes.
func (s *session) list(loop Loop) {
	s.listMu.Lock()
	defer s.listMu.Unlock()
	cards, err := loop.Cards(s.ctx, server.CardFilter{})
	if err != nil {
		s.Log.Warn("resources not listed", "err", err)
		return
	}
	if !loop.Trusted(s.ctx) {
		cards = nil
	}
	gone := make(map[string]bool, len(s.listed))
	for uri := range s.listed {
		gone[uri] = true
	}
	for _, c := range cards {
		uri := cardURI(c.Path)
		delete(gone, uri)
		title := lessons.Shown(c.Title)
		about := fmt.Sprintf("%s, %s, %s, %d×", c.Kind, c.Status, c.Severity, c.Occurrences)
		if said, ok := s.listed[uri]; ok && said == title+"\n"+about {
			continue
		}
		s.listed[uri] = title + "\n" + about
		s.server.AddResource(&sdk.Resource{URI: uri, Name: lessons.Shown(c.Path), Title: title, Description: about, MIMEType: cardType}, s.readResource)
	}
	for uri := range gone {
		delete(s.listed, uri)
		s.server.RemoveResources(uri)
	}
}

func (s *session) readResource(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	c := client{session: r.Session, caps: r.ClientCapabilities(), version: r.ProtocolVersion(), roots: r.Params.InputResponses}
	d, err := with(s, ctx, c, func(loop Loop) (Document, error) {
		u, err := url.Parse(r.Params.URI)
		if err != nil || u.Scheme != cardScheme || u.Host != cardHost {
			return Document{}, &lessons.PathError{Path: r.Params.URI, Err: lessons.ErrBadPath}
		}
		d, _, err := read(loop.Brain(), strings.TrimPrefix(u.Path, "/"))
		if err == nil {
			loop.Gave(s.id, d.Path)
		}
		return d, err
	})
	switch {
	case errors.Is(err, errAskRoots):
		return &sdk.ReadResourceResult{InputRequests: rootsWanted()}, nil
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, s.refusal(err, r.Params.URI)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: cardType, Text: d.Text}}}, nil
}

// refusal words an error as the protocol has it for resources.
func (s *session) refusal(err error, uri string) error {
	data, jerr := json.Marshal(map[string]string{"uri": uri, "code": server.Code(err)})
	if jerr != nil {
		data = nil // cannot be: both are text
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: lessons.Inert(s.explain(err)), Data: data}
}
