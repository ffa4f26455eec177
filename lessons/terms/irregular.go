package terms

import (
	_ "embed"
	"strings"
)

// irregular maps forms of irregular English verbs and nouns to the word itself, which
// stemming cannot: what somebody bought is asked for with "buy". Forms that are as often
// another word (left, bit, led, lives) are not here.
var irregular = func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(irregularForms) {
		word, forms, _ := strings.Cut(line, ":")
		for _, f := range strings.Fields(forms) {
			m[f] = word
		}
	}
	return m
}()

// irregularForms has a word a line, then its forms.
//
//go:embed irregular.txt
var irregularForms string
