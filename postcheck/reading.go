package postcheck

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"handrail/lessons/terms"
)

const (
	// window is how many neighbouring sentences count as one place, codeWindow how many lines of code: a short function.
	window, codeWindow = 3, 12
	// maxAnswer is how much of an answer is read, in bytes: this much of its beginning and as much of its end.
	maxAnswer = 128 << 10
	// maxSentence is the longest sentence, in bytes.
	maxSentence = 1000
	// reach is how many significant words a negation reaches: "did not yet really check the list".
	reach = 4
)

// place is a sentence of the answer, a line of code, or a deed.
type place struct {
	until int // the last place of the window that begins here
	where Place
	by    Source
}

// reading is a turn cut into places, and which words stand where.
type reading struct {
	places []place
	said   map[string][]int    // name → places that say or do it, rising
	denied map[string][]int    // name → places that deny it or put it off
	whole  map[string]bool     // keys of whole sentences
	known  map[string][]string // names of words, as written
	hangul int                 // words of Korean prose
	latin  int
	code   int // lines of code in the answer
}

// readRequest reads a request, which says what a turn is about and shows nothing of what was done.
func readRequest(text string) *reading {
	r := newReading()
	r.line(text[:min(len(text), maxAnswer)], byAnswer, Place{})
	return r
}

func newReading() *reading {
	return &reading{said: map[string][]int{}, denied: map[string][]int{}, whole: map[string]bool{}, known: map[string][]string{}}
}

// read cuts a turn into places.
func read(t Turn) *reading {
	r := newReading()
	answer := t.Answer
	if len(answer) > 2*maxAnswer {
		answer = answer[:maxAnswer] + "\n" + answer[len(answer)-maxAnswer:]
	}
	r.answer(terms.Normalize(answer))
	for _, e := range t.Edits {
		r.line(e.File, byLine, Place{File: e.File})
		first := len(r.places)
		for _, l := range e.Added {
			r.line(l.Text, byLine, Place{File: e.File, Line: l})
		}
		r.close(first, codeWindow)
	}
	for _, c := range t.Commands {
		r.line(c.Line, byCommand, Place{Command: c.Line})
	}
	return r
}

// close ends the windows of the places from first on.
func (r *reading) close(first, size int) {
	for i := first; i < len(r.places); i++ {
		r.places[i].until = min(len(r.places)-1, i+size-1)
	}
}

var (
	bullet  = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,2}[.)]|#{1,6})\s+`)
	ticked  = regexp.MustCompile(`^\[[xX]\]|^[✅✔☑✓]`)
	openBox = regexp.MustCompile(`^\[ \]|^[❌✗✘⬜☐]`)
	// putOff matches sentences that leave something for later, to others or to a question: nothing in them is done.
	putOff = regexp.MustCompile(`(?i)\b(?:todo|later|not yet|yet to|next steps?|remaining|follow-?up|you (?:can|could|may|might|should|need|will need|must|want)|should (?:also |probably )?(?:be|add|have|consider)|could|would you|do you|shall i|let me know|if you|want me to|consider|recommend\w*|plan(?:ned)? to|going to|i'?ll|we'?ll|out of scope|left (?:open|out)|ideally|optional\w*)\b|\?\s*$|` +
		`나중에|추후|다음\s?단계|예정|하시면|해야|하세요|하십시오|권장|추천|필요(?:가|합|하)|할까요|드릴까요|좋습니다|싶으|아직`)
	// remark is where a comment begins in a line of code.
	remark = regexp.MustCompile(`(?:^|\s)(?://|#|--|/\*|<!--)\s|^\s*(?://|#|\*)`)
)

// answer reads the text of an answer.
func (r *reading) answer(text string) {
	fence, first, later := "", 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "" && strings.HasPrefix(trimmed, fence):
			r.close(first, codeWindow)
			fence = ""
		case fence != "":
			r.code++
			r.line(line, byAnswer, Place{Sentence: trimmed})
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence, first = trimmed[:3], len(r.places)
		case trimmed == "":
		default:
			if n := len(trimmed) - len(strings.TrimLeft(trimmed, "#")); n > 0 && (later == 0 || n <= later) { // a heading: what is below it may be left for later
				later = 0
				if putOff.MatchString(trimmed) {
					later = n
				}
			}
			r.prose(bullet.ReplaceAllString(trimmed, ""), later > 0)
		}
	}
	if fence != "" {
		r.close(first, codeWindow)
	}
}

// line notes a line of code, a file's name or a command. A comment tells, it does not do.
func (r *reading) line(line string, by Source, where Place) {
	line = terms.Normalize(line)
	if by != byCommand && marksRemark(line) {
		if at := remark.FindStringIndex(line); at != nil {
			line = line[:at[0]]
		}
	}
	words := terms.Words(line)
	at := r.place(by, where, 1)
	for i, w := range words {
		put(r.said, at, r.names(w, line[w.Start:w.End])...)
		r.pair(r.said, words, i, at)
	}
}

