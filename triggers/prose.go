package triggers

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"handrail/lessons/lazyregexp"
	"handrail/lessons/terms"
)

const (
	// longProse is the length, in characters, from which only the beginning and the end
	// of a message are judged (proseEdge of each): people open or close with what they
	// want, and the middle of a long message is mostly pasted.
	longProse = 4000
	proseEdge = 1000
)

var (
	inlineCode = lazyregexp.New("`[^`\n]*`")
	// Straight single quotes must stand like quotes, or "don't … can't" would be one.
	quoted = lazyregexp.New(`"[^"\n]{2,400}"|“[^”\n]{2,400}”|‘[^’\n]{2,400}’|「[^」\n]*」|『[^』\n]*』|«[^»\n]*»|(?:^|[\s(:])'[^'\n]{3,400}'(?:[^a-zA-Z0-9]|$)`)
	// What tools print: time stamps, levels, stack frames, test results, exceptions.
	logLine = lazyregexp.New(`^\s*(?:\[[a-z][\w.-]*\] \S|\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d?:|\[?\d\d:\d\d:\d\d|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|PANIC)\]?[\s:]|at \S+[ (]|File "|Traceback |--- (?:FAIL|PASS)|(?:FAIL|ok|PASS)\s+\S+[/.]|npm (?:ERR!|error)|[$#%] \S|[+-]{3} |@@ |goroutine \d+|error(?:\[\w+\])?: |Error: |[A-Z]\w*(?:Error|Exception): |E\s{3}|\S+:\d+(?::\d+)?: )`)
	tag     = lazyregexp.New(`<[a-z_-]+>[^<]*</[a-z_-]+>`)
)

// said is one sentence in the person's own words.
type said struct {
	norm string  // lower case, without apostrophes and doubled spaces; what phrases are matched on
	raw  string  // as written
	at   []int32 // for each byte of norm, and its end, the offset in raw
}

// words returns what norm[start:end] reads as written, to the ends of its words.
func (s said) words(start, end int) string {
	i, j := int(s.at[start]), int(s.at[end])
	for j < len(s.raw) {
		r, n := utf8.DecodeRuneInString(s.raw[j:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' {
			break
		}
		j += n
	}
	return strings.TrimFunc(s.raw[i:j], func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
}

// sentences returns what the person says in their own words: code, quotes and pasted
// output are somebody else's.
func sentences(text string) []said {
	text = ownWords(terms.Normalize(text))
	if utf8.RuneCountInString(text) > longProse {
		text = firstRunes(text, proseEdge) + "\n" + lastRunes(text, proseEdge)
	}
	var out []said
	for s := range cutSentences(text) {
		if s := say(s); s.norm != "" {
			out = append(out, s)
		}
	}
	return out
}

// ownWords takes fenced and inline code, quoted text and lines of tools' output out.
func ownWords(text string) string {
	var b strings.Builder
	fence := ""
	several := strings.Contains(strings.TrimSpace(text), "\n")
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			if rest := trimmed[3:]; !strings.Contains(rest, trimmed[:3]) {
				fence = trimmed[:3]
			}
			continue
		case strings.HasPrefix(trimmed, ">"), logLine.MatchString(line):
			b.WriteByte('\n')
			continue
		case several && (strings.HasPrefix(line, "    ") || line[0] == '\t') && !isListItem(trimmed):
			continue // indented code, or output pasted as it was
		}
		b.WriteString(line)
	}
	text = b.String()
	if strings.ContainsRune(text, '`') {
		text = inlineCode.ReplaceAllString(text, " code ")
	}
	if strings.ContainsAny(text, "\"'“‘「『«") {
		text = quoted.ReplaceAllString(text, " quote ")
	}
	if strings.Contains(text, "</") {
		text = tag.ReplaceAllString(text, " quote ")
	}
	return text
}

func isListItem(s string) bool {
	return strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "* ") || len(s) > 2 && s[0] >= '0' && s[0] <= '9' && (s[1] == '.' || s[1] == ')')
}

