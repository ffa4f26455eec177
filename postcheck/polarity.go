package postcheck

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

// englishNegators deny what follows them.
var englishNegators = map[string]bool{
	"not": true, "no": true, "never": true, "without": true, "dont": true, "didnt": true, "doesnt": true, "havent": true, "hasnt": true, "isnt": true, "arent": true,
	"wasnt": true, "werent": true, "couldnt": true, "wouldnt": true, "wont": true, "cant": true, "cannot": true, "skip": true, "omit": true, "ignor": true, "forgot": true,
	"unabl": true, "nor": true, "avoid": true, "instead": true, "lack": true, "longer": true, "shouldnt": true,
}

// koreanNegator matches words that deny what stands before them.
var koreanNegator = lazyregexp.New(`^(?:않|못|없|생략|건너|빼|제외|말|금지|아니|무시|누락)`)

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
	clauseMark  = lazyregexp.New(`[,:()]`)
	clauseWords = map[string]bool{"but": true, "and": true, "so": true, "because": true, "until": true, "unless": true, "before": true, "then": true, "since": true}
)

// contextual marks the words of an item that say when it holds, not what: those after
// "before" or "when", or describe ("that tells …"), and in Korean those in front of "전에" or "때".
func contextual(words []terms.Term) []bool {
	out := make([]bool, len(words))
	for i, w := range words {
		switch {
		case w.Class == terms.Word && (englishWhen[w.Text] || relative[w.Text]) && i > 0:
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
	koreanWhen  = lazyregexp.New(`^(?:전|전에|후|후에|뒤|뒤에|때|때는|경우|경우에)$`)
)

// reach is how many words a negation reaches, stop words not counted: "did not yet really
// check the list".
const reach = 4

// koreanReach is how far in front of a Korean negation its topic may stand.
const koreanReach = 7

var (
	// koreanTopic matches a word that its clause is about.
	koreanTopic = lazyregexp.New(`(?:은|는)\s+$`)
	// koreanNow matches what looks like a topic and tells when or of what an answer.
	koreanNow = lazyregexp.New(`^(?:이번에는|이번에|이번|지금은|지금|현재는|현재|당장은|당장|아직은|오늘은|여기서는|여기에는|일단은|당분간은|그때는|직접은)`)
	// koreanParticle matches a word that is no mere part of the noun behind it.
	koreanParticle = lazyregexp.New(`(?:[은는이가을를도만의]|에|에서|에게|으로|로|고|며|면|서|게|지|[한된할될하인])[\s,.]+$`)
	// koreanJoint matches a word that ends a clause and begins the next.
	koreanJoint = lazyregexp.New(`(?:는데|지만|[었았했]고|으며|하며|니까|더니)\s+$`)
)

// stating negators deny their subject too: "the cache isn't cleared".
var stating = map[string]bool{"isnt": true, "arent": true, "wasnt": true, "werent": true, "hasnt": true, "havent": true}

// auxiliaries make "not" a stating negator.
var auxiliaries = map[string]bool{"is": true, "are": true, "was": true, "were": true, "has": true, "have": true}

var (
	// englishIf are the words after which a negation tells a case, not what was done:
	// "everybody who is not in the list", "if it's not there".
	englishIf = map[string]bool{"if": true, "when": true, "whenever": true, "unless": true, "who": true, "that": true, "which": true, "whoever": true, "whatever": true, "whether": true, "where": true, "anything": true, "everything": true, "everyone": true, "everybody": true, "anybody": true, "anyone": true}
	// koreanIf matches a negation that tells a case: 없으면, 아니면, 않는.
	koreanIf = lazyregexp.New(`^(?:없|않|아니|못)(?:으면|면|을|는|은|던|더라도|거나|아도|어도)`)
)

// conditional reports whether the negation words[i] belongs to a condition or describes
// something.
func conditional(sentence string, words []terms.Term, i int) bool {
	for j := i - 1; j >= 0 && j >= i-reach; j-- {
		if clauseMark.MatchString(sentence[words[j].End:words[j+1].Start]) {
			return false
		}
		if englishIf[strings.ToLower(sentence[words[j].Start:words[j].End])] {
			return true
		}
	}
	return false
}

// degree matches what follows a negation that denies only how much: "isn't as dangerous",
// "not only the client".
var degree = lazyregexp.New(`(?i)^,?\s(?:as|that|so|too|only|just|merely|simply|much|exactly|(?:a|an)\s(?:big|huge|real|deep|large|serious|bug|problem))\b`)

// harm matches what nobody wants: "the session isn't lost" denies nothing that an item asks
// for.
var harm = phrasesOf(`los[et]\w*|leak\w*|crash\w*|fail\w*|br[eo]ak\w*|broken?|block\w*|miss(?:ed|es|ing)?|corrupt\w*|hang\w*|hung|freez\w*|stuck|exhaust\w*|duplicat\w*|overwrit\w*|race\w*|deadlock\w*|panic\w*|slip\w*|flood\w*|jump\w*|errors|problems?|warnings?|issues|conflicts?|collisions?|trouble|difference`, `끊기|끊어지|깨지|잃|사라지|멈추|막지|막히|새지|죽지|누락|유실|중복|늘어나|느려지|튀|어긋나|꼬이|넘치|오류|에러|문제|실패|충돌|경고|손실|이상|차이`)

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
		case sentence[w.Start] == ' ': // quoted
		case w.Class == terms.Word:
			end := i
			left := reach
			if i == 0 && w.Text == "instead" { // "Instead of the code the dialog says what to do"
				left /= 2
			}
			for ; left > 0 && end+1 < len(words) && end-i < 3*reach; end++ {
				next := words[end+1]
				if clauseMark.MatchString(sentence[words[end].End:next.Start]) || clauseWords[next.Text] {
					break
				}
				if !next.Stop {
					left--
				}
			}
			if degree.MatchString(sentence[w.End:]) || conditional(sentence, words, i) || harm.MatchString(sentence[w.End:words[end].End]) {
				continue
			}
			for j := i + 1; j <= end; j++ {
				out[j] = true
			}
			if !stating[w.Text] && (w.Text != "not" || i == 0 || !auxiliaries[words[i-1].Text]) {
				continue
			}
			for j := i - 1; j >= max(0, i-3*reach) && !clauseMark.MatchString(sentence[words[j].End:words[j+1].Start]) && !clauseWords[words[j].Text]; j-- {
				out[j] = true
			}
		case w.Text == "안" || w.Text == "못":
			for j := max(0, i-3); j < len(words) && j <= i+1; j++ {
				out[j] = true
			}
		case koreanIf.MatchString(sentence[w.Start:w.End]), i > 0 && harm.MatchString(sentence[words[i-1].Start:w.Start]):
		default:
			topic := false
			for j := i - 1; j >= 0 && j >= i-koreanReach && !topic; j-- {
				if strings.ContainsAny(sentence[words[j].End:w.Start], ",") || j < i-1 && koreanJoint.MatchString(sentence[words[j].Start:words[j+1].Start]) {
					break
				}
				word := sentence[words[j].Start:words[j+1].Start]
				topic = koreanTopic.MatchString(word) && !koreanNow.MatchString(word)
				if j >= i-3 || topic {
					out[j] = true
					if j > 0 && words[j].Start == words[j-1].End { // "tsc는": the particle is a word of its own
						out[j-1] = true
					}
				}
				if topic {
					compound(sentence, words, j, out)
				}
			}
		}
	}
	return out
}

