package postcheck

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck/check"
)

// literal is a name in code, or a command, that an item wants or forbids.
type literal struct {
	text     string
	re       *regexp.Regexp // finds it in a line, in any case, as a word of its own
	barred   bool
	command  bool           // it may be named without being wanted run now
	contrast bool           // only as the other of what is wanted
	guards   bool           // what is forbidden stands without it
	tests    bool           // it is of tests, too
	rest     string         // of a prohibition: what else its clause speaks of
	near     string         // and what of that is done to the name, as "log", which stands in its line
	outside  *regexp.Regexp // and where it does not hold
	beside   *regexp.Regexp // of "never `a` to `b`": what stands in its line, too
}

// literalsOf returns what an item clearly wants or forbids by its name in code, what of that it speaks of before ("Every `go` has a
// `recover`"), and what is left of the item.
func literalsOf(item string) (out, of []literal, rest string) {
	item = strings.ToValidUTF8(item, "_")
	item = asks("named-ko").ReplaceAllString(Mark(item, item), "`$1`$2")
	rest = item
	if asks("unclear").MatchString(asks("named-case").ReplaceAllString(asks("command").ReplaceAllString(item, "_"), "")) {
		return nil, nil, rest
	}
	// A dot in code ends no clause.
	plain := asks("command").ReplaceAllStringFunc(item, func(code string) string { return "`" + strings.Repeat("_", len(code)-2) + "`" })
	for _, at := range asks("command").FindAllStringIndex(item, -1) {
		// Of a list each name stands where the first, or the last, does.
		before, after := asks("list-before").ReplaceAllString(plain[:at[0]], ""), asks("list-after").ReplaceAllString(plain[at[1]:], "")
		text := asks("sign").ReplaceAllString(strings.Trim(item[at[0]:at[1]], "`"), "")
		l := literal{text: asks("tail").ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1$2$3$4")}
		method := asks("method").MatchString(l.text)
		if !strings.Contains(l.text, " ") {
			l.text = strings.TrimSuffix(l.text, "()")
		}
		noName := asks("no-name").MatchString(l.text)
		if noName && !method && !asks("no-name-but").MatchString(l.text) {
			continue
		}
		particle := asks("particle").FindString(item[at[1]:])
		rest = strings.ReplaceAll(rest, item[at[0]:at[1]]+particle, " ")
		othersClause := asks("contrast-by").MatchString(after)
		l.contrast = othersClause || asks("contrast").MatchString(before)
		l.guards = asks("without").MatchString(before) || asks("without-by").MatchString(after)
		wanted := l.guards || asks("wanted").MatchString(before) || asks("wanted-by").MatchString(after)
		l.barred = !l.guards && (l.contrast || asks("barred").MatchString(before) || asks("barred-with").MatchString(before) || asks("barred-by").MatchString(after))
		spared := l.barred && (asks("unless").MatchString(after) || asks("unless-ko").MatchString(before)) || asks("done-by").MatchString(after) || asks("in-case").MatchString(before)
		if method && (l.barred || l.text[0] == '<') { // of which a file's ending is none
			l.text, noName = asks("tag-end").ReplaceAllString(l.text+"(", ""), !l.barred
		}
		module := l.barred && (asks("bars-import").MatchString(before) || asks("bars-import").MatchString(after))
		noName = noName && !module
		l.re, l.command = finderOf(l.text), asks("is-command").MatchString(l.text)
		if l.barred && strings.ToUpper(l.text) != l.text { // `<button>` is no `<Button>`
			l.re = regexp.MustCompile(strings.TrimPrefix(l.re.String(), "(?i)"))
		}
		switch {
		case asks("in-aside").MatchString(before):
			continue
		case noName || spared || !l.barred && !wanted:
			if (len(out) == 0 || spared) && (spared || !denies(before, after)) {
				of = append(of, literal{text: l.text, re: l.re})
			}
			continue
		case othersClause:
		case l.barred:
			if l.contrast { // "A, not B" says of A what stands before
				before = ""
			}
			if asks("assigns").MatchString(before) {
				l.re = regexp.MustCompile(regexp.QuoteMeta(l.text) + `\s*[^\s\w=!<>]?=(?:[^=>]|$)`)
			}
			ban := asks("barred").FindString(before)
			if m := asks("to-other").FindStringSubmatch(item[at[1]:]); m != nil && !asks("no-name").MatchString(cmp.Or(m[1:]...)) {
				l.beside = finderOf(cmp.Or(m[1:]...))
				break // whatever is done to them
			}
			after = asks("other-clause").ReplaceAllString(asks("particle").ReplaceAllString(after, ""), "")
			after = asks("its-kind").ReplaceAllString(after, " ")
			l.near = asks("leaves").ReplaceAllString(ban+" "+asks("barred-by").FindString(after), " ")
			before = strings.TrimSuffix(before, strings.TrimLeft(ban, ";:.— "))
			before = asks("its-like").ReplaceAllString(asks("barred-with").ReplaceAllString(before, " $1"), "")
			if m := asks("outside").FindStringSubmatch(asks("list-after").ReplaceAllString(item[at[1]:], "")); m != nil {
				l.outside, after = finderOf(cmp.Or(m[1:]...)), ""
			}
			before = asks("clause-before").ReplaceAllString(before, "")
			l.rest = before + " " + after[:max(0, strings.IndexAny(after+";", ",;:."))]
			l.rest = asks("leaves").ReplaceAllString(asks("literal").ReplaceAllString(l.rest, " "), " ")
		case denies(before, after) && !l.guards:
			continue
		case len(out) > 0 && asks("or").MatchString(item[:at[0]]) && !out[len(out)-1].barred: // either will do
			last := &out[len(out)-1]
			last.text, last.re = last.text+", "+l.text, regexp.MustCompile(last.re.String()+"|"+l.re.String())
			continue
		}
		of = slices.DeleteFunc(of, func(o literal) bool { return o.text == l.text })
		out = append(out, l)
	}
	if !slices.ContainsFunc(out, func(l literal) bool { return !l.barred }) { // "A, not B" of a plain word says too little
		out = slices.DeleteFunc(out, func(l literal) bool { return l.contrast && asks("bare").MatchString(l.text) })
	}
	return out, of, rest
}

// finderOf returns what finds the name in any case as a word of its own, where it begins or ends as a word or a flag does.
func finderOf(name string) *regexp.Regexp {
	re := strings.ReplaceAll(asks("hole").ReplaceAllString(regexp.QuoteMeta(name), "$1.*"), " ", `\s+`)
	switch {
	case asks("word-first").MatchString(name):
		re = `(?:^|\W)` + re
	case asks("sign-only").MatchString(name): // "==" is none of "==="
		re = `(?:^|[^=!<>])` + re + `(?:[^=]|$)`
	}
	if asks("word-last").MatchString(name) {
		re += `(?:\W|$)`
	}
	return regexp.MustCompile(`(?i)` + re)
}

// names reports whether a command holds all that an item wants of it by name: a script, a flag.
func names(item, command string) bool {
	all, _, _ := literalsOf(item)
	return !slices.ContainsFunc(all, func(l literal) bool { return !l.barred && !l.re.MatchString(command) })
}

// Mark returns an item with backticks around the names in code that its evidence holds, so that they are looked for.
func Mark(item, evidence string) string {
	return asks("literal").ReplaceAllStringFunc(item, func(name string) string {
		bare := strings.TrimSuffix(name, "()")
		if name[0] == '`' || asks("no-name").MatchString(bare) || asks("no-code-word").MatchString(bare) || !strings.Contains(evidence, bare) {
			return name
		}
		return "`" + name + "`"
	})
}

// literals judges an item by the names that it wants or forbids, and reports whether they decide. They do where added lines hold
// the name that it is of, or else its subject, or globs name that; of an item without one a tag, all else that it says, or, of a
// card that a person named, a word of it. What is wanted in any file of the card (scoped), or forbidden and no plain word, too.
func (t Turn) literals(c lessons.Card, scoped bool, code func() *reading, out *Verdict) bool {
	item := cmp.Or(out.Item.Marked, out.Item.Text)
	names, of, rest := literalsOf(item)
	globs, text := t.globs(c)
	d, ofTests := demandOf(item), asks("of-tests").MatchString(text+c.Title)
	if len(names) == 0 || len(d.runs) > 0 || d.command != "" || d.tests && !ofTests && !names[0].barred || d.beside != "" {
		return false
	}
	added, tests := code(), ofTests || asks("of-tests").MatchString(item)
	if tests {
		added = t.added(true)
	}
	// What the globs say of each of their files says nothing of this one.
	spoken := func(u unit) bool { return added.has(u) && !globs.has(u) }
	tag := func(tag string) bool {
		return !strings.EqualFold(tag, c.Project) && !lessons.Generic(strings.ToLower(tag)) && slices.ContainsFunc(understand(tag), spoken)
	}
	special := func(u unit) bool { return u.mass == 1 && !lessons.Generic(strings.ToLower(u.surface)) }
	subject, title := understand(rest), understand(c.Title)
	topic := slices.DeleteFunc(understand(strings.Join(append(asks("topic").FindStringSubmatch(asks("command").ReplaceAllString(item, "_")), "")[1:], " ")), func(u unit) bool { return u.mass < 1 })
	named := slices.ContainsFunc(of, func(l literal) bool {
		return slices.ContainsFunc(t.Edits, func(e check.Edit) bool { return isCode(e.File) && holds(l.re, e.File, e.Added) })
	})
	unsaid := slices.DeleteFunc(slices.Clone(topic), added.has)
	shown := len(topic) > 0 && (2*len(unsaid) <= len(topic) || added.has(topic[len(topic)-1]))
	kind := named || scoped && shown || len(topic) > 0 && globs.has(topic[len(topic)-1])
	here := kind || t.Asked && (!t.Watched || slices.ContainsFunc(slices.Concat(subject, title), spoken)) || slices.ContainsFunc(c.Tags, tag) ||
		added.speaks(subject, 2) || added.speaks(topic, 2)
	if scoped && !here {
		here = slices.ContainsFunc(title, func(u unit) bool { return globs.has(u) && special(u) }) || added.speaks(slices.DeleteFunc(subject, unit.vague), 1)
	}
	// What is wanted of each thing of a kind is wanted where one was touched.
	here = here && (named || len(of) == 0 && (kind || len(topic) == 0 || shown || len(c.Paths) == 0 && slices.ContainsFunc(c.Tags, tag)))
	here = here && (named || !t.Reminds) // one is reminded of what was added by its name
	var missing []string
	var at Place
	found, silent := false, false
	for _, l := range names {
		l.tests = tests
		plain := l.barred && !here && !scoped && asks("bare").MatchString(l.text)
		if plain { // all that is said of it stands in its line
			l.near += " " + l.rest
		}
		place, ok := t.where(l)
		silent = silent || l.barred && !l.contrast
		switch {
		case ok && l.barred:
			elsewhere := !t.Reminds && slices.ContainsFunc(understand(l.rest), func(u unit) bool { return u.mass == 1 && !added.has(u) })
			if elsewhere || plain && !slices.ContainsFunc(understand(l.near), func(u unit) bool { return u.mass == 1 }) {
				continue
			}
			out.State, out.By, out.Place = Broken, place.source(), place
			return true
		case l.barred:
		case ok && (here || len(of) == 0 && (scoped || t.Asked)):
			at, found = place, true
		case asks("dotted").MatchString(l.text) && added.apart(l.text):
		case ok, !here: // what is missing of a file that only a layer's glob matches says nothing
		case kind || !l.command:
			missing = append(missing, l.text)
			silent = silent || l.text[0] == '-' && !named // a flag of a command that nothing shows
		}
	}
	switch {
	case found && len(missing) == 0:
		out.State, out.By, out.Place = Kept, at.source(), at
	case !found && len(missing) > 0 && !silent && (scoped || changesCode(t.Edits)) && (named || slices.ContainsFunc(t.Edits, func(e check.Edit) bool { return does(e, tests) })):
		out.State, out.By, out.Missing = Open, byLine, missing
		if len(of) > 0 && names[0].guards && t.Watched {
			if at, ok := t.where(literal{text: of[0].text, re: of[0].re, barred: true, tests: tests}); ok {
				out.State, out.Place, out.Missing = Broken, at, nil
			}
		}
	default:
		return false
	}
	return true
}

// has reports whether a word that says what a text is about is there.
func (r *reading) has(u unit) bool { return u.mass == 1 && u.all(r.says) }

// apart reports whether the parts of a name are there, as keys one below the other.
func (r *reading) apart(name string) bool {
	parts := understand(strings.ReplaceAll(name, ".", " "))
	return !slices.ContainsFunc(parts, func(u unit) bool { return !r.says(u.names[0]) })
}

// does reports whether an edit adds more to code, or to tests if those count, than comments and imports.
func does(e check.Edit, tests bool) bool {
	return isCode(e.File) && (tests || !asks("made-test").MatchString(e.File)) && slices.ContainsFunc(e.Added, func(l check.Line) bool {
		return strings.TrimSpace(l.Text) != "" && !asks("imports").MatchString(l.Text) && !asks("declares").MatchString(l.Text)
	})
}

// speaks reports whether two neighbouring lines hold all of some words or more.
func (r *reading) speaks(of []unit, least int) bool {
	for at := range r.places {
		if len(of) >= least && !slices.ContainsFunc(of, func(u unit) bool {
			return !u.all(func(name string) bool { return within(r.said[name], at, 2) })
		}) {
			return true
		}
	}
	return false
}

// vague reports whether a word is one of many deeds: a general one, or what ends a Korean item.
func (u unit) vague() bool { return u.mass < 1 || strings.HasSuffix(u.surface, "다") }

// globs reads the globs of a card that edited files match: they may name what it is about, or the kind of thing that an item
// is of. A layer such as api says nothing of a title: all below it is.
func (t Turn) globs(c lessons.Card) (*reading, string) {
	var out string
	for _, e := range t.Edits {
		g, _ := lessons.MatchPaths(c.Paths, []string{e.File})
		out += g + "\n"
	}
	return readText(out), out
}

// where returns where a turn holds a name: of what is forbidden, in a command or a new line of code; of what is wanted, in
// an added line, in the function around one, or in a command.
func (t Turn) where(l literal) (Place, bool) {
	gone := map[string]bool{}
	for _, e := range t.Edits {
		for _, r := range e.Removed {
			gone[strings.TrimSpace(r.Text)] = true
		}
	}
	for _, e := range t.Edits {
		if l.outside != nil && (holds(l.outside, e.File, nil) || t.Text != nil && holds(l.outside, "", around(t.Text(e.File), e.Added))) {
			continue
		}
		for _, line := range e.Added {
			text := line.Text
			if l.barred {
				if !isCode(e.File) || !l.tests && asks("made-test").MatchString(e.File) || gone[strings.TrimSpace(text)] {
					continue
				}
				quotes := asks("in-quotes").MatchString(l.text) && !asks("imports").MatchString(text)
				if !quotes && !asks("in-comment").MatchString(l.text) && !asks("brings").MatchString(text) {
					woven := func(s string) string { return " " + strings.Join(asks("woven").FindAllString(s, -1), " ") }
					text = asks("quoted").ReplaceAllStringFunc(asks("comment").ReplaceAllString(text, " "), woven)
				}
			}
			far := func(u unit) bool { return u.mass == 1 && !readText(text).has(u) }
			if l.re.MatchString(text) && (l.beside == nil || l.beside.MatchString(text)) && !slices.ContainsFunc(understand(l.near), far) {
				return Place{File: e.File, Line: line}, true
			}
		}
	}
	for _, c := range t.Commands {
		for _, step := range shell.Read(c.Line, c.Output, c.Failed).Commands {
			if strings.HasPrefix(step.Text+" ", l.text+" ") || (!l.barred || l.text[0] == '-') && l.re.MatchString(step.Text) && !asks("looks").MatchString(step.Text) {
				return Place{Command: step.Text}, true
			}
		}
	}
	if l.barred || t.Text == nil {
		return Place{}, false
	}
	for _, e := range t.Edits {
		for _, line := range around(t.Text(e.File), e.Added) {
			if l.re.MatchString(line.Text) {
				return Place{File: e.File, Line: line}, true
			}
		}
	}
	return Place{}, false
}

// holds reports whether the name of a file, or one of its lines that is no import, holds what is looked for.
func holds(re *regexp.Regexp, file string, lines []check.Line) bool {
	return re.MatchString(file) || slices.ContainsFunc(lines, func(l check.Line) bool {
		return re.MatchString(l.Text) && !asks("imports").MatchString(l.Text)
	})
}

// around returns the lines of the functions that some lines of a file stand in, with their decorators, and what stands in
// none, as a wrapper of them, but for imports and the heads of other functions.
func around(text string, added []check.Line) (out []check.Line) {
	lines := strings.Split(text, "\n")
	indent := func(i int) int { return len(lines[i]) - len(strings.TrimLeft(lines[i], " \t")) }
	// begins reports whether a block of some depth begins at a line: an empty line and a bracket that closes begin none.
	begins := func(i, depth int) bool {
		first := strings.TrimLeft(lines[i], " \t\r")
		return first != "" && indent(i) <= depth && !strings.ContainsAny(first[:1], ")}]") && !strings.HasPrefix(first, "end")
	}
	for _, a := range added {
		same := func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(a.Text) }
		i := a.N - 1
		if i < 0 || i >= len(lines) || !same(lines[i]) {
			i = slices.IndexFunc(lines, same)
		}
		if i < 0 || slices.ContainsFunc(out, func(l check.Line) bool { return l.N == i+1 }) { // it is gone, or its block is there
			continue
		}
		up := func(depth int) (head int) {
			for head = i; head > 0 && !begins(head, depth); head-- {
			}
			return head
		}
		head, depth := up(0), 0
		if head < i && asks("holds-more").MatchString(lines[head]) {
			depth = indent(head + 1)
			head = up(depth)
		}
		first := head
		for first > 0 && strings.HasPrefix(strings.TrimSpace(lines[first-1]), "@") { // its decorators
			first--
		}
		for n := first; n <= head || n < len(lines) && !begins(n, depth); n++ {
			out = append(out, check.Line{Text: lines[n], N: n + 1})
		}
	}
	for n, line := range lines {
		if len(out) > 0 && begins(n, 0) && !asks("imports").MatchString(line) && !asks("of-another").MatchString(line) {
			out = append(out, check.Line{Text: line, N: n + 1})
		}
	}
	return out
}
