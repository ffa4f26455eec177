package leaks

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// This file finds secrets by the rules of gitleaks, as gitleaks finds them in a text that
// comes from no file and is not decoded.

// gitleaks is its default configuration as it is published; "make gitleaks" takes it from
// another version.
//
//go:embed gitleaks/gitleaks.toml
var gitleaks string

// rule says what one kind of secret looks like.
type rule struct {
	ID          string
	Path        string // what the file's path has to match: such a rule is left out
	Regex       string
	Keywords    words // the rule applies to texts that hold one of these, or to all when none
	SecretGroup int   // 0: the first group that matches something
	Entropy     float64
	Allowlists  []allowlist

	regex lazyregexp.Regexp
}

// allowlist says which finds are no secrets.
type allowlist struct {
	Condition   string // "AND" joins all criteria, of which some are paths in all of the file's: it never holds
	Paths       []string
	RegexTarget string // what Regexes look at: "match", "line", or "" for the secret
	Regexes     []string
	StopWords   words // no secret holds one of these

	regexes lazyregexp.Regexp
}

// found is a secret in a text and the rule that found it.
type found struct {
	rule, secret string
	from         int // where it stands
}

// excused is what gitleaks lets a person write on a line whose find is no secret.
const excused = "gitleaks:allow"

// config is what gitleaks' configuration says of texts.
type config struct {
	AllowList allowlist
	Rules     []rule
}

// load returns the rules. They are read when a text is first looked at, and a pattern is
// compiled when it first applies.
var load = sync.OnceValue(func() *config {
	var c config
	if err := toml.Unmarshal([]byte(gitleaks), &c); err != nil {
		panic(err) //nolint:forbidigo // cannot be: the file is embedded, and the tests read it
	}
	c.Rules = slices.DeleteFunc(c.Rules, func(r rule) bool { return r.Path != "" })
	either := func(patterns []string) lazyregexp.Regexp {
		return lazyregexp.New("(?:" + strings.Join(patterns, "|") + ")")
	}
	c.AllowList.regexes = either(c.AllowList.Regexes)
	for i := range c.Rules {
		r := &c.Rules[i]
		r.regex = either([]string{r.Regex})
		for j := range r.Allowlists {
			r.Allowlists[j].regexes = either(r.Allowlists[j].Regexes)
		}
	}
	return &c
})

// find returns the secrets in a text, the longest first. lower is the text in lower case.
func find(text, lower string) []found {
	c := load()
	var out []found
	for i := range c.Rules {
		r := &c.Rules[i]
		if len(r.Keywords) > 0 && !r.Keywords.in(lower) {
			continue
		}
		for _, at := range r.regex().FindAllStringIndex(text, -1) {
			match := strings.Trim(text[at[0]:at[1]], "\n")
			secret := r.secret(match)
			line := lineOf(text, at[0], at[0]+len(match))
			if secret == "" || strings.Contains(line, excused) || r.Entropy != 0 && entropy(secret) <= r.Entropy {
				continue
			}
			allows := func(a allowlist) bool { return a.allows(secret, match, line) }
			if !allows(c.AllowList) && !slices.ContainsFunc(r.Allowlists, allows) {
				out = append(out, found{r.ID, secret, at[0] + max(0, strings.Index(text[at[0]:at[1]], secret))})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b found) int { return cmp.Compare(len(b.secret), len(a.secret)) })
	return out
}

// secret returns the part of a match that is the secret.
func (r *rule) secret(match string) string {
	groups := r.regex().FindStringSubmatch(match)
	if r.SecretGroup > 0 && r.SecretGroup < len(groups) {
		return groups[r.SecretGroup]
	}
	for i, g := range groups {
		if i > 0 && g != "" {
			return g
		}
	}
	return match
}

// allows reports whether a find is no secret.
func (a *allowlist) allows(secret, match, line string) bool {
	if a.Condition != "" {
		return false
	}
	target := secret
	switch a.RegexTarget {
	case "match":
		target = match
	case "line":
		target = line
	}
	return len(a.Regexes) > 0 && a.regexes().MatchString(target) || a.StopWords.in(strings.ToLower(secret))
}

// lineOf returns the lines that a part of a text stands in, of long ones what is near.
func lineOf(text string, from, to int) string {
	const near = 500
	before, after := text[max(0, from-near):from], text[to:min(len(text), to+near)]
	from -= len(before) - strings.LastIndexByte(before, '\n') - 1
	if n := strings.IndexByte(after, '\n'); n >= 0 {
		after = after[:n]
	}
	return text[from : to+len(after)]
}

// entropy returns Shannon's, in bits a byte.
func entropy(s string) (bits float64) {
	counts := map[rune]int{}
	for _, c := range s {
		counts[c]++
	}
	for _, n := range counts {
		p := float64(n) / float64(len(s))
		bits -= p * math.Log2(p)
	}
	return bits
}

// words are strings to look for, in lower case.
type words []string

func (w words) in(lower string) bool {
	return slices.ContainsFunc(w, func(s string) bool { return strings.Contains(lower, s) })
}

// where returns where they stand in a text, in order.
func (w words) where(lower string) (out []int) {
	for _, s := range w {
		for _, at := range all(lower, s) {
			out = append(out, at.From)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
