package lsp

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/desk"
	"github.com/handrail-dev/handrail/server/hear"
	"github.com/handrail-dev/handrail/triggers"
)

// table lists everything an editor can say, a line each. To add a method, add its line
// and a function from its parameters to its result; then run the tests with -update.
func table() []method {
	return []method{
		request("initialize", (*session).initialize).ordered(),
		notification("initialized", (*session).initialized),
		request("shutdown", func(*session, context.Context, Nothing) (*Nothing, error) { return nil, nil }).ordered(),

		notification("textDocument/didOpen", (*session).didOpen),
		notification("textDocument/didChange", (*session).didChange),
		request("textDocument/willSaveWaitUntil", (*session).willSave),
		notification("textDocument/didSave", (*session).didSave),
		notification("textDocument/didClose", (*session).didClose),
		request("textDocument/hover", (*session).hover),
		request("textDocument/codeAction", (*session).codeActions),
		request("textDocument/codeLens", (*session).codeLenses),

		ofBrain("handrail/retrieve", direct((*server.Server).Retrieve)),
		request("handrail/preflight", (*session).preflight),
		ofBrain("handrail/why", (*openBrain).why),
		ofBrain("handrail/never", direct((*server.Server).NeverFor)),
		ofBrain("handrail/postcheck", worded((*server.Server).Answered)),
		ofBrain("handrail/answers", (*openBrain).lastAnswers),
		ofBrain("handrail/judge", worded((*server.Server).Judge)),
		ofBrain("handrail/report", (*openBrain).report),
		ofBrain("handrail/lessons", (*openBrain).lessons),
		ofBrain("handrail/create", direct((*server.Server).Confirm)),
		request("handrail/fill", (*session).fill),
		ofBrain("handrail/template", func(b *openBrain, _ context.Context, p desk.CreateRequest) (desk.Template, error) {
			return b.Template(p)
		}),
		ofBrain("handrail/bump", func(b *openBrain, ctx context.Context, p CardParams) (brain.Card, error) {
			return b.Bump(ctx, p.Path, p.CandidateID)
		}),
		ofBrain("handrail/restore", status(lessons.Active)),
		ofBrain("handrail/archive", status(lessons.Archived)),
		ofBrain("handrail/delete", func(b *openBrain, ctx context.Context, p CardParams) (brain.Card, error) {
			return b.Delete(ctx, p.Path)
		}),
		ofBrain("handrail/undo", direct((*server.Server).Undo)),
		ofBrain("handrail/promote", func(b *openBrain, ctx context.Context, p CardParams) (brain.Card, error) {
			return b.Promote(ctx, p.Path, p.Title)
		}),
		ofBrain("handrail/verify", func(b *openBrain, ctx context.Context, p CardParams) (brain.Card, error) {
			return b.Verify(ctx, p.Path, !p.Off)
		}),
		ofBrain("handrail/quarantine", direct((*server.Server).Quarantine)),
		ofBrain("handrail/merge", direct((*server.Server).Merge)),
		ofBrain("handrail/tidy", (*openBrain).tidy),
		ofBrain("handrail/ignoreHere", direct((*server.Server).IgnoreHere)),
		ofBrain("handrail/stats", func(b *openBrain, ctx context.Context, _ Nothing) (desk.Stats, error) { return b.Stats(ctx) }),
		ofBrain("handrail/log", direct((*server.Server).Log)),
		ofBrain("handrail/candidates", func(b *openBrain, _ context.Context, _ Nothing) ([]brain.Candidate, error) {
			return b.s.locale.Named(b.Candidates()...), nil
		}),
		ofBrain("handrail/inbox", func(b *openBrain, ctx context.Context, _ Nothing) (desk.Inbox, error) {
			return b.Inbox(ctx, b.s.locale)
		}),
		ofBrain("handrail/review", direct((*server.Server).Review)),
		ofBrain("handrail/brain", (*openBrain).whichBrain),
		ofBrain("handrail/trust", (*openBrain).trust),
		ofBrain("handrail/pause", direct((*server.Server).Pause)),
		request("handrail/createBrain", (*session).createBrain),
	}
}

