package proof

import (
	"strings"

	"handrail/postcheck/check"
)

// part is one command of a shell line.
type part struct {
	text   string // in one line, without wrappers and redirections
	op     string // what joins it to the next: && || ; | & or nothing
	hidden bool   // in a loop or a condition: the line's status is not its own
	opaque bool   // a program that is not known here: it may have done anything
	edits  bool   // it changes code
	kinds  []Kind
}

// split cuts a shell line into its commands, at && || ; | & and line ends outside quotes,
// substitutions, comments and here-documents.
func split(line string) []part {
	line = withoutHeredocs(strings.ReplaceAll(line, "\\\n", " "))
	var out []part
	var open []byte // what is open: quotes and brackets
	start := 0
	emit := func(end int, op string) {
		if p, ok := partOf(line[start:end], op); ok {
			out = append(out, p)
		}
		start = end + len(op)
	}
	for i := 0; i < len(line); i++ {
		c, top := line[i], byte(0)
		if len(open) > 0 {
			top = open[len(open)-1]
		}
		switch {
		case top == '\'' && c != '\'':
		case c == '\\':
			i++
		case top == '(' && c == ')' || top != 0 && top != '(' && c == top:
			open = open[:len(open)-1]
		case c == '$' && strings.HasPrefix(line[i+1:], "("):
			open = append(open, '(')
			i++
		case top == '(' && c == '(', c == '`', c == '"', c == '\'' && top != '"':
			open = append(open, c)
		case top != 0:
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;", line[i-1]) >= 0):
			line = line[:i] + line[i+strings.IndexByte(line[i:]+"\n", '\n'):]
			i--
		case c == ';' || c == '\n':
			emit(i, ";")
		case c == '&' && (i > 0 && strings.IndexByte("<>|", line[i-1]) >= 0 || strings.HasPrefix(line[i+1:], ">")), c == '|' && i > 0 && line[i-1] == '>':
		case c == '|' || c == '&':
			op := string(c)
			if strings.HasPrefix(line[i+1:], op) {
				op += op
			}
			emit(i, op)
			i = start - 1
		}
	}
	emit(len(line), "")
	return out
}

// withoutHeredocs takes the bodies of here-documents out of a line.
func withoutHeredocs(line string) string {
	if !strings.Contains(line, "<<") {
		return line
	}
	var kept []string
	end := ""
	for l := range strings.SplitSeq(line, "\n") {
		if end == "" {
			kept = append(kept, l)
			if m := re("heredoc").FindStringSubmatch(l); m != nil {
				end = m[1] + m[2] + m[3]
			}
		} else if strings.TrimSpace(l) == end {
			end = ""
		}
	}
	return strings.Join(kept, "\n")
}

// mask returns a text as long, with its quotes blotted out.
func mask(s string) string {
	return re("quoted").ReplaceAllStringFunc(s, func(q string) string { return strings.Repeat("_", len(q)) })
}

// partOf reads one command.
func partOf(raw, op string) (p part, ok bool) {
	bare := re("opening").ReplaceAllString(strings.TrimSpace(raw), "")
	if m := mask(bare); strings.Count(m, ")") > strings.Count(m, "(") {
		bare = strings.TrimRight(bare, ") ")
	}
	text := re("keyword").ReplaceAllString(bare, "")
	p = part{op: op, hidden: text != bare}
	from, words := 0, ""
	for _, m := range re("redirect").FindAllStringIndex(mask(text), -1) {
		_, to, written := strings.Cut(text[m[0]:m[1]], ">")
		to = strings.TrimLeft(to, "> |")
		p.edits = p.edits || written && strings.Contains(to, ".") && isCode(to)
		words, from = words+text[from:m[0]]+" ", m[1]
	}
	words = strings.TrimSpace(words + text[from:])
	p.text = strings.Join(strings.Fields(re("wrapper").ReplaceAllString(words, "")), " ")
	if is("editing", p.text) && !is("dry", p.text) {
		files := re("file").FindAllString(p.text, -1)
		p.edits = len(files) == 0
		for _, f := range files {
			p.edits = p.edits || isCode(f)
		}
	}
	p.kinds = kindsOf(p.text)
	p.opaque = len(p.kinds) == 0 && !is("trivial", p.text)
	return p, p.text != "" && p.text != "}" && p.text != ")"
}

// isCode reports whether a change of a file ages what was proved before it.
func isCode(file string) bool {
	file = strings.ToLower(strings.Trim(strings.ReplaceAll(file, `\`, "/"), `"'`))
	return !is("prose", file) || is("manifest", file)
}

// kindsOf returns what a command proves.
func kindsOf(text string) []Kind {
	var out []Kind
	for _, k := range kinds {
		if is(string(k), text) && (k != Run || len(out) == 0) && !is("asked", mask(text)) {
			out = append(out, k)
		}
	}
	return out
}

// printed tells whether an output says that a kind of command failed; ok is false when it
// says nothing.
func printed(k Kind, output string) (failed, ok bool) {
	if k == Run || output == "" {
		return false, false
	}
	good, bad := is(string(k)+"-green", output), is(string(k)+"-red", output)
	return bad && (k != Commit || !good), good || bad // what follows a commit is the push
}

// ended tells whether the i-th command of a line failed, nil when nothing says it for sure:
// a status is that of the last command of a pipe, and of those that ran.
func ended(k Kind, parts []part, i int, c check.Command) *bool {
	if parts[i].op == "&" || is("elsewhere", c.Output) {
		return nil
	}
	piped := parts[i].op == "|" && !strings.Contains(c.Line, "pipefail")
	next := i + 1 // behind its pipe
	for next < len(parts) && parts[next-1].op == "|" {
		next++
	}
	if next < len(parts) {
		m := re("status").FindStringSubmatch(parts[next].text)
		all := re("exit").FindAllStringSubmatch(c.Output, -1)
		if m != nil && (!piped || m[1] != "?") && len(all) > 0 {
			failed := strings.Trim(all[len(all)-1][1], "0") != ""
			return &failed
		}
	}
	if c.Failed != nil && !piped && !parts[i].hidden && (i == 0 || parts[i-1].op != "||") {
		decides := true // the status of the line
		for _, p := range parts[next-1 : len(parts)-1] {
			decides = decides && p.op == "&&"
		}
		for j, p := range parts { // of a line that failed, another one may be to blame
			blamed := *c.Failed && j != i && (j >= next || j < i && p.op == "&&")
			decides = decides && (!blamed || is("safe", p.text))
		}
		if decides {
			return c.Failed
		}
	}
	if failed, ok := printed(k, c.Output); ok {
		return &failed
	}
	return nil
}

// maxOutput bounds the output that is read: the beginning and the end, in bytes each.
const maxOutput = 64 << 10

// plain returns what is read of an output.
func plain(s string) string {
	if len(s) > 2*maxOutput {
		s = s[:maxOutput] + "\n" + s[len(s)-maxOutput:]
	}
	return strings.ReplaceAll(re("ansi").ReplaceAllString(s, ""), "\r", "")
}
