package shell

import (
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// act is a kind of work that cards speak about: which commands do it, and how a card's title or tags name it.
type act struct {
	runs, about lazyregexp.Regexp

	kind  Kind              // of the commands that do it, where that says it without runs
	keys  []string          // one of these is in whatever names it, which is quicker to see
	not   lazyregexp.Regexp // words of a card that make it another thing: a transaction is committed, too
	Often bool              // nearly every turn does it, so that the command alone is a weak sign
}

// command is a pattern of what a command begins with.
func command(begins string) lazyregexp.Regexp {
	return lazyregexp.New(`^(?:` + begins + `)(?:\s|$|[;&|)])`)
}

// phrase is a pattern of whole words.
func phrase(words string) lazyregexp.Regexp {
	return lazyregexp.New(`(?:^|[^\p{L}\p{N}])(` + words + `)(?:$|[^a-z0-9])`)
}

// Acts is reviewed as a whole: a wrong word here brings wrong cards. A kind of work is in it
// when it has a name that means nothing else in a card.
var Acts = []act{
	{
		kind:  Commit,
		about: phrase(`commit(?:s|ted|ting)?|커밋`),
		keys:  strings.Fields(`commit 커밋`),
		not:   phrase(`transactions?|offsets?|트랜잭션|commit [0-9a-f]{7,40}`),
	},
	{
		kind:  Push,
		about: phrase(`^push$|git push|force push(?:ed|es|ing)?|push(?:ed|es|ing)? (?:to|before|without|straight|directly|(?:an? |the )?(?:branch|tag|commit)(?:e?s)?)|(?:푸시|푸쉬)(?:$|하|를| ?전| ?후)`),
		keys:  strings.Fields(`push 푸시 푸쉬`),
		not:   phrase(`push notifications?|푸시 ?알림`),
	},
	{
		runs:  command(`(?:gh pr (?:create|edit)|glab mr create)`),
		about: phrase(`prs?|(?:pull|merge) requests?|풀 ?리퀘스트`),
		keys:  strings.Fields(`pr pull merge 풀`),
	},
	{
		runs:  command(`git (?:merge|rebase|cherry-pick|pull)`),
		about: phrase(`^merg(?:e|ing)$|git merge|merge conflicts?|merg(?:e[sd]?|ing) (?:\w+ )?(?:in|into|to)? ?(?:main|master|develop|the branch|a branch|upstream)|rebas(?:e[sd]?|ing)|머지|병합 충돌|리베이스`),
		keys:  strings.Fields(`merg rebas 머지 병합 리베이스`),
	},
	{
		runs:  command(`(?:(?:npm|pnpm|yarn|cargo|vsce|uv|poetry) publish|twine upload|goreleaser|gh release create|mix hex\.publish|git tag (?:-[asm] )?[^-\s]\S*)`),
		about: phrase(`^(?:releases?|releasing|publish|publishing)$|(?:a|the|each|every|before|new|first) release|release (?:notes?|branch|tag|process|version|build)|npm publish|published (?:to|package|version)|릴리스|릴리즈|출시`),
		keys:  strings.Fields(`releas publish 릴리 출시`),
	},
	{
		runs:  command(`(?:vercel(?: deploy| --prod|$)|(?:kubectl|helm) (?:-\S+ \S+ )*(?:apply|set image|install|upgrade)|terraform apply|fly(?:ctl)? deploy|netlify deploy|firebase deploy|eas update|railway up|wrangler deploy|docker push)`),
		about: phrase(`deploy(?:s|ed|ing|ments?)?|배포`),
		keys:  strings.Fields(`deploy 배포`),
	},
	{
		runs: command(`(?:mix ecto\.(?:gen\.migration|migrate|rollback)|(?:bin/)?rails (?:g|generate) migration|(?:(?:bin/)?rails|rake) db:migrate|prisma (?:migrate|db push)|alembic (?:revision|upgrade|downgrade)|\S*python\S* manage\.py (?:make)?migrat\w+|` +
			`php artisan (?:make:migration|migrate)|knex migrate|sequelize db:migrate|typeorm migration|drizzle-kit|flyway|liquibase|goose|dbmate|supabase (?:migration|db push)|dotnet ef (?:migrations|database))`),
		about: phrase(`migrations?|migrat(?:e[sd]?|ing)|마이그레이션`),
		keys:  strings.Fields(`migrat 마이그레이션`),
	},
	{
		kind:  Tests,
		about: phrase(`(?:run(?:s|ning)?|execut\w+) (?:\w+ ){0,2}(?:tests?|suite)|test suite|tests? (?:\w+ )?(?:pass|fail)\w*|failing tests?|테스트 ?(?:실행|통과|실패)`),
		keys:  strings.Fields(`test suite 테스트`),
		Often: true,
	},
	{
		runs:  command(`(?:(?:npm|pnpm|bun) (?:i|install|add) [^-\s]\S*|(?:npm|pnpm|bun) (?:i|install|add) (?:-\S+ )+[^-\s]\S*|yarn add|go get|(?:pip|pip3|uv pip) install|(?:uv|poetry|cargo|bundle|dotnet) add|composer require)`),
		about: phrase(`^(?:dependency|dependencies)$|(?:add|install|upgrad|updat|bump|pin)\w* (?:\w+ ){0,2}(?:dependency|dependencies|packages?)|(?:new|unpinned|outdated) (?:dependency|dependencies)|lock ?files?|의존성 ?(?:추가|설치|갱신)`),
		keys:  strings.Fields(`dependenc package lock 의존성 패키지 라이브러리`),
	},
	{
		runs:  command(`(?:(?:gh|glab|jira) issue create|\S+ tasks? create)`),
		about: phrase(`(?:creat(?:e|ed|ing)|add(?:ed|ing)?|new) (?:a |an )?(?:task|issue|ticket)s?|(?:task|issue|ticket)s? (?:\w+ )?(?:created|creation)|(?:태스크|이슈|티켓)(?:를)? ?(?:생성|작성|만들)`),
		keys:  strings.Fields(`task issue ticket 태스크 이슈 티켓`),
	},
	{
		runs:  command(`(?:(?:gh|glab) issue close|\S+ tasks? status set .*\b(?i:in.?review|done|closed?|completed?|finished)['"]?)`),
		about: phrase(`(?:task|issue|ticket)s? (?:\w+ )?(?:marked|status|done)|(?:tick|close|mark|finish)\w* (?:a |the )?(?:task|issue|ticket)s?`),
		keys:  strings.Fields(`task issue ticket 태스크 이슈 티켓`),
	},
}

// ActsRun returns the kinds of work that a command line does, as places in Acts.
func ActsRun(line string) (out []int) {
	for _, c := range Read(line, "", nil).Commands {
		for i, a := range Acts {
			if !slices.Contains(out, i) && (slices.Contains(c.Kinds, a.kind) || a.runs != nil && a.runs().MatchString(c.Text)) {
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
		if !slices.ContainsFunc(p.keys, func(k string) bool { return strings.Contains(text, k) }) {
			continue
		}
		if p.not != nil && p.not().MatchString(text) {
			return "", false
		}
		if m := p.about().FindStringSubmatch(text); m != nil && word == "" {
			word = m[1]
		}
	}
	return word, word != ""
}
