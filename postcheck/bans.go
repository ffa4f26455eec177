package postcheck

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/shell"
	"github.com/handrail-dev/handrail/postcheck/check"
)

// bans are in each item that forbids something.
var bans = []string{"never", "not", "n't", "n’t", "avoid", "no ", "forbid", "banned", "instead", "rather", "금지", "말", "않", "대신", "아니"}

// mayBan reports whether an item may forbid anything. It is quick and says too much.
func mayBan(it lessons.Item) bool {
	text := strings.ToLower(it.Text)
	return slices.ContainsFunc(bans, func(w string) bool { return strings.Contains(text, w) })
}

// MayBar returns what an item may forbid by name, or want something with, in lower case: only where an action adds one of them
// has the item to be judged for it. It is quick and says too much.
func MayBar(it lessons.Item) (out []string) {
	for _, f := range forms() {
		if f.is("of").MatchString(cmp.Or(it.Marked, it.Text)) {
			out = append(out, f.words...)
		}
	}
	if !mayBan(it) && strings.Count(it.Marked, "`") < 4 {
		return out
	}
	add := func(name string) {
		name = strings.ToLower(strings.TrimRight(name, "()."))
		if len(name) > 1 {
			out = append(out, name)
		}
	}
	for i, span := range strings.Split(it.Marked, "`") {
		if i%2 == 1 {
			add(span)
		}
	}
	for word := range strings.FieldsSeq(it.Text) {
		word = strings.Trim(word, "`\"'),:;")
		name := strings.TrimRightFunc(word, func(r rune) bool { return unicode.Is(unicode.Hangul, r) }) // a particle
		if name != word || strings.ContainsAny(name, "_.-(@=:") || len(name) > 2 && strings.ToLower(name[1:]) != name[1:] {
			add(name)
		}
	}
	return out
}

// BarsReading reports whether a title or an item says that something is not even to be opened or printed.
func BarsReading(text string) bool {
	return asks("no-reading").MatchString(asks("prints").ReplaceAllString(text, "_"))
}

// BannedRuns returns the first two words of each command that an item may forbid. It is quick and says too much.
func BannedRuns(it lessons.Item) (out []string) {
	if !mayBan(it) {
		return nil
	}
	item := strings.ReplaceAll(cmp.Or(it.Marked, it.Text), "`", "")
	for _, m := range asks("bans-run").FindAllStringSubmatch(item, -1) {
		out = append(out, strings.Join(strings.Fields(strings.TrimRight(m[1], ",;:.")), " "))
	}
	before := "" // in Korean the ban comes behind
	for word := range strings.FieldsSeq(item) {
		name := strings.TrimRightFunc(word, func(r rune) bool { return r >= utf8.RuneSelf })
		if before != "" && name != "" && len(item) > utf8.RuneCountInString(item) {
			out = append(out, before+" "+name)
		}
		before = name
	}
	return out
}

// barsRun judges an item that forbids a command of the turn: surely, but for a reminder.
func (t Turn) barsRun(it lessons.Item, out *Verdict) bool {
	for _, c := range t.Commands {
		for _, step := range shell.Read(c.Line, c.Output, c.Failed).Commands {
			if barred, surely := bars(it, step.Text); surely || barred && t.Reminds {
				out.State, out.By, out.Place = Broken, byCommand, Place{Command: step.Text}
				return true
			}
		}
	}
	return false
}

