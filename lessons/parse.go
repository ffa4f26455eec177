package lessons

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/adrg/frontmatter"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/handrail-dev/handrail/lessons/terms"
)

const (
	// MaxFile is the largest file that is read, in bytes.
	MaxFile = 1 << 20
	// maxFrontmatter bounds the YAML that is parsed, in bytes; real ones are below 2 KiB.
	maxFrontmatter = 32 << 10
	// maxList bounds the entries read from one list.
	maxList = 256
	// The YAML parser takes time and memory by the square of nesting and of keys, and
	// worse where both meet; these bounds are far above any real frontmatter.
	maxYAMLLines    = 4096 // lines
	maxYAMLBrackets = 512  // "[" and "{" together
	maxYAMLDashes   = 32   // "- " on one line
	// maxExtra bounds what is kept of keys that the format does not know, in bytes.
	maxExtra = 4 << 10
	// maxKeyProblems bounds the problems named in one frontmatter.
	maxKeyProblems = 64
)

var bom = []byte("\xef\xbb\xbf")

// Parse reads a file of the brain. It never fails: what cannot be understood is left at
// its default and named among the problems. rel is the file's slash path in the brain.
func Parse(rel string, src []byte) (Card, []Problem) {
	c, problems := read(rel, src)
	if isLesson(c.Kind) && c.Status != Conflicted {
		problems = append(problems, c.Weaknesses()...)
	}
	return c, problems
}

// ParseCard is Parse without the problems, which take a card longer than the rest.
func ParseCard(rel string, src []byte) Card {
	c, _ := read(rel, src)
	return c
}

func read(rel string, src []byte) (Card, []Problem) {
	var problems []Problem
	if len(src) > MaxFile {
		problems = append(problems, Problem{Code: TooLarge, Severity: Warning, Args: []string{strconv.Itoa(len(src)), strconv.Itoa(MaxFile)}})
		src = src[:MaxFile]
	}
	if hasConflict(src) {
		if c, found, ok := parseConflicted(rel, src); ok {
			return c, append(problems, found...)
		}
	}
	c, found := parse(rel, src)
	return c, append(problems, found...)
}

