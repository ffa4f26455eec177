package lessons

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/terms"
)

// A title is what later requests are held against, so it says what went wrong or what to do. A turn of a conversation
// does neither: it addresses somebody, asks, points at something unsaid, or orders to go on or to do a piece of work.
// Nor does the bare name of something: a file, a command, a test; nor a state that anything may be in: "not sure yet".

// fragmentEnd follows the word that makes a title a fragment: "This fails" is one, "Same-origin" and "Now()" are not.
const fragmentEnd = `(?:['’](?:s|re|ll|d)\b|[\s,.!?…:;]|$)`

var chatPatterns = []lazyregexp.Regexp{
	// somebody is addressed
	lazyregexp.New(`(?i)(?:^|[,.;:!?]\s*|\b(?:please|and|then|just|can you|could you|will you|would you)\s+)(?:notify|tell|ping|remind) me\b`),
	lazyregexp.New(`(?i)\blet me know\b|^let me\b`),
	lazyregexp.New(`(?:알려|말해|얘기해|깨워|상기시켜|알림) ?(?:줘|주세요|주십시오|달라|줄래|줄 수)[^\s]{0,4}[.!?~\s]*$`),
	// it points at what was said before
	lazyregexp.New(`(?i)^(?:it|that|this|these|those|same|still|again|and|but|also|ok|okay|yes|yep|nope|now|so|hmm|wait)` + fragmentEnd),
	lazyregexp.New(`(?i)^no(?:[\s]*[,.!?…]|\s*$|\s+(?:it|that|this|not|you|i|we|wait|stop|never|please|thanks|thank|the other|don['’]?t)(?:['’]s)?\b)`),
	lazyregexp.New(`^(?:이거|이건|그거|그건|저거|이게|그게|아니|아니야|아냐|아뇨|아니요|응|ㅇㅇ|네|예|그래|또|아직도|여전히|똑같이|그리고|근데|그런데|하지만|다시|자|음|이제|지금)(?:[\s,.!?…~]|$)`),
}

// orders are turns that say go on; what follows the word may make it a name after all:
// "Retry storms take the queue down".
var orders = []lazyregexp.Regexp{
	lazyregexp.New(`(?i)^(?:please\s+)?(?:proceed|continue|try again|go ahead|retry|do it|go on|keep going|resume|carry on|next)(?:[\s.,!?…]*$|[,.!?…]|\s+(?:with|the|from|please|it|this|that|now|again|until|and|to|on|as|doing|working|where|what|your|then|anyway)\b)`),
	lazyregexp.New(`^(?:계속|진행|재시도|이어서|다음|마저)(?:해서|으로)?\s?(?:해|하|부탁|진행|가|ㄱ|작업|$)`),
}

// maxOrder is the longest title, in characters, that is taken for a mere order to go on;
// longer ones say what they continue.
const maxOrder = 60

// errorSignatures mark even a fragment as the name of an error. The names of errors are
// written in capitals; a phrase is an error however it is written.
var errorSignatures = []lazyregexp.Regexp{
	lazyregexp.New(`\b(?:E[A-Z]{3,}|[A-Z][A-Za-z]*(?:Error|Exception)|E\d{3,}|[A-Z]{2,}-?\d{2,}|SIG[A-Z]{3,})\b`),
	lazyregexp.New("(?i)\\b(?:errno \\d+|no module named|no such file|permission denied|connection refused|segmentation fault|(?:nil|null) pointer|undefined reference|command not found|out of memory|exit (?:code|status) \\d+)\\b"),
	lazyregexp.New("[`'\"][\\w./:-]{2,}[`'\"]"),
}

