package terms

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Synonyms returns other words that developers write for the same thing: a loanword and its original ("리액트", "react"),
// two Korean words ("폰트", "글꼴"). word is a term's text as [Words] gives it, and so are the synonyms.
func Synonyms(word string) []string { return synonyms()[word] }

// synonyms maps every word of a group to the others. Two English words are never paired: stemming has joined what
// belongs together, and "delete" is not always "remove". Nor are the forms of one verb, which share their bigrams.
var synonyms = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	pair := func(a, b string) {
		english := max(a[0], b[0]) < utf8.RuneSelf
		if a != b && !english && !slices.Contains(m[a], b) {
			m[a] = append(m[a], b)
		}
	}
	for line := range strings.Lines(synonymGroups) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		forms, words, verb := strings.Cut(line, ":")
		if !verb {
			forms, words = "", line
		}
		group := wordsOf(words)
		for _, a := range group {
			for _, b := range group {
				pair(a, b)
			}
		}
		for i, form := range wordsOf(forms) {
			for _, word := range group {
				pair(form, word)
				if i == 0 {
					pair(word, form)
				}
			}
		}
	}
	return m
})

func wordsOf(line string) (out []string) {
	for _, t := range Words(line) {
		if !slices.Contains(out, t.Text) {
			out = append(out, t.Text)
		}
	}
	return out
}

// synonymGroups holds one thing a line, in words of the trade that any project may use.
// Before a colon stand the forms of a verb, which all mean the words behind it.
//
//go:embed synonyms.txt
var synonymGroups string

// Distance counts the letters to change, add, drop or swap with their neighbour that make a
// into b, whatever their case.
func Distance(a, b string) int {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	before, last := []int(nil), make([]int, len(y)+1) // rows of the table of distances between the beginnings of x and y
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			same := 1
			if x[i] == y[j] {
				same = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+same)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