// preflight asks the open brain and behind it, or where the workspace has none, the person's own. Only text
// comes of the latter: its cards have no path in the open one.
func (s *session) preflight(ctx context.Context, p deliver.PreflightRequest) (out deliver.Preflight, err error) {
	b, err := s.opened()
	if err == nil {
		err = b.resolve(reflect.ValueOf(&p).Elem())
	} else {
		p.Files = nil
	}
	if b != nil && err == nil {
		out, err = b.preflight(ctx, p)
	}
	if err != nil && !errors.Is(err, lessons.ErrNoBrain) || s.Own == nil || s.limited || s.wanted != "" || len(s.folders) == 0 || p.Aside || b != nil && b.Mine() {
		return out, err
	}
	ctx, done := context.WithTimeout(ctx, ownPatience)
	defer done()
	own := s.Own(ctx, s.folders[0], p)
	if b == nil && own.Titles+own.Block+own.Context == "" {
		return out, err
	}
	for _, t := range []struct{ to, own *string }{{&out.Titles, &own.Titles}, {&out.Block, &own.Block}, {&out.Context, &own.Context}} {
		*t.to = strings.Trim(*t.to+"\n\n"+*t.own, "\n")
	}
	out.Tokens += own.Tokens
	return out, nil
}

func (b *openBrain) preflight(ctx context.Context, p deliver.PreflightRequest) (deliver.Preflight, error) {
	if b.silent(ctx) {
		return deliver.Preflight{Lessons: []brain.Hit{}, Notes: []brain.Hit{}}, nil
	}
	p.Project = cmp.Or(p.Project, b.s.project(p.Files))
	out, err := b.Preflight(ctx, p)
	if err != nil || p.SessionID == "" || p.Aside {
		return out, err
	}
	h, err := b.Heads(ctx, deliver.HeadsRequest{SessionID: p.SessionID, Project: p.Project, Locale: b.s.locale, Beside: out.Block + out.Context})
	out.Titles = h.Text
	return out, err
}

func (b *openBrain) why(ctx context.Context, p deliver.WhyRequest) (deliver.Explanation, error) {
	if b.silent(ctx) { // nothing comes
		return deliver.Explanation{Request: p.Query, Cards: []deliver.Explained{}}, nil
	}
	p.Project = cmp.Or(p.Project, b.s.project(p.Files))
	return b.Why(ctx, p)
}

// project names the project of a request that does not name it itself, so that the cards of others stay out: that of
// its first file, else that of the workspace. Of several folders none is the one.
func (s *session) project(files []string) string {
	if len(files) > 0 {
		return find.Project(filepath.Dir(files[0]))
	}
	if len(s.folders) == 1 {
		return find.Project(s.folders[0])
	}
	return ""
}

// worded is direct with a footer in the person's language.
func worded[P any](f func(*server.Server, context.Context, P) (brain.Footer, error)) func(*openBrain, context.Context, P) (brain.Footer, error) {
	return func(b *openBrain, ctx context.Context, p P) (brain.Footer, error) {
		footer, err := f(b.Server, ctx, p)
		return b.s.locale.Worded(footer), err
	}
}

func (b *openBrain) report(ctx context.Context, e triggers.Event) (hear.Observed, error) {
	changes := make([]triggers.Change, 0, len(e.Changes))
	for _, c := range e.Changes {
		file, err := b.name("file", "changes", c.File)
		if err != nil {
			return hear.Observed{}, err
		}
		if file == "" {
			continue
		}
		c.File = file
		changes = append(changes, c)
		if !slices.Contains(e.Files, file) {
			e.Files = append(e.Files, file)
		}
	}
	if !filepath.IsAbs(e.Dir) { // no disk has it
		e.Dir = ""
	}
	if e.At.IsZero() {
		e.At = b.s.Now()
	}
	if b.s.limited {
		return hear.Observed{}, nil
	}
	e.Changes, e.Tool = changes, cmp.Or(e.Tool, string(e.Kind))
	seen, err := b.Observe(ctx, e)
	if seen.Candidate != nil {
		seen.Candidate = &b.s.locale.Named(*seen.Candidate)[0]
	}
	return seen, err
}

func (b *openBrain) lessons(ctx context.Context, p desk.CardFilter) ([]brain.Card, error) {
	if p.File != "" && !filepath.IsAbs(p.File) { // an unsaved or a virtual document
		return []brain.Card{}, nil
	}
	return b.Cards(ctx, p)
}

func (b *openBrain) lastAnswers(context.Context, Nothing) ([]brain.Footer, error) {
	all := slices.Clone(b.Answers())
	for i, f := range all {
		all[i] = b.s.locale.Worded(f)
	}
	return all, nil
}

// status returns the method that gives a card one status.
func status(to lessons.Status) func(*openBrain, context.Context, CardParams) (brain.Card, error) {
	return func(b *openBrain, ctx context.Context, p CardParams) (brain.Card, error) {
		return b.SetStatus(ctx, p.Path, to)
	}
}

func (b *openBrain) tidy(ctx context.Context, p desk.TidyRequest) (desk.Tidied, error) {
	found, err := b.Tidy(ctx, p)
	for i, g := range found.Suggestions {
		found.Suggestions[i].Why = b.s.locale.Reason(g)
	}
	return found, err
}
