package brain

import (
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// only is what a search asks of cards besides its words. Of one key any value will do; of each
// key one must.
type only map[string][]string

// filters matches tag:telegram, kind:playbook and project:"my shop" in a search.
var filters = lazyregexp.New(`(?:^|\s)(tag|kind|project):(?:"([^"]*)"|(\S+))`)

// Keeps reports whether a card is what the filters ask for.
func (o only) Keeps(c *lessons.Card) bool {
	for key, wanted := range o {
		has := map[string][]string{"tag": c.Tags, "kind": {string(c.Kind)}, "project": {c.Project}}[key]
		if !slices.ContainsFunc(has, func(v string) bool { return slices.Contains(wanted, strings.ToLower(v)) }) {
			return false
		}
	}
	return true
}
