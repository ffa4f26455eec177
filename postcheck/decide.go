package postcheck

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"
)

// weightsText is fitted by TestFit to the project's own pairs.
//
//go:embed weights.txt
var weightsText string

// feature numbers what is known of an item and an answer when it is decided. What did not
// help in cross-validation is not among them.
type feature int

const (
	always        feature = iota
	wordShare             // how much of the item's mass stands in one place, by words alone
	lineShare             // how much stands in one sentence, by words and themes
	mostIsThere           // one place holds what a paraphrase keeps
	coreMissing           // the words are missing that say what is to be done
	themeAsked            // the item asks for a theme
	themeMissed           // how much of its mass asks for themes that are not shown
	themeDenied           // a theme would be shown, but that is denied or put off
	contrary              // the contrary is done
	onlyContrary          // and nothing shows the theme
	refused               // the item is denied or put off as plainly as it is said
	deniedShare           // how much of its mass is only ever denied
	forbiddenDone         // the item forbids something, and the answer does it
	forbiddenGone         // or tells that it is gone
	hasParts              // the item asks for several things together
	partMissing           // of one of them there is nothing
	partShare             // the most that is missing of one
	codeOnly              // the answer is code
	crossed               // item and answer are in two languages
	koreanAnswer
	restLeft    // it is told of some only: others are as they were
	someLeft    // so, and the item wants all
	otherSide   // the item names the server, the answer the browser
	codeAgainst // the contrary stands in code
	mainMissed  // how much of it the theme asks for that asks for most, if that is not shown
	wholeShown  // a whole wish is shown
	wholeBroken // or its contrary is done
	wholeBoth   // both
	againstDone // how much of what the item does not want one sentence does
	againstGone // or denies, or says that it is gone
	offShare    // the most of the item that one sentence puts off
	unverified  // the item asks to verify, and the answer says that something was not, or presumes
	listMissing // how much is missing of what the item lists
	switched    // the item wants something off, and code says false; -1 if it says true
	nameMissing // how many of the names and numbers in the item stand nowhere
	features
)

var featureNames = [features]string{
	"always", "wordShare", "lineShare", "mostIsThere", "coreMissing", "themeAsked", "themeMissed",
	"themeDenied", "contrary", "onlyContrary", "refused", "deniedShare", "forbiddenDone", "forbiddenGone",
	"hasParts", "partMissing", "partShare", "codeOnly", "crossed", "koreanAnswer",
	"restLeft", "someLeft", "otherSide", "codeAgainst", "mainMissed", "wholeShown", "wholeBroken", "wholeBoth",
	"againstDone", "againstGone", "offShare", "unverified", "listMissing", "switched", "nameMissing",
}

type vector [features]float64

// weights reads the data file once.
var weights = sync.OnceValue(func() *vector {
	var w vector
	for line := range strings.Lines(weightsText) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		for i, n := range featureNames {
			if n == name {
				w[i], _ = strconv.ParseFloat(number, 64)
			}
		}
	}
	return &w
})

// dot is positive if an item is taken for addressed.
func (v *vector) dot(w *vector) float64 {
	sum := 0.0
	for i := range v {
		sum += v[i] * w[i]
	}
	return sum
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// weigh looks at all that speaks for and against an item being addressed. It also returns
// the place that holds most of it.
func (a *reading) weigh(w wish) (vector, match) {
	shown := a.at[said]
	if w.forbids || w.only {
		shown = merge(shown, a.at[denied]) // "the token is not logged" is what it asks for
	}
	if w.forbids || w.removes {
		shown = merge(shown, a.at[removed])
	}
	best := a.best(w, shown, true, true)
	v := vector{
		always:       1,
		wordShare:    a.best(w, shown, true, false).share,
		lineShare:    a.best(w, shown, false, true).share,
		mostIsThere:  oneIf(best.share >= enough && (best.core || best.share > half)),
		coreMissing:  oneIf(!best.core),
		themeAsked:   oneIf(len(w.themes) > 0),
		hasParts:     oneIf(len(w.parts) > 1),
		codeOnly:     oneIf(a.sentences == 0),
		crossed:      oneIf(w.hangul != a.korean && a.sentences > 0),
		koreanAnswer: oneIf(a.korean),
	}
	cues, told := 0, false
	for _, id := range w.themes {
		c := a.cited[id]
		cues += c.shown
		told = told || c.told
		v[contrary] = math.Max(v[contrary], oneIf(c.broken))
		v[codeAgainst] = math.Max(v[codeAgainst], oneIf(c.code))
		v[themeDenied] = math.Max(v[themeDenied], oneIf(c.shown == 0 && c.against > 0 && !w.forbids && !w.only))
	}
	v[onlyContrary] = v[contrary] * oneIf(cues == 0)
	switch {
	case w.forbids:
		v[forbiddenDone], v[forbiddenGone] = oneIf(a.does(w)), oneIf(best.core && a.keeps(w))
	case !w.only && !told:
		v[refused] = oneIf(a.refuses(w, best.share))
	}
	a.weighUnits(&v, w, shown)
	a.weighScope(&v, w)
	a.weighAgainst(&v, w)
	return v, best
}

// weighUnits notes what is missing of an item's words and parts, wherever it stands.
func (a *reading) weighUnits(v *vector, w wish, shown map[string][]int) {
	total, end := 0.0, len(a.until)
	for _, u := range w.units {
		total += u.mass
	}
	is := make([]bool, len(w.units))
	for i, u := range w.units {
		themed := u.themed(shown, 0, end)
		is[i] = themed || u.has(shown, 0, end)
		if !is[i] && u.has(a.at[denied], 0, end) {
			v[deniedShare] += u.mass / total
		}
		if len(u.themes) > 0 && !themed {
			v[themeMissed] += u.mass / total
		}
	}
	if len(w.parts) < 2 {
		return
	}
	parts := map[string]int{} // in how many parts a theme is asked for
	for _, part := range w.parts {
		for n := range w.themesOf(part) {
			parts[n]++
		}
	}
	for _, part := range w.parts {
		asks, met := 0.0, 0.0
		for _, i := range part {
			if u := w.units[i]; !u.general {
				asks += u.mass
				own := u.has(shown, 0, end)
				for _, n := range u.themes { // "Chrome" does not show "Firefox and Safari"
					own = own || parts[n] == 1 && within(shown[n], 0, end)
				}
				met += u.mass * oneIf(own)
			}
		}
		if asks > 0 {
			v[partMissing] = math.Max(v[partMissing], oneIf(met == 0))
			v[partShare] = math.Max(v[partShare], 1-met/asks)
		}
	}
}
