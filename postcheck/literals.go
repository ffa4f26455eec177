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
	within   *regexp.Regexp // of "no `a` inside `b()`": the function that it stands in
	comment  bool           // it may stand in a comment
	imported bool           // a line that brings it in is enough
	logged   bool           // and so is one of a log
	of       string         // of "A, not B": what A is of
}

// literalsOf returns what an item clearly wants or forbids by its name in code, what of that it speaks of before ("Every `go` has a
// `recover`"), and what is left of the item.
func literalsOf(item string) (out, of []literal, rest string) {
	item = strings.ToValidUTF8(item, "_")
	item = spell(item)
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
		l.comment = text != strings.Trim(item[at[0]:at[1]], "`") || asks("in-comment").MatchString(text) || asks("of-comments").MatchString(item)
		l.logged = asks("of-logs").MatchString(item)
		l.imported = strings.Contains(l.text, "/") || asks("brings").MatchString(l.text)
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
		wanted := l.guards || asks("on-off").MatchString(l.text) || asks("wanted").MatchString(before) || asks("wanted-by").MatchString(after) || asks("wanted-last").MatchString(before) && asks("last").MatchString(after)
		l.barred = !l.guards && (l.contrast || asks("barred").MatchString(before) || asks("barred-with").MatchString(before) || asks("barred-by").MatchString(after))
		spared := l.barred && (asks("unless").MatchString(after) || asks("unless-ko").MatchString(before)) || asks("done-by").MatchString(after) || asks("in-case").MatchString(before)
		if method && (l.barred || l.text[0] == '<' || len(l.text) == 1) { // of which a file's ending is none
			l.text, noName = asks("tag-end").ReplaceAllString(l.text+"(", ""), !l.barred && len(l.text) > 1
		}
		module := l.barred && (asks("bars-import").MatchString(before) || asks("bars-import").MatchString(after))
		noName = noName && !module
		name := l.text
		if !l.barred { // for an argument any may stand, but for a value
			name = asks("argument").ReplaceAllStringFunc(name, func(a string) string {
				return cmp.Or(asks("value").FindString(a), a[:1]+"…"+a[len(a)-1:])
			})
		}
		l.re, l.command = finderOf(name), asks("is-command").MatchString(l.text)
		if l.barred && strings.ToUpper(l.text) != l.text { // `<button>` is no `<Button>`
			l.re = regexp.MustCompile(strings.TrimPrefix(l.re.String(), "(?i)"))
		}
		if l.barred {
			l.re = regexp.MustCompile(strings.Replace(l.re.String(), "(?:Async)?", "", 1))
		}
		if l.barred && asks("of-now").MatchString(text) {
			l.re = regexp.MustCompile(strings.TrimSuffix(l.re.String(), `(?:\W|$)`) + `(?:[^\w(]|$|\(\s*\))`)
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
				l.of, before = asks("of-both").ReplaceAllString(asks("command").Split(item, 2)[0], ""), ""
			}
			ban := asks("barred").FindString(before)
			if m := asks("inside-ko").FindStringSubmatch(item[:at[0]]); m != nil {
				l.within = finderOf(m[1])
				break
			}
			if m := asks("to-other").FindStringSubmatch(item[at[1]:]); m != nil && !asks("no-name").MatchString(cmp.Or(m[1:]...)) {
				if other := cmp.Or(m[1:]...); strings.HasSuffix(other, "()") || asks("inside").MatchString(item[at[1]:]) {
					l.within = finderOf(strings.TrimSuffix(other, ")"))
				} else {
					l.beside = finderOf(other)
				}
				break // whatever is done to them
			}
			after = asks("other-clause").ReplaceAllString(asks("particle").ReplaceAllString(after, ""), "")
			after = asks("its-kind").ReplaceAllString(after, " ")
			l.near = asks("leaves").ReplaceAllString(ban+" "+asks("barred-by").FindString(after), " ")
			before = asks("clause-ko").ReplaceAllString(strings.TrimSuffix(before, strings.TrimLeft(ban, ";:.— ")), "")
			before = asks("barred-with").ReplaceAllString(before, " $1")
			if m := asks("outside").FindStringSubmatch(asks("list-after").ReplaceAllString(item[at[1]:], "")); m != nil {
				l.outside, after = finderOf(cmp.Or(m[1:]...)), ""
			}
			l.rest = before + " " + after[:max(0, strings.IndexAny(after+";", ",;:."))]
			l.rest = asks("leaves").ReplaceAllString(asks("other-name").ReplaceAllString(l.rest, " "), " ")
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

// spell returns an item with backticks around its names in code, and "only `a` calls `b`" as "no `b` outside of `a`".
func spell(item string) string {
	if m := asks("named-arg").FindStringSubmatch(item); m != nil && (strings.Contains(m[2], ".") || strings.Contains(m[3], "call")) {
		item = asks("named-arg").ReplaceAllString(item, "$1`$2`$3`$4`$5")
	}
	item = asks("named-en").ReplaceAllString(Mark(item, item), "$1`$2`$3")
	item = asks("only-in").ReplaceAllString(asks("in-only").ReplaceAllString(item, "no $2$4 outside of $1$3 "), "no $1$3 outside of $2$4")
	return asks("named-call").ReplaceAllString(item, "$1`$2()`$3")
}

// finderOf returns what finds the name in any case as a word of its own, where it begins or ends as a word or a flag does.
func finderOf(name string) *regexp.Regexp {
	join := `\s+`
	if asks("loud").MatchString(name) {
		name, join = asks("lead-sql").ReplaceAllString(name, "$1"), `[\s_]*`
	}
	re := strings.ReplaceAll(asks("hole").ReplaceAllString(regexp.QuoteMeta(asks("shell-flags").ReplaceAllString(name, "$1…")), "$1.*"), " ", join)
	re = asks("key-value").ReplaceAllString(re, `${1}["'\])]*\s*(?:=>?|:|,)\s*["'(\[]*$2`)
	switch {
	case asks("loud").MatchString(name):
		re = `(?:^|[\W_])` + re
	case asks("word-first").MatchString(name):
		re = `(?:^|\W)` + re
	case asks("sign-only").MatchString(name): // "==" is none of "==="
		re = `(?:^|[^=!<>])` + re + `(?:[^=]|$)`
	}
	if asks("prints-to").MatchString(name) {
		re += `(?:f|ln)?`
	}
	if asks("word-last").MatchString(name) {
		re += `(?:Async)?(?:\W|$)`
	}
	return regexp.MustCompile(`(?i)` + re)
}

// names reports whether a command holds all that an item wants of it by name: a script, a flag.
func names(item, command string) bool {
	all, _, _ := literalsOf(item)
	return !slices.ContainsFunc(all, func(l literal) bool {
		bare := l.command && isRun(command, shell.Read(l.text, "", nil).Commands[0].Text) // without a wrapper
		return !l.barred && !bare && !l.re.MatchString(command)
	})
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
	t, place, ok := t.inPlace(item)
	if ok {
		of = slices.DeleteFunc(of, func(o literal) bool { return o.text == place })
		code = func() *reading { return t.added(false) }
	}
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
	m := append(asks("topic").FindStringSubmatch(asks("command").ReplaceAllString(item, "_")), make([]string, 6)...)
	head := understand(strings.ReplaceAll(cmp.Or(m[1], m[4], m[5]), "-only", ""))
	topic := slices.DeleteFunc(slices.Concat(head, understand(m[2])), func(u unit) bool { return u.mass < 1 })
	ofs, last := of, max(0, len(head)-1)
	var whose []unit // what is said of its kind
	for _, u := range head[last:] {
		if name := strings.TrimPrefix(u.names[0], concept); len(of) == 0 && (asks("kinds").MatchString(name) || special(u)) {
			ofs, whose = []literal{{re: begins(name, u.surface)}}, slices.DeleteFunc(slices.Concat(head[:last], understand(m[2]+" "+m[3])), func(u unit) bool { return !special(u) })
		}
	}
	things := t.things(ofs, whose, tests)
	if n := len(head); len(things) == 0 && n > 0 && !asks("kinds").MatchString(strings.TrimPrefix(head[n-1].names[0], concept)) {
		whose = nil
	}
	named := len(things) > 0 && (len(of) > 0 || !t.Reminds)
	left := slices.DeleteFunc(slices.Clone(topic), globs.has)
	shown := len(topic) > 0 && (len(left) == 0 || added.speaks(left, 1) || (added.has(topic[len(topic)-1]) || readText(t.Request).all(topic)) && slices.ContainsFunc(c.Tags, tag)) && added.all(whose)
	inName := !t.Reminds && len(topic) > 0 && slices.ContainsFunc(t.Edits, func(e check.Edit) bool { return isCode(e.File) && readText(e.File).all(topic) }) && !slices.ContainsFunc(topic, func(u unit) bool { return !special(u) })
	kind := named || inName || scoped && shown
	here := kind || t.Asked && (!t.Watched || slices.ContainsFunc(slices.Concat(subject, title), spoken)) ||
		added.speaks(subject, 2) || added.speaks(topic, 2)
	if scoped && !here {
		here = slices.ContainsFunc(title, func(u unit) bool { return globs.has(u) && special(u) }) || added.speaks(slices.DeleteFunc(subject, func(u unit) bool { return u.mass < 1 || strings.HasSuffix(u.surface, "다") }), 1)
	}
	// What is wanted of each thing of a kind is wanted where one was touched.
	here = here && (named || len(of) == 0 && (kind || len(topic) == 0 || shown))
	here = here && (named || !t.Reminds) // one is reminded of what was added by its name
	var missing []string
	var at Place
	found, lacks, silent := false, false, false
	for _, l := range names {
		l.tests = tests
		plain := l.barred && !here && (!scoped || asks("of-money").MatchString(item)) && asks("bare").MatchString(l.text)
		if plain || l.contrast && (l.text[0] == '%' || asks("sign-only").MatchString(l.text)) { // all that is said of it stands in its line
			l.near += " " + l.rest + " " + l.of
		}
		if other := asks("on-off").FindString(l.text); !l.barred && other != "" && (here || scoped || asks("coded").MatchString(strings.TrimSuffix(l.text, other))) {
			against := literal{text: l.text, re: finderOf(strings.NewReplacer("true", "false", "false", "true").Replace(strings.ToLower(l.text))), barred: true, tests: tests}
			if place, ok := t.where(against); ok {
				out.State, out.By, out.Place = Broken, place.source(), place
				return true
			}
		}
		if !l.barred && asks("argued").MatchString(l.text) && (len(of) > 0 || l.text[len(l.text)-1] == '=') { // passed, but as nothing
			none := regexp.MustCompile(`[(,]\s*` + strings.TrimSuffix(l.text, "=") + `\s*=\s*None\b`)
			if place, ok := t.where(literal{text: "=", re: none, barred: true, tests: tests}); ok && !asks("is-function").MatchString(place.Line.Text) {
				out.State, out.By, out.Place = Broken, place.source(), place
				return true
			}
		}
		place, ok := t.where(l)
		if with, without := split(things, l.re); !l.barred && len(with) > 0 { // if with none, it may stand elsewhere for all
			place, ok = with[0], without == 0
		} else if !l.barred && len(things) > 0 && things[0].closed {
			ok = false
		}
		if ok && !l.barred && place.Command == "" {
			so, surely := t.halved(l)
			lacks, ok = lacks || so, !surely
		}
		silent = silent || l.barred && !l.contrast
		switch {
		case ok && l.barred:
			enough := scoped && asks("coded").MatchString(l.text) && !asks("somewhere").MatchString(l.rest)
			elsewhere := !t.Reminds && !enough && t.elsewhere(l, place, false)
			where := append(asks("kept-in").FindStringSubmatch(item), "", "", "", "")
			other := l.contrast && !slices.ContainsFunc(understand(cmp.Or(where[1:]...)), func(u unit) bool { return u.all(added.says) })
			if elsewhere || where[0] != "" && other || plain && !slices.ContainsFunc(understand(l.near), func(u unit) bool { return u.mass == 1 }) {
				lacks = true // it may be of this one
				continue
			}
			out.State, out.By, out.Place = Broken, place.source(), place
			return true
		case l.barred:
			if gone, ok := t.gone(l); ok && !found && !t.elsewhere(l, gone, true) && !slices.ContainsFunc(names, func(l literal) bool { return l.contrast || !l.barred }) {
				at, found = gone, true
			}
		case ok && (here || len(topic) > 0 && readText(place.Line.Text+" "+place.File).all(topic) || len(of) == 0 && (scoped || t.Asked || place.Command != "" && l.command || !asks("one-word").MatchString(l.text) || asks("inner-capital").MatchString(l.text) && strings.Contains(place.Line.Text, l.text))):
			at, found = place, true
		case ok:
		case !here: // what is missing of a file that only a layer's glob matches says nothing
			lacks = true
		case kind || !l.command:
			missing = append(missing, l.text)
			// A flag of a command that nothing shows, or neither of both: "A, not B".
			silent = silent || !named && (l.text[0] == '-' || slices.ContainsFunc(names, func(o literal) bool { return o.contrast }))
		}
	}
	switch {
	case found && (lacks || !slices.ContainsFunc(names, func(l literal) bool { return l.barred || l.guards }) && asks("denied").MatchString(rest)) && len(missing) == 0:
		return false // what it denies in plain words nobody sees
	case found && len(missing) == 0:
		out.State, out.By, out.Place = Kept, at.source(), at
	case (!found || here) && len(missing) > 0 && !silent && !t.knows(out.Item) && (named || (scoped || changesCode(t.Edits)) && slices.ContainsFunc(t.Edits, func(e check.Edit) bool { return does(e, tests) })):
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

// elsewhere reports whether a place is none that a prohibition speaks of: half of what else its clause says stands there, or all, of a
// purpose or where all is asked for.
func (t Turn) elsewhere(l literal, at Place, all bool) bool {
	text, inFunction := at.File+" "+at.Line.Text+" "+at.Command, false
	for _, e := range t.Edits {
		if e.File != at.File {
			continue
		}
		unit := t.unitOf(e, at.Line)
		if unit == nil { // it went
			unit = t.around(e)
		}
		for _, l := range unit {
			text, inFunction = text+" "+l.Text, inFunction || asks("is-function").MatchString(l.Text)
		}
	}
	near, said, missing := readText(text), 0, 0
	for _, u := range understand(l.rest) {
		if u.mass == 1 {
			said++
			if !near.has(u) {
				missing++
			}
		}
	}
	return 2*missing > said || missing > 0 && (all || asks("purpose").MatchString(l.rest)) || inFunction && asks("top-level").MatchString(l.rest)
}

// inPlace returns a turn with the edits of the place alone that an item is of, or with those of tests, that place, and whether it is of one.
func (t Turn) inPlace(item string) (in Turn, place string, ok bool) {
	if m := asks("in-place").FindStringSubmatch(spell(item)); m != nil { // elsewhere it says nothing
		place = cmp.Or(m[1:]...)
	}
	inTests := asks("in-tests").MatchString(item)
	if place == "" && !inTests {
		return t, "", false
	}
	t.Edits = slices.DeleteFunc(slices.Clone(t.Edits), func(e check.Edit) bool {
		_, in := lessons.MatchPaths([]string{place, "**/" + place}, []string{e.File})
		return place != "" && !in || inTests && !isTest(e.File)
	})
	return t, place, true
}

// has reports whether a word that says what a text is about is there.
func (r *reading) has(u unit) bool { return u.mass == 1 && u.all(r.says) }

// all reports whether all of some words are there.
func (r *reading) all(of []unit) bool {
	return !slices.ContainsFunc(of, func(u unit) bool { return !r.has(u) })
}

// woven returns of a text in quotes what is woven into it.
func woven(s string) string { return " " + strings.Join(asks("woven").FindAllString(s, -1), " ") }

// does reports whether an edit adds more to code, or to tests if those count, than comments and imports.
func does(e check.Edit, tests bool) bool {
	return isCode(e.File) && (tests || !isTest(e.File)) && slices.ContainsFunc(e.Added, func(l check.Line) bool {
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

// gone returns where a turn took away what is forbidden: what was moved is still there, and a file that went says nothing.
func (t Turn) gone(l literal) (Place, bool) {
	t.Commands, t.Edits = nil, slices.DeleteFunc(slices.Clone(t.Edits), func(e check.Edit) bool { return len(e.Added) == 0 })
	for i, e := range t.Edits {
		t.Edits[i].Added, t.Edits[i].Removed = e.Removed, e.Added
	}
	return t.where(l)
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
		if !l.barred {
			shows := func(line check.Line) bool {
				return l.re.MatchString(line.Text) && (l.comment || !asks("comment-line").MatchString(line.Text)) && (l.imported || !asks("import-line").MatchString(line.Text)) && (l.logged || !asks("log-line").MatchString(line.Text))
			}
			if lines := append(t.around(e), e.Added...); slices.ContainsFunc(lines, shows) {
				return Place{File: e.File, Line: lines[slices.IndexFunc(lines, shows)]}, true
			}
			continue
		}
		if !isCode(e.File) || !l.tests && isTest(e.File) || l.outside != nil &&
			slices.ContainsFunc(append(t.around(e), check.Line{Text: e.File}), func(line check.Line) bool { return l.outside.MatchString(line.Text) }) {
			continue
		}
		for _, line := range e.Added {
			text := line.Text
			quotes := asks("in-quotes").MatchString(l.text) && !asks("imports").MatchString(text)
			if !quotes && !asks("in-comment").MatchString(l.text) && !asks("brings").MatchString(text) {
				text = asks("quoted").ReplaceAllStringFunc(asks("comment").ReplaceAllString(text, " "), woven)
			}
			far := func(u unit) bool { return u.mass == 1 && !readText(text).has(u) }
			if !gone[strings.TrimSpace(line.Text)] && l.re.MatchString(text) && (l.beside == nil || l.beside.MatchString(text)) && !slices.ContainsFunc(understand(l.near), far) {
				unit := t.unitOf(e, line)
				inTest := slices.ContainsFunc(unit, func(u check.Line) bool { return asks("is-test").MatchString(u.Text) })
				head := slices.IndexFunc(unit, func(u check.Line) bool { return !asks("decorates").MatchString(u.Text) })
				if (l.tests || !inTest) && (l.within == nil || slices.ContainsFunc(unit[:head+1], func(u check.Line) bool { return l.within.MatchString(u.Text) })) {
					return Place{File: e.File, Line: line}, true
				}
			}
		}
	}
	for _, c := range t.Commands {
		for _, step := range shell.Read(c.Line, c.Output, c.Failed).Commands {
			text := asks("told").ReplaceAllString(step.Text, "$1") // the message of a commit only speaks
			runs := isRun(text, l.text) && (l.beside == nil || l.beside.MatchString(text))
			if runs || (!l.barred || l.text[0] == '-') && l.re.MatchString(text) && !asks("looks").MatchString(text) {
				return Place{Command: step.Text}, true
			}
		}
	}
	return Place{}, false
}
