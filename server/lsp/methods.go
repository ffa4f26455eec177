package lsp

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server"
)

// table lists everything an editor can say, a line each. To add a method, add its line
// and a function from its parameters to its result; then run the tests with -update.
func table() []method {
	return []method{
		request("initialize", (*session).initialize).ordered(),
		notification("initialized", (*session).initialized),
		request("shutdown", (*session).shutdown),

		notification("textDocument/didOpen", (*session).didOpen),
		notification("textDocument/didChange", (*session).didChange),
		request("textDocument/willSaveWaitUntil", (*session).willSave),
		notification("textDocument/didSave", (*session).didSave),
		notification("textDocument/didClose", (*session).didClose),
		request("textDocument/hover", (*session).hover),
		request("textDocument/codeAction", (*session).codeActions),
		request("textDocument/codeLens", (*session).codeLenses),

		notification("workspace/didChangeConfiguration", (*session).didChangeConfiguration),
		notification("workspace/didChangeWorkspaceFolders", (*session).didChangeWorkspaceFolders),
		request("workspace/executeCommand", (*session).executeCommand),

		ofBrain("handrail/retrieve", direct((*server.Server).Retrieve)),
		ofBrain("handrail/preflight", (*brain).preflight),
		ofBrain("handrail/why", (*brain).why),
		ofBrain("handrail/never", direct((*server.Server).NeverFor)),
		ofBrain("handrail/always", direct((*server.Server).AlwaysFor)),
		ofBrain("handrail/postcheck", (*brain).postcheck),
		ofBrain("handrail/answers", (*brain).lastAnswers),
		ofBrain("handrail/judge", (*brain).judge),
		ofBrain("handrail/report", (*brain).report),
		ofBrain("handrail/lessons", (*brain).lessons),
		ofBrain("handrail/create", (*brain).create),
		request("handrail/fill", (*session).fill),
		ofBrain("handrail/template", (*brain).template),
		ofBrain("handrail/bump", func(b *brain, ctx context.Context, p CardParams) (server.Card, error) {
			return b.Bump(ctx, p.Path, p.CandidateID)
		}).command(),
		ofBrain("handrail/restore", status(lessons.Active)).command(),
		ofBrain("handrail/archive", status(lessons.Archived)).command(),
		ofBrain("handrail/delete", func(b *brain, ctx context.Context, p CardParams) (server.Card, error) {
			return b.Delete(ctx, p.Path)
		}).command(),
		ofBrain("handrail/undo", direct((*server.Server).Undo)).command(),
		ofBrain("handrail/promote", func(b *brain, ctx context.Context, p CardParams) (server.Card, error) {
			return b.Promote(ctx, p.Path, p.Title)
		}).command(),
		ofBrain("handrail/verify", func(b *brain, ctx context.Context, p CardParams) (server.Card, error) {
			return b.Verify(ctx, p.Path, !p.Off)
		}).command(),
		ofBrain("handrail/quarantine", direct((*server.Server).Quarantine)).command(),
		ofBrain("handrail/merge", direct((*server.Server).Merge)).command(),
		ofBrain("handrail/tidy", (*brain).tidy),
		ofBrain("handrail/ignoreHere", direct((*server.Server).IgnoreHere)),
		ofBrain("handrail/stats", func(b *brain, ctx context.Context, _ Nothing) (server.Stats, error) { return b.Stats(ctx) }),
		ofBrain("handrail/log", direct((*server.Server).Log)),
		ofBrain("handrail/candidates", (*brain).candidates),
		ofBrain("handrail/inbox", func(b *brain, ctx context.Context, _ Nothing) (server.Inbox, error) {
			return b.Inbox(ctx, b.s.locale)
		}),
		ofBrain("handrail/review", (*brain).review),
		ofBrain("handrail/brain", (*brain).whichBrain),
		ofBrain("handrail/trust", (*brain).trust),
		ofBrain("handrail/pause", direct((*server.Server).Pause)),
		request("handrail/createBrain", (*session).createBrain).command(),
	}
}

func (b *brain) preflight(ctx context.Context, p server.PreflightRequest) (server.Preflight, error) {
	if b.silent(ctx) {
		return server.Preflight{Lessons: []server.Hit{}, Notes: []server.Hit{}}, nil
	}
	p.Project = cmp.Or(p.Project, b.s.project(p.Files))
	out, err := b.Preflight(ctx, p)
	if err != nil || p.SessionID == "" || p.Aside {
		return out, err
	}
	h, err := b.Heads(ctx, server.HeadsRequest{SessionID: p.SessionID, Project: p.Project, Locale: b.s.locale, Beside: out.Block + out.Context})
	out.Titles = h.Text
	return out, err
}

func (b *brain) why(ctx context.Context, p server.WhyRequest) (server.Explanation, error) {
	if b.silent(ctx) { // nothing comes
		return server.Explanation{Request: p.Query, Cards: []server.Explained{}}, nil
	}
	p.Project, p.Language = cmp.Or(p.Project, b.s.project(p.Files)), b.s.locale
	return b.Why(ctx, p)
}

