package lessons

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/terms"
)

// Inert returns text for a model or a person's screen: it holds no tag or token that a host of
// agents reads, none of our own markers in any spelling, and what it hides is spelled out. Lines
// and tabs stay. Code such as a < b, List<T> or <div> stays as it is.
func Inert(s string) string {
	return VisibleLines(defuse(s))
}

// Shown is Inert on one line.
func Shown(s string) string { return Visible(defuse(s)) }

// literal matches a string of JSON.
var literal = lazyregexp.New(`"(?:[^"\\]|\\.)*"`)

// InertJSON returns JSON with every string in it inert, but for those that are so already and
// keep our markers. Unless spelled, what is hidden stays as it is, in JSON's own spelling.
func InertJSON(raw []byte, spelled bool, kept ...string) []byte {
	inert := defuse
	if spelled {
		inert = Inert
	}
	return []byte(literal().ReplaceAllStringFunc(string(raw), func(quoted string) string {
		var s string
		if json.Unmarshal([]byte(quoted), &s) != nil || slices.Contains(kept, s) || inert(s) == s {
			return quoted
		}
		made, _ := json.Marshal(inert(s)) // a string always is
		return string(made)
	}))
}

// clean is Inert on one line, as blocks have it: what is hidden is left out.
func clean(s string) string {
	before := ' '
	return oneLine(defuse(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case isInvisible(r), isVariant(r) && !isSymbol(before):
			return -1
		}
		before = r
		return r
	}, terms.Normalize(s))))
}

// openers are the characters that may begin a tag or marker, or stand for one that does.
const openers = "<[{&\\＜﹤≮［﹇【〔❲⟦⦋〖⁅⟬"

// defuse replaces the first character of each tag, token and marker by one that begins none.
func defuse(s string) string {
	if !strings.ContainsAny(s, openers) {
		return s
	}
	glyphs, lastEnd := skeleton(s)
	var b strings.Builder
	done := 0
	for i, g := range glyphs {
		with := ""
		switch {
		case g.r == '<' && isTag(glyphs, i, i < lastEnd):
			with = "‹"
		case g.r == '[' && isMarker(glyphs[i+1:], markers), g.r == '{' && isMarker(glyphs[i+1:], ends):
			with = "("
		default:
			continue
		}
		b.WriteString(s[done:g.at] + with)
		done = g.end
	}
	return b.String() + s[done:]
}

const (
	// hostWords are the words in the names of hosts' tags and of what models are trained on.
	hostWords = " agent antml assistant attachment attachments claude command context developer document env environment feedback function functions hook human im inst instruction instructions" +
		" invoke memory notification parameter prompt query reminder reminders request response result results rule rules sys system task think thinking tool tools user "
	// graveWords are those that no type is named by.
	graveWords = " antml assistant claude hook human im inst instruction instructions prompt reminder reminders sys system thinking "
	// elements are tags of pages, which cards about pages show.
	elements = " a abbr article aside audio b blockquote body br button canvas caption circle code col colgroup dd defs del details dfn dialog dir div dl doctype dt em embed fieldset figcaption figure footer form" +
		" g h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li line link main map mark meta nav noscript ol optgroup option p param path picture polygon pre progress q rect s samp" +
		" script section select slot small span strong style sub sup svg table tbody td template text textarea tfoot th thead time title tr track u ul var video wbr "
)

var (
	token   = lazyregexp.New(`^<\s*\|(?:[/\w]|[^|<>]{0,40}\|\s*>)|^<!-|^<!\[|^<\s*/?\s*(?:s|bos|eos|pad|unk)\s*>`)
	tagName = lazyregexp.New(`^<(\s*)([/!?]?)\s*([A-Za-z][\w:.-]*)(?:[^<>]*>)?`)
	address = lazyregexp.New(`^<[\w.+-]+@[\w.-]+>`)
	wordEnd = lazyregexp.New(`[a-z0-9][A-Z]|[_:.-]+`)
)

