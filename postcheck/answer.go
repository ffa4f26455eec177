package postcheck

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

const (
	// window is how many neighbouring sentences count as one place.
	window = 3
	// codeWindow is the same for lines of code: a short function.
	codeWindow = 12
	// maxAnswer is how much of an answer is read, in bytes: this much of its beginning
	// and as much of its end.
	maxAnswer = 128 << 10
	// maxSentence is the longest sentence, in bytes: people's are shorter, and what is said
	// in one must be near.
	maxSentence = 1000
	// maxLead is the longest line, in bytes, that is taken for the heading of what
	// follows it.
	maxLead = 80
)

// standing is what an answer does with a word.
type standing int

const (
	said standing = iota
	denied
	putOff
	removed // by a patch
	standings
)

// reading is an answer cut into places: sentences, list items and lines of code.
type reading struct {
	at       [standings]map[string][]int // concept → places where it stands so, rising
	until    []int                       // the last place of the window that begins at a place
	inCode   []bool                      // places that are lines of code
	over     []span                      // clauses that deny something, or tell that it is gone or kept from happening
	kept     []bool                      // places that tell that something is gone or kept from happening
	echo     map[string][]int            // the words of a bare list item → places
	word     map[string]bool             // the words of what is told or ticked
	korean   bool                        // the prose is mostly Korean
	english  bool
	rest     bool // something is told of the others that was done to some only
	some     bool // something stays as it was
	presumes bool // something is only thought to be so
	hangul   int
	latin    int
	stage
	lower     string            // the text of the stage
	cited     map[int]*citation // themes that have been looked for
	sentences int               // places that are no code
}

// read cuts an answer and notes what stands where.
func read(answer string) *reading {
	if len(answer) > 2*maxAnswer {
		answer = answer[:maxAnswer] + "\n" + answer[len(answer)-maxAnswer:]
	}
	a := &reading{echo: map[string][]int{}, word: map[string]bool{}, cited: map[int]*citation{}}
	for s := range a.at {
		a.at[s] = map[string][]int{}
	}
	p := page{reading: a}
	for line := range strings.Lines(terms.Normalize(answer)) {
		p.line(strings.TrimRight(line, "\r\n"))
	}
	p.endFence()
	for i := range a.until {
		if a.until[i] == 0 {
			a.until[i] = i + window - 1
		}
	}
	a.lower = a.text.String()
	a.korean = a.hangul > 0 && a.hangul*3 >= a.latin
	a.english = a.latin > 0 && a.latin >= a.hangul
	return a
}

// page is what reading an answer has to keep in mind from line to line.
type page struct {
	*reading
	fence  string // what closes the code block, or ""
	first  int    // place at which it began
	diff   bool
	plan   int  // level of the heading under which things are put off; 0 for none
	list   bool // the list under way is put off
	inList bool
	bare   bool // the line is a list item or a heading, which may only repeat the checklist
}

var (
	headingMark = lazyregexp.New(`^(#{1,6})\s+`)
	bulletMark  = lazyregexp.New(`^\s*(?:[-*+•]|\d{1,2}[.)])\s+`)
	boldLead    = lazyregexp.New(`^\s*\*\*([^*]{2,80})\*\*`)
	openBox     = lazyregexp.New(`^\s*(?:[-*+]\s+)?\[ \]|❌|✗|✘|⬜|☐`)
	tickedBox   = lazyregexp.New(`^\s*(?:[-*+]\s+)?\[[xX]\]|✅|✔|☑|✓`)
	boxMark     = lazyregexp.New(`^\[[ xX]\]\s*`)
	inline      = lazyregexp.New("`[^`\n]+`")
	diffLine    = lazyregexp.New(`^(?:@@|diff --git|\+\+\+ |--- )`)
)

