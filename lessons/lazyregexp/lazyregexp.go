// Package lazyregexp holds regular expressions that are compiled when they are first used. Handrail has some ninety at
// package level; compiling them all would double the time in which every command starts, and most use two or three.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp returns a regular expression, which its first call compiles. It is safe for concurrent use.
type Regexp func() *regexp.Regexp

// New returns the regular expression of a pattern, which must be a good one. A test program
// compiles it at once, so that a bad one is not found by a person first.
func New(pattern string) Regexp {
	r := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	if strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test") {
		r()
	}
	return r
}

// Named reads regular expressions, a name and an alternative a line, and returns what finds one by its name. Lines of one name are alternatives, a name
// behind ^ is that of words at the head of a command, {name} stands for the line :name above it, and # begins a comment.
func Named(text string) func(name string) *regexp.Regexp {
	all := sync.OnceValue(func() map[string]Regexp {
		texts, macros := map[string]string{}, []string{}
		for line := range strings.Lines(text) {
			name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if !ok || name == "" || name == "#" {
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
		out := map[string]Regexp{}
		for name, text := range texts {
			if head, ok := strings.CutPrefix(name, "^"); ok {
				name, text = head, `^(?:`+text+`)(?:\s|$)`
			}
			out[name] = New(text)
		}
		return out
	})
	return func(name string) *regexp.Regexp { return all()[name]() }
}
