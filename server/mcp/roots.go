//nolint:staticcheck // SA1019: roots are on their way out, and all that today's agents have to name their folders
package mcp

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is what a request tells of who sent it.
type client struct {
	session *sdk.ServerSession
	caps    *sdk.ClientCapabilities
	version string
	single  bool                 // the request cannot be sent back for more
	roots   sdk.InputResponseMap // what was sent for it already
	state   string               // what it was sent back with
}

func toolClient(r *sdk.CallToolRequest) client {
	return client{session: r.Session, caps: r.ClientCapabilities(), version: r.ProtocolVersion(), roots: r.Params.InputResponses, state: r.Params.RequestState}
}

// rootless is the first version of the protocol in which a server may not ask the client
// anything: it sends the request back, and the client sends it again with the answer.
const rootless = "2026-07-28"

// errAskRoots says that a request must be sent again with the client's roots.
var errAskRoots = errors.New("the client has yet to name its roots")

const rootsKey = "roots"

// rootsPatience is how long an agent may take to name its folders.
const rootsPatience = 5 * time.Second

func rootsWanted() sdk.InputRequestMap {
	return sdk.InputRequestMap{rootsKey: &sdk.ListRootsParams{}}
}

// folders asks the client where it works. One that does not answer has said nothing.
func (s *session) folders(ctx context.Context, c client) ([]string, error) {
	if c.caps == nil || c.caps.RootsV2 == nil {
		return nil, nil
	}
	var roots *sdk.ListRootsResult
	switch answer, told := c.roots[rootsKey].(*sdk.ListRootsResult); {
	case told:
		roots = answer
	case c.version >= rootless && c.single:
		return nil, nil
	case c.version >= rootless:
		return nil, errAskRoots
	default:
		asking, stop := context.WithTimeout(ctx, rootsPatience)
		defer stop()
		var err error
		roots, err = c.session.ListRoots(asking, nil)
		if err != nil {
			s.Log.Warn("the agent does not name its folders", "err", err)
			return nil, ctx.Err()
		}
	}
	var dirs []string
	for _, r := range roots.Roots {
		if dir, ok := filePath(r.URI); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// filePath returns the path that a file URI names; a plain absolute path is taken too.
func filePath(name string) (string, bool) {
	if filepath.IsAbs(name) {
		return filepath.Clean(name), true
	}
	u, err := url.Parse(name)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return "", false
	}
	p := u.Path
	switch {
	case len(p) > 2 && p[0] == '/' && p[2] == ':': // file:///C:/…
		p = p[1:]
	case u.Host != "" && u.Host != "localhost":
		p = "//" + u.Host + p
	}
	p = filepath.Clean(filepath.FromSlash(p))
	return p, filepath.IsAbs(p)
}