var (
	// speaks matches what a person says to somebody: a question, a polite request, their own wishes
	// and views, a second sentence.
	speaks = lazyregexp.New(`(?i)[?？]\s*$|(?:^|[\s,.!(])(?:please|pls|plz|thanks|thank you)\b|^(?:hey|hi|hello|great|awesome|perfect|nice|cool|looks? good|sure|sorry|let[’']?s|let us|we|you|my|your|(?:can|could|would|will|do|did|are|have|should|shall|may) (?:i|we|you)|(?:what|which|why|how|where)[’']?(?:s|re)?)\b[^:]*[?]|^(?:great|awesome|perfect|thanks|sorry|let[’']?s|let us|you|we|my|(?:can|could|would|will|should|shall|may) (?:i|we|you)|(?:why|how) (?:is|are|was|were|do|does|did|can|should))\b|^i(?:['’](?:m|ve|d|ll))?\s|\byou(?:['’]re|['’]ve| (?:are|were|did|have|said|just|should))\b|[a-z가-힣)\]"'` + "`" + `][.!?]+\s+[\pL` + "`" + `]|[:,]$|^@|^\d+[.)] |^(?:[❯➜>]|PS [A-Z]:) `)
	// own matches a person in the middle of a title, who speaks unless it is a rule: "Ask me before you push".
	own = lazyregexp.New(`\s(?:[Ii](?:['’](?:m|ve|d|ll))?|we|my|our|me)\s`)
	// speaksKorean matches the same by how it ends or begins.
	speaksKorean = lazyregexp.New(`줘(?:요|라)?(?:[\s.,!?~]|$)|(?:줄래|주세요|주십시오|부탁[^\s]*|볼까|할까|해봐|봐봐|하자|보자|가자|니|냐|나요|은가|는가|까요?|[는은인]데요?|거야|건가|잖아|네|거든|구나|[싶있없같않했됐었았겠]어|[할볼줄]게|안 ?돼|보여|ㄱㄱ)[\s.!?~;,ㅋㅎㅠ…]*$|^(?:너는?|넌|니가|네가|야|어|오|그럼|그냥|일단) |^(?:나는?|난|내가|저는|제가|우리) .*(?:[^다것.]|[^다것]\.)$`)
	// task matches a piece of work that is ordered or asked about, unless it holds of more than
	// once: rule. Of words that may open a name, as in "Test data leaked", what follows tells.
	task = lazyregexp.New(`(?i)^(?:- |(?:now|then|also|just|and|so|instead|next|first|okay|ok|well),? )*(?:(?:go ahead and|try to|help(?: me)?(?: to)?|make sure to|begin) )?` +
		`(?:(?:add|adjust|analy[sz]e|clean|continue|convert|create|describe|do|examine|explain|figure|find|finish|generate|get|give|have|implement|improve|investigate|look|produce|propose|put|refactor|remove|rename|render|replace|resolve|see|seems|show|simplify|suggest|summari[sz]e|take|tell|try|undo|write|what (?:is|are|does|do)|looks like)(?:[\s,.!:]|$)` +
		`|(?:build|cancel|change|check|commit|copy|debug|deploy|draft|fix|format|go|install|list|make|merge|move|open|plan|push|read|restart|revert|review|run|search|set|start|switch|test|turn|update|upgrade) (?:(?:the|an?|this|that|these|those|it|them|all|any|some|both|each|my|our|your|again|to|up|out|in|on|off|for|with|now)\b|@|#|` + "`" + `|\d|\S*[./_]\S))`)
	rule = lazyregexp.New(`(?i)\b(?:never|always|only|not|no|without|before|after|when|whenever|unless|until|instead of|rather than|must|every|each|once|against|per|while|don['’]?t)\b|: |[;—–]`)
	// named matches how the name of a test or a command begins.
	named = lazyregexp.New(`^(?:FAIL(?:ED)?|ok|PASS(?:ED)?|●|✗|✕|×|✘|---)[ :]|^(?:Test[A-Z_0-9]\w*|test_\w+|\S+::\S+)(?::|$)|^(?:\$ |(?:sudo |npx )?(?:bun|cargo|deno|docker|dotnet|git|go|gradle|just|kubectl|make|mise|mvn|node|npm|npx|pip|pnpm|poetry|pytest|python3?|ruff|sh|task|tsc|turbo|uv|vitest|yarn)(?: (?:-\S*|\S*[./:=]\S*))*(?: (?:add|apply|build|check|checkout|ci|commit|compose|deploy|dev|exec|fmt|install|lint|merge|pull|push|rebase|run|start|test|up|vet))?(?: (?:-\S*|\S*[./:=]\S*))*(?: [a-z-]+)?$)`)
)

