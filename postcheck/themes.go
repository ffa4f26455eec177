package postcheck

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

var (
	//go:embed themes.txt
	themesText string
	//go:embed wishes.txt
	wishesText string
)

// theme is a thing that checklists ask for, and what an answer says or writes that does
// it, in words and code that may share nothing with the item's.
type theme struct {
	asks          []ask
	shows, breaks []cue
	tells         []cue // like shows, and as good in a question or in what is put off
	doubts        []cue // like breaks, where nothing shows the theme
	each          []each
	whole         bool // its asks tell all that an item wants, not a part
}

// cue is a text in lower case, or several that stand in one place. A part that begins
// with a letter begins a word, and one that ends in "_" ends one.
type cue []string

// ask is a cue for items, with the concepts of its parts.
type ask struct {
	cue
	words [][]string // of each part
	not   []bool     // whether a part denies something: "no result" is not met by "result"
}

func asksOf(line string) []ask {
	var out []ask
	for _, c := range otherwise(cuesOf(line)) {
		a := ask{cue: c, words: make([][]string, len(c)), not: make([]bool, len(c))}
		for i, part := range c {
			words := terms.Words(part)
			a.not[i] = slices.Contains(negators(words), true)
			for _, w := range words {
				if !w.Stop {
					a.words[i] = append(a.words[i], dictionary().names(w, part[w.Start:w.End])[0])
				}
			}
		}
		out = append(out, a)
	}
	return out
}

// otherwise adds to asks that tell what not to do how else items say so.
func otherwise(cues []cue) []cue {
	for _, c := range cues {
		for i, part := range c {
			rest, ok := strings.CutPrefix(part, "not ")
			if !ok {
				continue
			}
			for _, other := range []string{"don't ", "never "} {
				q := slices.Clone(c)
				q[i] = other + rest
				cues = append(cues, q)
			}
		}
	}
	return cues
}

// themes reads the data file once.
var themes = sync.OnceValue(func() []theme {
	var out []theme
	read := func(line string, whole bool) {
		mark, rest, ok := strings.Cut(strings.TrimRight(line, "\n"), " ")
		if !ok {
			return
		}
		switch mark {
		case "?":
			out = append(out, theme{asks: asksOf(rest), whole: whole})
		case "+":
			out[len(out)-1].shows = append(out[len(out)-1].shows, cited(cuesOf(rest))...)
		case "=":
			out[len(out)-1].tells = append(out[len(out)-1].tells, cited(cuesOf(rest))...)
		case "~":
			out[len(out)-1].doubts = append(out[len(out)-1].doubts, cuesOf(rest)...)
		case "/":
			out[len(out)-1].each = append(out[len(out)-1].each, eachOf(rest)...)
		case "-":
			out[len(out)-1].breaks = append(out[len(out)-1].breaks, cuesOf(rest)...)
		}
	}
	for line := range strings.Lines(themesText) {
		read(line, false)
	}
	for line := range strings.Lines(wishesText) {
		read(line, true)
	}
	return out
})

func cuesOf(line string) []cue {
	var out []cue
	for alternative := range strings.SplitSeq(line, " | ") {
		var c cue
		for part := range strings.SplitSeq(alternative, " & ") {
			if part = strings.TrimSpace(part); part != "" {
				c = append(c, part)
			}
		}
		if c != nil {
			out = append(out, c)
		}
	}
	return out
}

// callOrAttribute matches cues that are the beginning of a call or of an attribute.
var callOrAttribute = lazyregexp.New(`^\.?([a-z][\w.:-]{5,})(?:\(|=["'{]?)$`)

// cited adds to such cues how prose cites their name: `aria-label` for aria-label=.
func cited(cues []cue) []cue {
	for _, c := range cues {
		if len(c) > 1 {
			continue
		}
		if m := callOrAttribute.FindStringSubmatch(c[0]); m != nil {
			cues = append(cues, cue{m[1] + "`"})
		}
	}
	return cues
}

