package lsp

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/terms"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// fixer makes the quick fixes for the problems of one document.
type fixer struct {
	s   *session
	doc document
}

// fixes returns what mends a problem, the likeliest first; nothing where only a person can.
func (f fixer) fixes(p lessons.Problem) []protocol.CodeAction {
	switch p.Code {
	case lessons.BadValue:
		return f.value(p)
	case lessons.MisspelledKey:
		return f.key(p)
	case brain.SecretInCard:
		return f.secret(p)
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

// value replaces a value that is not allowed, by the nearest first.
func (f fixer) value(p lessons.Problem) (out []protocol.CodeAction) {
	if len(p.Args) < 3 || p.Args[1] == "" {
		return nil
	}
	value := p.Args[1]
	start, end := f.doc.bounds(p.Line)
	key, rest, _ := strings.Cut(f.doc.text[start:end], ":")
	at := strings.Index(rest, value)
	if at < 0 {
		return nil
	}
	at += start + len(key) + 1
	for n, v := range f.allowed(p) {
		edit := protocol.TextEdit{Range: f.doc.span(at, at+len(value)), NewText: v}
		out = append(out, f.quick(p, f.s.say(textChangeTo, v), n == 0, edit))
	}
	return out
}

// allowed returns up to three values that a problem names, the nearest first; today for a day.
func (f fixer) allowed(p lessons.Problem) []string {
	if p.Args[0] == "last-seen" || p.Args[0] == "archived-at" {
		return []string{lessons.DateOf(f.s.Now()).String()}
	}
	out := strings.Split(p.Args[2], ", ")
	slices.SortStableFunc(out, func(a, b string) int { return terms.Distance(p.Args[1], a) - terms.Distance(p.Args[1], b) })
	return out[:min(3, len(out))]
}

// key spells a key as the one that is meant.
func (f fixer) key(p lessons.Problem) []protocol.CodeAction {
	wrong, near := p.Args[0], p.Args[1]
	start, end := f.doc.bounds(p.Line)
	at := start + strings.Index(f.doc.text[start:end], wrong)
	if at < start {
		return nil
	}
	return f.one(p, f.s.say(textChangeTo, near), protocol.TextEdit{Range: f.doc.span(at, at+len(wrong)), NewText: near})
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