// project names the project of a request that does not name it itself, so that the cards of
// others stay out: that of its first file, else that of the workspace. Of several folders
// none is the one.
func (s *session) project(files []string) string {
	if len(files) > 0 {
		return find.Project(filepath.Dir(files[0]))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.folders) == 1 {
		return find.Project(s.folders[0])
	}
	return ""
}

func (b *brain) postcheck(ctx context.Context, p server.AnswerRequest) (server.Footer, error) {
	p.Locale = b.s.locale
	f, err := b.Answered(ctx, p)
	return b.s.locale.Worded(f), err
}

func (b *brain) report(ctx context.Context, p ReportParams) (ReportResult, error) {
	changes := make([]server.Change, 0, len(p.Changes))
	for _, c := range p.Changes {
		file, err := b.name("file", "changes", c.File)
		if err != nil {
			return ReportResult{}, err
		}
		if file == "" {
			continue
		}
		c.File = file
		changes = append(changes, c)
		if !slices.Contains(p.Files, file) {
			p.Files = append(p.Files, file)
		}
	}
	if !filepath.IsAbs(p.Cwd) { // no disk has it
		p.Cwd = ""
	}
	if p.At.IsZero() {
		p.At = b.s.Now()
	}
	if b.s.limited {
		return ReportResult{}, nil
	}
	seen, err := b.Observe(ctx, server.Event{
		Kind: p.Kind, Text: p.Text, Files: p.Files, Changes: changes, Command: p.Command, Dir: p.Cwd,
		ExitCode: p.ExitCode, Output: p.Output, At: p.At, SessionID: p.SessionID,
		Tool: cmp.Or(p.Tool, string(p.Kind)), Failed: p.Failed, Interrupted: p.Interrupted,
	})
	if seen.Candidate != nil {
		seen.Candidate = &b.s.locale.Named(*seen.Candidate)[0]
	}
	return ReportResult{Candidate: seen.Candidate, Hint: seen.Hint}, err
}

func (b *brain) lessons(ctx context.Context, p server.CardFilter) ([]server.Card, error) {
	if p.File != "" && !filepath.IsAbs(p.File) { // an unsaved or a virtual document
		return []server.Card{}, nil
	}
	cards, err := b.Cards(ctx, p)
	if err == nil && p == (server.CardFilter{}) {
		cards = append(cards, b.Unread()...)
	}
	return cards, err
}

func (b *brain) create(ctx context.Context, p server.CreateRequest) (server.Created, error) {
	p.Language = b.s.locale
	return b.Confirm(ctx, p)
}

func (b *brain) lastAnswers(context.Context, Nothing) ([]server.Footer, error) {
	all := slices.Clone(b.Answers())
	for i, f := range all {
		all[i] = b.s.locale.Worded(f)
	}
	return all, nil
}

func (b *brain) judge(ctx context.Context, p server.JudgeRequest) (server.Footer, error) {
	f, err := b.Judge(ctx, p)
	return b.s.locale.Worded(f), err
}

func (b *brain) template(_ context.Context, p server.CreateRequest) (server.Template, error) {
	p.Language = b.s.locale
	return b.Template(p)
}

// status returns the method that gives a card one status.
func status(to lessons.Status) func(*brain, context.Context, CardParams) (server.Card, error) {
	return func(b *brain, ctx context.Context, p CardParams) (server.Card, error) {
		return b.SetStatus(ctx, p.Path, to)
	}
}

func (b *brain) tidy(ctx context.Context, p server.TidyRequest) (server.Tidied, error) {
	found, err := b.Tidy(ctx, p)
	b.s.locale.Reasons(found.Suggestions)
	return found, err
}

func (b *brain) candidates(_ context.Context, _ Nothing) ([]server.Candidate, error) {
	return b.s.locale.Named(b.Candidates()...), nil
}

func (b *brain) review(ctx context.Context, p server.ReviewRequest) (server.Reviewed, error) {
	p.Language = cmp.Or(p.Language, b.s.locale)
	done, err := b.Review(ctx, p)
	for i, l := range done.Left {
		done.Left[i].Why = b.s.left(l)
	}
	return done, err
}

// executeCommand runs those rows of the table that are commands. The argument is the
// method's parameters, or just the path of a card.
func (s *session) executeCommand(ctx context.Context, p protocol.ExecuteCommandParams) (jsonrpc2.RawMessage, error) {
	for _, m := range s.methods {
		if !m.isCommand || m.commandName() != p.Command {
			continue
		}
		var raw jsonrpc2.RawMessage
		if len(p.Arguments) > 0 {
			raw = jsonrpc2.RawMessage(p.Arguments[0])
		}
		if bytes.HasPrefix(bytes.TrimSpace(raw), []byte{'"'}) {
			raw = fmt.Appendf(nil, `{"path":%s}`, raw)
		}
		return m.call(ctx, s, raw)
	}
	return nil, s.errorWith(jsonrpc2.InvalidParams, s.say(textUnknownCommand, clip(p.Command)), ErrorData{Code: "unknown-command"})
}