// next returns where a part of a cue stands in a text, from an offset on; -1 if nowhere.
func next(text, part string, from int) (start, end int) {
	bare := strings.TrimSuffix(strings.TrimPrefix(part, "^"), "_")
	for from <= len(text) {
		i := strings.Index(text[from:], bare)
		if i < 0 {
			break
		}
		start, end = from+i, from+i+len(bare)
		begins := start == 0 || !latin(bare[0]) || !latin(text[start-1])
		ends := len(bare) == len(part) || end == len(text) || !latin(text[end])
		if begins && ends && !other(bare, text[end:]) && !inner(bare, text[:start]) {
			return start, end
		}
		from = start + 1
	}
	return -1, -1
}

// unlike gives, to what a cue may end in, how words go on that merely begin alike.
var unlike = map[string][]string{
	"log": {"in", "out", "o_", "os_", "ic", "istic", "arithm"}, "table": {"t", "au"}, "state": {"ment", "less"},
	"form": {"at", "ul", "er"}, "port": {"al", "ion", "folio", "ab", "rait"}, "auth": {"or_", "ors"}, "key": {"word", "board", "frame", "stroke", "note"},
	"pass": {"word", "port", "ive", "phrase"}, "use": {"r", "ful", "less"}, "run": {"time", "ner", "away"}, "class": {"ic"},
	"commit": {"tee", "ment"}, "page": {"r"}, "check": {"out", "box", "sum"}, "list": {"en"}, "data": {"base"}, "mode": {"l", "rn", "rat"},
	"spec": {"ial", "ulat", "ific"}, "local": {"e", "is", "iz"}, "name": {"space"}, "note": {"book"}, "read": {"y", "ine", "me"},
	"post": {"gres", "pon", "mortem"}, "rest": {"art", "rict", "or"}, "count": {"ry", "ries"}, "event": {"ual"}, "product": {"ion", "iv"},
	"serve": {"r"}, "id": {"e", "l", "i"}, "app": {"ear", "ly", "lied", "lies", "end", "ro"}, "work": {"er", "flow", "space", "around", "shop", "load"},
	"open": {"api", "ai_", "tele", "ssl"}, "pin": {"g_", "k"}, "plan": {"t"}, "temp": {"lat"}, "type": {"script"}, "off": {"set", "er", "ic", "line", "ens"},
	"call": {"back"}, "back": {"end", "ground", "log"}, "mark": {"et", "down", "up"}, "term": {"inal"}, "import": {"ant"}, "process": {"or"}, "part": {"ner", "y_"},
	"trans": {"port", "parent"}, "char": {"ge", "t_", "ts_"}, "public": {"ation"}, "time": {"out", "r_"}, "route": {"r"}, "lock": {"file"}, "test": {"imon"},
	"캐시": {"백"}, "로그": {"인", "아웃", "램", "래"}, "키": {"보드", "마", "지", "텍", "워드"}, "큐": {"레이", "리", "브"},
}

// inside gives, to Korean cues that are short, how words begin that merely hold them: 허락 is no lock.
var inside = map[string][]string{
	"락": {"허", "연", "누", "하", "탈", "승", "수"}, "로그": {"프", "블", "카탈", "다이얼", "백", "아날", "애널"}, "키": {"쿠", "패", "아", "스", "위"},
	"테스트": {"콘"}, "권한": {"제"}, "스트리": {"지"}, "문서": {"주"}, "행": {"실", "진", "수", "은", "여", "발", "이", "병"},
}

// other reports whether a text that begins with a cue goes on as another word.
func other(cue, rest string) bool {
	word := cue[strings.LastIndexByte(cue, ' ')+1:]
	for _, e := range unlike[word] {
		bare := strings.TrimSuffix(e, "_")
		if after, ok := strings.CutPrefix(rest, bare); ok && (bare == e || after == "" || !latin(after[0])) {
			return true
		}
	}
	return false
}

// inner reports whether a Korean cue stands within another word that ends behind before.
func inner(cue, before string) bool {
	if cue[0] < utf8.RuneSelf || before == "" || before[len(before)-1] < utf8.RuneSelf {
		return false
	}
	for bare, begins := range inside {
		if strings.HasPrefix(cue, bare) && slices.ContainsFunc(begins, func(b string) bool { return strings.HasSuffix(before, b) }) {
			return true
		}
	}
	return false
}

