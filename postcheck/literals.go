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
	contrast bool   // only as the other of what is wanted
	tests    bool   // it is of tests, too
	rest     string // of a prohibition: what else its clause speaks of
	near     string // and what of that is done to the name, as "log", which stands in its line
}

// literalsOf returns what an item clearly wants or forbids by its name in code, and what is left of the item.
func literalsOf(item string) (out []literal, rest string) {
	item = strings.ToValidUTF8(item, "_")
	rest = item
	if asks("unclear").MatchString(asks("command").ReplaceAllString(item, "_")) {
		return nil, rest
	}
	for _, at := range asks("literal").FindAllStringIndex(item, -1) {
		// Of a list each name stands where the first, or the last, does.
		before, after := asks("list-before").ReplaceAllString(item[:at[0]], ""), asks("list-after").ReplaceAllString(item[at[1]:], "")
		text := asks("sign").ReplaceAllString(strings.Trim(item[at[0]:at[1]], "`"), "")
		l := literal{text: strings.Join(strings.Fields(text), " ")}
		if !strings.Contains(l.text, " ") {
			l.text = strings.TrimSuffix(l.text, "()")
		}
		if asks("no-name").MatchString(l.text) || item[at[0]] != '`' && asks("no-code-word").MatchString(l.text) {
			continue
		}
		particle := asks("particle").FindString(item[at[1]:])
		rest = strings.ReplaceAll(rest, item[at[0]:at[1]]+particle, " ")
		othersClause := asks("contrast-by").MatchString(after)
		l.contrast = othersClause || asks("contrast").MatchString(before)
		l.barred = l.contrast || asks("barred").MatchString(before) || asks("barred-by").MatchString(after)
		switch {
		case asks("in-aside").MatchString(before), l.barred && asks("unless").MatchString(after):
			continue
		case othersClause:
		case l.barred:
			after = asks("other-clause").ReplaceAllString(strings.TrimPrefix(after, particle), "")
			l.near = asks("leaves").ReplaceAllString(asks("barred").FindString(before)+" "+asks("barred-by").FindString(after), " ")
			l.rest = before[strings.LastIndexAny(before, ",;:.")+1:] + " " + after[:max(0, strings.IndexAny(after+";", ",;:."))]
			l.rest = asks("leaves").ReplaceAllString(asks("literal").ReplaceAllString(l.rest, " "), " ")
		case asks("without").MatchString(before):
		case denies(before, after), !asks("wanted").MatchString(before) && !asks("wanted-by").MatchString(after):
			continue
		}
		l.re = finderOf(l.text)
		out = append(out, l)
	}
	if !slices.ContainsFunc(out, func(l literal) bool { return !l.barred }) { // "A, not B" of a plain word says too little
		out = slices.DeleteFunc(out, func(l literal) bool { return l.contrast && asks("bare").MatchString(l.text) })
	}
	return out, rest
}

// finderOf returns what finds the name in any case as a word of its own, where it begins or ends as a word or a flag does.
func finderOf(name string) *regexp.Regexp {
	re := strings.ReplaceAll(regexp.QuoteMeta(name), " ", `\s+`)
	if asks("word-first").MatchString(name) {
		re = `(?:^|\W)` + re
	}
	if asks("word-last").MatchString(name) {
		re += `(?:\W|$)`
	}
	return regexp.MustCompile(`(?i)` + re)
}

