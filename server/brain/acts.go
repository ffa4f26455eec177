package brain

import (
	"slices"
	"strings"
	"sync"

	"handrail/lessons"
	"handrail/lessons/lazyregexp"
	"handrail/lessons/shell"
)

// act is a kind of work that cards speak about: how a person asks for it in English and in
// Korean, which commands do it, and how a card's title or tags name it. What a person asks
// for is the verb itself, what a card is about the noun too.
type act struct {
	en, ko, runs, about string

	kind  shell.Kind // of the commands that do it, where that says it without runs
	key   string     // one of these is in whatever names it, which is quicker to see
	not   string     // words that make it another thing: a transaction is committed, too
	Often bool       // nearly every turn does it, so that the command alone is a weak sign
}

// Acts is reviewed as a whole: a wrong word here brings wrong cards. A kind of work is in it
// when it has a name that means nothing else, in a request and in a card.
var Acts = []act{
	{
		en:    `commit|(?:create|make|write|draft|prepare) (?:a |the )?commit(?: message)?`,
		ko:    `커밋|commit`,
		kind:  shell.Commit,
		about: `commit(?:s|ted|ting)?|커밋`,
		key:   `commit 커밋`,
		not:   `transactions?|offsets?|트랜잭션|commit [0-9a-f]{7,40}`,
	},
	{
		en:    `push`,
		ko:    `푸시|푸쉬|push`,
		kind:  shell.Push,
		about: `^push$|git push|force push(?:ed|es|ing)?|push(?:ed|es|ing)? (?:to|before|without|straight|directly|the branch)|(?:푸시|푸쉬)(?:$|하|를| ?전| ?후)`,
		key:   `push 푸시 푸쉬`,
		not:   `push notifications?|푸시 ?알림`,
	},
	{
		en:    `(?:create|open|make|write|raise|submit|draft|prepare|update) (?:a |the )?(?:pr|pull request|merge request)(?: description)?`,
		ko:    `(?:\bpr|풀 ?리퀘스트)`,
		runs:  `(?:gh pr (?:create|edit)|glab mr create)`,
		about: `prs?|(?:pull|merge) requests?|풀 ?리퀘스트`,
		key:   `pr pull merge 풀`,
	},
	{
		en:    `merge (?:in )?(?:it\b|\S*(?:main|master|develop|upstream|branch)|(?:the |this |that |my |our )?(?:pr|pull request|branch))|rebase|cherry-pick|(?:resolve|fix) (?:\w+ ){0,2}conflicts?`,
		ko:    `머지|병합|리베이스|merge|rebase`,
		runs:  `git (?:merge|rebase|cherry-pick|pull)`,
		about: `^merg(?:e|ing)$|git merge|merge conflicts?|merg(?:e[sd]?|ing) (?:\w+ )?(?:in|into|to)? ?(?:main|master|develop|the branch|a branch|upstream)|rebas(?:e[sd]?|ing)|머지|병합 충돌|리베이스`,
		key:   `merg rebas 머지 병합 리베이스`,
	},
	{
		en:    `(?:release|publish) (?:it\b|v?\d|to (?:npm|pypi|crates)|(?:a |the |this )?(?:new |next )?(?:version|package|patch|extension|release))|(?:cut|tag|make|create) (?:a |the )?(?:new )?release|bump (?:the )?version`,
		ko:    `릴리스|릴리즈|출시`,
		runs:  `(?:(?:npm|pnpm|yarn|cargo|vsce|uv|poetry) publish|twine upload|goreleaser|gh release create|mix hex\.publish|git tag [^-\s]\S*)`,
		about: `^(?:releases?|releasing|publish|publishing)$|(?:a|the|each|every|before|new|first) release|release (?:notes?|branch|tag|process|version|build)|npm publish|published (?:to|package|version)|릴리스|릴리즈|출시`,
		key:   `releas publish 릴리 출시`,
	},
	{
		en:    `deploy|redeploy`,
		ko:    `배포|deploy`,
		runs:  `(?:vercel(?: deploy| --prod|$)|kubectl apply|helm (?:install|upgrade)|terraform apply|fly(?:ctl)? deploy|netlify deploy|firebase deploy|railway up|wrangler deploy|docker push)`,
		about: `deploy(?:s|ed|ing|ments?)?|배포`,
		key:   `deploy 배포`,
	},
	{
		en: `migrate (?:the )?(?:db|database|schema)|(?:add|create|write|make|generate|run|apply) (?:a |the |all )?(?:\w+ ){0,2}migrations?`,
		ko: `마이그레이션`,
		runs: `(?:mix ecto\.(?:gen\.migration|migrate|rollback)|(?:bin/)?rails (?:g|generate) migration|(?:(?:bin/)?rails|rake) db:migrate|prisma (?:migrate|db push)|alembic (?:revision|upgrade|downgrade)|\S*python\S* manage\.py (?:make)?migrat\w+|` +
			`php artisan (?:make:migration|migrate)|knex migrate|sequelize db:migrate|typeorm migration|drizzle-kit|flyway|liquibase|goose|dbmate|supabase (?:migration|db push)|dotnet ef (?:migrations|database))`,
		about: `migrations?|migrat(?:e[sd]?|ing)|마이그레이션`,
		key:   `migrat 마이그레이션`,
	},
	{
		en:    `(?:run|rerun|re-run|execute) (?:all |the |our )*(?:\w+ ){0,2}(?:tests?|test suite)`,
		ko:    `테스트 ?(?:실행|수행)`,
		kind:  shell.Tests,
		about: `(?:run(?:s|ning)?|execut\w+) (?:\w+ ){0,2}(?:tests?|suite)|test suite|tests? (?:\w+ )?(?:pass|fail)\w*|failing tests?|테스트 ?(?:실행|통과|실패)`,
		key:   `test suite 테스트`,
		Often: true,
	},
	{
		en:    `(?:add|install|upgrade|update|bump) (?:a |an |the |all |our )?(?:\w+ )?(?:dependency|dependencies|packages?|library)`,
		ko:    `(?:의존성|패키지|라이브러리)`,
		runs:  `(?:(?:npm|pnpm|bun) (?:i|install|add) [^-\s]\S*|(?:npm|pnpm|bun) (?:i|install|add) (?:-\S+ )+[^-\s]\S*|yarn add|go get|(?:pip|pip3|uv pip) install|(?:uv|poetry|cargo|bundle|dotnet) add|composer require)`,
		about: `^(?:dependency|dependencies)$|(?:add|install|upgrad|updat|bump|pin)\w* (?:\w+ ){0,2}(?:dependency|dependencies|packages?)|(?:new|unpinned|outdated) (?:dependency|dependencies)|lock ?files?|의존성 ?(?:추가|설치|갱신)`,
		key:   `dependenc package lock 의존성 패키지 라이브러리`,
	},
	{
		en:    `(?:create|add|open|file|write|make) (?:a |an |the |another |new )*(?:task|issue|ticket)(?: spec)?`,
		ko:    `(?:태스크|이슈|티켓)`,
		runs:  `(?:(?:gh|glab|jira) issue create|\S+ tasks? create)`,
		about: `(?:creat(?:e|ed|ing)|add(?:ed|ing)?|new) (?:a |an )?(?:task|issue|ticket)s?|(?:task|issue|ticket)s? (?:\w+ )?(?:created|creation)|(?:태스크|이슈|티켓)(?:를)? ?(?:생성|작성|만들)`,
		key:   `task issue ticket 태스크 이슈 티켓`,
	},
	{
		en:    `(?:close|finish|complete|mark|set|tick(?: off)?) (?:off )?(?:the |this |that )?(?:task|issue|ticket)s?`,
		ko:    `(?:태스크|이슈|티켓)\S* 완료`,
		runs:  `(?:(?:gh|glab) issue close|\S+ tasks? status set)`,
		about: `(?:task|issue|ticket)s? (?:\w+ )?(?:marked|status|done)|(?:tick|close|mark|finish)\w* (?:a |the )?(?:task|issue|ticket)s?`,
		key:   `task issue ticket 태스크 이슈 티켓`,
	},
	{
		en:    `(?:start|begin|continue|resume)(?: work(?:ing)?)? (?:on|with) (?:the |this )?(?:task|issue|ticket)`,
		ko:    `(?:태스크|이슈|티켓) ?(?:작업)?`,
		about: `(?:start(?:ed|ing)?|work(?:ed|ing)?) (?:work )?on (?:a |an |the )?(?:task|issue|ticket)s?`,
		key:   `task issue ticket 태스크 이슈 티켓`,
	},
	{
		en:    `implement (?:it|(?:the |this |that |our |your )?(?:plan|phase|design|spec))|(?:start|begin)(?: with)? (?:the )?(?:implementation|implementing)`,
		ko:    `구현|(?:계획|설계|플랜)대로`,
		about: `(?:without|before|straight to) (?:\w+ )?implement\w*|implement\w* (?:\w+ )?plans?|before (?:coding|any code)|바로 구현|구현 ?전`,
		key:   `implement coding code 구현 계획 설계 플랜`,
	},
	{
		en:    `(?:add|create|build|make|write|generate|scaffold) (?:a |an |another |the )?(?:new )?(?:\w+ ){0,3}(?:component|page|screen|view|endpoint)`,
		ko:    `새 ?(?:컴포넌트|화면|페이지)`,
		about: `new (?:\w+ )?(?:components?|pages?|screens?|views?|endpoints?|buttons?)|새 ?(?:컴포넌트|화면|페이지)`,
		key:   `new 새`,
	},
}