// compound denies with a topic the nouns that stand before it: "계정 단위 제한은".
func compound(sentence string, words []terms.Term, topic int, out []bool) {
	for j := topic - 1; j >= 0 && j >= topic-3; j-- {
		if words[j+1].Start > words[j].End && (koreanParticle.MatchString(sentence[words[j].Start:words[j+1].Start]) || clauseMark.MatchString(sentence[words[j].End:words[j+1].Start])) {
			return
		}
		out[j] = true
	}
}

var (
	// deferral matches sentences that leave something for later, to the reader or to a
	// plan.
	deferral = phrasesOf(`todo|fixme|later|follow[- ]up|not (?:\w+ )?yet|remains? to be|still (?:needs?|has|have) to|still (?:needs|missing|open|outstanding)|you should still|left (?:as|for|out)|next steps?|out of scope|future work|eventually|you (?:may|might|could) (?:also )?want to|consider (?:\w+ ){0,2}\w+ing|someone should|ought to|needs? to be|(?:i|we)'ll|(?:i|we) will|(?:i|we)(?:'d| would) (?:do|rather|like|suggest|recommend|add|move)|going to|shall i|(?:should|may|can) i|do you want|would you like|if you(?:'d)? (?:ever |later |still |also )?(?:want|like|wish|need)|let me know|haven't looked|didn't get (?:to|around)|untouched|please (?:also |then |just )?(?:run|re-?run|do|check|test|verify|add|make sure|remember|confirm|update|set|try|review|regenerate|install|bump|commit|call|restart|rebuild)|as it (?:is|was)\b|as they were\b|(?:leave|leaves|left) (?:\S+ ){1,4}(?:alone|as)|deserves? (?:its|a) own|no chance to|(?:was|were|been|have|had|also|i|we) (?:considered|discussed|evaluated|contemplated)|thought (?:about|of)|(?:i|we) looked (?:at|into) \w+ing|toyed with|decided against|opted (?:not|against)|chose not|(?:i|we) can (?:also |still |then |easily )?(?:add|do|write|make|move|change|switch|extend|set|put|include)|(?:is|are|be) (?:easy|trivial|simple|possible) to|up to you|your call|(?:leave|left|leaving) (?:it|that|this|them|those|the rest) (?:to|for)|separate (?:pr|ticket|issue|change|pull request|task|branch)|(?:follow|comes?|land) in (?:the|a) next|down the line|for now|should (?:work|pass|hold|do)|(?:is|are) meant to|(?:i|we) (?:expect|assume|believe|suspect|trust|think|guess)|presumably|untested|unverified|happy to|(?:keep|keeps|kept|leave|leaves|left|stay|stays|stayed) (?:\w+ )?out of (?:this|the|my)|(?:we|i)(?:'d| would) (?:have|need) to|(?:is|was|are|were) (?:too |rather |very |quite )?(?:hard|difficult|tricky) (?:to|because|since|without)|outside (?:of )?(?:this|the) (?:change|task|pr|scope|request)|(?:belongs|belong) to (?:another|the other|a different)|another team|in a (?:later|future|further|separate) (?:step|pr|change|sprint|iteration)|when (?:we|there|i) (?:have|has|is) (?:time|more time)`, `나중에|추후|향후|아직|남겨\s?두|남아\s?있(?:습|다|음)|다음\s?(?:단계|작업|변경|PR)|별도(?:로|\s)|범위\s?밖|해야\s?합니다|하셔야|예정|겠습니다|할게요|드릴게요|드리겠|고려해|권장|추천|좋겠습니다|편이\s?좋|원하시면|까요\?|그대로(?:입니다|예요|이다|\s?두|\s?씁|\s?쓰)|예전처럼|손대지|건드리지|(?:검토|고려|생각|논의|시도)(?:는|도|만)?\s?(?:했|하였|해 봤|해 보았)|(?:택|선택|채택|도입|적용|반영)하지\s?않|고르지\s?않|않기로|말기로|보류|미뤘|미루|미뤄|뒤로\s?돌|면\s?(?:됩니다|돼요|된다|될)|(?:해|아|어|여|[가-힣])\s?주(?:세요|십시오|시면|시기)|(?:하|으)세요|바랍니다|려고\s?(?:합|해|했|하)|려다|려던|할\s?(?:계획|생각|수\s?있을)|것으로\s?(?:보|봅|판단|예상|생각|기대)|것\s?같|\s것입니다|[을를될할올날칠릴킬질길일]\s?(?:겁니다|거예요|것입니다)|문제\s?없을|괜찮을|충분할|예상됩|예상합|맡깁|맡겼|맡기|소관|몫(?:입|이)|다른 팀(?:이|에서|의)|이번\s?(?:작업|변경|PR|건|범위|스코프|에)(?:는|에는|에서는|에)?\s?(?:포함하지|넣지|하지|다루지|빼|뺐|제외)|기 어려워|기 어렵|기가 어려|기 힘들|시간이 (?:없|부족|모자)|여유가 없|낫(?:습|겠|다|지)|나을|낫다고`)
	// leftOpen matches headings, and the leads of lists, under which things are put off or
	// only repeated.
	leftOpen = phrasesOf(`next steps?|what(?:'s| is) (?:left|missing|not)|(?:does|did|do) not (?:contain|include|cover)|left (?:to do|open|out)|remaining|to[- ]?dos?|not (?:done|included|covered|yet)|open (?:points?|questions?|items?|issues?)|follow[- ]?ups?|future|out of scope|limitations|known issues|later|recommend\w*|suggest\w*|ideas|possible improvements|plan|proposal|what i (?:would|will)|missing`, `남은|다음 ?단계|추후|향후|미완료|하지 않은|못 ?한|제안|권장|들어 ?있지 ?않|빠진|계획|할 ?일|확인이 ?필요`)
	// over matches sentences that tell that something is gone, kept from happening, or
	// searched for and not found.
	over = phrasesOf(`gone|removed?|drop(?:s|ped)?|no longer|replac\w+|instead|masked|redact\w*|strip(?:s|ped)?|prevent\w*|rather than|forbid\w*|reject\w*|protect\w*|exclud\w*|used to|became|converted|switched|formerly|previously|originally|no (?:hits|matches|occurrences|results)|disappear\w*|vanish\w*|went away|(?:comes?|came) (?:back|up) (?:empty|clean)|(?:finds?|found|prints?|printed|reports?|shows?|returns?) (?:nothing|none|no other)`, `제거|없앴|없앤|대신|[가-힣]던\s|사라졌|사라집|없어졌|없어집|뺐|빼서|삭제|마스킹|가려|막았|막습|바꿨|하던|있던|였던|었던|예전에는|기존에는|원래는|떼어|걷어|나오지 않|나오는 (?:것|곳|줄)이 없|걸리는 (?:것|곳|줄)이 없|결과가 없|한 (?:건|곳|줄)도 (?:없|나오지)|하나도 (?:없|나오지)`)
)