// marksRemark reports whether a line can hold a comment, at a tenth of what the pattern costs.
func marksRemark(line string) bool {
	return strings.Contains(line, "//") || strings.Contains(line, "#") || strings.Contains(line, "--") || strings.Contains(line, "/*") || strings.HasPrefix(strings.TrimSpace(line), "*")
}

// prose notes a line of text, sentence by sentence.
func (r *reading) prose(line string, later bool) {
	done := ticked.MatchString(line)
	later = later || openBox.MatchString(line)
	for _, s := range sentences(line) {
		words := terms.Words(s)
		if len(words) == 0 {
			continue
		}
		off := !done && (later || putOff.MatchString(s))
		at := r.place(byAnswer, Place{Sentence: strings.TrimSpace(s)}, 1)
		if !off {
			r.whole[keyOf(words)] = true
		}
		no := denials(s, words)
		for i, w := range words {
			switch w.Class {
			case terms.Hangul:
				r.hangul++
			case terms.Word:
				r.latin++
			}
			in := r.said
			if off || no[i] && !done {
				in = r.denied
			}
			put(in, at, r.names(w, s[w.Start:w.End])...)
			r.pair(in, words, i, at)
		}
	}
}

// place begins a new place and returns its number.
func (r *reading) place(by Source, where Place, size int) int {
	n := len(r.places)
	r.places = append(r.places, place{until: n + size - 1, where: where, by: by})
	if by == byAnswer && where.Sentence != "" {
		for i := max(0, n-window+1); i < n; i++ { // neighbouring sentences are one place
			if r.places[i].by == byAnswer {
				r.places[i].until = max(r.places[i].until, n)
			}
		}
	}
	return n
}

// names is the dictionary's, which code asks for the same words again and again.
func (r *reading) names(w terms.Term, surface string) []string {
	names, ok := r.known[surface]
	if !ok {
		names = dictionary().names(w, surface)
		r.known[surface] = names
	}
	return names
}

// pair notes two words in a row that are also written as one.
func (r *reading) pair(in map[string][]int, words []terms.Term, i, at int) {
	if i > 0 {
		if c, ok := dictionary().joined(words[i-1], words[i]); ok {
			put(in, at, c)
		}
	}
}

func put(in map[string][]int, at int, names ...string) {
	for _, n := range names {
		if list := in[n]; len(list) == 0 || list[len(list)-1] != at {
			in[n] = append(list, at)
		}
	}
}

// sentences cuts a line at sentence ends; a dot within a name does not end one.
func sentences(line string) []string {
	var out []string
	start := 0
	for i, c := range line {
		end := i + utf8.RuneLen(c)
		switch c {
		case ' ':
			if i-start < maxSentence {
				continue
			}
		case '。':
		case '.', '!', '?', ';':
			if next := line[end:]; next != "" && !unicode.IsSpace(rune(next[0])) {
				continue
			}
		default:
			continue
		}
		out, start = append(out, line[start:end]), end
	}
	return append(out, line[start:])
}

var (
	englishNo = map[string]bool{
		"not": true, "no": true, "never": true, "without": true, "dont": true, "didnt": true, "doesnt": true, "havent": true, "hasnt": true, "isnt": true, "arent": true, "wasnt": true, "werent": true,
		"couldnt": true, "wouldnt": true, "wont": true, "cant": true, "cannot": true, "skip": true, "omit": true, "ignor": true, "forgot": true, "unabl": true, "nor": true, "avoid": true, "instead": true, "lack": true,
	}
	koreanNo  = regexp.MustCompile(`^(?:않|못|없|생략|건너|빼|제외|말|금지|아니|무시|누락|안$)`)
	clauseEnd = regexp.MustCompile(`[,:;()]`)
	nextIs    = map[string]bool{"but": true, "so": true, "because": true, "until": true, "unless": true, "before": true, "then": true, "since": true}
)

// negator reports whether a word denies others.
func negator(t terms.Term) bool {
	return t.Class == terms.Word && englishNo[t.Text] || t.Class == terms.Hangul && koreanNo.MatchString(t.Text)
}

// denials marks the words of a sentence that are denied: in English those behind a negation, in Korean those in front of one, within its clause.
func denials(s string, words []terms.Term) []bool {
	out := make([]bool, len(words))
	for i, w := range words {
		if !negator(w) {
			continue
		}
		step := 1
		if w.Class == terms.Hangul {
			step = -1
		}
		left := reach
		for j := i + step; j >= 0 && j < len(words) && left > 0; j += step {
			a, b := min(j, j-step), max(j, j-step)
			if clauseEnd.MatchString(s[words[a].End:words[b].Start]) || nextIs[words[j].Text] {
				break
			}
			out[j] = true
			if !words[j].Stop {
				left--
			}
		}
	}
	return out
}

// either returns the places where words stand, whether they are said or denied.
func (r *reading) either() map[string][]int {
	out := maps.Clone(r.said)
	for name, places := range r.denied {
		both := slices.Concat(out[name], places)
		slices.Sort(both)
		out[name] = both
	}
	return out
}

// within reports whether one of the rising places lies from … to.
func within(places []int, from, to int) bool {
	i, _ := slices.BinarySearch(places, from)
	return i < len(places) && places[i] <= to
}
