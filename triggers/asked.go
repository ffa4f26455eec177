package triggers

import (
	"hash/fnv"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/triggers/heard"
)

// maxPrompt bounds a message whose words are compared, in bytes.
const maxPrompt = 8000

// topicOf returns the sums of a message's content words, in order.
func topicOf(text string) []uint32 {
	text = terms.Normalize(text)
	if len(text) > maxPrompt {
		return nil
	}
	return contentOf(heard.OwnWords(text), askedFiller)
}

// contentOf returns the sums of the words of a text that are no filler, in order. A Korean word counts by its pairs
// of syllables, for its ending and the spaces around it vary; one with a hyphen is two.
func contentOf(text string, filler ...map[string]bool) (sums []uint32) {
	for _, w := range terms.Words(strings.ReplaceAll(text, "-", " ")) {
		word := w.Text
		if w.Class == terms.Hangul {
			for _, end := range koreanOrders {
				if rest, ok := strings.CutSuffix(word, end); ok {
					word = rest
					break
				}
			}
		}
		if w.Stop || word == "" || slices.ContainsFunc(filler, func(f map[string]bool) bool { return f[word] }) {
			continue
		}
		if w.Class != terms.Hangul {
			sums = append(sums, sumOf(word))
			continue
		}
		syllables := []rune(word)
		if len(syllables) == 1 {
			sums = append(sums, sumOf(word))
		}
		for i := range syllables[:len(syllables)-1] {
			sums = append(sums, sumOf(string(syllables[i:i+2])))
		}
	}
	slices.Sort(sums)
	return slices.Compact(sums)
}

const (
	// sameTold is the share of words from which two sentences tell of the same mistake, toldWords
	// how many they have in common at least. With the shares of a rule, for sentences of few words, these join
	// 15 of 85 pairs that tell of one mistake, and none of 1,200 that tell of two (TestSameTold).
	sameTold, toldWords = 0.4, 3
	// sameRule is the share of words from which two rules are one, longerRule where one only says
	// more ("never commit to main", "… straight to main"), ruleWords how many at least.
	sameRule, longerRule, ruleWords = 0.75, 0.5, 2
)

// SameTold reports whether two sentences of a person tell of the same mistake.
func SameTold(a, b string) bool {
	x, y := toldIn(a), toldIn(b)
	return terms.Common(x, y, 0) >= toldWords && jaccard(x, y) >= sameTold || alike(x, y) ||
		len(x) > 0 && slices.Equal(x, y) && (a == b || RuleOf(a).forbids && RuleOf(b).forbids)
}

// Tells reports whether a sentence of a person says what it is about: "it fails again, the same error" does not.
func Tells(text string) bool { return len(toldIn(text)) >= fewTerms }

// lately are the words of sentences that were compared: each is held against many.
var lately, _ = lru.New[string, []uint32](1 << 14) // it refuses a size of 0

func toldIn(text string) []uint32 {
	words, ok := lately.Get(text)
	if !ok {
		words = contentOf(text, askedFiller, tellingFiller, routine)
		lately.Add(text, words)
	}
	return words
}

// Rule is a standing rule, ready to be held against others.
type Rule struct {
	Text    string
	forbids bool
	words   []uint32
}

// RuleOf returns the rule that a text lays down.
func RuleOf(text string) Rule {
	return Rule{text, forbids().MatchString(terms.Normalize(text)), contentOf(text, tellingFiller)}
}

// sentence matches one: what says no may stand before the one that lays a rule down.
var sentence = lazyregexp.New(`(?:e\.g\.|i\.e\.|[^.!?\n])+(?:[.!?]\S+)*`)

// Sentences returns the sentences of a text.
func Sentences(text string) []string { return sentence().FindAllString(text, -1) }

// Binds reports whether a text says that something must be done, or must not.
func (r Rule) Binds() bool { return r.forbids || obliges().MatchString(r.Text) }

