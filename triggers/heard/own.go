package heard

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons/terms"
)

const (
	// longMessage is how many characters of their own people write before a message is a
	// document; of a longer one only the sentences that address the agent count.
	longMessage = 600
	// maxMessage bounds what is read of a message, in bytes of its beginning and of its end:
	// people open or close with what they want.
	maxMessage = 8 << 10
	// maxSentences bounds the sentences that are judged.
	maxSentences = 60
)

// sentence is one sentence in the person's own words.
type sentence struct {
	words string // as written
	raw   string // the same with a word in the place of code, quotations, addresses and files
	said  string // lower case, without apostrophes, emphasis and doubled spaces
	norm  string // the same, "can you" as one word: what cues match
	cues  []cue
}

// message is what of a message the person says.
type message struct {
	sentences []sentence
	items     int  // of a list
	pasted    bool // something else stood beside it: code, a log, a quotation
}

// personTags hold the person's own words; every other tag that a host puts into a prompt holds its own.
var personTags = map[string]bool{"user_query": true, "user-query": true, "user_request": true, "userrequest": true, "user_message": true, "prompt": true}

// own returns what the person says in a message: code, quotations, logs, diffs, tables, a
// host's tags and whole documents are somebody else's words.
func own(text string) message {
	var out message
	if len(text) > 2*maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "\n\n" + strings.ToValidUTF8(text[len(text)-maxMessage:], "")
		out.pasted = true
	}
	text = terms.Normalize(text)
	if says("click").MatchString(text) {
		return out
	}
	bare := withoutTags(text)
	lines, pasted := Apart(bare)
	out.pasted = out.pasted || pasted != "" || len(bare) < len(text)
	text, spans := inline(lines)
	size := 0
	for s := range cutSentences(text) {
		if at := says("listItem").FindString(s); at != "" {
			out.items++
			s = s[len(at):]
		}
		one := say(s)
		one.words = spans.put(s)
		if one.norm != "" && len(out.sentences) < maxSentences {
			out.sentences = append(out.sentences, one)
			size += utf8.RuneCountInString(one.raw)
		}
	}
	if size > longMessage {
		kept := out.sentences[:0]
		for _, s := range out.sentences {
			if !says("listItem").MatchString(s.raw) && !strings.HasPrefix(s.raw, "#") && says("addresses").MatchString(s.norm) {
				kept = append(kept, s)
			}
		}
		out.sentences, out.pasted = kept, true
	}
	return out
}

// hear is own, with the cues of each sentence.
func hear(text string) message {
	m := own(text)
	for i, s := range m.sentences {
		m.sentences[i].cues = cuesIn(says("supposed").ReplaceAllString(s.norm, " "))
	}
	return m
}

// OwnWords returns the person's own words in a message, one sentence a line.
func OwnWords(text string) string {
	m := own(text)
	lines := make([]string, len(m.sentences))
	for i, s := range m.sentences {
		lines[i] = strings.Join(strings.Fields(s.raw), " ")
	}
	return strings.Join(lines, "\n")
}

// withoutTags takes out what a host put into a prompt: reminders, task notifications, expanded
// commands, each between a tag and its end.
func withoutTags(text string) string {
	if !strings.Contains(text, "</") {
		return text
	}
	var b strings.Builder
	for {
		m := says("hostTag").FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		name := text[m[2]:m[3]]
		end := strings.Index(text[m[1]:], "</"+name+">")
		b.WriteString(text[:m[0]])
		switch {
		case end < 0: // a lone "<": words such as "a <b> c"
			b.WriteString(text[m[0]:m[1]])
			text = text[m[1]:]
		case personTags[name]:
			b.WriteString("\n" + text[m[1]:m[1]+end] + "\n")
			text = text[m[1]+end+len(name)+3:]
		default:
			b.WriteString("\n")
			text = text[m[1]+end+len(name)+3:]
		}
	}
	b.WriteString(text)
	return b.String()
}

