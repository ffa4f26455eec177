package postcheck

import (
	"math"
	"slices"
	"strings"

	"handrail/lessons/terms"
)

// weighAgainst notes what speaks against an item beside its own words: that what it does not
// want is done, and what the answer concedes.
func (a *reading) weighAgainst(v *vector, w wish) {
	against := slices.DeleteFunc(slices.Clone(w.against), func(u unit) bool { return !a.couldSay(u) })
	v[againstDone] = a.share(against, a.at[said], func(p int) bool { return !a.kept[p] })
	v[againstGone] = max(a.share(against, a.at[denied], nil), a.share(against, a.at[removed], nil),
		a.share(against, a.at[said], func(p int) bool { return a.kept[p] }))
	if v[contrary] > 0 { // what is gone is what was to be kept
		v[againstGone], v[forbiddenGone] = 0, 0
	}
	if !w.forbids && !w.only {
		v[offShare] = a.share(w.units, a.at[putOff], nil)
		v[unverified] = oneIf(w.verifies && (a.presumes || a.unchecked(w)))
	}
	v[listMissing] = a.listMissing(w)
	good, bad := a.switches(w)
	v[switched] = oneIf(good) - oneIf(bad)
	if !w.forbids && !w.only {
		v[nameMissing] = a.nameMissing(w)
	}
}

// share returns how much of some units stands in one place of those that ok takes.
func (a *reading) share(units []unit, at map[string][]int, ok func(int) bool) float64 {
	total, best := 0.0, 0.0
	for _, u := range units {
		total += u.mass
	}
	seen := map[int]bool{}
	for _, u := range units {
		u.starts(at, false, func(p int) {
			if seen[p] || ok != nil && !ok(p) {
				return
			}
			seen[p] = true
			sum := 0.0
			for _, v := range units {
				if v.has(at, p, p) {
					sum += v.mass
				}
			}
			best = math.Max(best, sum/total)
		})
	}
	return best
}

// verifying are the concepts of items that ask for something to be tried out.
var verifying = []string{"=check", "=run", "=test", "=measure", "=reproduce"}

// presumed matches what is only thought to be so.
var presumed = phrasesOf(`should (?:work|pass|be (?:fine|ok|okay|safe|enough))|i (?:expect|assume|believe|think|trust)|looks? (?:right|correct|fine|good|trivial)|too (?:simple|small|trivial)|straightforward|obvious\w*|presumably|would have|untested|unverified|by (?:reading|inspection)|in theory`, `것으로 (?:보|봅|판단|예상|생각)|것 같|[ㄱ-ㅎ가-힣] 것입니다|문제없을|문제 없을|괜찮을|충분할|단순해서|단순하|간단해서|간단하|자명|당연|예상됩|예상합|추정|짐작|으리라|이론상`)

// unchecked reports whether an answer denies what an item asks to verify with.
func (a *reading) unchecked(w wish) bool {
	return slices.ContainsFunc(w.units, func(u unit) bool {
		return !u.context && slices.Contains(verifying, u.names[0]) && len(a.at[denied][u.names[0]]) > 0
	})
}

// listMissing returns how much of what an item lists in short ("404, 409 and 5xx") stands
// nowhere in an answer of which some stands.
func (a *reading) listMissing(w wish) float64 {
	if len(w.parts) < 2 || w.forbids {
		return 0
	}
	listed, missing := 0.0, 0.0
	for _, part := range w.parts {
		things, is := 0, false
		for _, i := range part {
			if u := w.units[i]; !u.general && !u.context {
				things++
				is = is || u.has(a.at[said], 0, len(a.until))
			}
		}
		if things > 0 {
			listed++
			missing += oneIf(!is)
		}
	}
	if listed < 2 || missing == listed {
		return 0
	}
	return missing / listed
}

// nameMissing returns the share of names and numbers of an item, which no paraphrase
// changes, that stand nowhere in an answer of which some stand.
func (a *reading) nameMissing(w wish) float64 {
	names, missing := 0.0, 0.0
	for _, u := range w.units {
		if u.context || !u.native && !strings.ContainsAny(u.surface, "0123456789") && (u.start == 0 || strings.ToLower(u.surface) == u.surface) {
			continue
		}
		names++
		if !u.has(a.at[said], 0, len(a.until)) && !strings.Contains(a.lower, strings.ToLower(u.surface)) {
			missing++
		}
	}
	if names < 2 || missing == names {
		return 0
	}
	return missing / names
}

// switchWords are how words begin with which an item wants something to be off, and on; "_"
// is where they end, for an offset is nothing that is off, and 꺼내다 takes something out.
var switchWords = [2][]string{
	{"off_", "false_", "disabl", "꺼_", "꺼야", "꺼져", "꺼지", "꺼진", "꺼둔", "끄", "끈", "비활성"},
	{"enabl", "true_", "켜", "켠", "활성"},
}

// switching notes how an item wants something to be switched.
func (w *wish) switching(norm string, words []terms.Term, when []bool) {
	for i, t := range words {
		if when[i] {
			continue
		}
		low := strings.ToLower(norm[t.Start:t.End]) + "_"
		for j, list := range switchWords {
			if slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(low, s) && len(low) < len(s)+9 }) {
				w.switched[j] = true
			}
		}
	}
}

// switches reports whether code says what an item wants of a thing to be switched, and
// whether it says the contrary.
func (a *reading) switches(w wish) (good, bad bool) {
	if w.switched[0] == w.switched[1] || w.forbids {
		return false, false
	}
	for i, start := range a.starts {
		end := len(a.lower)
		if i+1 < len(a.starts) {
			end = a.starts[i+1]
		}
		text := a.lower[start:end]
		if a.off[i] || a.gone[i] || !a.inCode[i] && !strings.Contains(text, "`") {
			continue
		}
		on, off := word(text, "true"), word(text, "false")
		if w.switched[1] {
			on, off = off, on
		}
		good, bad = good || off, bad || on
	}
	return good, bad
}

// word reports whether a text holds a word that stands alone.
func word(text, w string) bool {
	from, _ := next(text, w+"_", 0)
	return from >= 0
}