// quoted matches what a sentence only cites: code, and texts of a screen.
var quoted = lazyregexp.New("`[^`\n]+`|\"[^\"\n]+\"|\u201c[^\u201d\n]+\u201d")

// unquoted blanks out what a sentence cites, and leaves the rest where it stands.
func unquoted(s string) string {
	if !strings.ContainsAny(s, "`\"\u201c") {
		return s
	}
	out := []byte(s)
	for _, q := range quoted.FindAllStringIndex(s, -1) {
		for i := q[0]; i < q[1]; i++ {
			out[i] = ' '
		}
	}
	return string(out)
}

func hasHangul(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= firstHangul && r <= lastHangul })
}

//go:embed asides.txt
var asidesText string

// asides reads the data file once.
var asides = sync.OnceValue(func() []cue {
	var out []cue
	for line := range strings.Lines(asidesText) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, cuesOf(line)...)
		}
	}
	return out
})

// muses reports whether a sentence tells what is usual, possible or good, and not what was
// done.
func muses(sentence string) bool {
	low := strings.ReplaceAll(strings.ToLower(sentence), "how often", "")
	for _, c := range asides() {
		if c.all(low) != nil {
			return true
		}
	}
	return false
}

// leftOut is what sounds put off and is not.
var leftOut = lazyregexp.New(`(?i)(?:can't|cannot) be left out|is never left out|if you (?:need to|want to see)|(?:the|against|on) untouched|(?:[아어려와져해여켜꺼돼]도|[후뒤]에도|다음에도)\s(?:[^.,]{0,30}\s)?(?:남아\s?있|그대로)`)