// A topic names an area and leaves what to do there to the card, which an agent that has the titles alone does not see.
var (
	// predicate matches what makes a title a sentence, be it one without a subject: "Close the file".
	predicate = lazyregexp.New(`(?i)\b(?:is|are|was|were|be|been|has|have|had|do|does|did|cannot|can|may|should|will|needs?|than|twice|again|at|from|by|to|over|\w+ed)\b|['’]t\b` +
		`|^\w+ (?:the|an?|this|that|these|those|it|them|all|any|some|both|your|our|its|what|in|on|out|up|off|for|with)\b`)
	// koreanPredicate matches how a word ends that is more than a name.
	koreanPredicate = lazyregexp.New(`(?:[은는이가을를에로서도만과와고면게다음함됨임기라요것해줘]|[는은한]지)(?:[.!?]?\s|[.!?]?$)|[:;—,]`)
	// area matches the last word of what is no more than a heading.
	area = lazyregexp.New(`(?i)(?:tion|sion|ment|[a-z]{2}ing|ity|ance|ence|ness|cy|ogy|ure|ship|rule|guide|guideline|standard|principle|practice|pattern|protocol|workflow|process|lifecycle|context|overview|checklist|style|usage|setup|reference)s?$`)
	// number and aside match what headings have before and behind their words.
	number = lazyregexp.New(`^[^\pL]+|\s*\([^)]*\)$`)
)

// IsTopic reports whether a title plainly names an area, and neither a rule nor a mistake. Of 115 titles of rule files, of
// which nearly all do, it finds 69; of 97 titles of lessons that people and models wrote, none.
func IsTopic(title string) bool {
	t := number().ReplaceAllString(strings.TrimSpace(title), "")
	words := strings.Fields(t)
	switch {
	case len(words) == 0:
		return false
	case strings.ContainsFunc(t, isHangul):
		return len(words) <= 3 && !koreanPredicate().MatchString(t)
	case rule().MatchString(t), predicate().MatchString(t):
		return false
	case len(words) <= 2:
		return true
	}
	heading := !slices.ContainsFunc(words, func(w string) bool { r, _ := utf8.DecodeRuneInString(w); return len(w) > 3 && unicode.IsLower(r) })
	return len(words) <= 6 && area().MatchString(t) && (heading || len(words) == 3)
}

// states are words of what anything may be in, by their stems: a title of them alone names nothing.
var states = terms.Set("ai agent claude codex gemini copilot assistant model bot i it that this they something thing assist made make mistak by was review bug error issu problem wrong fail fals broken break brok work pass done finish complet cancel deni reject abort stop block pend wait check verifi sure yet still again now maybe sorri ok okay good bad never test code fix same new old happen went go wip todo progress look see unknown unclear investig try tri got get did do not thi " +
	"확인 중 아직 진행 실패 실수 오류 에러 문제 버그 테스트 완료 취소 거절 거부 대기 보류 모름 또 다시 여전히 발생 에이전트 모델 했다 함 됨 안 잘 것 수정 코드 검토 조사 파악 예정 필요 상태")

// longTitle is the longest title, in characters; real ones have 130 at most, and what is longer is a paragraph.
const longTitle = 160

// IsTitle reports whether a title that a conversation gave may name a card: not whether it is a good one.
func IsTitle(title string) bool {
	return (!task().MatchString(strings.TrimSpace(title)) || rule().MatchString(title)) && isPersonsTitle(title)
}

// isPersonsTitle is IsTitle of what a person chose: that may order a piece of work, as a rule does ("Deploy the docs with make").
func isPersonsTitle(title string) bool {
	t := strings.TrimSpace(title)
	return utf8.RuneCountInString(t) <= longTitle && !isChat(t) && !named().MatchString(t) && tellsSomething(t)
}

// tellsSomething reports whether a title has two words or more, and one of prose that says what it is about.
func tellsSomething(title string) bool {
	words := strings.Fields(title)
	prose := slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return !strings.ContainsFunc(w, isHangul) && strings.ContainsFunc(strings.Trim(w, edges), func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("-'’", r) })
	})
	says := func(t terms.Term) bool { return !t.Stop && !states[t.Text] }
	return len(words) > 1 && slices.ContainsFunc(terms.Words(title), says) &&
		slices.ContainsFunc(prose, func(w string) bool { return !strings.EqualFold(w, "and") && !strings.EqualFold(w, "or") })
}

