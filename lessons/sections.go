package lessons

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/terms"
)

// blocks parses block structure alone: headings, lists and fences are all a brain of
// notes is read for, and inline markup would double the time.
var blocks = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(),
		parser.WithInlineParsers(util.Prioritized(noInline{}, 1)),
	)
})

// noInline takes the text of a block as a whole, so that goldmark does not look at each byte of it.
type noInline struct{}

// Trigger returns what a block may begin with: the blank stands for every letter.
func (noInline) Trigger() []byte { return []byte(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") }

func (noInline) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	for line, _ := block.PeekLine(); line != nil; line, _ = block.PeekLine() {
		block.AdvanceLine()
	}
	return ast.NewText()
}

var inline = sync.OnceValue(func() parser.Parser { return goldmark.DefaultParser() })

const (
	// maxNesting bounds quotes and lists inside each other; the parser's time grows with
	// the square of it, and people stop at five.
	maxNesting = 64
	// maxInline bounds the text of one heading or item whose markup is resolved, in
	// bytes; the parser's time grows with the square of the brackets in it.
	maxInline = 2 << 10
)

// shallow returns src with the lines that nest deeper than maxNesting blanked out, each
// byte by a space, so that offsets stay. Text that has none is returned as it is.
func shallow(src []byte) []byte {
	var out []byte
	at := 0
	for line := range bytes.Lines(src) {
		if bare := bytes.TrimSuffix(line, []byte("\n")); len(bare) > maxNesting && nesting(bare) > maxNesting {
			if out == nil {
				out = bytes.Clone(src)
			}
			copy(out[at:], bytes.Repeat([]byte(" "), len(bare)))
		}
		at += len(line)
	}
	if out == nil {
		return src
	}
	return out
}

// nesting returns how many quotes and lists a line can stand in at most: its leading markers, and one for each two
// columns of indentation. A rule, such as the line under a heading, is no marker.
func nesting(line []byte) int {
	depth, blanks := 0, 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ':
			blanks++
		case c == '\t':
			blanks += 4
		case c == '>':
			depth++
		case strings.IndexByte("-+*.)", c) >= 0 && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t'):
			depth++
		case c >= '0' && c <= '9':
		default:
			return depth + blanks/2
		}
	}
	return depth + blanks/2
}

// sectionNames maps headings, as headingKey folds them, to sections. Beside the format's
// own names stand those that other collections of lessons use.
var sectionNames = map[string]SectionName{
	"situation": Situation, "context": Situation, "problem": Situation, "symptoms": Situation, "symptom": Situation,
	"상황": Situation, "문제": Situation, "문제상황": Situation, "증상": Situation,
	"mistakerisk": Mistake, "mistake": Mistake, "risk": Mistake, "mistakeorrisk": Mistake, "mistakeandrisk": Mistake, "whatwentwrong": Mistake,
	"실수위험": Mistake, "실수": Mistake, "위험": Mistake, "실수및위험": Mistake, "실수와위험": Mistake,
	"rootcause": RootCause, "cause": RootCause, "rootcauses": RootCause, "rootcauseanalysis": RootCause, "whyithappened": RootCause,
	"근본원인": RootCause, "원인": RootCause, "원인분석": RootCause,
	"fix": Fix, "solution": Fix, "resolution": Fix,
	"해결": Fix, "해결방법": Fix, "해결책": Fix, "수정": Fix, "조치": Fix,
	"preventionchecklist": Prevention, "prevention": Prevention, "checklist": Prevention,
	"예방체크리스트": Prevention, "체크리스트": Prevention, "예방": Prevention, "재발방지": Prevention, "재발방지체크리스트": Prevention,
	"appliesto": AppliesTo, "whentoapply": AppliesTo,
	"적용대상": AppliesTo, "적용범위": AppliesTo,
	"evidence": Evidence, "증거": Evidence,
}

// headingKey folds a heading to its letters: "3. Mistake / Risk:", "mistake/risk" and "Mistake - Risk" are one.
func headingKey(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, terms.Normalize(s))
}