func latin(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

type span struct{ from, to int }

// all returns where the parts of a cue stand in a text; nil if one is missing.
func (c cue) all(text string) []span {
	var out []span
	for _, part := range c {
		from, to := next(text, part, 0)
		if from < 0 {
			return nil
		}
		out = append(out, span{from, to})
	}
	return out
}

// asked returns the themes that an item asks for, each with the spans of the item's words
// that say so. item is in lower case; a word of several that a theme asks for may be
// another of the same concept.
func asked(item string) map[int][]span {
	words := namesIn(item)
	out := map[int][]span{}
	plain := map[int]bool{} // asked for in its own words
	tried := map[ref]bool{}
	try := func(key string) {
		for _, r := range doors()[key] {
			if tried[r] {
				continue
			}
			tried[r] = true
			q := themes()[r.theme].asks[r.ask]
			if spans := q.within(item, words); spans != nil {
				out[r.theme] = append(out[r.theme], spans...)
				if q.all(item) != nil {
					plain[r.theme] = true
				}
			}
		}
	}
	for n := range words {
		try(n)
	}
	for i := range item {
		if i > 0 && latin(item[i]) && latin(item[i-1]) {
			continue // no cue begins within a word
		}
		openings(item[i:], try)
	}
	settled(out, plain)
	return out
}

// ref is an ask of a theme.
type ref struct{ theme, ask int }

// doors finds asks by how they can begin: by the first letters of their first part, and by
// the name of its first word. Of some thousand, an item then tries a few.
var doors = sync.OnceValue(func() map[string][]ref {
	out := map[string][]ref{}
	for i, th := range themes() {
		for j, q := range th.asks {
			keys := []string{door(q.cue[0])}
			if len(q.words[0]) > 0 {
				keys = append(keys, q.words[0][0])
			}
			for _, k := range keys {
				out[k] = append(out[k], ref{i, j})
			}
		}
	}
	return out
})

// within returns where an item holds what a theme asks for, nil if it does not: each part
// as written, or its words in any order and as others of the same concepts. Of a single
// word that would be too much.
func (c ask) within(item string, words map[string][]span) []span {
	var out []span
	for i, part := range c.cue {
		if from, to := next(item, part, 0); from >= 0 {
			out = append(out, span{from, to})
			continue
		}
		if len(c.words[i]) == 0 || c.not[i] && words[denial] == nil || len(c.cue) == 1 && !several(c.words[i], words) {
			return nil
		}
		near := nearby(c.words[i], words, 2*len(part)+looseness)
		if near == nil {
			return nil
		}
		fresh := false // "retry" does not meet "retry & backoff", though both are of one concept
		for _, s := range near {
			fresh = fresh || !slices.Contains(out, s)
		}
		out = append(out, near...)
		if !fresh {
			return nil
		}
	}
	return out
}

// looseness is how much farther apart, in bytes, the words of a phrase may stand in an item
// than twice its length.
const looseness = 30

// nearby returns where an item holds the words of a phrase, in any order and near each
// other; nil if it does not. General words are looked for as written only.
func nearby(names []string, words map[string][]span, reach int) []span {
	for _, n := range names {
		if words[n] == nil || dictionary().general[n] {
			return nil
		}
	}
	for _, first := range words[names[0]] {
		out, from, to := []span{first}, first.from, first.to
		for _, n := range names[1:] {
			best := words[n][0]
			for _, s := range words[n] {
				if abs(s.from-first.from) < abs(best.from-first.from) {
					best = s
				}
			}
			out, from, to = append(out, best), min(from, best.from), max(to, best.to)
		}
		if to-from <= reach {
			return out
		}
	}
	return nil
}

func abs(n int) int { return max(n, -n) }

// several reports whether an item has a word for each of some that it should hold: 외부
// and 라이브러리 are of one concept, and one of them alone does not mean both.
func several(names []string, words map[string][]span) bool {
	if len(names) < 2 {
		return false
	}
	for i, n := range names {
		if slices.Contains(names[:i], n) && len(words[n]) < 2 {
			return false
		}
	}
	return true
}

// stage is the text of the places, for cues that are looked for in all of it at once.
type stage struct {
	text    strings.Builder
	starts  []int  // of each place in the text
	off     []bool // places that are put off
	gone    []bool // places that a patch takes away
	neg     []span // what is denied, rising
	remarks []note
}

// in returns the place of an offset.
func (s *stage) in(offset int) int {
	at, found := slices.BinarySearch(s.starts, offset)
	if !found {
		at--
	}
	return at
}

// find calls yield with the places of a cue, where in the text it begins, and what the answer
// does with it there.
func (s *stage) find(text string, c cue, yield func(place, from int, as standing)) {
	if c.remarked() {
		s.findRemarks(c, yield)
	}
	for from := 0; ; {
		start, end := next(text, c[0], from)
		if start < 0 {
			return
		}
		at := s.in(start)
		last := len(text)
		if at+1 < len(s.starts) {
			last = s.starts[at+1]
		}
		from = last // once in a place is enough, and keeps this linear
		place := text[s.starts[at]:last]
		spans := c.all(place)
		if spans == nil || end > last || c[0][0] == '^' && strings.TrimSpace(place) != c[0][1:] {
			continue
		}
		spans[0] = span{start - s.starts[at], end - s.starts[at]}
		as := said
		switch {
		case s.gone[at]:
			as = removed
		case s.off[at]:
			as = putOff
		default:
			for _, sp := range spans {
				if s.denies(s.starts[at]+sp.from, s.starts[at]+sp.to) && !c.negates() {
					as = denied
				}
			}
		}
		yield(at, start, as)
	}
}

// negates reports whether a cue is itself about what was not done.
func (c cue) negates() bool {
	return slices.ContainsFunc(c, func(part string) bool { return slices.Contains(negators(terms.Words(part)), true) })
}

// denies reports whether a negation from outside reaches a span.
func (s *stage) denies(from, to int) bool {
	i, _ := slices.BinarySearchFunc(s.neg, from, func(n span, at int) int { return n.to - at - 1 })
	return i < len(s.neg) && s.neg[i].from < to && s.neg[i].from <= from
}

func themeName(id int) string { return "#" + strconv.Itoa(id) }

// citation is what an answer says of a theme.
type citation struct {
	shown   int // ways of showing it
	against int // that are denied or put off
	broken  bool
	code    bool // in code
	told    bool // whatever it stands in
}

// cite notes where the answer shows the themes of an item.
func (a *reading) cite(w *wish) {
	for _, id := range w.themes {
		if a.cited[id] != nil {
			continue
		}
		name, th, c := themeName(id), themes()[id], &citation{}
		a.cited[id] = c
		var at [standings][]int
		look := func(cues []cue, anyhow bool) {
			for _, q := range cues {
				var stands [standings]bool
				a.find(a.lower, q, func(place, _ int, as standing) {
					if anyhow && as == putOff {
						as = said
					}
					at[as] = append(at[as], place)
					stands[as] = true
				})
				switch {
				case stands[said]:
					c.shown++
					c.told = c.told || anyhow
				case stands[denied] || stands[putOff]:
					c.against++
				}
			}
		}
		look(th.shows, false)
		look(th.tells, true)
		for as, places := range at {
			slices.Sort(places)
			a.at[as][name] = slices.Compact(places)
		}
		if slices.ContainsFunc(th.each, a.falls) {
			c.broken, c.code = true, true
		}
		breaks := th.breaks
		if c.shown == 0 {
			breaks = slices.Concat(breaks, th.doubts)
		}
		for _, q := range breaks {
			a.find(a.lower, q, func(place, from int, as standing) {
				_, shows := slices.BinarySearch(a.at[said][name], place)
				if (as == said || th.whole && as == putOff) && (!shows || q.negates()) && (!a.overAt(from) || q.negates() || over.MatchString(strings.Join(q, " "))) {
					c.broken, c.code = true, c.code || a.inCode[place]
				}
			})
		}
	}
}

// settled drops the themes that an item asks for only by other words of the same concepts,
// where a wish asks for the very words: "must not leak errors" breaks no clients.
func settled(found map[int][]span, plain map[int]bool) {
	var sure []span
	for id := range plain {
		if themes()[id].whole {
			sure = append(sure, found[id]...)
		}
	}
	for id, spans := range found {
		open := slices.ContainsFunc(spans, func(s span) bool {
			return !slices.ContainsFunc(sure, func(w span) bool { return s.from < w.to && s.to > w.from })
		})
		if !plain[id] && !open {
			delete(found, id)
		}
	}
}
