package lessons

import (
	_ "embed"
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

//go:embed title.txt
var titlePage string

var says = lazyregexp.Named(titlePage)

// maxOrder is the longest title, in characters, that is taken for a mere order to go on;
// longer ones say what they continue.
const maxOrder = 60

// IsTopic reports whether a title plainly names an area, and neither a rule nor a mistake. Of 115 titles of rule files, of
// which nearly all do, it finds 69; of 97 titles of lessons that people and models wrote, none.
func IsTopic(title string) bool {
	t := says("number").ReplaceAllString(strings.TrimSpace(title), "")
	words := strings.Fields(t)
	switch {
	case len(words) == 0:
		return false
	case strings.ContainsFunc(t, isHangul):
		return len(words) <= 3 && !says("koreanPredicate").MatchString(t)
	case says("rule").MatchString(t), says("predicate").MatchString(t):
		return false
	case len(words) <= 2:
		return true
	}
	heading := !slices.ContainsFunc(words, func(w string) bool { r, _ := utf8.DecodeRuneInString(w); return len(w) > 3 && unicode.IsLower(r) })
	return len(words) <= 6 && says("area").MatchString(t) && (heading || len(words) == 3)
}

// states are words of what anything may be in, by their stems: a title of them alone names nothing.
var states = terms.Set("ai agent claude codex gemini copilot assistant model bot i it that this they something thing assist made make mistak by was review bug error issu problem wrong fail fals broken break brok work pass done finish complet cancel deni reject abort stop block pend wait check verifi sure yet still again now maybe sorri ok okay good bad never test code fix same new old happen went go wip todo progress look see unknown unclear investig try tri got get did do not thi " +
	"확인 중 아직 진행 실패 실수 오류 에러 문제 버그 테스트 완료 취소 거절 거부 대기 보류 모름 또 다시 여전히 발생 에이전트 모델 했다 함 됨 안 잘 것 수정 코드 검토 조사 파악 예정 필요 상태")

// longTitle is the longest title, in characters; real ones have 130 at most, and what is longer is a paragraph.
const longTitle = 160

// IsTitle reports whether a title that a conversation gave may name a card: not whether it is a good one.
func IsTitle(title string) bool {
	return (!says("task").MatchString(strings.TrimSpace(title)) || says("rule").MatchString(title)) && isPersonsTitle(title)
}

// isPersonsTitle is IsTitle of what a person chose: that may order a piece of work, as a rule does ("Deploy the docs with make").
func isPersonsTitle(title string) bool {
	t := strings.TrimSpace(title)
	return utf8.RuneCountInString(t) <= longTitle && !isChat(t) && !says("named").MatchString(t) && tellsSomething(t)
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
	switch {
	case says("speaks").MatchString(title), says("speaksKorean").MatchString(title), says("own").MatchString(title) && !says("rule").MatchString(title):
		return true
	case says("error").MatchString(title):
		return false
	}
	return says("chat").MatchString(title) || utf8.RuneCountInString(title) <= maxOrder && says("order").MatchString(title)
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
