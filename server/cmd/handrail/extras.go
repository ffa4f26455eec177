package main

import (
	"strconv"

	"handrail/server"
)

// The variables that turn extras on for everything that this environment starts. Without
// any, nothing is said of them.
const (
	envOverview = "HANDRAIL_OVERVIEW"
	envHints    = "HANDRAIL_HINTS"  // on unless it says no
	envDigest   = "HANDRAIL_DIGEST" // the same
	envNotes    = "HANDRAIL_NOTES"  // the same
	envTitles   = "HANDRAIL_TITLES"
	envTrust    = "HANDRAIL_TRUST" // "review": what others changed waits for an approval
)

// extras returns what the environment says of the extras. Only what means yes turns one on;
// "0" turns off what another command has turned on.
func extras(lookup func(string) (string, bool)) *server.Extras {
	overview, saysOverview := lookup(envOverview)
	hints, saysHints := lookup(envHints)
	digest, saysDigest := lookup(envDigest)
	notes, saysNotes := lookup(envNotes)
	titles, saysTitles := lookup(envTitles)
	wary, saysTrust := lookup(envTrust)
	if !saysOverview && !saysHints && !saysDigest && !saysNotes && !saysTitles && !saysTrust {
		return nil
	}
	yes := func(v string) bool { on, err := strconv.ParseBool(v); return on && err == nil }
	return &server.Extras{Overview: yes(overview), NoHints: saysHints && !yes(hints), NoDigest: saysDigest && !yes(digest), NoNotes: saysNotes && !yes(notes), Titles: yes(titles), Review: wary == "review"}
}
