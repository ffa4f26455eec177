package main

import (
	"strconv"

	"handrail/server"
)

// The variables that turn extras on for everything that this environment starts. Without
// either, nothing is said of them.
const (
	envOverview = "HANDRAIL_OVERVIEW"
	envEpisodes = "HANDRAIL_EPISODES"
)

// extras returns what the environment says of the extras. Only what means yes turns one on;
// "0" turns off what another command has turned on.
func extras(lookup func(string) (string, bool)) *server.Extras {
	overview, saysOverview := lookup(envOverview)
	episodes, saysEpisodes := lookup(envEpisodes)
	if !saysOverview && !saysEpisodes {
		return nil
	}
	yes := func(v string) bool { on, err := strconv.ParseBool(v); return on && err == nil }
	return &server.Extras{Overview: yes(overview), Episodes: yes(episodes)}
}
