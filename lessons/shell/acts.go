package shell

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

//go:embed acts.txt
var actsText string

var acts = lazyregexp.Named(actsText)

// act is a kind of work that cards speak about; acts.txt has its patterns.
type act struct {
	name  string
	keys  string // one of these is in whatever names it, which is quicker to see
	Kind  Kind   // of the commands that do it, where no pattern says it
	Often bool   // nearly every turn does it, so that the command alone is a weak sign
}

// Acts are the kinds of work.
var Acts = []act{
	{name: "commit", keys: "commit 커밋", Kind: Commit},
	{name: "push", keys: "push 푸시 푸쉬", Kind: Push},
	{name: "request", keys: "pr pull merge 풀"},
	{name: "merge", keys: "merg rebas 머지 병합 리베이스"},
	{name: "release", keys: "releas publish tag 릴리 출시 태그"},
	{name: "deploy", keys: "deploy 배포"},
	{name: "migrate", keys: "migrat 마이그레이션"},
	{name: "tests", keys: "test suite 테스트", Kind: Tests, Often: true},
	{name: "dependency", keys: "dependenc package lock 의존성 패키지 라이브러리"},
	{name: "task", keys: "task issue ticket 태스크 이슈 티켓"},
	{name: "close", keys: "task issue ticket 태스크 이슈 티켓"},
}

// ActsRun returns the kinds of work that a command line does, as places in Acts.
func ActsRun(line string) (out []int) {
	for _, c := range Read(line, "", nil).Commands {
		for i, a := range Acts {
			if !slices.Contains(out, i) && (slices.Contains(c.Kinds, a.Kind) || a.Kind == "" && acts("runs-"+a.name).MatchString(c.Text)) {
				out = append(out, i)
			}
		}
	}
	slices.Sort(out)
	return out
}

// ActNamed returns the word with which one of some texts, the title and the tags of a card, names a kind of work.
func ActNamed(i int, texts ...string) (word string, ok bool) {
	p := &Acts[i]
	for _, text := range texts {
		text = strings.ToLower(text)
		if !slices.ContainsFunc(strings.Fields(p.keys), func(k string) bool { return strings.Contains(text, k) }) {
			continue
		}
		if (p.Kind == Commit || p.Kind == Push) && acts("not-"+p.name).MatchString(text) {
			return "", false
		}
		if m := acts("about-" + p.name).FindStringSubmatch(text); m != nil && word == "" {
			word = m[1]
		}
	}
	return word, word != ""
}