// compiled are the regular expressions of an act. runs and not may be nil.
type compiled struct {
	keys                     []string
	en, ko, runs, about, not *lazyregexp.Regexp
}

var actPatterns = sync.OnceValue(func() []compiled {
	out := make([]compiled, len(Acts))
	whole := func(words string) *lazyregexp.Regexp {
		return lazyregexp.New(`(?:^|[^\p{L}\p{N}])(` + words + `)(?:$|[^a-z0-9])`)
	}
	for i, a := range Acts {
		out[i] = compiled{
			keys:  strings.Fields(a.key),
			en:    lazyregexp.New(`^(?:` + a.en + `)\b`),
			ko:    lazyregexp.New(`(?:` + a.ko + `)(?:을|를|도|까지)?\s?(?:좀\s?)?(?:(?:생성|추가|작성|설치|진행|시작)\s?)?(?:해(?:줘|주|라|서|야|봐)?(?:$|[^\p{Hangul}])|해(?:줘|주|라|서|야|봐)|하자|하고|만들|올려|부탁)`),
			about: whole(a.about),
		}
		if a.not != "" {
			out[i].not = whole(a.not)
		}
		if a.runs != "" {
			out[i].runs = lazyregexp.New(`^(?:` + a.runs + `)(?:\s|$|[;&|)])`)
		}
	}
	return out
})

