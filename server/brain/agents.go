package brain

import (
	"cmp"
	"strings"
	"time"

	"github.com/handrail-dev/handrail/server/ledger"
)

// AgentKnown is how long an agent is held to have our tools or hooks after it last said so.
const AgentKnown = 7 * 24 * time.Hour

// AtPrompts marks the hosts whose hooks gave the agent a block, or none, at a prompt.
const AtPrompts = " prompt"

// ServedByHooks reports whether the agent behind an MCP client has lately had the block of a prompt by our hooks.
func (s *Base) ServedByHooks(client string) bool {
	return client != "" && s.lately(s.State.Hooks, func(name string) bool {
		host, at := strings.CutSuffix(name, AtPrompts)
		return at && isAgent(strings.ToLower(client), host)
	})
}

// HasTools reports whether a host's agent has started our MCP server lately.
func (s *Base) HasTools(host string) bool {
	return host != "" && s.lately(s.State.Tools, func(client string) bool { return isAgent(client, host) })
}

// WithTitles marks the agents that our tools told the titles. In their first conversation, of whose hooks nothing is known
// yet, the hook of its beginning follows within toolsFirst.
const (
	WithTitles = " titles"
	toolsFirst = time.Minute
)

// GotTitlesByTools reports, once, whether a host's agent was just told the titles by our tools.
func (s *Base) GotTitlesByTools(host string) (told bool) {
	var by string
	told = host != "" && s.State.Tools.Any(func(name string, at time.Time) bool {
		client, titles := strings.CutSuffix(name, WithTitles)
		by = name
		return titles && isAgent(client, host) && s.Now().Sub(at) < toolsFirst
	})
	if told {
		s.State.Tools.Delete(by)
	}
	return told
}

// HasHooks reports whether the agent behind an MCP client has called our hooks lately.
func (s *Base) HasHooks(client string) bool {
	return s.lately(s.State.Hooks, func(host string) bool { return isAgent(strings.ToLower(client), host) })
}

// agentNames are the names under which agents come as MCP clients where those do not hold the
// host's: Claude Desktop is "claude-ai", and Cursor "cursor-vscode".
var agentNames = map[string]string{"claude": "claude-code", "vscode": "visual studio code"}

// isAgent reports whether an MCP client is a host's agent. Agents call themselves by longer names there: "gemini-cli-mcp-client".
func isAgent(client, host string) bool {
	return strings.Contains(client, cmp.Or(agentNames[host], host))
}

// lately reports whether a name of a table was put there not long ago.
func (s *Base) lately(t *ledger.Table[time.Time], is func(name string) bool) bool {
	now := s.Now()
	return t.Any(func(name string, at time.Time) bool { return is(name) && now.Sub(at) < AgentKnown })
}
