package shell

import (
	"slices"
	"testing"
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
	taskAct
	closeAct
)

func TestActsRun(t *testing.T) {
	for command, want := range map[string][]int{
		`git add -A && git commit -m "Fix it" && git push`: {commitAct, pushAct},
		"cd web; npm publish --access public":              {releaseAct},
		"MIX_ENV=test mix ecto.migrate":                    {migrateAct},
		"npx prisma migrate dev":                           {migrateAct},
		"gh pr create --fill":                              {requestAct},
		"go test ./... 2>&1 | tail":                        {testAct},
		"git tag v1.2.0":                                   {releaseAct},
		"git tag -a v1.2.0 -m 'v1.2.0'":                    {releaseAct},
		"kubectl -n prod apply -f worker.yaml":             {deployAct},
		"npm install lodash":                               {dependencyAct},
		"board tasks status set '#012' IN-REVIEW":          {closeAct},
		"board tasks status set '#012' IN-PROGRESS":        nil,
		"git merge-base HEAD main":                         nil,
		"git tag -l":                                       nil,
		"git commit-tree abc":                              nil,
		"git log --oneline":                                nil,
		"grep -rn 'git push' docs":                         nil,
		"echo commit":                                      nil,
	} {
		if got := ActsRun(command); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", command, got, want)
		}
	}
}

func TestActNamed(t *testing.T) {
	for _, tt := range []struct {
		title string
		tags  []string
		act   int
		want  bool
	}{
		{"A commit message covers all staged changes", nil, commitAct, true},
		{"The message left half of it out", []string{"commit message"}, commitAct, true},
		{"커밋 메시지는 한 문장으로", nil, commitAct, true},
		{"The committee page was empty", []string{"push notification"}, commitAct, false},
		{"Seeds were overwritten", []string{"ecto", "migration"}, migrateAct, true},
		{"The transaction was never committed", nil, commitAct, false},
		{"The lock was never released", nil, releaseAct, false},
		{"The changelog was empty", []string{"release"}, releaseAct, true},
		{"Two maps were merged in the wrong order", nil, mergeAct, false},
		{"Push notifications came twice", []string{"push notification"}, pushAct, false},
		{"Pushed to main without a review", nil, pushAct, true},
		{"Never push a tag that the changelog does not have", nil, pushAct, true},
		{"Push a tagged photo to the phone", nil, pushAct, false},
		{"The sprint was wrong", []string{"sprint"}, requestAct, false},
	} {
		if _, got := ActNamed(tt.act, append(tt.tags, tt.title)...); got != tt.want {
			t.Errorf("%s %v: %t", tt.title, tt.tags, got)
		}
	}
}