// named reports whether a lower-case text has a key of the act at all.
func (p *compiled) named(text string) bool {
	return slices.ContainsFunc(p.keys, func(k string) bool { return strings.Contains(text, k) })
}

var (
	// orders is where an English order begins, behind the beginning of a line: its verb is
	// next. "Add a test and commit" asks for a commit, "the commit is wrong" does not.
	orders = lazyregexp.New(`[.;:!?)]\s+|\b(?:and|then|please|now|just|also|let's|lets|let us|can you|could you|go ahead and|want to|want you to|need to|need you to)\s+`)
	hangul = lazyregexp.New(`\p{Hangul}`)
)

// beginnings returns what follows each beginning in a request.
func beginnings(request string) (out []string) {
	for line := range strings.Lines(request) {
		out = append(out, strings.TrimSpace(line))
		for _, m := range orders.FindAllStringIndex(line, -1) {
			out = append(out, line[m[1]:])
		}
	}
	return out
}

// ActsAsked returns the kinds of work that a request starts, as places in acts.
func ActsAsked(request string) (out []int) {
	request = strings.ToLower(Head(request, MaxCommand))
	begin, korean := beginnings(request), hangul.MatchString(request)
	for i := range Acts {
		p := &actPatterns()[i]
		if (slices.ContainsFunc(begin, p.en.MatchString) || korean && p.named(request) && p.ko.MatchString(request)) && (p.not == nil || !p.not.MatchString(request)) {
			out = append(out, i)
		}
	}
	return out
}

// ActsRun returns the kinds of work that a command does, as places in acts.
func ActsRun(command string) (out []int) {
	line := shell.Read(Head(command, MaxCommand), "", nil)
	for i, a := range Acts {
		runs := actPatterns()[i].runs
		if slices.ContainsFunc(line.Commands, func(c shell.Command) bool {
			return slices.Contains(c.Kinds, a.kind) || runs != nil && runs.MatchString(c.Text)
		}) {
			out = append(out, i)
		}
	}
	return out
}

// IsAbout returns the word with which a card's title or one of its tags names a kind of
// work. A card that merely mentions it further down is about something else.
func IsAbout(c *lessons.Card, i int) (word string, ok bool) {
	p := &actPatterns()[i]
	for at := -1; at < len(c.Tags); at++ {
		text := c.Title
		if at >= 0 {
			text = strings.ReplaceAll(c.Tags[at], "-", " ")
		}
		text = strings.ToLower(text)
		if !p.named(text) {
			continue
		}
		if p.not != nil && p.not.MatchString(text) {
			return "", false
		}
		if m := p.about.FindStringSubmatch(text); m != nil && word == "" {
			word = m[1]
		}
	}
	return word, word != ""
}

// MaxCommand bounds what is read of a command, in bytes.
const MaxCommand = 2000