func (p *page) line(line string) {
	trimmed := strings.TrimSpace(line)
	if p.fence != "" {
		if strings.HasPrefix(trimmed, p.fence) {
			p.endFence()
			return
		}
		p.code(line)
		return
	}
	if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
		p.fence, p.first = trimmed[:3], len(p.until)
		p.diff = strings.HasPrefix(strings.TrimLeft(trimmed, "`~"), "diff")
		return
	}
	if trimmed == "" {
		return
	}
	if h := headingMark.FindStringSubmatch(trimmed); h != nil {
		if level := len(h[1]); p.plan == 0 || level <= p.plan {
			p.plan = 0
			if leftOpen.MatchString(trimmed) {
				p.plan = level
			}
		}
		p.list, p.inList = false, false
		p.bare = true
		p.prose(trimmed[len(h[0]):], p.plan > 0)
		return
	}
	isItem := bulletMark.MatchString(line)
	switch {
	case isItem:
		p.inList = true
	case p.inList && line[0] != ' ' && line[0] != '\t':
		p.inList, p.list = false, false
	}
	off := p.plan > 0 || p.list && isItem
	if lead := leadOf(trimmed); lead != "" && leftOpen.MatchString(unquoted(lead)) {
		off = true
		p.list = lead == trimmed
	}
	switch {
	case openBox.MatchString(line):
		off = true
	case tickedBox.MatchString(line):
		p.ticked(boxMark.ReplaceAllString(bulletMark.ReplaceAllString(line, ""), ""))
		return
	}
	if isItem {
		line = boxMark.ReplaceAllString(bulletMark.ReplaceAllString(line, ""), "")
		if !off {
			k := key(terms.Words(line))
			p.echo[k] = append(p.echo[k], len(p.until))
		}
	}
	p.bare = isItem
	p.prose(line, off)
}

// leadOf returns what a line announces: itself if it ends in a colon or is bold
// throughout, or its bold or colon-ended beginning.
func leadOf(line string) string {
	if b := boldLead.FindStringSubmatch(line); b != nil {
		if len(b[0]) == len(line) {
			return line
		}
		return b[1]
	}
	if i := strings.IndexAny(line, ":："); i > 0 && i <= maxLead && !strings.Contains(line[:i], ". ") {
		_, size := utf8.DecodeRuneInString(line[i:])
		if i+size == len(line) {
			return line
		}
		return line[:i]
	}
	return ""
}

func key(words []terms.Term) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

func (p *page) endFence() {
	if p.fence == "" {
		return
	}
	for i := p.first; i < len(p.until); i++ {
		p.until[i] = min(len(p.until)-1, i+codeWindow-1)
	}
	p.fence, p.diff = "", false
}

// code notes a line of code. A comment may put things off; else code does what it says.
func (p *page) code(line string) {
	p.diff = p.diff || diffLine.MatchString(line)
	as := said
	if p.diff && strings.HasPrefix(line, "-") {
		as = removed
	}
	remark := remarkIn(line)
	comment := strings.TrimLeft(line[remark:], "/#-*<! ")
	if comment != "" && defers(comment) {
		as = putOff
	}
	words := terms.Words(line)
	if len(words) == 0 {
		return
	}
	at := p.place(line[:remark], as)
	for _, w := range words {
		if w.Start < remark { // a comment tells, it does not do
			p.put(as, at, dictionary().names(w, line[w.Start:w.End]))
		}
	}
	p.pairs(words, at, func(i int) standing {
		if words[i].Start >= remark {
			return putOff
		}
		return as
	})
	p.put(as, at, dictionary().says(line))
	if as == removed {
		p.put(said, at, []string{concept + "remove"})
	}
	if comment != "" {
		p.remarks = append(p.remarks, note{at, strings.ToLower(line)})
		p.put(as, at, dictionary().names(terms.Term{Text: "comment", Class: terms.Word}, "comment"))
	}
}

// ticked notes a list item that the answer says is done, whatever it says.
func (p *page) ticked(line string) {
	words := terms.Words(line)
	p.word[key(words)] = true
	at := p.place(line, said)
	p.over = append(p.over, span{p.starts[at], p.text.Len()})
	for _, w := range words {
		p.put(said, at, dictionary().names(w, line[w.Start:w.End]))
	}
	p.pairs(words, at, func(int) standing { return said })
}

