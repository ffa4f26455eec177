package lessons

import (
	"slices"
	"strings"
	"unicode/utf8"

	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

// A title is what later requests are held against, so it names a mistake. A turn of a
// conversation does not: it addresses somebody, points at something unsaid, or orders to go
// on. Questions and "please" are kept; they come back as requests do.

// fragmentEnd follows the word that makes a title a fragment: "This fails" is one,
// "Same-origin" and "Now()" are not.
const fragmentEnd = `(?:['’](?:s|re|ll|d)\b|[\s,.!?…:;]|$)`

var chatPatterns = []*lazyregexp.Regexp{
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
var orders = []*lazyregexp.Regexp{
	lazyregexp.New(`(?i)^(?:please\s+)?(?:proceed|continue|try again|go ahead|retry|do it|go on|keep going|resume|carry on|next)(?:[\s.,!?…]*$|[,.!?…]|\s+(?:with|the|from|please|it|this|that|now|again|until|and|to|on|as|doing|working|where|what|your|then|anyway)\b)`),
	lazyregexp.New(`^(?:계속|진행|재시도|이어서|다음|마저)(?:해서|으로)?\s?(?:해|하|부탁|진행|가|ㄱ|작업|$)`),
}

// maxOrder is the longest title, in characters, that is taken for a mere order to go on;
// longer ones say what they continue.
const maxOrder = 60

// errorSignatures mark even a fragment as the name of an error. The names of errors are
// written in capitals; a phrase is an error however it is written.
var errorSignatures = []*lazyregexp.Regexp{
	lazyregexp.New(`\b(?:E[A-Z]{3,}|[A-Z][A-Za-z]*(?:Error|Exception)|E\d{3,}|[A-Z]{2,}-?\d{2,}|SIG[A-Z]{3,})\b`),
	lazyregexp.New("(?i)\\b(?:errno \\d+|no module named|no such file|permission denied|connection refused|segmentation fault|(?:nil|null) pointer|undefined reference|command not found|out of memory|exit (?:code|status) \\d+)\\b"),
	lazyregexp.New("[`'\"][\\w./:-]{2,}[`'\"]"),
}

// isChat reports whether a title is a turn of a conversation.
func isChat(title string) bool {
	t := strings.TrimSpace(title)
	for _, p := range errorSignatures {
		if p.MatchString(t) {
			return false
		}
	}
	for _, p := range chatPatterns {
		if p.MatchString(t) {
			return true
		}
	}
	if utf8.RuneCountInString(t) <= maxOrder {
		for _, p := range orders {
			if p.MatchString(t) {
				return true
			}
		}
	}
	return false
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
	title = lastEnding.ReplaceAllString(title, "")
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
