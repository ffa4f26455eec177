package lessons

import (
	"fmt"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

const (
	blockStart    = "[ACTIVE LESSONS — verify before finalizing]"
	blockEnd      = "[/ACTIVE LESSONS]"
	reminderStart = "[ACTIVE LESSON]"
	contextStart  = "[CONTEXT]"
	contextEnd    = "[/CONTEXT]"

	// shortCard is up to how many characters of prose a card goes in whole; of a longer one only the first sentence of
	// what went wrong and why. A Fix that shows code may take as many again.
	shortCard = 320
	// maxItem bounds one checklist item in the block, in bytes.
	maxItem = 300
)

// Budget limits what goes before a request. A zero field sets no limit.
type Budget struct {
	Tokens int // as CountTokens counts them
	Chars  int // bytes, which is never fewer than characters
	Cards  int

	// Card returns how many tokens one card may take, so that a long one leaves room for
	// others; nil bounds none. A card's shortest form is let in all the same.
	Card func(Card) int
}

// Block returns the text that goes before a request, and the cards in it: at most
// limit.Cards of them in the order given. A card that does not fit is tried with less of
// its prose, then with fewer items; if even its first item does not fit, the next card is
// tried. Without cards the text is empty.
//
// Cards are data: no line of theirs can end the block, begin another entry or hide from
// the reader.
func Block(cards []Card, limit Budget) (text string, used []Card) {
	b := newBuilder(blockStart, blockEnd, limit)
	for _, c := range cards {
		if limit.Cards > 0 && len(used) == limit.Cards {
			break
		}
		forms := entries(c, len(used)+1)
		for i, entry := range forms {
			if limit.Card != nil && i < len(forms)-1 && CountTokens(entry) > limit.Card(c) {
				continue
			}
			if b.add(entry) {
				used = append(used, c)
				break
			}
		}
	}
	if len(used) == 0 {
		return "", nil
	}
	return b.String(), used
}

// reminderTokens is how much of a card's items goes beside an action, in tokens; two go in any case.
// Most cards have fewer.
const reminderTokens = 200

// Reminder returns a card in a few lines, for the moment an agent acts: what it is and what to check, the items first
// that concern the act, as many as there is room for. It holds no line that a card could forge.
func Reminder(c Card, concerns func(item string) bool) string {
	var lines []string
	for _, first := range []bool{true, false} {
		for _, it := range c.Items {
			if text := cut(clean(it.Text)); text != "" && concerns(it.Text) == first {
				lines = append(lines, "- [ ] "+text)
			}
		}
	}
	if len(lines) == 0 {
		for l := range strings.Lines(prose(c)) {
			lines = append(lines, cut(strings.TrimSpace(l)))
		}
	}
	text, room := reminderStart+" "+header(c), reminderTokens
	for i, l := range lines {
		if room -= CountTokens(l); room < 0 && i > 1 {
			break
		}
		text += "\n" + l
	}
	return text
}

// Heads returns a heading and the titles of cards below it, one a line, as many as there is room for, and their number.
func Heads(titles []string, heading string, room Budget) (text string, n int) {
	b := newBuilder(heading, "", room)
	for _, title := range titles {
		if !b.add("- " + cut(clean(title)) + "\n") {
			break
		}
		n++
	}
	return b.String(), n
}

// Receipted adds to a block or reminder a short name by which it can be found in an agent's transcript.
func Receipted(text, receipt string) string {
	if text == "" || receipt == "" {
		return text
	}
	return text + " (ref " + receipt + ")"
}

// receiptPattern matches what Receipted wrote, also where a transcript escapes the text.
var receiptPattern = lazyregexp.New(`\(ref ([A-Z2-7]{8})\)`)

// Receipts returns the names in a transcript, each once.
func Receipts(transcript []byte) []string {
	var out []string
	for _, m := range receiptPattern().FindAllSubmatch(transcript, -1) {
		if name := string(m[1]); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// builder gathers entries between two markers within a budget.
type builder struct {
	strings.Builder
	end    string
	limit  Budget
	weight int
}

func newBuilder(start, end string, limit Budget) *builder {
	b := &builder{end: end, limit: limit, weight: weigh(start+"\n") + weigh(end)}
	b.WriteString(start + "\n")
	return b
}

// add appends an entry if it fits.
func (b *builder) add(entry string) bool {
	if b.limit.Chars > 0 && b.Len()+len(entry)+len(b.end) > b.limit.Chars {
		return false
	}
	if b.limit.Tokens > 0 {
		w := weigh(entry)
		if tokensOf(b.weight+w) > b.limit.Tokens {
			return false
		}
		b.weight += w
	}
	b.WriteString(entry)
	return true
}

// String returns the whole text, end marker included.
func (b *builder) String() string { return b.Builder.String() + b.end }

// entries returns a card's entry in ever shorter forms.
func entries(c Card, n int) []string {
	head := fmt.Sprintf("%d. %s\n", n, header(c))
	items := make([]string, len(c.Items))
	for i, it := range c.Items {
		items[i] = "   - [ ] " + cut(clean(it.Text)) + "\n"
	}
	checklist := strings.Join(items, "")
	said := prose(c)
	out := []string{head + said + checklist}
	if code := repair(c); code != "" {
		if !strings.Contains(said, "   Fix: ") {
			code = "   Fix:\n" + code
		}
		out = slices.Insert(out, 0, head+said+code+checklist)
	}
	if len(items) > 0 {
		out = append(out, head+checklist)
		for n := len(items) - 1; n >= 1; n-- {
			out = append(out, head+strings.Join(items[:n], ""))
		}
	}
	return out
}

// header names a card: its title, how much it matters, where it stands.
func header(c Card) string {
	h := fmt.Sprintf("%s (%s", clean(c.Title), c.Severity)
	if c.Occurrences > 1 {
		h += fmt.Sprintf(", seen %d×", c.Occurrences)
	}
	if c.Changed != "" {
		h += ", the code it names changed in " + c.Changed
	}
	return h + ") · " + clean(c.Path)
}

// prose returns what a card says of the mistake, if it is short; else the first sentences of
// mistake and root cause. Code is left out.
func prose(c Card) string {
	var whole, firsts strings.Builder
	size := 0
	for _, s := range []struct {
		name  SectionName
		label string
	}{{Mistake, "Mistake"}, {RootCause, "Root cause"}, {Fix, "Fix"}} {
		said, _ := Prose(WithoutComments(c.Section(s.name).Text))
		text := clean(plain(quoteMarks().ReplaceAllString(said, "")))
		if text == "" {
			continue
		}
		size += len([]rune(text))
		fmt.Fprintf(&whole, "   %s: %s\n", s.label, text)
		if s.name != Fix || len(c.Items) == 0 {
			if at := sentenceEnd().FindStringIndex(text); at != nil {
				text = strings.TrimSpace(text[:at[1]])
			}
			fmt.Fprintf(&firsts, "   %s: %s\n", s.label, cut(text))
		}
	}
	if size == 0 && c.Lead != "" {
		return "   " + clean(plain(c.Lead)) + "\n"
	}
	if size <= shortCard {
		return whole.String()
	}
	return firsts.String()
}

var quoteMarks = lazyregexp.New(`(?m)^[ \t]*(?:>[ \t]?)+`)

// repair returns the code of a card's Fix as one fence, "" where there is none or it is long.
func repair(c Card) string {
	_, fences := Prose(WithoutComments(c.Section(Fix).Text))
	if len(fences) != 1 || len(fences[0]) > shortCard {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(fences[0]) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t+-"))] // of a line of a diff, too
		b.WriteString("   " + indent + clean(line[len(indent):]) + "\n")
	}
	return b.String()
}

var sentenceEnd = lazyregexp.New(`[.!?。]["')\]]?(\s|$)`)

// cut returns at most maxItem bytes of s in whole characters, marked where it was cut.
func cut(s string) string {
	if len(s) <= maxItem {
		return s
	}
	return strings.TrimRight(strings.ToValidUTF8(s[:maxItem-len("…")], ""), " ") + "…"
}

// cleanLines is clean line by line, with headings and rules defused.
func cleanLines(s string) string {
	var out []string
	for l := range strings.SplitSeq(s, "\n") {
		l = clean(l)
		if l != "" {
			out = append(out, "   "+l)
		}
	}
	return strings.Join(out, "\n")
}

// Excerpt is a passage of a note.
type Excerpt struct {
	Path, Title, Text string
}

// Context returns passages of notes as text to go after the block, and those in it. A
// passage that does not fit is left out and the next is tried.
func Context(notes []Excerpt, limit Budget) (text string, used []Excerpt) {
	if limit.Tokens < 0 {
		return "", nil
	}
	b := newBuilder(contextStart, contextEnd, limit)
	for _, n := range notes {
		if limit.Cards > 0 && len(used) == limit.Cards {
			break
		}
		if b.add(fmt.Sprintf("%d. %s · %s\n%s\n", len(used)+1, clean(n.Title), clean(n.Path), cleanLines(n.Text))) {
			used = append(used, n)
		}
	}
	if len(used) == 0 {
		return "", nil
	}
	return b.String(), used
}

const (
	leftStart = "[LEFT OVER FROM THE LAST TURN]"
	leftEnd   = "[/LEFT OVER]"
)

// Left is a checklist item that the previous turn left open or broke.
type Left struct {
	Title, Item string // of the card, and the item's text
	Broken      bool
	Place       string // where it was broken; may be empty
}

// LeftBlock returns the open items for the next request, or "". Like a block it has no line that a card could forge.
func LeftBlock(left []Left) string {
	if len(left) == 0 {
		return ""
	}
	b := newBuilder(leftStart, leftEnd, Budget{})
	for _, l := range left {
		b.WriteString("- [ ] " + cut(clean(l.Item)) + " (" + cut(clean(l.Title)) + ")")
		switch {
		case l.Broken && l.Place != "":
			b.WriteString(": broken at " + cut(clean(l.Place)))
		case l.Broken:
			b.WriteString(": broken")
		}
		b.WriteString("\n")
	}
	return b.String()
}