// cutSentences yields sentences with their closing marks. A full stop ends one only
// before a space: "main.go" and "v2.1" are words.
func cutSentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for i, r := range text {
			end := i + utf8.RuneLen(r)
			cut := false
			switch r {
			case '\n', ';', '。', '！', '？':
				cut = true
			case '.', '!', '?', '…':
				next, _ := utf8.DecodeRuneInString(text[end:])
				cut = end == len(text) || unicode.IsSpace(next) || r != '.' && !strings.ContainsRune("!?.…", next)
			}
			if !cut {
				continue
			}
			if !yield(text[start:end]) {
				return
			}
			start = end
		}
		yield(text[start:])
	}
}

// say normalises one sentence.
func say(raw string) said {
	raw = strings.TrimSpace(raw)
	s := said{raw: raw}
	norm := make([]byte, 0, len(raw))
	at := make([]int32, 0, len(raw)+1)
	put := func(r rune, from int) {
		n := len(norm)
		norm = utf8.AppendRune(norm, r)
		for range len(norm) - n {
			at = append(at, int32(from))
		}
	}
	space := false
	for i, r := range raw {
		switch {
		case r == '\'', r == '’', r == '*', r == '_' && (i == 0 || raw[i-1] == ' '), unicode.Is(unicode.Cf, r):
			continue // don't is dont; emphasis says nothing
		case unicode.IsSpace(r), r == '~', r == '^', isKoreanLaughter(r):
			space = len(norm) > 0
			continue
		case r == '—', r == '–':
			r = ','
		case r == '…', r == '。':
			r = '.'
		}
		if space {
			put(' ', i)
			space = false
		}
		put(unicode.ToLower(r), i)
	}
	s.norm, s.at = correct(norm, append(at, int32(len(raw))))
	return s
}

// isKoreanLaughter reports whether r is a lone jamo: ㅋㅋ, ㅠㅠ, ㅇㅇ.
func isKoreanLaughter(r rune) bool { return r >= 0x3131 && r <= 0x3163 && r != 'ㄱ' }

// correct puts the usual spelling for words that are often mistyped in haste, keeping
// the offsets.
func correct(norm []byte, at []int32) (string, []int32) {
	out := make([]byte, 0, len(norm))
	where := make([]int32, 0, len(at))
	for i := 0; i < len(norm); {
		j := i
		for j < len(norm) && norm[j] >= 'a' && norm[j] <= 'z' {
			j++
		}
		if j == i {
			out, where = append(out, norm[i]), append(where, at[i])
			i++
			continue
		}
		if right, ok := misspelt(string(norm[i:j])); ok {
			for range len(right) {
				where = append(where, at[i])
			}
			out = append(out, right...)
		} else {
			out = append(out, norm[i:j]...)
			where = append(where, at[i:j]...)
		}
		i = j
	}
	return string(out), append(where, at[len(at)-1])
}

// misspelt returns the right spelling of a word that phrases turn on.
func misspelt(w string) (string, bool) {
	if short := drawnOut(w); short != w {
		if right, ok := misspelt(short); ok {
			return right, true
		}
		return short, true
	}
	switch w {
	case "agian", "agin", "agan", "againn", "aagin":
		return "again", true
	case "stil", "sitll", "stlil", "stll", "stilll":
		return "still", true
	case "brok", "borke", "borken", "brokn", "brocken", "broked":
		return "broken", true
	case "faling", "failling", "fialing", "failng", "faill", "fials":
		return "failing", true
	case "wokring", "workign", "wroking", "worikng", "woking":
		return "working", true
	case "eror", "errror", "erorr", "errro", "errer":
		return "error", true
	case "crahs", "carsh", "crashs":
		return "crash", true
	case "mistke", "misstake", "mistkae", "msitake":
		return "mistake", true
	case "rember", "remeber", "rembember", "remmeber", "remembr":
		return "remember", true
	case "recrod", "reocrd", "recored":
		return "record", true
	case "lesosn", "leson", "lessson", "lesssons":
		return "lesson", true
	case "smae", "saem":
		return "same", true
	case "aready", "alredy", "allready", "alraedy":
		return "already", true
	case "regresion", "regresssion", "regessions":
		return "regression", true
	}
	return "", false
}

// drawnOut takes the length out of a word such as "baaack" or "nooo".
func drawnOut(w string) string {
	out := make([]byte, 0, len(w))
	for i := range len(w) {
		if n := len(out); n > 0 && w[i] == out[n-1] && (i+1 < len(w) && w[i+1] == w[i] || i > 1 && w[i-2] == w[i]) {
			continue
		}
		out = append(out, w[i])
	}
	return string(out)
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
