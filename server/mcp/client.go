//nolint:staticcheck // SA1019: roots are on their way out, and all that today's agents have to name their folders
package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/handrail-dev/handrail/lessons/find"
)

// asksAgain is the first version of the protocol in which a server may not ask the client
// anything: it sends the request back, and the client sends it again with the answer.
const asksAgain = "2026-07-28"

// question says that a request must be sent again with an answer.
type question sdk.InputRequestMap

func (question) Error() string { return "the client has yet to be asked" }

const (
	rootsKey = "roots"

	// rootsPatience is how long an agent may take to name its folders.
	rootsPatience = 5 * time.Second
)

// roots asks the client that sent a request where it works. One that does not answer has said nothing.
func (s *session) roots(ctx context.Context, r *sdk.CallToolRequest) (dirs []string, err error) {
	if r == nil || r.ClientCapabilities() == nil || r.ClientCapabilities().RootsV2 == nil {
		return nil, nil
	}
	list, told := r.Params.InputResponses[rootsKey].(*sdk.ListRootsResult)
	if !told && r.ProtocolVersion() >= asksAgain {
		return nil, question{rootsKey: &sdk.ListRootsParams{}}
	}
	if !told {
		asking, stop := context.WithTimeout(ctx, rootsPatience)
		defer stop()
		list, err = r.Session.ListRoots(asking, nil)
		if err != nil {
			s.Log.Warn("the agent does not name its folders", "err", err)
			return nil, ctx.Err()
		}
	}
	for _, root := range list.Roots {
		if dir, ok := find.FilePath(root.URI); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}
