package proof

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/shell"
)

//go:embed patterns.txt
var patterns string

var re = lazyregexp.Named(patterns)

func is(name, text string) bool { return re(name).MatchString(text) }

// Claim is a sentence of an answer that says a kind of command succeeded.
type Claim struct {
	Kind shell.Kind
	Text string // the sentence
}

var bold = strings.NewReplacer("**", "", "__", "", "*", "")

// claimsOf returns the sentences of an answer that assert the success of a kind, one claim a
// kind and sentence, and which kinds it says failed or were not run. Questions, plans,
// conditions, instructions, quotes, code and reports of failure claim nothing.
func claimsOf(answer string) (claims []Claim, admitted map[shell.Kind]bool) {
	admitted = map[shell.Kind]bool{}
	heading, lead := false, false // above the line stands that what follows is wanted
	for line := range strings.SplitSeq(re("fence").ReplaceAllString(answer, "\n"), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, ">") || strings.Contains(line, "[ ]") {
			continue
		}
		text := strings.TrimSpace(bold.Replace(re("bullet").ReplaceAllString(line, "")))
		sentences := cut(text, re("sentence"))
		opens := strings.HasSuffix(text, ":") || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**")
		switch {
		case strings.HasPrefix(line, "#"):
			heading, lead = is("planned", text), false
		case line != "" && (opens || text == bold.Replace(line)): // no item of a list
			lead = false
		}
		for _, sentence := range sentences {
			for _, k := range assertions(sentence, admitted) {
				if !heading && !lead {
					claims = append(claims, Claim{k, strings.TrimSpace(sentence)})
				}
			}
		}
		lead = lead || opens && is("planned", sentences[len(sentences)-1])
	}
	return claims, admitted
}

// assertions returns the kinds whose success a sentence asserts, and notes those that it
// says failed.
func assertions(sentence string, admitted map[shell.Kind]bool) []shell.Kind {
	mentioned := func(text string) []shell.Kind {
		return slices.DeleteFunc(slices.Clone(claimed), func(k shell.Kind) bool { return !is(string(k)+"-about", text) })
	}
	if len(mentioned(sentence)) == 0 {
		return nil
	}
	text := re("inline").ReplaceAllStringFunc(re("quote").ReplaceAllString(sentence, " _ "), func(code string) string {
		if k := shell.KindsOf(strings.Trim(code, "`")); len(k) > 0 && slices.Contains([]shell.Kind{shell.Tests, shell.Build, shell.Lint}, k[0]) {
			return strings.TrimSuffix(string(k[0]), "s") // "`go test` passes" is said of the tests
		}
		if is("test-file", code) {
			return "tests"
		}
		return "`"
	})
	wished := is("hedged", text) || is("order", text)
	var out []shell.Kind
	for _, clause := range cut(text, re("clause")) {
		bad := is("denied", re("innocent").ReplaceAllString(clause, "")) || is("percent", clause)
		for _, m := range re("part").FindAllStringSubmatch(clause, -1) {
			bad = bad || m[1] != m[2]
		}
		for _, k := range mentioned(clause) {
			admitted[k] = admitted[k] || bad
			passed := k != shell.Tests || is("tests-named", clause) || !is("topic", clause) // "lint: all passing"
			if !bad && !wished && passed && !slices.Contains(out, k) && is(string(k)+"-said", clause) {
				out = append(out, k)
			}
		}
	}
	return out
}

// cut splits a text behind what a pattern matches.
func cut(text string, at *regexp.Regexp) []string {
	var out []string
	from := 0
	for _, m := range at.FindAllStringIndex(text, -1) {
		out = append(out, text[from:m[1]])
		from = m[1]
	}
	return append(out, text[from:])
}

// universal reports whether a claim is of all there is, so that one failure contradicts it.
func universal(c Claim) bool {
	switch c.Kind {
	case shell.Tests:
		return is("all", c.Text) && !is("narrow", c.Text)
	case shell.Build, shell.Lint:
		return is("all-code", c.Text) && !is("narrow", c.Text)
	}
	return true
}