// Order returns the command that an item wants run before another, that other as it says it, and the kinds of work that it names
// instead, as places in shell.Acts; "" where it wants none. Of an entry that it wants written before a release it returns the kinds alone.
func Order(it lessons.Item) (first, then string, acts []int) {
	item := cmp.Or(it.Marked, it.Text)
	if asks("noted").MatchString(item) {
		for i, a := range shell.Acts {
			if _, ok := shell.ActNamed(i, item); ok && a.Kind == "" {
				acts = append(acts, i)
			}
		}
		return "", "", acts
	}
	if !strings.Contains(item, "전에") && !strings.Contains(strings.ToLower(item), "before") {
		return "", "", nil
	}
	for _, form := range []string{"run-before", "before-run", "run-ko"} {
		at := asks(form).FindStringIndex(item)
		if at == nil {
			continue
		}
		m, clause := asks(form).FindStringSubmatch(item), item[:at[1]]
		if rest := item[at[1]:]; form == "run-ko" {
			clause += asks("clause").FindString(rest)
		}
		if mayBan(lessons.Item{Text: clause}) {
			continue
		}
		quoted, code := m[1], m[3]
		first, then = cmp.Or(m[1], m[2]), cmp.Or(m[3], m[4])
		if form != "run-before" {
			first, then, quoted, code = then, first, code, quoted
		}
		before := clause[:max(0, strings.Index(clause, "전에"))]
		for i, a := range shell.Acts {
			if _, ok := shell.ActNamed(i, then, before); ok && (a.Kind == "" || a.Kind == shell.Push) { // what is to be run before each commit, demands say
				acts = append(acts, i)
			}
		}
		tool, _, _ := strings.Cut(first, " ")
		same := strings.HasPrefix(then, tool+" ")
		command := quoted != "" || same || form == "run-ko" || len(shell.KindsOf(first)) > 0                            // and not "the tests"
		if command && (len(acts) > 0 || same || asks("is-command").MatchString(code) || len(shell.ActsRun(then)) > 0) { // and no step of code
			return first, then, acts
		}
	}
	return "", "", nil
}

// inOrder judges an item that wants a command run before another, or before a kind of work, in a turn that did the other.
func (t Turn) inOrder(it lessons.Item, out *Verdict) bool {
	first, then, acts := Order(it)
	if first == "" {
		return false
	}
	steps := func(c check.Command) []shell.Command { return shell.Read(c.Line, c.Output, c.Failed).Commands }
	failed := func(c check.Command) bool { return c.Failed != nil && *c.Failed } // nobody knows which of its commands ran
	earlier := slices.ContainsFunc(t.Earlier, func(c check.Command) bool {
		return !failed(c) && slices.ContainsFunc(steps(c), func(step shell.Command) bool { return isRun(step.Text, first) })
	})
	var ran check.Command
	for _, c := range t.Commands {
		if failed(c) {
			continue
		}
		stale := slices.ContainsFunc(t.Edits, func(e check.Edit) bool { return e.Seq > ran.Seq && e.Seq < c.Seq && changesCode([]check.Edit{e}) })
		for _, step := range steps(c) {
			did := shell.ActsRun(step.Text)
			switch {
			case isRun(step.Text, first) && out.State == Open:
				out.State = Broken // too late
			case isRun(step.Text, first):
				ran, ran.Line = c, step.Text
			case !isRun(step.Text, then) && !slices.ContainsFunc(acts, func(i int) bool { return slices.Contains(did, i) }) || out.State != NotHere:
			case ran.Line != "" && !stale:
				if ran.Failed != nil {
					out.State, out.By, out.Place = Kept, byCommand, Place{Command: ran.Line}
				}
			case ran.Line != "" || !earlier:
				out.State, out.By, out.Place, out.Missing = Open, byCommand, Place{Command: step.Text}, []string{first}
			}
		}
	}
	if out.State == Kept && mayBan(it) { // it may be broken yet
		out.State = NotHere
		return false
	}
	return true
}

// noted judges an item that wants an entry in a log of changes before a release, in a turn that released something.
func (t Turn) noted(it lessons.Item, out *Verdict) bool {
	m := asks("noted").FindStringSubmatch(cmp.Or(it.Marked, it.Text))
	if m == nil || mayBan(it) {
		return false
	}
	_, _, acts := Order(it)
	file, version, at := cmp.Or(m[1:]...), "", check.Command{}
	for _, c := range t.Commands {
		for _, step := range shell.Read(c.Line, c.Output, c.Failed).Commands {
			v := asks("version").FindStringSubmatch(step.Text)
			releases := slices.ContainsFunc(shell.ActsRun(step.Text), func(i int) bool { return slices.Contains(acts, i) })
			if v != nil && version == "" && releases && (c.Failed == nil || !*c.Failed) {
				version, at, at.Line = v[1], c, step.Text
			}
		}
	}
	if version == "" {
		return true
	}
	i := slices.IndexFunc(t.Edits, func(e check.Edit) bool { return path.Base(e.File) == file && len(e.Added) > 0 && e.Seq <= at.Seq })
	there := regexp.MustCompile(`(?:^|[^\d.])` + regexp.QuoteMeta(version) + `(?:$|[^\d.]|\.(?:\s|$))`)
	switch {
	case i >= 0:
		out.State, out.By, out.Place = Kept, byLine, Place{File: t.Edits[i].File, Line: t.Edits[i].Added[0]}
	case t.Text != nil && there.MatchString(t.Text(file)):
		out.State, out.By, out.Place = Kept, byLine, Place{File: file}
	default:
		out.State, out.By, out.Place, out.Missing = Open, byCommand, Place{Command: at.Line}, []string{file}
	}
	return true
}

