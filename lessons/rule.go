package lessons

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

const (
	// minRule and maxRule bound a rule, in characters; a Hangul syllable counts as two.
	minRule = 12
	maxRule = 600
)

// NotARule returns the problem of a draft that names no mistake and is no rule either: what
// an agent noticed ("the user likes tabs") is nothing that anybody can keep to. The rule is
// the draft's fix, or its title.
func (d Draft) NotARule() (Problem, bool) {
	if !saysNothing(d.Sections[Mistake]) {
		return Problem{}, false
	}
	for _, text := range []string{d.Sections[Fix], d.Title} {
		if !saysNothing(text) {
			return Problem{Code: NoRule, Severity: Warning}, !isRule(text)
		}
	}
	return Problem{Code: NoRule, Severity: Warning}, true
}

// described opens a text that tells of somebody or something.
var described = lazyregexp.New(`(?i)^(?:the (?:user|person|agent|assistant|model|team|customer|developer)s?\b|it(?:['’]s| is| was)\b|there (?:is|are|was|were)\b|i\b|we\b|you are\b|he\b|she\b|they\b|this is\b|that is\b|사용자[는가]|에이전트[는가]|모델[은이]|어시스턴트[는가]|이것[은이]|이건|나는|저는|우리는|우리가|그[는가] )`)

// imperatives begin a rule. "When asked about X, use the Y tool" begins none: it is how an
// agent remembers a tool, not what went wrong.
const imperatives = `add|allow|always|anchor|apply|ask|assert|avoid|await|back up|batch|bind|bound|build|cache|cap|catch|check|clean|clear|close|commit|compare|confirm|convert|copy|create|declare|define|delete|deny|disable|do|don['’]?t|document|drop|enable|encode|ensure|escape|exclude|fail|fetch|filter|fix|flush|format|give|guard|handle|hold|ignore|include|initiali[sz]e|inspect|install|keep|limit|load|lock|log|look|make|match|measure|merge|mock|move|name|never|normali[sz]e|only|open|parse|pass|pin|prefer|preserve|prevent|print|put|quote|read|rebuild|record|refuse|reject|release|remove|rename|replace|report|require|reset|restart|retry|return|reuse|review|roll back|round|run|sanitize|save|scope|search|send|separate|serve|set|skip|sort|split|start|stop|store|strip|sync|test|throw|trim|truncate|turn|unlock|update|upgrade|use|validate|verify|wait|warn|wrap|write`

var (
	ordered      = lazyregexp.New(`(?i)^(?:please )?(?:` + imperatives + `)\b`)
	conditional  = lazyregexp.New(`(?i)^(?:when|whenever|if|unless|while|before|after|during|on|for)\b`)
	obliged      = lazyregexp.New(`(?i)\b(?:must|should|shall|need to|needs to|have to|has to|may not|cannot|can['’]t)\b|[,;:]\s*(?:then )?(?:` + imperatives + `)\b`)
	toolHint     = lazyregexp.New(`(?i)^(?:when|if) (?:the user (?:asks?|is asking)|asked|someone asks)\b[^,]*,?\s*(?:use|call|run|invoke) (?:the |a )?[\w\s.-]{1,40}?(?:tool|function|command)s?[.!]?$`)
	koreanOrder  = lazyregexp.New(`(?:하라|해라|어라|아라|으라|지 ?마라|하세요|으세요|십시오|[할을를] ?것|말 ?것|말 ?기|[가-힣]기|[가-힣]야 ?(?:한다|합니다|함|해|해요|된다|됩니다|돼)|지 ?않는다|[가-힣](?:한다|는다|둔다|쓴다|낸다|인다|킨다|운다)|금지|필수)[.!]?$`)
	koreanHint   = lazyregexp.New(`(?:물어보면|물으면|질문하면)\S* .{1,40}?(?:도구|툴|함수|명령)\S* ?(?:를|을)? ?(?:쓴다|사용한다|호출한다|써라|사용하라|쓸 것|사용할 것)[.!]?$`)
	ruleTrimming = " \t\n*_`>#-"
)

// isRule reports whether a text tells somebody what to do.
func isRule(text string) bool {
	t := strings.Trim(oneLine(text), ruleTrimming)
	n := utf8.RuneCountInString(t)
	for _, r := range t {
		if unicode.Is(unicode.Hangul, r) {
			n++
		}
	}
	switch {
	case n < minRule || n > maxRule, described.MatchString(t), toolHint.MatchString(t), koreanHint.MatchString(t):
		return false
	case ordered.MatchString(t), conditional.MatchString(t) && obliged.MatchString(t):
		return true
	}
	for sentence := range strings.SplitSeq(strings.ReplaceAll(t, "다. ", "다.\n"), "\n") {
		if koreanOrder.MatchString(sentence) {
			return true
		}
	}
	return false
}
