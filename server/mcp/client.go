//nolint:staticcheck // SA1019: roots are on their way out, and all that today's agents have to name their folders
package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/handrail-dev/handrail/lessons/find"
)

// client is what a request tells of who sent it.
type client struct {
	session *sdk.ServerSession
	caps    *sdk.ClientCapabilities
	version string
	answers sdk.InputResponseMap // that came with the request
}

func clientOf[P sdk.Params](r *sdk.ServerRequest[P], answers sdk.InputResponseMap) client {
	return client{r.Session, r.ClientCapabilities(), r.ProtocolVersion(), answers}
}

// elicits reports whether the client can put a form to the person.
func (c client) elicits() bool {
	return c.caps != nil && c.caps.Elicitation != nil && (c.caps.Elicitation.Form != nil || c.caps.Elicitation.URL == nil)
}

// asksAgain is the first version of the protocol in which a server may not ask the client
// anything: it sends the request back, and the client sends it again with the answer.
const asksAgain = "2026-07-28"

// question says that a request must be sent again with an answer.
type question struct {
	asked sdk.InputRequestMap
	state string // to come back with it
}

func (question) Error() string { return "the client has yet to be asked" }

const (
	rootsKey = "roots"
	keepKey  = "keep" // the question about a draft, and its one field

	// rootsPatience is how long an agent may take to name its folders.
	rootsPatience = 5 * time.Second
	// keepPatience is how long a person may take: less than the minute after which hosts give up a call.
	keepPatience = 50 * time.Second
)

// roots asks the client where it works. One that does not answer has said nothing.
func (s *session) roots(ctx context.Context, c client) (dirs []string, err error) {
	if c.caps == nil || c.caps.RootsV2 == nil {
		return nil, nil
	}
	list, told := c.answers[rootsKey].(*sdk.ListRootsResult)
	if !told && c.version >= asksAgain {
		return nil, question{asked: sdk.InputRequestMap{rootsKey: &sdk.ListRootsParams{}}}
	}
	if !told {
		asking, stop := context.WithTimeout(ctx, rootsPatience)
		defer stop()
		list, err = c.session.ListRoots(asking, nil)
		if err != nil {
			s.Log.Warn("the agent does not name its folders", "err", err)
			return nil, ctx.Err()
		}
	}
	for _, r := range list.Roots {
		if dir, ok := find.FilePath(r.URI); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// askToKeep returns the person's answer about a draft, "" where there is none to be had. The draft is
// written before that, so that whatever goes wrong leaves it where drafts wait.
func (s *session) askToKeep(ctx context.Context, c client, path, text string) (string, error) {
	said, told := c.answers[keepKey].(*sdk.ElicitResult)
	if !told {
		form := &sdk.ElicitParams{Mode: "form", Message: text, RequestedSchema: map[string]any{
			"type": "object", "required": []string{keepKey}, "properties": map[string]any{keepKey: map[string]any{
				"type": "string", "title": s.Locale.Say(textKeepIt), "description": s.Locale.Say(textKeepHow),
				"enum": []string{keepYes, keepEdit, keepNo},
			}},
		}}
		if c.version >= asksAgain {
			s.mu.Lock()
			s.asking[path] = true
			s.mu.Unlock()
			return "", question{sdk.InputRequestMap{keepKey: form}, path}
		}
		asking, stop := context.WithTimeout(ctx, keepPatience)
		defer stop()
		defer context.AfterFunc(s.heard, stop)()
		var err error
		said, err = c.session.Elicit(asking, form)
		if err != nil {
			s.Log.Debug("the person was not asked", "err", err)
			return "", ctx.Err()
		}
	}
	if said.Action != "accept" {
		return "", nil
	}
	answer, _ := said.Content[keepKey].(string)
	return answer, nil
}
