package lsp

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.lsp.dev/protocol"

	"handrail/lessons"
	"handrail/lessons/terms"
	"handrail/server"
	"handrail/triggers/leaks"
)

// fixer makes the quick fixes for the problems of one document.
type fixer struct {
	s     *session
	b     *brain
	doc   document
	card  lessons.Card
	saved bool // the text is the file's
}

// fixes returns what mends a problem, the likeliest first; nothing where only a person can.
func (f fixer) fixes(p lessons.Problem) []protocol.CodeAction {
	switch p.Code {
	case lessons.BadValue:
		return f.value(p)
	case lessons.MisspelledKey:
		return f.key(p, p.Args[1:])
	case lessons.CheckKey:
		return f.key(p, []string{"forbid", "require", "touch", "ran", "command", "paths", "matches", "passes", "when", "also"})
	case lessons.FrontmatterSyntax, lessons.CheckSyntax:
		return f.quote(p)
	case lessons.CheckNeeds:
		return f.needs(p)
	case lessons.FrontmatterOpen:
		return f.closing(p)
	case lessons.MissingTitle:
		if p.Line == 0 { // else there is one that says nothing
			at, _ := f.doc.bounds(f.card.BodyLine)
			return f.insert(p, f.s.say(textAddTitle, f.card.Title), at, "# "+f.card.Title+"\n\n")
		}
	case lessons.InvisibleText:
		if edits := difference(f.doc, visible(f.doc.text)); len(edits) > 0 {
			return f.one(p, f.s.say(textTakeOutInvisible), edits...)
		}
	case server.SecretInCard:
		return f.secret(p)
	case server.IdleGuard:
		return f.guard(p)
	case server.StillDraft:
		if f.saved && len(f.card.Weaknesses()) == 0 {
			return f.command(p, f.s.say(textPromote), "handrail.promote", CardParams{Path: f.card.Path})
		}
	case server.DuplicateTitle:
		if f.saved {
			return f.command(p, f.s.say(textMergeInto, p.Args[0]), "handrail.merge", server.MergeRequest{Into: p.Args[0], From: f.card.Path})
		}
	}
	return nil
}

// quick is a quick fix of a problem by edits.
func (f fixer) quick(p lessons.Problem, title string, preferred bool, edits ...protocol.TextEdit) protocol.CodeAction {
	a := f.s.edit(f.doc, title, protocol.CodeActionKindQuickFix, edits)
	a.IsPreferred, a.Diagnostics = &preferred, []protocol.Diagnostic{f.s.diagnostic(f.doc, p)}
	return a
}

func (f fixer) one(p lessons.Problem, title string, edits ...protocol.TextEdit) []protocol.CodeAction {
	return []protocol.CodeAction{f.quick(p, title, true, edits...)}
}

// insert adds lines at a byte, with the document's line ends.
func (f fixer) insert(p lessons.Problem, title string, at int, text string) []protocol.CodeAction {
	if strings.Contains(f.doc.text, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return f.one(p, title, protocol.TextEdit{Range: f.doc.span(at, at), NewText: text})
}

func (f fixer) command(p lessons.Problem, title, command string, params any) []protocol.CodeAction {
	arg, err := encode(params)
	if err != nil {
		return nil
	}
	kind := protocol.CodeActionKindQuickFix
	return []protocol.CodeAction{{
		Title: title, Kind: &kind, Diagnostics: []protocol.Diagnostic{f.s.diagnostic(f.doc, p)},
		Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{protocol.LSPAny(arg)}},
	}}
}

// value replaces a value that is not allowed, by the nearest first.
func (f fixer) value(p lessons.Problem) (out []protocol.CodeAction) {
	if len(p.Args) < 2 || p.Args[1] == "" {
		return nil
	}
	name, value := p.Args[0], p.Args[1]
	start, end := f.doc.bounds(p.Line)
	key, rest, _ := strings.Cut(f.doc.text[start:end], ":")
	at := strings.Index(rest, value)
	if at < 0 {
		return nil
	}
	at += start + len(key) + 1
	for n, v := range f.allowed(name, value) {
		edit := protocol.TextEdit{Range: f.doc.span(at, at+len(value)), NewText: v}
		out = append(out, f.quick(p, f.s.say(textChangeTo, v), n == 0, edit))
	}
	return out
}

// allowed returns up to three values that a key may have instead of one.
func (f fixer) allowed(key, value string) (out []string) {
	switch key {
	case "last-seen", "archived-at":
		today := lessons.DateOf(f.s.now()).String()
		if day, ok := dateIn(value); ok && day != today {
			out = []string{day}
		}
		return append(out, today)
	case "occurrences":
		digits := strings.TrimFunc(value, func(r rune) bool { return !unicode.IsDigit(r) })
		n, _ := strconv.Atoi(digits)
		return []string{strconv.Itoa(max(1, n))}
	}
	for _, k := range cardKeys() {
		if k.name == key {
			out = k.values
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return terms.Distance(value, a) - terms.Distance(value, b) })
	return out[:min(3, len(out))]
}

// dateIn reads a day as people write it, the year first or the month as a word: what else
// there is means one day here and another there.
func dateIn(s string) (string, bool) {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsDigit(r) && !unicode.IsLetter(r) || strings.ContainsRune("년월일", r)
	}), "-")
	for _, layout := range []string{"2006-1-2", "20060102", "2-Jan-2006", "2-January-2006", "Jan-2-2006", "January-2-2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.DateOnly), true
		}
	}
	return "", false
}

