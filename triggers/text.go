package triggers

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/triggers/heard"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

const (
	// maxTitle, maxQuote and maxRuleText bound a candidate's texts, in characters, maxCommand
	// the command of a test run.
	maxTitle    = 90
	maxQuote    = 1000
	maxRuleText = 300
	maxCommand  = 300
	// edgeMarks are cut off a title.
	edgeMarks = " \t\r\n:;,.!?~-–—…"
)

// firstLine returns the first line of a text that says something, without its marks.
func firstLine(s string) string {
	for l := range strings.SplitSeq(s, "\n") {
		l = strings.TrimFunc(l, func(r rune) bool { return unicode.IsSpace(r) || r == '>' || r == '#' })
		if l != "" {
			return l
		}
	}
	return ""
}

// clipRunes returns at most n characters of s, marked where it was cut. Secrets go before, since
// of half a secret nobody would know what it is.
func clipRunes(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	r = []rune(leaks.Redact(string(r[:min(len(r), 2*n)])))
	return strings.TrimSpace(string(r[:min(len(r), n-1)])) + "…"
}

// quoteOf returns a person's words as a quotation, and below it what they pasted. Secrets go before
// that: of a name in the words and a value in what was pasted nobody would know what they are.
func quoteOf(text string) string {
	text = leaks.Redact(text)
	own, pasted := heard.Apart(text)
	own = blankLines().ReplaceAllString(strings.TrimSpace(own), "\n\n")
	if own == "" || pasted == "" {
		return "> " + strings.ReplaceAll(text, "\n", "\n> ")
	}
	return "> " + strings.ReplaceAll(own, "\n", "\n> ") + "\n\n" + fenced(strings.Trim(pasted, "\n"))
}

var blankLines = lazyregexp.New(`\n{3,}`)

func fenced(text string) string {
	return "```text\n" + strings.ReplaceAll(text, "```", "'''") + "\n```"
}

// listOf returns files as a list in markdown.
func listOf(files []string) string {
	return "- `" + strings.Join(files[:min(len(files), maxFiles)], "`\n- `") + "`"
}

// namesOf returns the names of files, without their folders.
func namesOf(files []string) string {
	var out []string
	for _, f := range files[:min(len(files), maxFiles)] {
		out = append(out, filepath.Base(f))
	}
	return strings.Join(out, ", ")
}

// remember puts a file in front of a bounded list.
func remember(list []string, file string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(f string) bool { return f == file })
	list = slices.Insert(list, 0, file)
	return list[:min(len(list), maxFiles)]
}

// korean reports whether a text is in Korean.
func korean(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.Is(unicode.Hangul, r) {
			n++
		}
	}
	return 4*n > utf8.RuneCountInString(text)
}
