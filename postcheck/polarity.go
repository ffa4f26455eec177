package postcheck

import (
	"regexp"
	"strings"

	"handrail/lessons/terms"
)

// englishNegators deny what follows them.
var englishNegators = map[string]bool{
	"not": true, "no": true, "never": true, "without": true, "dont": true, "didnt": true, "doesnt": true, "havent": true, "hasnt": true, "isnt": true, "arent": true,
	"wasnt": true, "werent": true, "couldnt": true, "wouldnt": true, "wont": true, "cant": true, "cannot": true, "skip": true, "omit": true, "ignor": true, "forgot": true,
	"unabl": true, "nor": true, "avoid": true, "instead": true, "lack": true, "shouldnt": true,
}

// koreanNegator matches words that deny what stands before them.
var koreanNegator = regexp.MustCompile(`^(?:않|못|없|생략|건너|빼|제외|말|금지|아니|무시|누락)`)

// negators marks the words of a text that deny others.
func negators(words []terms.Term) []bool {
	out := make([]bool, len(words))
	for i, w := range words {
		switch w.Class {
		case terms.Word:
			out[i] = englishNegators[w.Text]
		case terms.Hangul:
			out[i] = koreanNegator.MatchString(w.Text) || w.Text == "안" || w.Text == "못"
		}
	}
	return out
}

// A negation's reach ends with its clause.
var (
	clauseMark  = regexp.MustCompile(`[,:()]`)
	clauseWords = map[string]bool{"but": true, "and": true, "so": true, "because": true, "until": true, "unless": true, "before": true, "then": true, "since": true}
)

// contextual marks the words of an item that say when it holds, not what: those after
// "before" or "when", and in Korean those in front of "전에" or "때".
func contextual(words []terms.Term) []bool {
	out := make([]bool, len(words))
	for i, w := range words {
		switch {
		case w.Class == terms.Word && englishWhen[w.Text] && i > 0:
			for j := i + 1; j < len(words); j++ {
				out[j] = true
			}
		case w.Class == terms.Word && englishWhen[w.Text]: // "Before the migration, take a backup"
			for j := i + 1; j < len(words) && j <= i+reach; j++ {
				out[j] = true
			}
		case w.Class == terms.Hangul && koreanWhen.MatchString(w.Text) && i+1 < len(words):
			for j := range i {
				out[j] = true
			}
		}
	}
	return out
}

var (
	englishWhen = map[string]bool{"before": true, "after": true, "when": true, "whenever": true, "if": true, "while": true, "until": true, "unless": true}
	koreanWhen  = regexp.MustCompile(`^(?:전|전에|후|후에|뒤|뒤에|때|때는|경우|경우에)$`)
)

// negations marks the words of a sentence that stand under a negation: after it in
// English, before it in Korean, and "안", "못" before their verb.
func negations(sentence string, words []terms.Term) []bool {
	out := make([]bool, len(words))
	neg := negators(words)
	for i, is := range neg {
		if !is {
			continue
		}
		w := words[i]
		switch {
		case w.Class == terms.Word:
			for j := i + 1; j < len(words) && j <= i+reach; j++ {
				if clauseMark.MatchString(sentence[w.End:words[j].Start]) || clauseWords[words[j].Text] {
					break
				}
				out[j] = true
			}
		case w.Text == "안" || w.Text == "못":
			for j := max(0, i-2); j < len(words) && j <= i+1; j++ {
				out[j] = true
			}
		default:
			for j := i - 1; j >= 0 && j >= i-3; j-- {
				if strings.ContainsAny(sentence[words[j].End:w.Start], ",") {
					break
				}
				out[j] = true
			}
		}
	}
	return out
}

// deferral matches sentences that leave something for later or to the reader.
var deferral = regexp.MustCompile(`(?i)\b(?:todo|fixme|later|follow[- ]up|not yet|remains? to be|still needs?|still has to|you should still|left (?:as|for)|next step|out of scope|future work|eventually|you (?:may|might) want to|consider adding|someone should)\b|나중에|추후|아직|남겨\s?두|남아\s?있|다음\s?단계|별도로\s?진행|범위\s?밖|해야\s?합니다만|하셔야`)

func putsOff(sentence string) bool { return deferral.MatchString(sentence) }

// forbidding matches items that ask for something not to be done.
var forbidding = regexp.MustCompile(`(?i)\b(?:never|not|no|don't|do not|without|avoid|must not|cannot|nothing|none|forbid\w*)\b|n't\b|않|금지|말\s?것|마라|말아|없[이다어는]|안\s?된다|안\s?한다|지\s?말`)

func forbids(item string) bool { return forbidding.MatchString(item) }

var (
	refusal = regexp.MustCompile(`(?i)^(?:i'?m sorry|sorry|i (?:can(?:no|')t|am unable|won'?t|am not able)|unfortunately,? i (?:can(?:no|')t|am)|as an ai|죄송|미안하지만|도와드릴 수 없|답변(?:을|할 수)|요청하신 .{0,30}(?:도와|수 없))`)
	// maxRefusal is the longest answer, in bytes, that is taken for a refusal or a mere
	// question: longer ones say something that can be checked.
	maxRefusal = 400
)

// skip reports whether an answer has nothing that could be checked.
func skip(answer string) bool {
	t := strings.TrimSpace(answer)
	if t == "" {
		return true
	}
	if len(t) > maxRefusal || strings.Contains(t, "```") {
		return false
	}
	return refusal.MatchString(t) || onlyQuestions(t)
}

// onlyQuestions reports whether every sentence asks.
func onlyQuestions(t string) bool {
	rest := t
	for {
		i := strings.IndexAny(rest, ".!?\n")
		if i < 0 {
			return strings.TrimSpace(rest) == ""
		}
		if rest[i] != '?' && strings.TrimSpace(rest[:i]) != "" {
			return false
		}
		rest = rest[i+1:]
	}
}