// isTag reports whether the < at i begins something that a host or a model takes for a tag. closed says that a > follows.
func isTag(glyphs []glyph, i int, closed bool) bool {
	var b strings.Builder
	for _, g := range glyphs[i:min(len(glyphs), i+80)] {
		b.WriteRune(g.r)
	}
	rest := b.String()
	glued := i > 0 && (unicode.In(glyphs[i-1].r, unicode.L, unicode.Nd) || strings.ContainsRune("_<)", glyphs[i-1].r))
	m := tagName().FindStringSubmatch(rest)
	switch {
	case token().MatchString(rest):
		return true
	case m == nil:
		return false
	}
	name := m[3]
	// T, User and my.Type are code, USER and user are not
	typed := unicode.IsUpper(rune(name[0])) && (len(name) < 3 || name != strings.ToUpper(name)) && !strings.ContainsAny(name, "-_:")
	for word := range strings.FieldsSeq(wordEnd().ReplaceAllStringFunc(name, func(s string) string { return strings.Trim(s[:1], "_:.-") + " " + strings.Trim(s[1:], "_:.-") })) {
		words := hostWords
		if glued && typed {
			words = graveWords
		}
		if strings.Contains(words, " "+strings.ToLower(word)+" ") {
			return m[1] == "" || strings.HasSuffix(m[0], ">")
		}
	}
	switch {
	case m[1] != "" || !closed: // a < b, command <file
		return false
	case typed, m[2] != "?" && strings.Contains(elements, " "+strings.ToLower(name)+" "):
		return false
	case strings.HasPrefix(name, "http") && strings.HasPrefix(rest[1+len(name):], "//"), address().MatchString(rest): // <https://…>, <name@host>
		return false
	case glued && m[2] == "":
		return strings.ContainsAny(strings.ReplaceAll(name, "::", ""), "-_:") && strings.HasSuffix(m[0], ">")
	}
	return true
}

// markers begin what we, a model or a host say in brackets, and ends what closes ours in any
// spelling: letters and digits alone, "end" before them aside.
var (
	ends    = []string{"activelesson", "lessontitles", "leftover", "교훈제목"}
	markers = append(slices.Clone(ends), "context", "handrail]", "inst]", "toolcalls]", "toolresults]", "availabletools]", "requestinterruptedby")
)

// isMarker reports whether what follows a bracket is one of some markers.
func isMarker(glyphs []glyph, some []string) bool {
	var b strings.Builder
	for _, g := range glyphs[:min(len(glyphs), 96)] {
		r := unicode.ToLower(g.r)
		if r == ']' || unicode.In(r, unicode.L, unicode.Nd) || r == '|' {
			b.WriteRune(r)
		}
		if r == ']' || r == '\n' {
			break
		}
	}
	said := alike(b.String())
	said = strings.TrimPrefix(strings.TrimPrefix(said, alike("endof")), alike("end"))
	return slices.ContainsFunc(some, func(m string) bool { return strings.HasPrefix(said, alike(norm.NFKD.String(m))) })
}

// EscapeMarkdown returns s on one line with the characters escaped that markdown or HTML would take for markup.
func EscapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range oneLine(Shown(s)) {
		if strings.ContainsRune("\\`*_[]<>#|~!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Visible returns s on one line with what a terminal would obey or hide spelled out: escape sequences, controls,
// bidirectional and zero-width characters. What joins or chooses emoji stays behind one.
func Visible(s string) string { return visible(s, "") }

// VisibleLines is Visible with lines and tabs kept.
func VisibleLines(s string) string { return visible(strings.ReplaceAll(s, "\r\n", "\n"), "\n\t") }

func visible(s, kept string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || isVariant(r) || isInvisible(r) }) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	before := ' '
	for _, r := range s {
		shown := r
		switch {
		case strings.ContainsRune(kept, r), (r == 0x200d || isVariant(r)) && isSymbol(before):
			b.WriteRune(r)
		case r < 0x20, isVariant(r), isInvisible(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			shown = ' '
		default:
			b.WriteRune(r)
		}
		before = shown
	}
	return b.String()
}

// LogSafe breaks what the log of a CI run takes for a command: "::" at a line's start and "##[" of GitHub Actions, "##[" and "##vso[" of Azure Pipelines
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions, https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands).
func LogSafe(text string) string {
	if !strings.ContainsAny(text, ":#") {
		return text
	}
	return logCommand().ReplaceAllString(text, "$1 $2")
}

// LogSafeJSON does so for JSON, whose values stay.
func LogSafeJSON(text string) string { return jsonCommand().ReplaceAllString(text, `##$1\u005b`) }

var (
	logCommand  = lazyregexp.New(`(?mi)(^[\t ]*:|##)(:|(?:vso)?\[)`)
	jsonCommand = lazyregexp.New(`(?i)##(vso)?\[`)
)

// isVariant reports whether a character chooses how the one before it is drawn, and isSymbol
// whether that is one that such a choice is known of.
func isVariant(r rune) bool { return r == 0xfe0e || r == 0xfe0f }

func isSymbol(r rune) bool {
	return r == 0xfe0f || r >= utf8.RuneSelf && unicode.Is(unicode.S, r) || strings.ContainsRune("0123456789#*‼⁉", r)
}

// isInvisible reports whether a character shows nothing or changes how its neighbours are
// shown: zero-width characters, bidirectional controls, tags and other controls.
func isInvisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r', isVariant(r):
		return false
	case r < utf8.RuneSelf:
		return unicode.IsControl(r)
	}
	return r == 0x2800 || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
