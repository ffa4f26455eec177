package server

import (
	"slices"
	"strings"

	"handrail/lessons"
	"handrail/lessons/lazyregexp"
)

// only is what a search asks of cards besides its words. Of one key any value will do; of each
// key one must.
type only map[string][]string

// filters matches tag:telegram, kind:playbook and project:"my shop" in a search.
var filters = lazyregexp.New(`(?:^|\s)(tag|kind|project):(?:"([^"]*)"|(\S+))`)

// narrowed takes the filters out of a search.
func narrowed(query string) (words string, o only) {
	for _, m := range filters.FindAllStringSubmatch(query, -1) {
		if o == nil {
			o = only{}
		}
		o[m[1]] = append(o[m[1]], strings.ToLower(m[2]+m[3]))
	}
	if o == nil {
		return query, nil
	}
	return strings.TrimSpace(filters.ReplaceAllString(query, " ")), o
}

// keeps reports whether a card is what the filters ask for.
func (o only) keeps(c *lessons.Card) bool {
	for key, wanted := range o {
		has := map[string][]string{"tag": c.Tags, "kind": {string(c.Kind)}, "project": {c.Project}}[key]
		if !slices.ContainsFunc(has, func(v string) bool { return slices.Contains(wanted, strings.ToLower(v)) }) {
			return false
		}
	}
	return true
}
