// Package lazyregexp holds regular expressions that are compiled when they are first used.
// Handrail has some ninety at package level; compiling them all would double the time in
// which every command starts, and most use two or three.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression to be. It is safe for concurrent use.
type Regexp struct{ compiled func() *regexp.Regexp }

// New returns the regular expression of a pattern, which must be a good one. A test program
// compiles it at once, so that a bad one is not found by a person first.
func New(pattern string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
	if strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test") {
		r.compiled()
	}
	return r
}

// The methods are regexp.Regexp's.

// FindAllString is that of regexp.Regexp.
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

// FindAllStringIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// FindAllSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}

// FindString is that of regexp.Regexp.
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindStringIndex is that of regexp.Regexp.
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

// FindStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// Match is that of regexp.Regexp.
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// MatchString is that of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// ReplaceAllString is that of regexp.Regexp.
func (r *Regexp) ReplaceAllString(s, repl string) string {
	return r.compiled().ReplaceAllString(s, repl)
}

// ReplaceAllStringFunc is that of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(s string, repl func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, repl)
}

// Named reads regular expressions, a name and an alternative a line, and returns what finds one by its name. Lines of one name are alternatives, a name
// behind ^ is that of words at the head of a command, {name} stands for the line :name above it, and # begins a comment.
func Named(text string) func(name string) *Regexp {
	all := sync.OnceValue(func() map[string]*Regexp {
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
		out := map[string]*Regexp{}
		for name, text := range texts {
			if head, ok := strings.CutPrefix(name, "^"); ok {
				name, text = head, `^(?:`+text+`)(?:\s|$)`
			}
			out[name] = New(text)
		}
		return out
	})
	return func(name string) *Regexp { return all()[name] }
}
