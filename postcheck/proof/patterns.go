package proof

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"handrail/lessons/lazyregexp"
)

//go:embed patterns.txt
var patternsText string

// patterns are the regular expressions of patterns.txt by name.
var patterns = sync.OnceValue(func() map[string]*lazyregexp.Regexp {
	texts, macros := map[string]string{}, []string{}
	for line := range strings.Lines(patternsText) {
		name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		text = strings.NewReplacer(macros...).Replace(strings.TrimLeft(text, " "))
		switch old, more := texts[name]; {
		case name[0] == ':':
			macros = append(macros, "{"+name[1:]+"}", text)
			continue
		case more:
			text = old + "|" + text
		}
		texts[name] = text
	}
	out := map[string]*lazyregexp.Regexp{}
	for name, text := range texts {
		if slices.Contains(kinds, Kind(name)) {
			text = `^(?:` + text + `)(?:\s|$)` // at the head of a command
		}
		out[name] = lazyregexp.New(text)
	}
	return out
})

func re(name string) *lazyregexp.Regexp { return patterns()[name] }

func is(name, text string) bool { return re(name).MatchString(text) }