// maxHeading bounds the headings that may name a section, in bytes.
const maxHeading = 100

// sectionOf returns the section a heading names, "" if it names none. One language may
// stand in brackets behind the other: "근본 원인 (Root Cause)".
func sectionOf(heading string) SectionName {
	if len(heading) > maxHeading {
		return ""
	}
	name, ok := sectionNames[headingKey(heading)]
	if i := strings.IndexAny(heading, "(（"); !ok && i > 0 {
		name = sectionNames[headingKey(heading[:i])]
	}
	return name
}

const (
	// maxTitle bounds a title, in characters; a longer one is a paragraph.
	maxTitle = 300
	// maxItems bounds the items read from one card; nobody goes through more.
	maxItems = 1000
	// lead is what stands before the sections of a card; of more characters than maxLead it is a document.
	lead    = SectionName("lead")
	maxLead = 600
)

// titleText returns s as a title: on one line and not endless.
func titleText(s string) string {
	s = oneLine(s)
	if all := []rune(s); len(all) > maxTitle {
		return strings.TrimSpace(string(all[:maxTitle]))
	}
	return s
}

// listed matches the headings and lists of a lead.
var listed = lazyregexp.New(`(?m)^[ \t]*(?:#|[-*+] |\d+[.)] ).*(?:\n[ \t]+\S.*)*`)

type heading struct {
	node       *ast.Heading
	start, end int // bytes of the heading's lines in the body
	name       SectionName
}

// readBody fills in sections and checklist of c and returns its first heading that is
// not the name of a section, and the checks that stand where none is read.
func readBody(c *Card) (title string, problems []Problem) {
	src := []byte(c.Body)
	doc := blocks().Parse(text.NewReader(shallow(src)))
	lineOf := lineCounter(src, c.BodyLine)
	var heads []heading
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if f, ok := checkFence(n, src); ok && len(problems) < maxKeyProblems {
			problems = append(problems, Problem{Line: lineOf(f.Info.Segment.Start), Code: CheckStray, Severity: Warning})
		}
		h, ok := n.(*ast.Heading)
		if !ok || h.Lines().Len() == 0 {
			continue
		}
		lines := h.Lines()
		first, last := lines.At(0), lines.At(lines.Len()-1)
		head := heading{node: h, start: bytes.LastIndexByte(src[:first.Start], '\n') + 1, end: lineEnd(src, last.Start)}
		if !strings.HasPrefix(strings.TrimLeft(string(src[head.start:first.Start]), " "), "#") {
			head.end = lineEnd(src, head.end) // underlined: the rule below belongs to it
		}
		said := plain(string(lines.Value(src)))
		head.name = sectionOf(said)
		heads = append(heads, head)
		if title == "" && head.name == "" {
			title = said
		}
	}
	top := ast.NewHeading(0) // above all others, for what stands before the sections
	doc.InsertBefore(doc, doc.FirstChild(), top)
	heads = append([]heading{{node: top, name: lead}}, heads...)
	for i, h := range heads {
		if h.name == "" {
			continue
		}
		end, until := len(src), ast.Node(nil)
		for _, next := range heads[i+1:] {
			if next.node.Level <= h.node.Level || next.name != "" {
				end, until = next.start, next.node
				break
			}
		}
		body := min(h.end, end)
		short := h.name == lead && utf8.RuneCount(src[:end]) <= maxLead
		if short {
			c.Lead = strings.TrimSpace(listed().ReplaceAllString(string(src[:end]), ""))
		} else if h.name != lead {
			c.Sections = append(c.Sections, Section{
				Name: h.name, Line: lineOf(h.start), Text: strings.TrimSpace(string(src[body:end])), start: h.start, body: body, end: end,
			})
		}
		if (h.name == Prevention || short) && c.Kind.IsCard() {
			for n := h.node.NextSibling(); n != until && len(c.Items) < maxItems; n = n.NextSibling() {
				list, again := items(n, src, lineOf)
				c.Items, problems = append(c.Items, list...), append(problems, again...)
			}
		}
	}
	c.Items = c.Items[:min(len(c.Items), maxItems)]
	return title, problems
}

