package brain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/handrail-dev/handrail/server/ledger"
)

// Gift is what agents get beside the cards that a request or an action calls for.
type Gift string

// The gifts. They come where nobody says otherwise.
const (
	GiftTitles Gift = "titles" // the titles of cards; "titles:600" bounds them to some 600 tokens
	GiftNotes  Gift = "notes"  // excerpts of notes, by hooks
	GiftHints  Gift = "hints"  // the host's own model is told that it may draft a lesson
)

// Extras are what a person may set of what agents get.
type Extras struct {
	Agents []Gift // nil for what comes by itself
	Review bool   // every card that others changed waits for an approval
}

// ExtraSettings is what one client says of the extras; nil says nothing. The environment's list goes before the editor's.
type ExtraSettings struct {
	Editor      *Extras // the editor's settings
	Environment *Extras // HANDRAIL_AGENTS and HANDRAIL_TRUST
}

// wanted returns what counts. The person's own brain speaks beside that of each project, so it
// gives a third of the titles by itself, and no hints: what is learnt goes to the project.
func (s ExtraSettings) wanted(mine bool) Extras {
	a, b := cmp.Or(s.Editor, &Extras{}), cmp.Or(s.Environment, &Extras{})
	out := Extras{Agents: []Gift{GiftTitles, GiftNotes, GiftHints}, Review: a.Review || b.Review}
	if mine {
		out.Agents = []Gift{GiftTitles + ":400", GiftNotes}
	}
	for _, said := range [][]Gift{a.Agents, b.Agents} {
		if said != nil {
			out.Agents = said
		}
	}
	return out
}

// extras is what all clients said.
type extras struct {
	mu   sync.Mutex // guards the rest
	said ExtraSettings
	want Extras // what counts of it
}

// Give reports whether agents get something beside the cards.
func (e *extras) Give(g Gift) bool { return slices.Contains(e.on().Agents, g) }

// maxTitles is how much of titles a conversation begins with, in estimated tokens, unless a person says otherwise.
const maxTitles = 1200

// TitleTokens returns how much that is, 0 where agents get no titles.
func (e *extras) TitleTokens() int {
	for _, g := range e.on().Agents {
		name, bound, _ := strings.Cut(string(g), ":")
		if Gift(name) != GiftTitles {
			continue
		}
		n, err := strconv.Atoi(bound)
		if err != nil {
			return maxTitles
		}
		return max(0, n)
	}
	return 0
}

func (e *extras) on() Extras {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.want
}

// SetExtras takes what a client says of the extras; what it says nothing of stays as it is.
// Of several editors on one brain the last one counts.
func (s *Base) SetExtras(said ExtraSettings) {
	s.Extras.mu.Lock()
	defer s.Extras.mu.Unlock()
	s.Extras.said = ExtraSettings{cmp.Or(said.Editor, s.Extras.said.Editor), cmp.Or(said.Environment, s.Extras.said.Environment)}
	s.Extras.want = s.Extras.said.wanted(s.Mine())
}

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