// Shared returns how many words a rule has in common with another.
func (r Rule) Shared(o Rule) int { return terms.Common(r.words, o.words, 0) }

// About reports whether two rules are about the same, for it or against.
func (r Rule) About(o Rule) bool {
	return alike(r.words, o.words)
}

// alike reports whether two lists of words are nearly one, or one of them says only more.
func alike(a, b []uint32) bool {
	both, share := terms.Common(a, b, 0), jaccard(a, b)
	return both >= ruleWords && (share >= sameRule || share >= longerRule && both == min(len(a), len(b)))
}

// SameRule reports whether two standing rules are the same: about the same, and both for it or both against.
func SameRule(a, b string) bool {
	r, o := RuleOf(a), RuleOf(b)
	return r.forbids == o.forbids && r.About(o)
}

// forbids matches a rule that forbids.
var forbids = lazyregexp.New(`(?i)\b(?:never|not|don['’]?t|no|without|avoid|stop|forbidden|must\s*n[o'’]t|cannot|can['’]?t)\b|` +
	`금지|마(?:라|세요|십시오|요)?[.!~ ]*$|말(?:아|고|자|것|라)|말 것|않|안 ?(?:돼|됨|됩|된)`)

// obliges matches a rule that asks for something.
var obliges = lazyregexp.New(`(?i)\b(?:always|must|only|prefer|ensure|make sure|required?|mandatory)\b|^use\b|반드시|항상|꼭|무조건|해야|할 것|[하쓰두으아어]라[.!~ ]*$`)

// tellingFiller are words of who asks that something be kept, or says how long a rule holds, whatever it is about.
var tellingFiller = terms.Set("record rememb save keep note jot write lesson mistak gotcha pitfal rule polici pleas alway never ever " +
	"forward futur henceforth now straight direct forbidden strict 기록 기억 저장 남겨 남기 교훈 실수 레슨 메모 규칙 앞으 앞으로 앞으로는 " +
	"항상 절대 절대로 반드시 꼭 무조건 이제부터 지금부터 다음부터 직접 바로 금지 마 마라 마세요 말아 말아주세요 말자 말도록 말 것 " +
	"않기 않도록 하세요 주세요")

func sumOf(word string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(word))
	return h.Sum32()
}

// jaccard returns the share of words that two ordered sets have in common.
func jaccard(a, b []uint32) float64 {
	both := terms.Common(a, b, 0)
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// koreanOrders are endings that ask for something in one tone or another.
var koreanOrders = []string{
	"해주십시오", "해주세요", "해주시겠어요", "해줄래", "해줘요", "해줘", "해봐", "해라", "합시다", "하자", "하세요", "해야지", "해야돼", "해야해",
	"주십시오", "주세요", "줄래", "줘요", "줘", "봐줘", "봐요", "봐", "달라고", "라고", "다고",
}

// askedFiller are words that a message has whatever it asks for, as terms.Words gives them.
var askedFiller = terms.Set("again now still also really quick actual instead try tri sure great good first next last time back same one two yet more look see let know think right want would could hi hey guy " +
	"다시 또 좀 제발 이거 그거 저거 이건 그건 이제 지금 아직 여전히 계속 그냥 한번 빨리 그럼 그러면 그리고 근데 그런데 해 하 줄 수 것 거 안 못 잘 더 꼭 부탁 부탁드립니다 부탁해 방금 아까 일단 자꾸 왜 진짜")

// routine are words for what is asked for many times a day.
var routine = terms.Set("edit reset skip touch modifi delet ad run test commit push pull merg build deploy lint format review continu go proceed start stop restart check fix add updat chang make creat remov write explain show fail pass work error issu problem bug file code branch pr unit " +
	"커밋 푸시 테스트 빌드 배포 머지 실행 돌려 돌리 확인 계속 진행 고쳐 고치 수정 추가 작성 설명 보여 알려 만들 만들어 파일 코드 브랜치 리뷰 린트 시작 변경")