// parse reads a file that has no conflict markers, or as if it had none.
func parse(rel string, src []byte) (c Card, problems []Problem) {
	c = Card{Path: rel, Severity: Medium, Source: Curated, Occurrences: 1, Status: Active, BodyLine: 1}
	valid := utf8.Valid(src)
	if !valid {
		src = bytes.ToValidUTF8(src, []byte("\uFFFD"))
	}
	fm, rest := splitFrontmatter(src)
	r := reader{card: &c, line: fm.line}
	if fm.closed {
		r.frontmatter(fm.yaml)
	}
	c.Kind = kindOf(rel, r.typ, r.keys)
	switch {
	case fm.closed && r.syntax == "" || fm.closed && c.Kind.IsCard():
		c.Body, c.BodyLine = string(rest), fm.bodyLine
	default: // a thematic break, not frontmatter; or one that is never closed
		c.Body = string(bytes.TrimPrefix(src, bom))
	}
	c.Body = strings.ReplaceAll(c.Body, "\r\n", "\n")

	heading, stray := readBody(&c)
	c.Title = cmp.Or(c.Title, heading)
	c.Untitled = c.Title == ""
	if c.Untitled {
		name := path.Base(strings.ReplaceAll(rel, `\`, "/"))
		c.Title = strings.TrimSpace(strings.NewReplacer("-", " ", "_", " ").Replace(strings.TrimSuffix(name, path.Ext(name))))
	}
	c.Title = titleText(c.Title)
	if !c.Kind.IsCard() {
		c.Items = nil // a note is not checked against
		return c, problems
	}
	c.Broken = !valid || fm.open && !fm.closed || r.syntax != ""
	if !valid {
		problems = append(problems, Problem{Code: NotUTF8, Severity: Error})
	}
	if fm.open && !fm.closed {
		problems = append(problems, Problem{Line: 1, Code: FrontmatterOpen, Severity: Error})
	}
	if r.syntax != "" {
		problems = append(problems, Problem{Line: r.syntaxLine, Code: FrontmatterSyntax, Severity: Error, Args: []string{r.syntax}})
	}
	for i, p := range r.problems {
		if p.Code != UnknownKey {
			continue
		}
		if key := meant(p.Args[0], r.keys); key != "" {
			r.problems[i] = Problem{Line: p.Line, Code: MisspelledKey, Severity: Warning, Args: []string{p.Args[0], key}}
		}
	}
	problems = append(append(problems, r.problems...), stray...)
	if c.Untitled && !isLesson(c.Kind) {
		problems = append(problems, Problem{Code: MissingTitle, Severity: Warning})
	}
	if p, ok := invisible(src); ok {
		problems = append(problems, p)
	}
	return c, problems
}

// isLesson reports whether cards of this kind tell of a mistake, so that a root cause
// and a checklist are expected of them.
func isLesson(k Kind) bool { return k == Lesson || k == QAFinding }

// fences is where a file's frontmatter stands.
type fences struct {
	open     bool   // the first line is ---
	closed   bool   // and a later line closes it
	yaml     []byte // between the fences
	start    int    // byte offset of yaml in the file
	line     int    // 1-based line of the first line of yaml
	bodyLine int    // 1-based line of the first line of the body
}

// splitFrontmatter finds the frontmatter of a file and the body below it.
func splitFrontmatter(src []byte) (fences, []byte) {
	text := bytes.TrimPrefix(src, bom)
	off := len(src) - len(text)
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if string(bytes.TrimRight(first, " \t\r")) != "---" || len(first) == len(text) {
		return fences{bodyLine: 1}, text
	}
	f := fences{open: true, start: off + len(first) + 1, line: 2, bodyLine: 1}
	at, line := f.start, 2
	for at < len(src) && at-f.start <= maxFrontmatter {
		l := src[at:lineEnd(src, at)]
		if t := string(bytes.TrimRight(l, " \t\r\n")); t == "---" || t == "..." {
			f.closed = true
			f.yaml = src[f.start:at]
			f.bodyLine = line + 1
			return f, src[at+len(l):]
		}
		at += len(l)
		line++
	}
	return f, text
}

// BodyOf returns what stands below the frontmatter of a file.
func BodyOf(text string) string {
	_, body := splitFrontmatter([]byte(text))
	return string(body)
}

// reader takes the values out of a frontmatter.
type reader struct {
	card       *Card
	line       int // line of the file on which the YAML starts
	typ        string
	problems   []Problem
	syntax     string // what is wrong with the YAML
	syntaxLine int
	keys       []string // those that the frontmatter has
}

// frontmatter reads the YAML between the fences. The library finds the block, the syntax tree gives each key's line.
func (r *reader) frontmatter(src []byte) {
	block := slices.Concat([]byte("---\n"), src, []byte("\n---\n"))
	var raw []byte
	format := frontmatter.NewFormat("---", "---", func(data []byte, v any) error {
		*v.(*[]byte) = data
		return nil
	})
	if _, err := frontmatter.Parse(bytes.NewReader(block), &raw, format); err != nil {
		r.fail(err)
		return
	}
	pairs, err := mapping(raw)
	if err != nil {
		r.fail(err)
		return
	}
	tags := false
	for _, p := range pairs {
		tags = r.pair(p, tags)
	}
	r.problems = r.problems[:min(len(r.problems), maxKeyProblems)]
}

func (r *reader) fail(err error) {
	r.syntaxLine = r.line
	if at, ok := errors.AsType[*yaml.SyntaxError](err); ok {
		r.syntax = at.Message
		if at.Token != nil {
			r.syntaxLine += at.Token.Position.Line - 1
		}
		return
	}
	r.syntax = firstLine(err.Error())
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

var (
	errNotMapping = errors.New("it is not a list of keys and values")
	errTooLong    = errors.New("it has too many lines")
	errTooDeep    = errors.New("it is nested too deeply")
)

// boundYAML refuses what the YAML parser would not finish.
func boundYAML(src []byte) error {
	if len(src) > maxFrontmatter || bytes.Count(src, []byte("\n")) > maxYAMLLines {
		return errTooLong
	}
	if bytes.Count(src, []byte("["))+bytes.Count(src, []byte("{")) > maxYAMLBrackets {
		return errTooDeep
	}
	for line := range bytes.Lines(src) {
		if bytes.Count(line, []byte("- "))+bytes.Count(line, []byte("-\t")) > maxYAMLDashes {
			return errTooDeep
		}
	}
	return nil
}

// mapping parses YAML and returns the entries of its top mapping. Syntax trees are never expanded, so an alias bomb
// stays as small as its text. The parser's panics on strange input are errors like any other.
func mapping(src []byte) (pairs []*ast.MappingValueNode, err error) {
	defer func() {
		if p := recover(); p != nil {
			pairs, err = nil, fmt.Errorf("the YAML parser gave up: %v", p)
		}
	}()
	if err := boundYAML(src); err != nil {
		return nil, err
	}
	f, err := parser.ParseBytes(src, parser.ParseComments, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, err
	}
	if len(f.Docs) == 0 || f.Docs[0].Body == nil {
		return nil, nil
	}
	switch n := f.Docs[0].Body.(type) {
	case *ast.MappingNode:
		return n.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil
	case *ast.NullNode, *ast.CommentGroupNode:
		return nil, nil
	}
	return nil, errNotMapping
}

func keyOf(p *ast.MappingValueNode) string {
	if p.Key == nil || p.Key.GetToken() == nil {
		return ""
	}
	return p.Key.GetToken().Value
}

// pair reads one entry; tags tells whether applies-to was seen, which wins over the tags key of other programs' files.
func (r *reader) pair(p *ast.MappingValueNode, tags bool) bool {
	key, c := keyOf(p), r.card
	r.keys = append(r.keys, key)
	line := r.line + p.Key.GetToken().Position.Line - 1
	text := func() string { return strings.TrimSpace(terms.Normalize(scalar(p.Value))) }
	bad := func(v string, allowed ...string) {
		r.problems = append(r.problems, Problem{Line: line, Code: BadValue, Severity: Error, Args: []string{key, v, strings.Join(allowed, ", ")}})
	}
	switch key {
	case "type":
		r.typ = text()
		if _, ok := kindSpellings[strings.ToLower(r.typ)]; !ok {
			bad(r.typ, names(Kinds())...)
		}
	case "title":
		c.Title = titleText(text())
	case "applies-to":
		c.Tags = list(p.Value)
		return true
	case "tags":
		if !tags {
			c.Tags = list(p.Value)
		}
	case "paths":
		c.Paths = list(p.Value)
	case "project":
		c.Project = text()
	case "severity":
		choose(text(), &c.Severity, Severities(), bad)
	case "source":
		choose(text(), &c.Source, Sources(), bad)
	case "status":
		if word := text(); strings.EqualFold(strings.TrimSpace(word), "ignored") {
			c.Status = Archived // as earlier versions wrote it
		} else {
			choose(word, &c.Status, Statuses(), bad)
		}
	case "occurrences":
		if n, err := strconv.Atoi(text()); err == nil && n >= 1 {
			c.Occurrences = n
		} else {
			bad(text(), "1")
		}
	case "last-seen":
		date(text(), &c.LastSeen, bad)
	case "archived-at":
		date(text(), &c.ArchivedAt, bad)
	case "quarantine-reason":
		c.Quarantine = oneLine(text())
	case "guard":
		choose(text(), &c.Guard, []Guard{GuardAsk, GuardDeny}, bad)
	case "verified":
		switch v := strings.ToLower(text()); v {
		case "true", "yes":
			c.Verified = true
		case "false", "no", "":
		default:
			bad(v, "true", "false")
		}
	default:
		r.extra(p.Value)
		r.problems = append(r.problems, Problem{Line: line, Code: UnknownKey, Severity: Hint, Args: []string{key}})
	}
	return tags
}

// extra keeps the sentences of a key that the format does not know, so that a file is found
// by them: a description, symptoms, when it applies. Single words are left out, for most of
// them are labels that many files share, and so is what an alias stands for.
func (r *reader) extra(n ast.Node) {
	const words = 3
	switch v := n.(type) {
	case *ast.MappingNode:
		for _, p := range v.Values {
			r.extra(p.Value)
		}
	case *ast.MappingValueNode:
		r.extra(v.Value)
	case *ast.SequenceNode:
		for _, e := range v.Values {
			r.extra(e)
		}
	case *ast.AnchorNode:
		r.extra(v.Value)
	case *ast.TagNode:
		r.extra(v.Value)
	case *ast.StringNode, *ast.LiteralNode:
		text := oneLine(terms.Normalize(scalar(n)))
		spelled := 0
		for word := range strings.FieldsSeq(text) {
			if strings.ContainsFunc(word, unicode.IsLetter) {
				spelled++
			}
		}
		if spelled >= words && len(r.card.Extra)+len(text) < maxExtra {
			r.card.Extra += text + "\n"
		}
	}
}

func names[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func choose[T ~string](v string, to *T, allowed []T, bad func(string, ...string)) {
	if i := slices.IndexFunc(allowed, func(a T) bool { return strings.EqualFold(v, string(a)) }); i >= 0 {
		*to = allowed[i]
	} else if v != "" {
		bad(v, names(allowed)...)
	}
}

func date(v string, to *Date, bad func(string, ...string)) {
	if v == "" {
		return
	}
	if len(v) > len("2006-01-02") && strings.ContainsAny(v[10:11], "T ") {
		v = v[:10] // a time stamp of another program
	}
	d, ok := ParseDate(v)
	if !ok {
		bad(v, "YYYY-MM-DD")
		return
	}
	*to = d
}

// scalar returns the text of a value; lists and mappings have none, nor has what stands elsewhere (an alias).
func scalar(n ast.Node) string {
	switch v := n.(type) {
	case *ast.AnchorNode:
		return scalar(v.Value)
	case *ast.TagNode:
		return scalar(v.Value)
	case *ast.StringNode:
		return v.Value
	case *ast.LiteralNode:
		return v.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value
	}
	return ""
}

// list returns the entries of a list; "a, b" and a single value are lists too.
func list(n ast.Node) []string {
	var out []string
	add := func(s string) {
		s = oneLine(terms.Normalize(s))
		if s != "" && len(out) < maxList {
			out = append(out, s)
		}
	}
	if seq, ok := n.(*ast.SequenceNode); ok {
		for _, v := range seq.Values {
			add(scalar(v))
		}
		return out
	}
	for s := range strings.SplitSeq(scalar(n), ",") {
		add(s)
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Key returns the duplicate key of the card's title; see [terms.Key].
func (c Card) Key() string { return terms.Key(c.Title) }

// Keys returns the keys of a card's frontmatter, in the order that help lists them.
func Keys() []string {
	return []string{
		"type", "title", "applies-to", "tags", "paths", "project", "severity", "source", "occurrences",
		"last-seen", "status", "archived-at", "quarantine-reason", "guard", "verified",
	}
}

// meant returns the key that a card lacks and that an unknown key is one or two letters from, ""
// where there is none. In keys of four letters only one may differ: "time" is not "type".
func meant(key string, has []string) string {
	best, least := "", 3
	for _, k := range Keys() {
		d := terms.Distance(strings.ReplaceAll(key, "_", "-"), k)
		if d < least && (d < 2 || len(k) > 4) && !slices.Contains(has, k) {
			best, least = k, d
		}
	}
	return best
}
