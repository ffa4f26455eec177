package lsp

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.lsp.dev/protocol"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/triggers/leaks"
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
	case lessons.MissingTitle:
		if p.Line == 0 { // else there is one that says nothing
			at, _ := f.doc.bounds(f.card.BodyLine)
			title := "# " + f.card.Title + "\n\n"
			if strings.Contains(f.doc.text, "\r\n") {
				title = strings.ReplaceAll(title, "\n", "\r\n")
			}
			return f.one(p, f.s.say(textAddTitle, f.card.Title), protocol.TextEdit{Range: f.doc.span(at, at), NewText: title})
		}
	case lessons.InvisibleText:
		if edits := difference(f.doc, visible(f.doc.text)); len(edits) > 0 {
			return f.one(p, f.s.say(textTakeOutInvisible), edits...)
		}
	case server.SecretInCard:
		return f.secret(p)
	case lessons.MissingRootCause:
		return f.section(p, lessons.RootCause)
	case lessons.MissingChecklist:
		return f.section(p, lessons.Prevention)
	case server.StillDraft:
		if f.saved && len(f.card.Weaknesses()) == 0 {
			return f.mending(p, f.s.say(textPromote), "handrail.promote", CardParams{Path: f.card.Path})
		}
	case server.DuplicateTitle:
		if f.saved {
			return f.mending(p, f.s.say(textMergeInto, p.Args[0]), "handrail.merge", server.MergeRequest{Into: p.Args[0], From: f.card.Path})
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

// command is an action by one of our commands.
func (f fixer) command(kind protocol.CodeActionKind, title, command string, params any) protocol.CodeAction {
	arg, err := encode(params)
	if err != nil {
		f.s.log.Error("command without its argument", "command", command, "err", err)
	}
	return protocol.CodeAction{Title: title, Kind: &kind, Command: protocol.Command{
		Title: title, Command: command, Arguments: []protocol.LSPAny{protocol.LSPAny(arg)},
	}}
}

// mending is command for a problem.
func (f fixer) mending(p lessons.Problem, title, command string, params any) []protocol.CodeAction {
	a := f.command(protocol.CodeActionKindQuickFix, title, command, params)
	a.Diagnostics = []protocol.Diagnostic{f.s.diagnostic(f.doc, p)}
	return []protocol.CodeAction{a}
}

// section adds a section that the card lacks; one that is there and empty is for a person to fill.
func (f fixer) section(p lessons.Problem, name lessons.SectionName) []protocol.CodeAction {
	if _, has := f.card.Section(name); has {
		return nil
	}
	lang := f.s.language(f.doc, f.card)
	return f.one(p, f.s.say(textAddSection, name.Heading(lang)), insert(f.doc, f.card, name, lang))
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

// secret puts a word in the place of the secrets on a line.
func (f fixer) secret(p lessons.Problem) []protocol.CodeAction {
	start, end := f.doc.bounds(p.Line)
	var here []protocol.TextEdit
	for _, s := range leaks.Find(f.doc.text) {
		if s.From <= end && s.To > start {
			here = append(here, protocol.TextEdit{Range: f.doc.span(s.From, s.To), NewText: "[redacted]"})
		}
	}
	if len(here) == 0 {
		return nil
	}
	return f.one(p, f.s.say(textTakeOutSecret), here...)
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