// edges are the marks around a word.
const edges = ".,:;!?()'\"’“”"

func isHangul(r rune) bool { return unicode.Is(unicode.Hangul, r) }

// isChat reports whether a title is a turn of a conversation. The name of an error makes a title of a fragment.
func isChat(title string) bool {
	matches := func(p lazyregexp.Regexp) bool { return p().MatchString(title) }
	switch {
	case speaks().MatchString(title), speaksKorean().MatchString(title), own().MatchString(title) && !rule().MatchString(title):
		return true
	case slices.ContainsFunc(errorSignatures, matches):
		return false
	}
	return slices.ContainsFunc(chatPatterns, matches) || utf8.RuneCountInString(title) <= maxOrder && slices.ContainsFunc(orders, matches)
}

// sameTitle is the share of words from which two titles say the same, fewTitleWords how many of them there must be.
const (
	sameTitle     = 0.8
	fewTitleWords = 4
)

// SameTitle reports whether two titles say the same in nearly the same words: hyphens and spaces
// within words, endings, the order of the words and the form of a question do not count ("Why do
// web-hooks fail?", "webhooks fail"). Another name or number is another mistake.
func SameTitle(a, b string) bool {
	x, y := titleWords(a), titleWords(b)
	x, y = saying(joined(x, y)), saying(joined(y, x))
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	both, named := 0, false
	for _, w := range x {
		if slices.ContainsFunc(y, w.is) {
			both++
		} else {
			named = named || w.name
		}
	}
	named = named || slices.ContainsFunc(y, func(w titleWord) bool { return w.name && !slices.ContainsFunc(x, w.is) })
	return both == max(len(x), len(y)) ||
		!named && min(len(x), len(y)) >= fewTitleWords && float64(both) >= sameTitle*float64(len(x)+len(y)-both)
}

// titleWord is a word of a title: as written in lower case, and as terms has it.
type titleWord struct {
	raw, text  string
	stop, name bool
}

func (w titleWord) is(other titleWord) bool { return w.text == other.text }

// lastEnding is how a Korean title ends, whether it asks or states: 않나, 않는다, 않음.
var lastEnding = lazyregexp.New(`(?:[하할되될이일]?(?:나|냐|니|까|는가|은가|는지|은지|죠)요?|는다|다|음)[\s?.]*$`)

// titleWords returns the words of a title in their order.
func titleWords(title string) (out []titleWord) {
	title = terms.Normalize(strings.ReplaceAll(title, "-", " "))
	title = lastEnding().ReplaceAllString(title, "")
	for _, t := range terms.Words(title) {
		name := t.Class == terms.Number || t.Class == terms.Code
		out = append(out, titleWord{strings.ToLower(title[t.Start:t.End]), t.Text, t.Stop, name})
	}
	return out
}

// joined returns the words of a title, with two neighbours as one where another title writes them
// so: "web hooks", "만료 시".
func joined(words, other []titleWord) []titleWord {
	for i := 0; i+1 < len(words); i++ {
		one := words[i].raw + words[i+1].raw
		if at := slices.IndexFunc(other, func(w titleWord) bool { return w.raw == one || w.text == one }); at >= 0 {
			words = slices.Replace(slices.Clone(words), i, i+2, other[at])
		}
	}
	return words
}

// saying returns the words that say something, each once.
func saying(words []titleWord) (out []titleWord) {
	for _, w := range words {
		if !w.stop && !slices.ContainsFunc(out, w.is) {
			out = append(out, w)
		}
	}
	return out
}

// Generic reports whether a word, in lower case, names a language, a tool or a layer: such words speak to half of all commands
// and files, so a tag or a glob of nothing else says nothing of what a card is about.
func Generic(word string) bool { return generic[word] }

var generic = terms.Set(`
		go golang python py javascript js typescript ts tsx jsx java kotlin rust ruby php c cpp csharp swift shell bash sh sql html css json yaml toml markdown md
		node npm pnpm yarn bun pip uv cargo make git docker test tests testing unit ci build lint run dev prod src lib app api web server client cmd main internal pkg
		http db config docs doc scripts script tools tool bin security performance bug error fix backend frontend index status log diff`)
