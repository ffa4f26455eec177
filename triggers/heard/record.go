package heard

import (
	"slices"
	"strings"
	"sync"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// Intent is what a person's message says about making lessons of this conversation.
type Intent string

// The intents.
const (
	Silent  Intent = ""        // nothing, or something else
	Asks    Intent = "asks"    // it orders that a lesson be kept
	May     Intent = "may"     // it may: it speaks of the rules that agents read
	Forbids Intent = "forbids" // it orders that none be made
)

// IntentOf judges a message. It is a gate before work that nobody may start but the person, so it goes by a closed list of orders and is silent in
// doubt: an order begins its clause, names lessons (or points at what was said, and ends there), and what follows does not make a lesson something
// else, such as a page of a school's app. What is quoted is not said. Wherever a clause takes it back, the message forbids.
func IntentOf(text string) Intent {
	switch i, _ := recordIn(own(text)); i {
	case May:
		return Silent
	default:
		return i
	}
}

// maxClause bounds an order, in bytes: nobody gives a longer one.
const maxClause = 400

// recordIn returns the intent and its sentence.
func recordIn(m message) (found Intent, evidence string) {
	for _, s := range m.sentences {
		if !recordCue().matches(seek(s.said)) || strings.HasPrefix(s.said, "if ") {
			continue
		}
		text := introduction().ReplaceAllString(reminder().ReplaceAllString(s.said, " "), "$1")
		for clause := range strings.SplitSeq(clauseMarks().ReplaceAllString(text, "\n"), "\n") {
			clause = strings.TrimSpace(clause)
			switch {
			case clause == "" || len(clause) > maxClause:
			case matchesAny(forbidden, clause):
				return Forbids, s.words
			case found != Asks && matchesAny(asked, clause) && !ofTheProgram().MatchString(clause):
				found, evidence = Asks, s.words
			case found == Silent && agentRules().MatchString(clause) && !how().MatchString(s.said):
				found, evidence = May, s.words
			}
		}
	}
	return found, evidence
}

func matchesAny(list []lazyregexp.Regexp, s string) bool {
	return slices.ContainsFunc(list, func(p lazyregexp.Regexp) bool { return p().MatchString(s) })
}

var (
	// recordCue is in every order and every refusal: clauses without it are skipped.
	recordCue = sync.OnceValue(func() pattern {
		return compile(`lesson|learning|takeaway|gotcha|pitfall|mistake|draft|handrail|brain|rule|record|remember|not(?:e|ing)|jot|captur|write down|turn|convert|distil|instructions|교훈|레슨|배운|깨달은|실수|기록|메모|박제|초안|규칙|md`)
	})
	clauseMarks = lazyregexp.New(`[.!?;:,\n(){}]+|\b(?:and then|and|then|but)\b`)
	// ofTheProgram are lessons that a program deals in.
	ofTheProgram = lazyregexp.New(`\blessons? (?:from|of|in|about) (?:(?:the|a|an|our|my|each|every) )?(?:\w+ )?(?:api|database|db|endpoint|server|table|page|file|queue|cache|course|school|student|teacher|users?|being|overlapping|loading|rendering)s?\b`)
	// reminder negates forgetting, not recording.
	reminder = lazyregexp.New(`\b(?:please )?(?:dont|do not|never) forget(?: to)?\b`)
	// introduction begins a sentence about something else: "note that, in production, …".
	introduction = lazyregexp.New(`\b(?:note|remember) that(?: as a rule)?, (\S+ \S)`)
	how          = lazyregexp.New(`^(?:how|what|why|is|are|does|do|did|would|should|where|which)\b|어떻게`)
)

const (
	// verbsOfLessons are what is done to lessons and to little else that is called so.
	verbsOfLessons = `(?:record|save|capture|note(?: down)?|log|keep|draft|extract|distill?|collect|remember|document|write (?:down|up)|harvest|jot down)`
	verbsOfMaking  = `(?:write|make|create|add|generate|produce)`
	// polite may stand before an order.
	polite = `^(?:(?:please|pls|now|ok|okay|so|also|just|first|next|finally|yes|sure|great|thanks|hey|handrail|can you|could you|would you|will you|lets|go ahead|i want you to|i need you to|id like you to|you can|you should|you may|you must|feel free to|try to|remember to|make sure to|be sure to) )*`
	amount = `(?:(?:all|both|each|every|any|some|the|these|those|this|that|our|your|my|a|an|another|one|two|three|four|five|several|more|many|few|\d+|of|new|separate|draft|important|key|remaining|other) ){0,5}`
	lesson = `(?:lessons?(?:[- ]cards?)?(?: learned| learnt)?|learnings|takeaways|gotchas|pitfalls|mistakes)`
	// goesOn is what may follow: nothing, or where the lessons come from and what they are for.
	goesOn = `(?: (?:from|of|about|that|which|we|you|i|here|now|please|too|as well|today|first|separately|down|so|in the brain|in handrail|into the brain|to the brain|in(?:to)? cards|as (?:drafts|cards|lessons|a lesson)|for (?:this|that|these|it|next time|later|the future|us|me|everyone|both|each|all of)|out of|with handrail)(?: .*)?)?$`
	// comesFrom is what must follow where lessons are made: of a school's there are too many.
	comesFrom = `(?: (?:learned|learnt|now|please|too|here|today|(?:from|of|out of|about|for) (?:this|that|these|those|it|what|today|our|the (?:session|conversation|chat|bug|bugs|mistake|mistakes|failure|failures|incident|fix|problem|problems|rollback|debugging)|next time|each|both|all)|as drafts)(?: .*)?)?$`
	pointed   = `(?:this|that|these|those|it|them|both|all of (?:it|this|that|these|those|them)|what (?:went wrong|we(?: just)? learned|we learnt|just happened|happened))`
	negations = `\b(?:dont|do not|never|not|no need to|neednt|need not|shouldnt|should not|must not|mustnt|cant|cannot|wont|stop|without|avoid|refrain from|skip|quit|instead of|rather than)\b`

	koLesson = `(?:교훈|레슨 ?카드|레슨으로|lessons?|배운 ?(?:점|것|내용)|깨달은 ?점|실수)(?:들)?(?: ?(?:카드|노트))?(?:들)?(?:으로|로|을|를|은|는|도|만|에)?`
	koThis   = `(?:이거|이것|이건|이걸|그거|그건|그걸|이것들|이거들|방금 ?(?:거|것|일|내용|실수)|이번 ?(?:거|것|일|내용|건)|지금 ?(?:거|것|내용)|위 ?내용|여기까지)(?:을|를|은|는|도|만|다|들)?`
	koAdverb = `(?:(?:모두|전부|다|각각|각자|하나씩|하나|여러 ?개|[두세네] ?개|\d+ ?개|좀|꼭|잘|따로|지금|바로|반드시|초안|초안으로|초안도|초안을|카드로|카드에|교훈으로|교훈에|브레인에|brain에|handrail에) )*`
	koVerb   = `(?:초안 ?)?(?:기록|저장|정리|메모|작성|추가|등록|생성|박제|기억|뽑아|만들어|남겨|적어|써|모아)`
	koOrder  = ` ?(?:해|하)? ?(?:줘|주세요|주십시오|줄래|줄래요|줄 ?수 ?있[어니나]|줘라|줘요|둬|두자|놔|놓자|놔줘|라|자|요|세요|십시오|부탁해|부탁해요|부탁드려요|부탁드립니다|부탁합니다|부탁|바람|바랍니다)?(?: ?(?:주세요|줘))?[요~ ]*$`
)

// agentRules matches an order about the rules that agents read: they are kept already, elsewhere.
var agentRules = lazyregexp.New(polite + `(?:make|create|add|write|update|modify|adjust|improve|extend|document|record|put|change|draft|mention|include) (?:.* )?(?:(?:cursor|agent|agents|copilot|claude|ai|windsurf|cline) rules?(?: files?)?|rules? files?|rulefile|copilot instructions|a (?:new )?rule|(?:the|this|that|my|your|an existing|existing|new) (?:[\w-]+ )?rules?)\b|(?:claude|agents|rulefile)\S* .*(?:담아|추가|반영|넣어|적어|기록|박아)|규칙(?:에|을|으로) .*(?:추가|넣어|적어|만들어|기록)`)

var asked = []lazyregexp.Regexp{
	lazyregexp.New(polite + verbsOfLessons + ` ` + amount + lesson + goesOn),
	lazyregexp.New(polite + verbsOfMaking + ` ` + amount + lesson + comesFrom),
	lazyregexp.New(polite + `(?:turn|make|convert|distill?|write) (?:` + pointed + `|each of (?:these|those|them)|the (?:mistakes?|failures?|session|conversation)|everything)(?: \w+){0,3}? (?:in)?to (?:(?:a|an|two|three|some|several|separate|\d+) )*(?:lessons?(?:[- ]cards?)?|drafts?)` + goesOn),
	lazyregexp.New(polite + `(?:record|remember|note|note down|write down|jot down|capture) ` + pointed + `(?: down)?(?: (?:all|too|please|now|as well|for (?:next time|later|the future)|as (?:a )?(?:lessons?|drafts?|rules?|global rules?)(?:[- ]cards?)?))*$`),
	lazyregexp.New(polite + `(?:save|keep|store|log|add|file|draft) ` + pointed + ` (?:as|to|in|into|under) (?:(?:a|an|the|our|my|two|three|several|separate|new) )*(?:lessons?(?:[- ]cards?)?|brain|handrail)(?: .*)?$`),
	lazyregexp.New(polite + `(?:write|note|jot|put) ` + amount + lesson + ` (?:down|up)` + goesOn),
	lazyregexp.New(polite + `(?:use|call|run) lessons_draft(?: .*)?$`),
	lazyregexp.New(polite + `(?:record|remember|note|write down|memori[sz]e|save|keep|log) (?:this|that|the|our|your|my) (?:mistake|failure|lesson|blunder|slip|gotcha|pitfall|incident)s?(?: down)?(?: (?:please|for (?:next time|later|the future)|so .*))?$`),
	lazyregexp.New(polite + `write ` + pointed + ` down(?: (?:as .*|so .*|for (?:next time|later|the future)|please))?$`),
	lazyregexp.New(polite + `(?:make|create|add|write) (?:a |another )?(?:new )?(?:cursor |agent )?rules? (?:to|so|that|which|for you to) (?:record|remember|make sure|ensure|never|always|you|prevents?|keep)\b`),
	lazyregexp.New(`^(?:.* )?` + koLesson + ` ` + koAdverb + koVerb + koOrder),
	lazyregexp.New(`^(?:.* )?` + koThis + ` ` + koAdverb + `(?:기록|메모|박제|적어|기억)` + koOrder),
	lazyregexp.New(`^(?:꼭 |좀 |다 |모두 )?기록(?:해|해 ?줘|해 ?줘요|해 ?주세요|해 ?둬|해 ?두자|해 ?놔|하자|부탁해)$`),
}

var forbidden = []lazyregexp.Regexp{
	lazyregexp.New(negations + `(?: \w+){0,4}? (?:record|sav|captur|not|logg?|keep|draft|extract|distill?|collect|remember|document|writ|mak|creat|add|generat|produc|turn)(?:e|es|s|ing|ting)?(?: down| up)? (?:\w+ ){0,5}?(?:lessons?|drafts?|learnings|takeaways|gotchas)\b`),
	lazyregexp.New(negations + `(?: \w+){0,2}? (?:record|remember|note|draft|call lessons_draft)(?:ing)?(?: ` + pointed + `| anything)?(?: please| now| yet| today| this time)*$`),
	lazyregexp.New(`^(?:\w+ ){0,2}?(?:no|zero) (?:more |new )?(?:lessons?|lesson cards?|drafts?)(?: (?:please|now|today|yet|this time|needed|necessary|for (?:this|that|now|me)))*$`),
	lazyregexp.New(koLesson + ` (?:\S+ ){0,4}?\S*(?:지 ?(?:마|말|않)|지는 ?(?:마|말)|필요 ?(?:는|가|도)? ?없|안 ?(?:해도|남겨도|적어도|만들어도|써도)|말고|말아|그만|금지|됐어)`),
	lazyregexp.New(`^(?:` + koThis + ` )?` + koAdverb + `(?:기록|메모|박제)(?:은|는|을|를)? ?(?:하지|남기지)? ?(?:마|말아|말고|말자|마세요|마라|말아줘|않아도 ?돼|안 ?해도 ?돼|필요 ?없어)[요]?$`),
	lazyregexp.New(`^(?:교훈 ?)?초안(?:은|을|도)? ?(?:더 ?)?(?:만들지|쓰지|작성하지|남기지) ?(?:마|말)`),
}
