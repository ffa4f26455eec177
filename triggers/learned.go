package triggers

import (
	"embed"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Phrases know what they were told; people complain in more ways. So each word and pair of
// words also carries a weight, learned from the sentences in testdata/triggers by
//
//	go test ./triggers -run TestLearn -learn
//
// and both together decide: a phrase with words that speak against it is none, and many
// words that speak for it need no phrase.
const (
	// phraseWeight is what a phrase counts and complaintFloor what a message must reach:
	// words alone have to say it plainly, a phrase is only outvoted. On sentences that
	// neither had seen a lower floor finds a tenth more and is wrong twice as often.
	phraseWeight   = 1.2
	complaintFloor = 0.3
	// span is how many sentences in a row are weighed together.
	span = 3
	// lengthScale keeps long messages from counting more than short ones: the sum of the
	// weights is divided by the root of how many they are, and is about as large as without
	// at this many.
	lengthScale = 5
)

//go:embed grammar/complaint.weights.txt
var weightsFile embed.FS

// complaintWeights maps a feature to its weight.
var complaintWeights = sync.OnceValue(func() map[string]float64 {
	data, err := weightsFile.ReadFile("grammar/complaint.weights.txt")
	if err != nil {
		panic(err) //nolint:forbidigo // cannot be: the file is embedded
	}
	out := map[string]float64{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if w, err := strconv.Atoi(value); err == nil {
			out[name] = float64(w) / weightUnit
		}
	}
	return out
})

// weightUnit is what a weight of 1 is written as.
const weightUnit = 1000

// weigh says how much a message sounds like a complaint by its words, and which of its
// sentences does so most.
func weigh(text []said, weights map[string]float64) (score float64, loudest int) {
	each := make([][]string, len(text))
	for i, s := range text {
		each[i] = features(s)
	}
	score = math.Inf(-1)
	most := math.Inf(-1)
	for i := range each {
		if one := sum(each[i:i+1], weights); one > most {
			most, loudest = one, i
		}
		if i == 0 || i+span <= len(each) {
			score = max(score, sum(each[i:min(i+span, len(each))], weights))
		}
	}
	return score, loudest
}

// sum adds the weights of the features of some sentences, each feature once.
func sum(each [][]string, weights map[string]float64) float64 {
	z, seen := 0.0, map[string]bool{}
	for _, sentence := range each {
		for _, f := range sentence {
			if !seen[f] {
				seen[f] = true
				z += weights[f]
			}
		}
	}
	return z * lengthScale / math.Sqrt(float64(max(len(seen), 1)))
}

// features names what stands in a sentence: words, beginnings and endings of words, words
// in a row, the kinds of words that it holds, one by one and in pairs, and that it is one.
func features(s said) []string {
	out := []string{"any"}
	before := "^"
	for _, w := range append(cutWords(s.norm), "$") {
		name := w
		switch {
		case isHangul(w):
			for n := range min(3, utf8.RuneCountInString(w)) {
				out = append(out, "k "+firstRunes(w, n+1))
			}
			out = append(out, "s "+lastRunes(w, 1), "s "+lastRunes(w, 2))
			name = firstRunes(w, 2)
		case w != "$":
			out = append(out, "w "+w, "p "+firstRunes(w, 5))
		}
		out = append(out, "2 "+before+" "+name)
		before = name
	}
	var in []string
	for _, k := range kinds() {
		if k.cued(s.norm) && k.pattern.MatchString(s.norm) {
			in = append(in, k.name)
		}
	}
	for i, a := range in {
		out = append(out, "c "+a)
		for _, b := range in[i+1:] {
			out = append(out, "c "+a+" "+b)
		}
	}
	return out
}

// kind is a word list of the phrases, as a feature: what is failing, mending, an order.
type kind struct {
	name string
	phrase
}

// kinds are word lists of the phrases and a few of their own, which are in the section
// [kinds] of the words: what fails, what mends, who did it, what is asked for.
var kinds = sync.OnceValue(func() []kind {
	var out []kind
	for _, lang := range []string{"en", "ko"} {
		text := sections("words." + lang)
		words := cutLists(text[""])
		expand := filler(words)
		for _, l := range text["kinds"] {
			name, pattern, _ := strings.Cut(l, " ")
			if pattern == "" {
				pattern = edges[lang] + "(?:" + words[name] + ")" + edges[lang]
			}
			p := regexp.MustCompile(expand(pattern))
			out = append(out, kind{lang + " " + name, phrase{cues: cuesOf(p), pattern: p}})
		}
	}
	return out
})

// cutWords cuts a sentence into runs of Latin letters and digits, runs of Hangul, and the
// marks that people raise their voice with.
func cutWords(s string) []string {
	var out []string
	start, kind := 0, 0
	for i, r := range s + " " {
		k := 0
		switch {
		case r >= 'a' && r <= 'z' || unicode.IsDigit(r):
			k = 1
		case r >= 0xAC00 && r <= 0xD7A3:
			k = 2
		case r == '?' || r == '!':
			k = 3
		}
		if k == kind && k != 3 {
			continue
		}
		if kind != 0 {
			out = append(out, s[start:i])
		}
		start, kind = i, k
	}
	return out
}

func isHangul(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return r >= 0xAC00 && r <= 0xD7A3
}
