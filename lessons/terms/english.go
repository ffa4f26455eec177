package terms

import (
	_ "embed"
	"strings"
)

// IsStop reports whether a lower-case word carries no meaning of its own in English.
func IsStop(w string) bool { return englishStops[w] }

// englishStops are function words, the fillers of requests ("please", "how do I") and contractions without their
// apostrophe. Words of the trade that look like fillers (use, run, get, set, new, no, not) are kept out of queries'
// mass by their low IDF, not here, except those that only frame a question.
var englishStops = Set(`
a an the this that these those it its itself he she they them their theirs we us our ours you your yours i me my mine myself yourself themselves him his her hers
is am are was were be been being do does did doing done have has had having can could will would shall should may might must ought
and or but if then else so because as until while of at by for with about against between into through during before after above below to from up down in out on off over under again further once
here there when where why how what which who whom whose all any both each few more most other some such only own same than too very just also
not no nor dont doesnt didnt isnt arent wasnt werent cant cannot couldnt wont wouldnt shouldnt havent hasnt hadnt im ive youre youve youll thats whats theres lets
please thanks thank hello hi hey help want wants wanted need needs needed like get gets got getting make makes made way ways thing things something anything everything
however therefore thus yet still already even ever never always often us vs via per etc eg ie ok okay yes
`)

// irregular maps forms of irregular English verbs and nouns to the word itself, which stemming cannot: what somebody
// bought is asked for with "buy". Forms that are as often another word (left, bit, led, lives) are not here.
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
