package heard

import (
	"strings"
	"sync"
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
		text := says("introduction").ReplaceAllString(says("reminder").ReplaceAllString(s.said, " "), "$1")
		for clause := range strings.SplitSeq(says("clauseMarks").ReplaceAllString(text, "\n"), "\n") {
			clause = strings.TrimSpace(clause)
			switch {
			case clause == "" || len(clause) > maxClause:
			case says("forbidden").MatchString(clause):
				return Forbids, s.words
			case found != Asks && says("asked").MatchString(clause) && !says("ofTheProgram").MatchString(clause):
				found, evidence = Asks, s.words
			case found == Silent && says("agentRules").MatchString(clause) && !says("how").MatchString(s.said):
				found, evidence = May, s.words
			}
		}
	}
	return found, evidence
}

// recordCue is in every order and every refusal: clauses without it are skipped.
var recordCue = sync.OnceValue(func() pattern {
	return compile(`lesson|learning|takeaway|gotcha|pitfall|mistake|draft|handrail|brain|rule|record|remember|not(?:e|ing)|jot|captur|write down|turn|convert|distil|instructions|교훈|레슨|배운|깨달은|실수|기록|메모|박제|초안|규칙|md`)
})
