package main

import (
	"os"
	"path/filepath"
	"strings"

	"handrail/lessons/find"
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
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	dir, err := a.workDir()
	if err != nil {
		return path
	}
	return filepath.Join(dir, path)
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
	return projectIn(dir, a.getenv)
}

// projectIn does so in an environment.
func projectIn(dir string, getenv func(string) string) string {
	if name := getenv("HANDRAIL_PROJECT"); name != "" {
		return name
	}
	return find.Project(dir)
}
