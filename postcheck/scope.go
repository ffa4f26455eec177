package postcheck

import (
	"slices"
	"strings"
	"sync"

	"handrail/lessons/terms"
)

// weighScope notes whether what the answer tells is told of the very thing that the item
// asks for: of all of it and on its side.
func (a *reading) weighScope(v *vector, w wish) {
	v[otherSide] = oneIf(a.elsewhere(w))
	a.weighMain(v, w)
	v[restLeft] = oneIf(a.rest && (w.several || w.whole) && !w.forbids && !w.only)
	v[someLeft] = oneIf(w.whole && (a.rest || a.some) && !w.forbids && !w.only)
	a.weighWhole(v, w)
}

// weighMain looks at the theme that asks for most of an item's words.
func (a *reading) weighMain(v *vector, w wish) {
	total, most, shown := 0.0, 0.0, false
	for _, u := range w.units {
		total += u.mass
	}
	for _, id := range w.themes {
		name, mass := themeName(id), 0.0
		for _, u := range w.units {
			if slices.Contains(u.themes, name) {
				mass += u.mass
			}
		}
		is := len(a.at[said][name]) > 0
		if mass > most || mass == most && is {
			most, shown = mass, is
		}
	}
	if !shown {
		v[mainMissed] = most / total
	}
}

// beside is the share of the mass of an item's main wish below which another wish is asked for
// beside it, and does not speak for the item.
const beside = 0.6

// wholes returns how much of an item's words each of its whole wishes asks for, and the most
// that one does.
func (w *wish) wholes() (mass map[int]float64, most float64) {
	mass = map[int]float64{}
	for _, id := range w.themes {
		if !themes()[id].whole {
			continue
		}
		for _, u := range w.units {
			if slices.Contains(u.themes, themeName(id)) {
				mass[id] += u.mass
			}
		}
		most = max(most, mass[id])
	}
	return mass, most
}

// weighWhole looks at the whole wishes that an item asks for.
func (a *reading) weighWhole(v *vector, w wish) {
	shown, broken, lacking := false, false, false
	mass, most := w.wholes()
	for _, id := range w.themes {
		if !themes()[id].whole {
			continue
		}
		c := a.cited[id]
		shown = shown || c.shown > 0 && mass[id] >= beside*most
		not := c.against > 0 && !c.told && !w.forbids
		broken = broken || c.broken || not
		lacking = lacking || not && c.shown == 0
	}
	broken = broken || shown && v[someLeft] > 0
	switch {
	case shown && broken && !lacking:
		v[wholeBoth] = 1
	case shown && !broken:
		v[wholeShown] = 1
	case broken:
		v[wholeBroken] = 1
	}
}

// sidesText lists places and kinds of which a thing done on one is not done on the other.
const sidesText = `
server backend 서버 백엔드 | client browser frontend form 클라이언트 브라우저 프론트 프론트엔드 프런트 폼 화면
production prod 운영 프로덕션 | local locally localhost laptop 로컬
staging 스테이징 | local locally localhost laptop 로컬
failure fail fails failed failing error errors 실패 실패하면 실패하는 에러 오류 | success successful succeeds 성공 성공하면 정상
mobile phone viewport 모바일 | desktop 데스크톱 데스크탑 pc
dark 다크 | light 라이트
`

// sides gives to a name the rows that it stands in and the side: row left, -row right, from 1.
var sides = sync.OnceValue(func() map[string][]int {
	out := map[string][]int{}
	row := 0
	for line := range strings.Lines(sidesText) {
		left, right, ok := strings.Cut(line, " | ")
		if !ok {
			continue
		}
		row++
		for i, side := range []string{left, right} {
			for _, w := range terms.Words(side) {
				n := dictionary().names(w, side[w.Start:w.End])[0]
				out[n] = append(out[n], row-2*i*row)
			}
		}
	}
	return out
})

// elsewhere reports whether the item is about one side and the answer tells of the other
// only.
func (a *reading) elsewhere(w wish) bool {
	asked := map[int]bool{}
	for _, u := range w.units {
		for _, s := range sides()[u.names[0]] {
			asked[s] = true
		}
	}
	if len(asked) == 0 {
		return false
	}
	told, not := map[int]bool{}, map[int]bool{}
	for n, rows := range sides() {
		for _, s := range rows {
			told[s] = told[s] || len(a.at[said][n]) > 0
			not[s] = not[s] || len(a.at[putOff][n]) > 0
		}
	}
	for s := range asked {
		if !asked[-s] && !told[s] && (told[-s] || not[s]) {
			return true
		}
	}
	return false
}

var (
	// others matches what is told of the rest.
	others = phrasesOf(`the (?:other|others|rest|remaining|remainder)|(?:all|every) others?|other \w+|(?:two|three|four|\d+) (?:others|more)|elsewhere`, `나머지|다른 (?:것|곳|두|세|파일|화면|메서드|함수)`)
	// unchanged matches that it is as it was.
	unchanged = phrasesOf(`still|default|unchanged|as before|not|none|only|without|old|yet|remain\w*|keeps?`, `그대로|아직|기존|여전히|못|않`)
)

// otherWords are those that others needs at least one of.
var otherWords = []string{"other", "rest", "remain", "elsewhere", " more", "나머지", "다른"}

// some matches what tells that something stays behind, of an item that wants all of it.
var some = phrasesOf(`remains?|unchanged|(?:left|stays?|kept|are|is) (?:as|the way) (?:is|it|they|before)|falls? back to|still (?:uses?|ha(?:s|ve)|runs?|hard-coded)|(?:has|have) none|only (?:the|in|on|for|a|one|two|three|four|this|these|those|ran|did|fixed|changed|checked|tested|added|covered|touched)\b|except|apart from|not yet`, `그대로|아직|빠져 ?있|빼고|제외하고|만 (?:고쳤|수정|적용|넣었|추가했|바꿨|돌렸|실행|확인|정리|테스트|처리|봤|했)|일부만`)

// leavesRest reports whether a sentence tells that others are as they were. no tells that
// something is denied or put off in it.
func leavesRest(s string, no bool) bool {
	if !slices.ContainsFunc(otherWords, func(w string) bool { return strings.Contains(s, w) }) {
		return false // most sentences; regular expressions are slow
	}
	return others.MatchString(s) && (no || unchanged.MatchString(s))
}
