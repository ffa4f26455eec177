package main

import (
	"strings"

	"handrail/server"
)

// The variables that say what everything that this environment starts does. Without either, nothing is said of it.
const (
	envAgents = "HANDRAIL_AGENTS" // what agents get beside cards: server.Gift with commas between; empty: nothing
	envTrust  = "HANDRAIL_TRUST"  // "review": what others changed waits for an approval
)

// extras returns what the environment says of the extras.
func extras(lookup func(string) (string, bool)) *server.Extras {
	agents, saysAgents := lookup(envAgents)
	trust, saysTrust := lookup(envTrust)
	if !saysAgents && !saysTrust {
		return nil
	}
	out := &server.Extras{Review: trust == "review"}
	if saysAgents {
		out.Agents = []server.Gift{}
		for _, name := range strings.FieldsFunc(agents, func(r rune) bool { return r == ',' || r == ' ' }) {
			out.Agents = append(out.Agents, server.Gift(name))
		}
	}
	return out
}