// defers reports whether a sentence leaves something for later or asks.
func defers(sentence string) bool {
	return deferral.MatchString(sentence) && deferral.MatchString(leftOut.ReplaceAllString(sentence, "")) || muses(sentence) || strings.HasSuffix(strings.TrimSpace(sentence), "?")
}

var (
	refusal = lazyregexp.New(`(?i)^(?:i'?m sorry|sorry|i (?:can(?:no|')t|am unable|won'?t|am not able)|unfortunately,? i (?:can(?:no|')t|am)|as an ai|죄송|미안하지만|도와드릴 수 없|답변(?:을|할 수)|요청하신 .{0,30}(?:도와|수 없))`)
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

var (
	// englishJoint matches where a sentence goes on with a clause of its own.
	englishJoint = lazyregexp.New(`(?i)(?:[,;]\s+|\s[—–]\s)(?:(?:and|while|though|although|then)\s+)?(?:i|we|it|they|the|this|that|there|now|both|all|each|every)\s|,?\sbut\s|,\s(?:yet|though|although|whereas)\s|\s[—–]\s`)
	// koreanEnds are the endings of a Korean clause that goes on, behind a past tense.
	koreanEnds = []string{"고", "으며", "지만", "으나", "는데", "으니", "으므로", "으니까", "다만"}
)

// piece is a sentence or a part of one.
type piece struct {
	text string
	off  bool // it puts off what it tells
}

// pieces cuts a sentence that puts something off into its clauses, if one of them does not:
// "the limiter is in, but its tests will follow". Others stay whole.
func pieces(s string) []piece {
	own := unquoted(s)
	whole := []piece{{s, defers(own)}}
	if !whole[0].off {
		return whole
	}
	var cuts []int
	for _, m := range englishJoint.FindAllStringIndex(own, -1) {
		cuts = append(cuts, m[0])
	}
	if hasHangul(own) {
		cuts = append(cuts, koreanCuts(own)...)
		slices.Sort(cuts)
	}
	var out []piece
	from, off := 0, true
	for _, to := range append(cuts, len(s)) {
		if strings.TrimSpace(own[from:to]) == "" {
			continue
		}
		out = append(out, piece{s[from:to], len(cuts) > 0 && defers(own[from:to])})
		off = off && out[len(out)-1].off
		from = to
	}
	if off || len(out) < 2 {
		return whole
	}
	return out
}

// koreanCuts returns where the words end in a sentence that tell a deed and go on.
func koreanCuts(s string) []int {
	var out []int
	end := 0
	for i, r := range s + " " {
		if r != ' ' {
			continue
		}
		word := strings.TrimSuffix(s[end:i], ",")
		for _, e := range koreanEnds {
			if stem, ok := strings.CutSuffix(word, e); ok && past(stem) {
				out = append(out, i)
				break
			}
		}
		end = i + 1
	}
	return out
}

// past reports whether a Korean word ends as past tenses do, in ㅆ, or as 습니-다만.
func past(stem string) bool {
	r, _ := utf8.DecodeLastRuneInString(stem)
	return r >= firstHangul && r <= lastHangul && int(r-firstHangul)%finals == finalOfPast || strings.HasSuffix(stem, "니")
}

// finalOfPast numbers ㅆ among the final consonants.
const finalOfPast = 20
