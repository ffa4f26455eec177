package triggers

import (
	"regexp"
	"strings"
	"unicode"

	"handrail/lessons/terms"
)

// maxProse bounds how much of a message is judged, in characters from its beginning and
// as many from its end: what a person pastes stands in the middle.
const maxProse = 1000

var (
	fence       = regexp.MustCompile("(?s)(```|~~~).*?(```|~~~|$)")
	inlineCode  = regexp.MustCompile("`[^`\n]*`")
	quoted      = regexp.MustCompile(`"[^"\n]{2,}"|“[^”\n]{2,}”|「[^」\n]*」|『[^』\n]*』`)
	quoteLine   = regexp.MustCompile(`(?m)^\s*>.*$`)
	singleQuote = regexp.MustCompile(`(^|[\s(])'[^'\n]{3,}'([\s).,!?]|$)`)
	logLine     = regexp.MustCompile(`(?m)^\s*(\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d:\d\d|\[?(ERROR|WARN|INFO|DEBUG|FATAL|TRACE)\]?[\s:]|at \S+\(|File "|--- (FAIL|PASS)|(FAIL|ok)\s+\S+/|npm ERR!|\$ |\+\+\+ |@@ |goroutine \d+).*$`)
	sentenceEnd = regexp.MustCompile(`[.!?。…]+[\s"')]*|[.!?。…]+$|\n+|;\s+`)
	spaces      = regexp.MustCompile(`\s+`)
)

// sentences returns what the person says in their own words, sentence by sentence, in
// lower case: quotes, code and pasted logs are somebody else's words.
func sentences(text string) []string {
	text = terms.Normalize(text)
	text = strings.ReplaceAll(text, "’", "'")
	text = fence.ReplaceAllString(text, "\n")
	text = quoteLine.ReplaceAllString(text, "\n")
	text = logLine.ReplaceAllString(text, "\n")
	text = inlineCode.ReplaceAllString(text, " x ")
	text = quoted.ReplaceAllString(text, " x ")
	text = singleQuote.ReplaceAllString(text, "$1 x $2")
	if r := []rune(text); len(r) > 2*maxProse {
		text = string(r[:maxProse]) + "\n" + string(r[len(r)-maxProse:])
	}
	var out []string
	for _, s := range sentenceEnd.Split(text, -1) {
		s = strings.TrimFunc(spaces.ReplaceAllString(strings.ToLower(s), " "), func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// rules is one language's way to say something: a sentence says it when a yes matches
// and no no does.
type rules struct {
	yes, no []*regexp.Regexp
}

func compile(yes, no []string) rules {
	var r rules
	for _, p := range yes {
		r.yes = append(r.yes, regexp.MustCompile(p))
	}
	for _, p := range no {
		r.no = append(r.no, regexp.MustCompile(p))
	}
	return r
}

// find returns the words of the first sentence that says it.
func (r rules) find(sentences []string) (evidence string, ok bool) {
next:
	for _, s := range sentences {
		for _, y := range r.yes {
			at := y.FindString(s)
			if at == "" {
				continue
			}
			for _, n := range r.no {
				if n.MatchString(s) {
					continue next
				}
			}
			return strings.TrimSpace(at), true
		}
	}
	return "", false
}