// key spells a key as the nearest that is known, if it is near or the only one that can be meant.
func (f fixer) key(p lessons.Problem, known []string) []protocol.CodeAction {
	start, end := f.doc.bounds(p.Line)
	wrong := p.Args[0]
	spelled := strings.ReplaceAll(wrong, "_", "-")
	near := slices.MinFunc(known, func(a, b string) int { return terms.Distance(spelled, a) - terms.Distance(spelled, b) })
	at := strings.Index(f.doc.text[start:end], wrong)
	if at < 0 || len(known) > 1 && terms.Distance(spelled, near) > max(1, len(near)/3) {
		return nil
	}
	at += start
	return f.one(p, f.s.say(textChangeTo, near), protocol.TextEdit{Range: f.doc.span(at, at+len(wrong)), NewText: near})
}

// quote puts a value that is no YAML in quotes, if that mends it.
func (f fixer) quote(p lessons.Problem) []protocol.CodeAction {
	for _, line := range []int{p.Line, p.Line - 1} { // the parser may see it a line later
		start, end := f.doc.bounds(line)
		key, value, found := strings.Cut(f.doc.text[start:end], ":")
		value = strings.TrimSpace(value)
		if !found || value == "" {
			continue
		}
		quoted := "'" + strings.ReplaceAll(strings.Trim(value, `"'`), "'", "''") + "'"
		after := f.doc.text[:start] + key + ": " + quoted + f.doc.text[end:]
		is := func(q lessons.Problem) bool { return q.Code == p.Code && q.Line == p.Line }
		if !slices.ContainsFunc(f.b.Diagnose(f.card.Path, []byte(after)), is) {
			return f.one(p, f.s.say(textQuote), difference(f.doc, after)...)
		}
	}
	return nil
}

// needs adds what a check lacks where that is plain: the example of a pattern that is a text,
// and all files for one that must be somewhere.
func (f fixer) needs(p lessons.Problem) []protocol.CodeAction {
	start, end := f.doc.bounds(p.Line)
	line := f.doc.text[start:end]
	lead := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	more := ""
	switch p.Args[0] {
	case "paths":
		more = "paths: ['**']"
	case "matches":
		i := slices.IndexFunc(f.card.Items, func(it lessons.Item) bool {
			return it.CheckLine > 0 && it.CheckLine <= p.Line && p.Line <= it.CheckLine+strings.Count(it.Check, "\n")
		})
		if i < 0 {
			return nil
		}
		fields, err := lessons.ReadFields(f.card.Items[i].Check)
		for _, field := range fields {
			if len(field.Values) != 1 || !slices.Contains([]string{"forbid", "require", "ran", "command"}, field.Name) {
				continue
			}
			if tree, bad := syntax.Parse(field.Values[0], syntax.Perl); err == nil && bad == nil && tree.Op == syntax.OpLiteral {
				more = "matches: ['" + strings.ReplaceAll(string(tree.Rune), "'", "''") + "']"
			}
		}
	}
	if more == "" {
		return nil
	}
	return f.insert(p, f.s.say(textAddLine, more), end, "\n"+lead+more)
}

// closing closes a frontmatter in front of the first line that is none.
func (f fixer) closing(p lessons.Problem) []protocol.CodeAction {
	from, to := frontmatter(f.doc.text)
	if from < 0 {
		return nil
	}
	at, fence := from, "---\n"
	for line := range strings.Lines(f.doc.text[from:to]) {
		if text := strings.TrimSpace(line); text == "" || strings.HasPrefix(text, "#") {
			break
		}
		if at += len(line); !strings.HasSuffix(line, "\n") {
			fence = "\n---\n"
		}
	}
	return f.insert(p, f.s.say(textAddLine, "---"), at, fence)
}

// secret puts a word in the place of the secrets on a line, or of all that the card holds.
func (f fixer) secret(p lessons.Problem) []protocol.CodeAction {
	start, end := f.doc.bounds(p.Line)
	var here, all []protocol.TextEdit
	for _, s := range leaks.Find(f.doc.text) {
		edit := protocol.TextEdit{Range: f.doc.span(s.From, s.To), NewText: "[redacted]"}
		if all = append(all, edit); s.From <= end && s.To > start {
			here = append(here, edit)
		}
	}
	if len(here) == 0 {
		return nil
	}
	actions := f.one(p, f.s.say(textTakeOutSecret), here...)
	if len(all) > len(here) {
		actions = append(actions, f.quick(p, f.s.say(textTakeOutSecrets, len(all)), false, all...))
	}
	return actions
}

// guard gives a guard a check to speak by, or takes it away.
func (f fixer) guard(p lessons.Problem) (out []protocol.CodeAction) {
	for _, it := range f.card.Items {
		if edit, text, ok := checkOf(f.doc, it, ""); ok {
			out = append(out, f.quick(p, f.s.say(textWriteCheckFor, text), true, edit))
			break
		}
	}
	from, to := frontmatter(f.doc.text)
	at := from
	for line := range strings.Lines(f.doc.text[max(0, from):max(0, to)]) {
		if strings.HasPrefix(line, "guard:") {
			edit := protocol.TextEdit{Range: f.doc.span(at, min(at+len(line), len(f.doc.text)))}
			return append(out, f.quick(p, f.s.say(textTakeOutLine, strings.TrimSpace(line)), false, edit))
		}
		at += len(line)
	}
	return out
}

// visible returns a text without characters that show nothing. A joiner stays, for it is part
// of emoji, and so does the mark at the beginning of a file.
func visible(text string) string {
	mark := text[:len(text)-len(strings.TrimPrefix(text, "\ufeff"))]
	return mark + strings.Map(func(r rune) rune {
		if strings.ContainsRune("\r\n\t", r) || lessons.Visible(string(r)) == string(r) {
			return r
		}
		return -1
	}, text[len(mark):])
}
