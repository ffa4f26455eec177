package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"handrail/lessons"
	"handrail/server/brain"
	"handrail/server/deliver"
)

// The places of some kinds of work in the table.
const (
	commitAct = iota
	pushAct
	requestAct
	mergeAct
	releaseAct
	deployAct
	migrateAct
	testAct
	dependencyAct
)

func TestActsAsked(t *testing.T) {
	for text, want := range map[string][]int{
		"add a test and commit":              {commitAct},
		"Commit, then push it to origin":     {commitAct, pushAct},
		"please write a commit message":      {commitAct},
		"커밋해줘":                               {commitAct},
		"고친 것만 commit 해줘":                    {commitAct},
		"main에 푸시 좀 해줘":                      {pushAct},
		"can you open a pull request":        {requestAct},
		"resolve the conflicts":              {mergeAct},
		"go ahead and merge the branch":      {mergeAct},
		"merge the two lists into one":       nil,
		"release the lock after the write":   nil,
		"publish it to npm":                  {releaseAct},
		"배포 진행해줘":                            {deployAct},
		"add a nullable migration for stock": {migrateAct},
		"run all the tests":                  {testAct},

		"커밋 해시가 뭐야?":                                      nil,
		"expr 해석해줘":                                       nil,
		"배포 해결책은?":                                        nil,
		"PR 만들어줘":                                         {requestAct},
		"push notifications do not arrive":                nil,
		"commit 2731f7c0\nAuthor: A\n\n    Fix it":        nil,
		"what did the last commit change?":                nil,
		"the push notification is late":                   nil,
		"don't commit yet":                                nil,
		"the merge function drops the last row":           nil,
		"커밋이 왜 두 번 보이지":                                   nil,
		"why does the migration fail":                     nil,
		"the page about tests says when they run":         nil,
		"a task is created when the release button is on": nil,
	} {
		if got := brain.ActsAsked(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestActsRun(t *testing.T) {
	for command, want := range map[string][]int{
		`git add -A && git commit -m "Fix it" && git push`: {commitAct, pushAct},
		"cd web; npm publish --access public":              {releaseAct},
		"MIX_ENV=test mix ecto.migrate":                    {migrateAct},
		"npx prisma migrate dev":                           {migrateAct},
		"gh pr create --fill":                              {requestAct},
		"go test ./... 2>&1 | tail":                        {testAct},
		"git tag v1.2.0":                                   {releaseAct},
		"npm install lodash":                               {dependencyAct},
		"git merge-base HEAD main":                         nil,
		"git tag -l":                                       nil,
		"git commit-tree abc":                              nil,
		"git log --oneline":                                nil,
		"grep -rn 'git push' docs":                         nil,
		"echo commit":                                      nil,
	} {
		if got := brain.ActsRun(command); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", command, got, want)
		}
	}
}

func TestIsAbout(t *testing.T) {
	for _, tt := range []struct {
		title string
		tags  []string
		act   int
		want  bool
	}{
		{"A commit message covers all staged changes", nil, commitAct, true},
		{"The message left half of it out", []string{"commit-message"}, commitAct, true},
		{"커밋 메시지는 한 문장으로", nil, commitAct, true},
		{"The committee page was empty", []string{"push-notification"}, commitAct, false},
		{"Seeds were overwritten", []string{"ecto", "migration"}, migrateAct, true},
		{"The transaction was never committed", nil, commitAct, false},
		{"The lock was never released", nil, releaseAct, false},
		{"The changelog was empty", []string{"release"}, releaseAct, true},
		{"Two maps were merged in the wrong order", nil, mergeAct, false},
		{"Push notifications came twice", []string{"push-notification"}, pushAct, false},
		{"Pushed to main without a review", nil, pushAct, true},
		{"The sprint was wrong", []string{"sprint"}, requestAct, false},
	} {
		if _, got := brain.IsAbout(&lessons.Card{Title: tt.title, Tags: tt.tags}, tt.act); got != tt.want {
			t.Errorf("%s %v: %t", tt.title, tt.tags, got)
		}
	}
}

const process = `---
type: lesson
title: %s
applies-to: [%s]
---

# %s

## Root Cause

Nobody looked at the index.

## Prevention Checklist

- [ ] The staged files are all named
`

func TestARequestThatStartsAKindOfWork(t *testing.T) {
	files := map[string]string{}
	for i, title := range []string{"A commit left a file out", "Half of the change was committed", "The commit message was one word", "An enum lost its default"} {
		files[fmt.Sprintf("lessons/%d.md", i)] = fmt.Sprintf(process, title, "workflow", title)
	}
	files["lessons/bank.md"] = strings.Replace(fmt.Sprintf(process, "The bank's commit was unsigned", "workflow", "x"), "type: lesson\n", "type: lesson\nproject: bank\nseverity: high\n", 1)
	w := newWorkspace(t, files)
	serve := func(query string) (out []string) {
		t.Helper()
		p, err := w.Preflight(ctx, PreflightRequest{Query: query, Project: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range p.Lessons {
			out = append(out, h.Path)
		}
		return out
	}
	if got := serve("좋아 커밋해줘"); len(got) != deliver.MaxWork || slices.Contains(got, "lessons/3.md") || slices.Contains(got, "lessons/bank.md") {
		t.Errorf("a request to commit got %v", got)
	}
	if got := serve("which penguins live in the north"); len(got) != 0 {
		t.Errorf("a request that starts nothing got %v", got)
	}
}