// names reports whether a command holds all that an item wants of it by name: a script, a flag.
func names(item, command string) bool {
	all, _ := literalsOf(item)
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

// literals judges an item by the names that it wants or forbids, and reports whether they decide. They do where a person named
// the card, in files of globs that name its subject, and where a tag, or all else that the item says, is in the added lines. What
// was added to any file of the card (scoped), or is forbidden in a line that names its subject, decides, too: it stands there.
func (t Turn) literals(c lessons.Card, scoped bool, code func() *reading, out *Verdict) bool {
	names, rest := literalsOf(cmp.Or(out.Item.Marked, out.Item.Text))
	lone := !slices.ContainsFunc(names, func(l literal) bool { return !l.contrast })
	if len(names) == 0 || lone && !scoped { // "A, not B" bans B where it holds
		return false
	}
	if d := demandOf(cmp.Or(out.Item.Marked, out.Item.Text)); len(d.runs) > 0 || d.command != "" || d.tests || d.beside != "" {
		return false
	}
	added := code()
	tag := func(tag string) bool {
		return !strings.EqualFold(tag, c.Project) && slices.ContainsFunc(understand(tag), added.has)
	}
	subject := understand(rest)
	globs, text := t.globs(c)
	each := append(asks("each").FindStringSubmatch(rest), "")[1:]
	kind := slices.ContainsFunc(understand(strings.Join(each, " ")), func(u unit) bool { return globs.has(u) || scoped && added.has(u) })
	ofTitle := func(u unit) bool { return globs.has(u) && !lessons.Generic(strings.ToLower(u.surface)) }
	here := t.Asked || kind || slices.ContainsFunc(c.Tags, tag) || added.speaks(subject, 2)
	if scoped && !here {
		here = slices.ContainsFunc(understand(c.Title), ofTitle) || added.speaks(slices.DeleteFunc(subject, unit.vague), 1)
	}
	var missing []string
	var at Place
	found, barred := false, false
	for _, l := range names {
		l.tests = asks("made-test").MatchString(text)
		place, ok := t.where(l, nil)
		barred = barred || l.barred
		switch {
		case ok && l.barred:
			elsewhere := slices.ContainsFunc(understand(l.rest), func(u unit) bool { return u.mass == 1 && !added.has(u) })
			beside, told := t.where(l, l.subject(c.Title))
			switch {
			case told:
				place = beside
			case !here && !scoped || elsewhere:
				continue
			}
			out.State, out.By, out.Place = Broken, place.source(), place
			return true
		case l.barred:
		case ok && (here || scoped && t.adds(place)):
			at, found = place, true
		case asks("dotted").MatchString(l.text) && added.apart(l.text):
		case ok, !here: // what is missing of a file that only a layer's glob matches says nothing
		case kind || !asks("is-command").MatchString(l.text):
			missing = append(missing, l.text)
		}
	}
	switch {
	case found && len(missing) == 0:
		out.State, out.By, out.Place = Kept, at.source(), at
	case !found && len(missing) > 0 && !barred && (scoped || changesCode(t.Edits)) && slices.ContainsFunc(t.Edits, does):
		out.State, out.By, out.Missing = Open, byLine, missing
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

// does reports whether an edit adds more to code than comments and imports.
func does(e check.Edit) bool {
	return isCode(e.File) && slices.ContainsFunc(e.Added, func(l check.Line) bool {
		return strings.TrimSpace(l.Text) != "" && !asks("imports").MatchString(l.Text)
	})
}

// adds reports whether a place is a line that was added, or a command.
func (t Turn) adds(p Place) bool {
	return p.Command != "" || slices.ContainsFunc(t.Edits, func(e check.Edit) bool { return e.File == p.File && slices.Contains(e.Added, p.Line) })
}

// speaks reports whether two neighbouring lines hold all of some words or more; that something is used, and "every", is none.
func (r *reading) speaks(of []unit, least int) bool {
	of = slices.DeleteFunc(slices.Clone(of), func(u unit) bool { return u.names[0] == concept+"use" || u.names[0] == concept+"every" })
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

// subject tells whether a line beside the name says what its prohibition, or the title of its card, speaks of, or all that
// its clause says, be it as plain as "never log".
func (l literal) subject(title string) func(line string) bool {
	own := readText(l.text)
	about := slices.DeleteFunc(understand(title+"\n"+l.rest), func(u unit) bool {
		return u.mass != 1 || lessons.Generic(strings.ToLower(u.surface)) || own.has(u)
	})
	clause := slices.DeleteFunc(understand(l.rest), func(u unit) bool { return u.mass != 1 })
	return func(line string) bool {
		r := readText(line)
		return slices.ContainsFunc(about, r.has) || len(clause) > 0 && !slices.ContainsFunc(clause, func(u unit) bool { return !r.has(u) })
	}
}

// where returns where a turn holds a name: of what is forbidden, in a command or a new line of code; of what is wanted, in
// an added line, in the function around one, or in a command. With beside, only an added line counts that it tells of.
func (t Turn) where(l literal, beside func(line string) bool) (Place, bool) {
	gone := map[string]bool{}
	for _, e := range t.Edits {
		for _, r := range e.Removed {
			gone[strings.TrimSpace(r.Text)] = true
		}
	}
	for _, e := range t.Edits {
		for _, line := range e.Added {
			text := line.Text
			if l.barred {
				if !isCode(e.File) || !l.tests && asks("made-test").MatchString(e.File) || gone[strings.TrimSpace(text)] {
					continue
				}
				quotes := strings.ContainsAny(l.text, "\"'") && !asks("imports").MatchString(text)
				if !quotes && !asks("in-comment").MatchString(l.text) && !asks("brings").MatchString(text) {
					text = asks("comment").ReplaceAllString(text, " ")
				}
			}
			far := func(u unit) bool { return u.mass == 1 && !readText(text).has(u) }
			if l.re.MatchString(text) && (beside == nil || beside(text)) && !slices.ContainsFunc(understand(l.near), far) {
				return Place{File: e.File, Line: line}, true
			}
		}
	}
	if beside != nil {
		return Place{}, false
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

// around returns the lines of the functions that some lines of a file stand in, and what stands in none, as a wrapper of
// them, but for imports.
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
		for n := head; n == head || n < len(lines) && !begins(n, depth); n++ {
			out = append(out, check.Line{Text: lines[n], N: n + 1})
		}
	}
	for n, line := range lines {
		if len(out) > 0 && begins(n, 0) && !asks("imports").MatchString(line) {
			out = append(out, check.Line{Text: line, N: n + 1})
		}
	}
	return out
}
