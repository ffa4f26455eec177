package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server/brain"
	words "github.com/handrail-dev/handrail/server/say"
)

// Where a command was called, and in which environment: those of this process, or of the one
// that a daemon carries it out for.

// workDir is the working folder.
func (a *app) workDir() (string, error) {
	if a.inside != nil {
		return a.inside.Dir, nil
	}
	return os.Getwd()
}

// abs makes a path absolute. Without a working folder it stays as it is.
func (a *app) abs(path string) string {
	dir, err := a.workDir()
	if err != nil && !filepath.IsAbs(path) {
		return path
	}
	return find.Absolute(dir, path)
}

// lookup is os.LookupEnv.
func (a *app) lookup(name string) (value string, found bool) {
	if a.inside == nil {
		return os.LookupEnv(name)
	}
	for _, pair := range a.inside.Env {
		if value, found := strings.CutPrefix(pair, name+"="); found {
			return value, true
		}
	}
	return "", false
}

// getenv is os.Getenv.
func (a *app) getenv(name string) string {
	value, _ := a.lookup(name)
	return value
}

// projectOf names the project that a folder belongs to.
func (a *app) projectOf(dir string) string {
	return cmp.Or(a.getenv("HANDRAIL_PROJECT"), find.Project(dir))
}

// The variables that say what everything that this environment starts does. Without either, nothing is said of it.
const (
	envAgents = "HANDRAIL_AGENTS" // what agents get beside cards: brain.Gift with commas between; empty: nothing
	envTrust  = "HANDRAIL_TRUST"  // "review": what others changed waits for an approval
)

// extras returns what the environment says of the extras.
func extras(lookup func(string) (string, bool)) *brain.Extras {
	agents, saysAgents := lookup(envAgents)
	trust, saysTrust := lookup(envTrust)
	if !saysAgents && !saysTrust {
		return nil
	}
	out := &brain.Extras{Review: trust == "review"}
	if saysAgents {
		out.Agents = []brain.Gift{}
		for _, name := range strings.FieldsFunc(agents, func(r rune) bool { return r == ',' || r == ' ' }) {
			out.Agents = append(out.Agents, brain.Gift(name))
		}
	}
	return out
}

// embeddings returns the model that the environment names. An empty address turns off the one
// that another has named; without the variable nothing is said.
func embeddings(lookup func(string) (string, bool)) *brain.Embeddings {
	url, said := lookup("HANDRAIL_EMBEDDINGS_URL")
	if !said {
		return nil
	}
	key, _ := lookup("HANDRAIL_EMBEDDINGS_KEY")
	return &brain.Embeddings{URL: url, Key: key}
}

// setLanguage takes the language of messages and headings, as people and environments spell it.
func (a *app) setLanguage(s string) error {
	tag, _, _ := strings.Cut(strings.ToLower(s), ".")
	tag, _, _ = strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	if tag != "en" && words.LocaleOf(s) != words.Korean {
		return &lessons.ValueError{Value: s, Allowed: []string{"en", "ko"}}
	}
	a.lang = s
	return nil
}