// prose notes a line of text, sentence by sentence.
func (p *page) prose(line string, off bool) {
	var parts []piece
	for _, s := range sentences(line) {
		if off {
			parts = append(parts, piece{s, true})
		} else {
			parts = append(parts, pieces(s)...)
		}
	}
	for _, part := range parts {
		s, off := part.text, part.off
		words := terms.Words(s)
		if len(words) == 0 {
			continue
		}
		own := unquoted(s)
		neg := negations(own, words)
		as := said
		if off {
			as = putOff
		} else if !p.bare {
			p.word[key(words)] = true
		}
		kept := over.MatchString(own)
		at := p.place(s, as)
		p.kept[at] = kept
		p.overs(own, words, kept, p.starts[at])
		if leavesRest(own, off || slices.Contains(neg, true)) {
			p.rest = true
		}
		p.some = p.some || some.MatchString(own)
		p.presumes = p.presumes || presumed.MatchString(own)
		for i, w := range words {
			if neg[i] {
				p.neg = append(p.neg, span{p.starts[at] + w.Start, p.starts[at] + w.End})
			}
		}
		stands := func(i int) standing {
			switch {
			case neg[i]:
				return denied
			case off:
				return putOff
			}
			return said
		}
		for i, w := range words {
			switch w.Class {
			case terms.Hangul:
				p.hangul++
			case terms.Word:
				p.latin++
			}
			p.put(stands(i), at, dictionary().names(w, s[w.Start:w.End]))
			if w.Text == "no" { // "when there are no items"
				p.put(said, at, []string{concept + "empty"})
			}
		}
		p.pairs(words, at, stands)
		for _, c := range inline.FindAllString(s, -1) {
			p.put(stands(0), at, dictionary().says(c))
		}
	}
}

// pairs notes words in a row that are also written as one.
func (p *page) pairs(words []terms.Term, at int, stands func(int) standing) {
	for i := 1; i < len(words); i++ {
		if c, ok := dictionary().joined(words[i-1], words[i]); ok {
			p.put(stands(i), at, []string{c})
		}
	}
}

// place begins a new place and returns its number.
func (p *page) place(text string, as standing) int {
	low := strings.ToLower(text)
	if len(low) != len(text) {
		low = text // offsets must hold
	}
	if p.fence != "" {
		low = evenly(low)
	}
	p.starts = append(p.starts, p.text.Len())
	p.text.WriteString(low)
	p.text.WriteByte('\n')
	p.off, p.gone = append(p.off, as == putOff), append(p.gone, as == removed)
	p.until = append(p.until, 0)
	p.kept = append(p.kept, false)
	p.inCode = append(p.inCode, p.fence != "")
	if p.fence == "" {
		p.sentences++
	}
	return len(p.until) - 1
}

// evenly writes the space between the words of a line of code as one blank: fields and
// columns are often aligned. Nothing is denied in code, so no offset is lost.
func evenly(line string) string {
	if !strings.Contains(line, "  ") && !strings.Contains(line, "\t") {
		return line
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	return line[:indent] + strings.Join(strings.Fields(line[indent:]), " ")
}

func (p *page) put(as standing, at int, concepts []string) {
	for _, c := range concepts {
		if list := p.at[as][c]; len(list) == 0 || list[len(list)-1] != at {
			p.at[as][c] = append(list, at)
		}
	}
}

// sentences cuts a line at sentence ends; a dot within a name does not end one.
func sentences(line string) []string {
	var out []string
	start := 0
	for i, r := range line {
		end := i + utf8.RuneLen(r)
		switch r {
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
		out = append(out, line[start:end])
		start = end
	}
	return append(out, line[start:])
}

// couldSay reports whether an answer in its language could hold a word of the item.
func (a *reading) couldSay(u unit) bool {
	if u.native || u.bridged {
		return true
	}
	if u.hangul {
		return a.korean || !a.english
	}
	return a.english || !a.korean
}

// within reports whether a concept stands in one of the places from … to; places rise.
func within(places []int, from, to int) bool {
	i, _ := slices.BinarySearch(places, from)
	return i < len(places) && places[i] <= to
}