// checkFence returns a node as the fence of a check, if it is one.
func checkFence(n ast.Node, src []byte) (*ast.FencedCodeBlock, bool) {
	f, ok := n.(*ast.FencedCodeBlock)
	return f, ok && f.Info != nil && string(f.Language(src)) == "check"
}

// items returns the list items in a block, nested ones included, and the fences of checks
// beyond an item's first. What stands in a code fence is no list to the parser, and so no item.
func items(block ast.Node, src []byte, lineOf func(int) int) (out []Item, problems []Problem) {
	walk := func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		li, ok := n.(*ast.ListItem)
		if !entering || !ok {
			return ast.WalkContinue, nil
		}
		if len(out) == maxItems {
			return ast.WalkStop, nil
		}
		first := li.FirstChild()
		if first == nil || first.Lines() == nil || first.Lines().Len() == 0 || first.Kind() == ast.KindFencedCodeBlock || first.Kind() == ast.KindCodeBlock {
			return ast.WalkContinue, nil
		}
		raw := cutBox(strings.TrimSpace(string(first.Lines().Value(src))))
		it := Item{Text: plain(raw), Line: lineOf(first.Lines().At(0).Start)}
		if strings.Contains(raw, "`") {
			it.Marked = oneLine(strings.ReplaceAll(raw, "**", ""))
		}
		if it.Text == "" {
			return ast.WalkContinue, nil
		}
		for n := first.NextSibling(); n != nil; n = n.NextSibling() {
			f, ok := checkFence(n, src)
			if !ok {
				continue
			}
			line := it.Line + bytes.Count(src[first.Lines().At(0).Start:f.Info.Segment.Start], []byte("\n"))
			if it.CheckLine > 0 {
				problems = append(problems, Problem{Line: line, Code: CheckTwice, Severity: Warning})
				break
			}
			it.Check, it.CheckLine = string(f.Lines().Value(src)), line+1
		}
		out = append(out, it)
		return ast.WalkContinue, nil
	}
	_ = ast.Walk(block, walk) // walk never returns an error
	return out, problems
}

// cutBox takes "[ ]" or "[x]" off an item.
func cutBox(s string) string {
	if len(s) < 3 || s[0] != '[' || s[2] != ']' || !strings.ContainsRune(" xX", rune(s[1])) || len(s) > 3 && !strings.ContainsRune(" \t\n", rune(s[3])) {
		return s
	}
	return strings.TrimSpace(s[3:])
}

// plain returns markdown as one line of plain text: no emphasis, links by their text,
// code by its content, comments gone.
func plain(md string) string {
	if len(md) > maxInline || !strings.ContainsAny(md, "*_`[<\\&!") {
		return oneLine(md)
	}
	src := []byte(md)
	var b strings.Builder
	walk := func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch v := n.(type) {
		case *ast.Text:
			b.Write(v.Segment.Value(src))
			if v.SoftLineBreak() || v.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(v.Value)
		case *ast.AutoLink:
			b.Write(v.Label(src))
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			b.Write(n.Lines().Value(src))
		case *ast.RawHTML, *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	}
	_ = ast.Walk(inline().Parse(text.NewReader(src)), walk) // walk never returns an error
	said := b.String()
	if strings.ContainsAny(said, `\&`) { // escapes and entities, which the parser leaves in its text
		said = string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations([]byte(said)))))
	}
	return oneLine(said)
}

func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// lineCounter returns a function that gives the line of an offset, counted from first.
// Offsets must be asked for in rising order or the count starts over.
func lineCounter(src []byte, first int) func(int) int {
	at, line := 0, first
	return func(offset int) int {
		if offset < at {
			at, line = 0, first
		}
		for ; at < offset && at < len(src); at++ {
			if src[at] == '\n' {
				line++
			}
		}
		return line
	}
}