// Apart tells the lines that a person wrote from fenced code, quoted lines and what a program printed, an empty line in
// the place of each. A line right below such a one belongs to it unless it speaks to somebody.
func Apart(text string) (own, pasted string) {
	var kept, taken strings.Builder
	fence, below := "", false
	several := strings.Contains(strings.TrimSpace(text), "\n")
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			taken.WriteString(line)
			continue
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			if rest := trimmed[3:]; !strings.Contains(rest, trimmed[:3]) {
				fence = trimmed[:3]
			}
			taken.WriteString(line)
			below = false
			continue
		case trimmed == "":
			below = false
			kept.WriteByte('\n')
			continue
		case strings.HasPrefix(trimmed, ">"), isPasted(line, several), below && !says("addresses").MatchString(strings.ToLower(line)):
			taken.WriteString(line)
			below = !strings.HasPrefix(trimmed, ">")
			kept.WriteByte('\n')
			continue
		}
		below = false
		kept.WriteString(line)
	}
	return kept.String(), taken.String()
}

// isPasted reports whether a line is a program's or code.
func isPasted(line string, several bool) bool {
	if says("pastedLine").MatchString(line) {
		return true
	}
	if several && (strings.HasPrefix(line, "    ") || line[0] == '\t') && !says("listItem").MatchString(line) {
		return true // indented code, or output pasted as it was
	}
	marks, letters := 0, 0
	for _, r := range line {
		switch {
		case unicode.IsLetter(r):
			letters++
		case strings.ContainsRune(`{}[]()<>=;|\/_:"$#+*&%`, r):
			marks++
		}
	}
	return marks >= 4 && 4*marks > letters // prose has a mark in ten letters at most
}

// spans are what stood in a text where it has a word, each known by the mark behind that.
type spans []string

// marks are the characters of which each marks one span; of more none is marked, and the word stands for them.
const firstMark, lastMark = '\uE000', '\uE0FF'

// inline puts a word in the place of code, quotations, addresses and files within a line.
func inline(text string) (string, spans) {
	var out spans
	put := func(word string) func(string) string {
		return func(span string) string {
			mark := firstMark + rune(len(out))
			if mark > lastMark {
				return " " + word + " "
			}
			out = append(out, span)
			return " " + word + string(mark) + " "
		}
	}
	text = strings.Map(unmarked, text)
	for _, in := range []struct {
		of   string
		by   string // characters one of which it holds
		word string
	}{{"codeSpan", "`", "code"}, {"quotation", "\"'“‘「『«", "quote"}, {"address", ":", "link"}, {"ruleFile", ".", "rulefile"}, {"file", `/@\`, "file"}} {
		if strings.ContainsAny(text, in.by) {
			text = says(in.of).ReplaceAllStringFunc(text, put(in.word))
		}
	}
	return text, out
}

func unmarked(r rune) rune {
	if r >= firstMark && r <= lastMark {
		return -1
	}
	return r
}

// put returns a part of a text as it was written. A span may hold others.
func (s spans) put(part string) string {
	for i, span := range slices.Backward(s) {
		at := strings.IndexRune(part, firstMark+rune(i))
		if at < 0 {
			continue
		}
		before := strings.TrimRightFunc(part[:at], unicode.IsLetter) // the word in its place
		after := part[at+utf8.RuneLen(firstMark):]
		part = strings.TrimSuffix(before, " ") + span + strings.TrimPrefix(after, " ")
	}
	return strings.TrimSpace(part)
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
func say(raw string) sentence {
	raw = strings.TrimSpace(strings.Map(unmarked, raw))
	var b strings.Builder
	space := false
	for i, r := range raw {
		switch {
		case r == '\'', r == '’', r == '*', r == '_' && (i == 0 || raw[i-1] == ' '), unicode.Is(unicode.Cf, r):
			continue // don't is dont; emphasis says nothing
		case unicode.IsSpace(r), r == '~', r == '^', r >= 0x3131 && r <= 0x3163: // lone jamo: ㅋㅋ, ㅠㅠ
			space = b.Len() > 0
			continue
		case r == '—', r == '–':
			r = ','
		case r == '…', r == '。':
			r = '.'
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(unicode.ToLower(r))
	}
	said := b.String()
	norm := says("requests").ReplaceAllString(said, "${1}_$2")
	if !strings.ContainsFunc(norm, unicode.IsLetter) {
		norm = ""
	}
	return sentence{raw: raw, said: said, norm: norm}
}