// barsEdit judges an item that surely forbids to edit a file of the turn, or a migration that was applied, which a new one keeps.
func (t Turn) barsEdit(it lessons.Item, out *Verdict) bool {
	item := cmp.Or(it.Marked, it.Text)
	for _, e := range t.Edits { // of a migration that was applied: a change comes in a new one
		if t.Reminds || !asks("applied").MatchString(item) || !asks("versioned").MatchString(e.File) || len(e.Added) == 0 {
			continue
		}
		old := len(e.Removed) > 0 || slices.ContainsFunc(t.source(e), func(line string) bool {
			return strings.TrimSpace(line) != "" && !slices.ContainsFunc(e.Added, func(l check.Line) bool { return l.Text == line })
		})
		if old && (t.Differs == nil || !t.Differs(e.File)) {
			continue
		}
		out.State, out.By, out.Place = Kept, byLine, Place{File: e.File, Line: e.Added[0]}
		if old {
			out.State = Broken
			return true
		}
	}
	for _, at := range asks("file").FindAllStringIndex(item, -1) {
		name, before, after := strings.Trim(item[at[0]:at[1]], "`"), item[:at[0]], item[at[1]:]
		for _, e := range t.Edits {
			_, of := lessons.MatchPaths([]string{name, "**/" + name}, []string{e.File})
			if of && (asks("bars-edit").MatchString(before) || asks("bars-edit").MatchString(after)) && !asks("unless").MatchString(after) && !asks("unclear").MatchString(item) {
				out.State, out.By, out.Place = Broken, byLine, Place{File: e.File}
				return true
			}
		}
	}
	return out.State != NotHere
}

// maxSpelled is how many words of a command are looked for in an item.
const maxSpelled = 6

// bars reports whether an item forbids a command: a ban stands right before or behind two or more of its first words, and
// the item says no more of it, but for flags that the command has. It does so surely where it names no case.
func bars(it lessons.Item, command string) (barred, surely bool) {
	item := strings.ReplaceAll(cmp.Or(it.Marked, it.Text), "`", "")
	words := strings.Fields(asks("tool-options").ReplaceAllString(command, "$1 "))
	if len(words) < 2 || !strings.Contains(item, words[0]+" "+words[1]) {
		return false, false
	}
	for n := min(len(words), maxSpelled); n >= 2; n-- {
		name := strings.Join(words[:n], " ")
		at := strings.Index(" "+item, " "+name)
		if at < 0 {
			continue
		}
		before, after := item[:at], item[at+len(name):]
		for flag := range strings.FieldsSeq(after) {
			if flag[0] != '-' || !slices.Contains(words, strings.TrimRight(flag, ",;:.")) {
				break
			}
			after = after[strings.Index(after, flag)+len(flag):]
		}
		m := asks("with-option").FindStringSubmatch(after)
		if !asks("ends-command").MatchString(after) || m != nil && slices.Contains(words, m[2]) == (m[1] != "") {
			return false, false
		}
		barred = asks("barred").MatchString(before) || asks("contrast").MatchString(before) || asks("barred-by").MatchString(after) || asks("no-run").MatchString(after)
		return barred, barred && !asks("unclear").MatchString(item) && !asks("unless").MatchString(after)
	}
	return false, false
}
