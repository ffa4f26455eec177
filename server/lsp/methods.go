package lsp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/server"
)

// table lists everything an editor can say, a line each. To add a method, add its line
// and a function from its parameters to its result; then run the tests with -update.
func table() []method {
	return []method{
		request("initialize", (*session).initialize).ordered(),
		notification("initialized", (*session).initialized),
		request("shutdown", (*session).shutdown),
		notification("$/setTrace", (*session).setTrace),

		notification("textDocument/didOpen", (*session).didOpen),
		notification("textDocument/didChange", (*session).didChange),
		request("textDocument/willSaveWaitUntil", (*session).willSave),
		notification("textDocument/didSave", (*session).didSave),
		notification("textDocument/didClose", (*session).didClose),
		request("textDocument/completion", (*session).completion),
		request("textDocument/hover", (*session).hover),
		request("textDocument/codeAction", (*session).codeActions),
		request("textDocument/codeLens", (*session).codeLenses),

		notification("workspace/didChangeWatchedFiles", (*session).didChangeWatchedFiles),
		notification("workspace/didChangeConfiguration", (*session).didChangeConfiguration),
		notification("workspace/didChangeWorkspaceFolders", (*session).didChangeWorkspaceFolders),
		request("workspace/symbol", (*session).symbols),
		request("workspace/executeCommand", (*session).executeCommand),

		ofBrain("handrail/retrieve", (*brain).retrieve),
		ofBrain("handrail/preflight", (*brain).preflight),
		ofBrain("handrail/why", (*brain).why),
		ofBrain("handrail/never", (*brain).never),
		ofBrain("handrail/always", (*brain).always),
		ofBrain("handrail/postcheck", (*brain).postcheck),
		ofBrain("handrail/answers", (*brain).lastAnswers),
		ofBrain("handrail/judge", (*brain).judge),
		ofBrain("handrail/dropItem", (*brain).dropItem),
		ofBrain("handrail/report", (*brain).report),
		ofBrain("handrail/lessons", (*brain).lessons),
		ofBrain("handrail/create", (*brain).create),
		request("handrail/fill", (*session).fill),
		ofBrain("handrail/template", (*brain).template),
		ofBrain("handrail/bump", (*brain).bump).command(),
		ofBrain("handrail/restore", status(lessons.Active)).command(),
		ofBrain("handrail/archive", status(lessons.Archived)).command(),
		ofBrain("handrail/delete", (*brain).delete).command(),
		ofBrain("handrail/undo", (*brain).undo).command(),
		ofBrain("handrail/promote", (*brain).promote).command(),
		ofBrain("handrail/verify", (*brain).verify).command(),
		ofBrain("handrail/quarantine", (*brain).quarantine).command(),
		ofBrain("handrail/merge", (*brain).merge).command(),
		ofBrain("handrail/tidy", (*brain).tidy),
		ofBrain("handrail/ignoreHere", (*brain).ignoreHere),
		ofBrain("handrail/stats", (*brain).stats),
		ofBrain("handrail/log", (*brain).history),
		ofBrain("handrail/candidates", (*brain).candidates),
		ofBrain("handrail/dismiss", (*brain).dismiss),
		ofBrain("handrail/inbox", (*brain).inbox),
		ofBrain("handrail/review", (*brain).review),
		ofBrain("handrail/past", (*brain).past),
		ofBrain("handrail/brain", (*brain).whichBrain),
		ofBrain("handrail/trust", (*brain).trust),
		ofBrain("handrail/pause", func(b *brain, ctx context.Context, p server.PauseRequest) (server.Paused, error) {
			return b.Pause(ctx, p)
		}),
		request("handrail/createBrain", (*session).createBrain).command(),
	}
}

// method is one row of the table.
type method struct {
	name         string
	notification bool
	inOrder      bool // a call that must end before the next message is read
	isCommand    bool // also reachable through workspace/executeCommand, with a dot for the slash
	params       reflect.Type
	result       reflect.Type // nil for a notification
	call         func(context.Context, *session, jsonrpc2.RawMessage) (jsonrpc2.RawMessage, error)
}

func request[P, R any](name string, f func(*session, context.Context, P) (R, error)) method {
	return method{
		name: name, params: reflect.TypeFor[P](), result: reflect.TypeFor[R](),
		call: func(ctx context.Context, s *session, raw jsonrpc2.RawMessage) (jsonrpc2.RawMessage, error) {
			p, err := decode[P](s, name, raw)
			if err != nil {
				return nil, err
			}
			r, err := f(s, ctx, p)
			if err != nil {
				return nil, err
			}
			return encode(r)
		},
	}
}

// ofBrain is a request that needs a brain.
func ofBrain[P, R any](name string, f func(*brain, context.Context, P) (R, error)) method {
	return request(name, func(s *session, ctx context.Context, p P) (R, error) {
		b, err := s.opened()
		if err != nil {
			var none R
			return none, err
		}
		return f(b, ctx, p)
	})
}

func notification[P any](name string, f func(*session, context.Context, P) error) method {
	return method{
		name: name, notification: true, params: reflect.TypeFor[P](),
		call: func(ctx context.Context, s *session, raw jsonrpc2.RawMessage) (jsonrpc2.RawMessage, error) {
			p, err := decode[P](s, name, raw)
			if err != nil {
				return nil, err
			}
			return nil, f(s, ctx, p)
		},
	}
}

func (m method) ordered() method { m.inOrder = true; return m }
func (m method) command() method { m.isCommand = true; return m }

// commandName is the method's name in workspace/executeCommand.
func (m method) commandName() string { return strings.ReplaceAll(m.name, "/", ".") }

// decode reads parameters; absent ones are the zero value.
func decode[P any](s *session, name string, raw jsonrpc2.RawMessage) (p P, err error) {
	if len(raw) == 0 {
		return p, nil
	}
	if err := protocol.Unmarshal(raw, &p); err != nil {
		s.log.Debug("wrong parameters", "method", name, "err", err)
		where := ""
		if wrong := (*json.SemanticError)(nil); errors.As(err, &wrong) && wrong.JSONPointer != "" {
			where = " (" + clip(string(wrong.JSONPointer)) + ")"
		}
		return p, s.errorWith(jsonrpc2.InvalidParams, s.say(textBadParams, name, where), ErrorData{Code: "bad-params"})
	}
	return p, nil
}

func encode(v any) (jsonrpc2.RawMessage, error) {
	// The library's encoders follow a nil pointer.
	if rv := reflect.ValueOf(v); !rv.IsValid() || rv.Kind() == reflect.Pointer && rv.IsNil() {
		return jsonrpc2.RawMessage("null"), nil
	}
	return codec{}.Marshal(v)
}

// codeRequestFailed is LSP's code for a request that was understood and could not be done.
const codeRequestFailed = jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed)

// wireError turns an error into an answer: the code for programs, the sentence for people.
func (s *session) wireError(ctx context.Context, err error) error {
	var ready *jsonrpc2.Error
	if errors.As(err, &ready) {
		return ready
	}
	if ctx.Err() != nil {
		err = ctx.Err() // whatever it says, it failed because nobody waits for it
	}
	data := ErrorData{Code: server.Code(err)}
	var weak *server.WeakError
	if errors.As(err, &weak) {
		for _, p := range weak.Problems {
			data.Problems = append(data.Problems, ProblemData{Code: p.Code, Message: s.locale.Problem(p), Line: p.Line})
		}
	}
	code := codeRequestFailed
	switch data.Code {
	case "bad-request":
		code = jsonrpc2.InvalidParams
	case "cancelled":
		code = protocol.CodeRequestCancelled
	case "internal":
		code = jsonrpc2.InternalError
		s.log.Error("request failed", "err", err)
	}
	return s.errorWith(code, s.locale.Explain(err), data)
}

func (s *session) errorWith(code jsonrpc2.Code, message string, data ErrorData) error {
	raw, err := encode(data)
	if err != nil {
		return jsonrpc2.NewError(code, message)
	}
	return &jsonrpc2.Error{Code: code, Message: message, Data: raw}
}

func (b *brain) retrieve(ctx context.Context, p RetrieveParams) (server.Retrieved, error) {
	files, err := b.files(p.Files)
	if err != nil {
		return server.Retrieved{}, err
	}
	return b.Retrieve(ctx, server.RetrieveRequest{Query: p.Query, All: p.All, Files: files, Project: p.Project, Limit: p.Limit, BudgetTokens: p.BudgetTokens})
}

func (b *brain) preflight(ctx context.Context, p PreflightParams) (server.Preflight, error) {
	files, err := b.files(p.Files)
	if err != nil {
		return server.Preflight{}, err
	}
	if b.silent(ctx) {
		return server.Preflight{Lessons: []server.Hit{}, Notes: []server.Hit{}}, nil
	}
	return b.Preflight(ctx, server.PreflightRequest{Query: p.Query, SessionID: p.SessionID, Files: files, Project: cmp.Or(p.Project, b.s.project(files)), Aside: p.Aside})
}

func (b *brain) why(ctx context.Context, p WhyParams) (server.Explanation, error) {
	files, err := b.files(p.Files)
	if err != nil {
		return server.Explanation{}, err
	}
	if p.Path, err = b.card(p.Path); err != nil {
		return server.Explanation{}, err
	}
	if b.silent(ctx) { // nothing comes
		return server.Explanation{Request: p.Query, Cards: []server.Explained{}}, nil
	}
	return b.Why(ctx, server.WhyRequest{
		Query: p.Query, AnswerID: p.AnswerID, Path: p.Path, SessionID: p.SessionID, Files: files, Project: cmp.Or(p.Project, b.s.project(files)), Language: b.s.locale,
	})
}

func (b *brain) never(ctx context.Context, p NeverParams) (server.Never, error) {
	var err error
	if p.Path, err = b.card(p.Path); err != nil {
		return server.Never{}, err
	}
	return b.NeverFor(ctx, server.NeverRequest(p))
}

func (b *brain) always(ctx context.Context, p AlwaysParams) (server.Card, error) {
	return b.onCard(p.Path, func(path string) (server.Card, error) {
		files, err := b.files(p.Files)
		if err != nil {
			return server.Card{}, err
		}
		return b.AlwaysFor(ctx, server.AlwaysRequest{Path: path, Files: files})
	})
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

func (b *brain) postcheck(ctx context.Context, p PostcheckParams) (server.Footer, error) {
	var err error
	cards := make([]string, len(p.Lessons))
	for i, name := range p.Lessons {
		if cards[i], err = b.card(name); err != nil {
			return server.Footer{}, err
		}
	}
	f, err := b.Answered(ctx, server.AnswerRequest{AnswerID: p.AnswerID, Lessons: cards, Answer: p.Answer, Locale: b.s.locale})
	return b.s.locale.Worded(f), err
}

func (b *brain) report(ctx context.Context, p ReportParams) (ReportResult, error) {
	files, err := b.files(p.Files)
	if err != nil {
		return ReportResult{}, err
	}
	changes := make([]server.Change, 0, len(p.Changes))
	for _, c := range p.Changes {
		of, err := b.files([]string{c.File})
		if err != nil {
			return ReportResult{}, err
		}
		if len(of) > 0 {
			c.File = of[0]
			changes = append(changes, c)
			if !slices.Contains(files, c.File) {
				files = append(files, c.File)
			}
		}
	}
	dir := p.Cwd
	if dir != "" {
		if dir, err = filePath("cwd", dir); err != nil {
			return ReportResult{}, err
		}
	}
	if p.At.IsZero() {
		p.At = b.s.now()
	}
	if b.s.limited {
		return ReportResult{}, nil
	}
	seen, err := b.Observe(ctx, server.Event{
		Kind: p.Kind, Text: p.Text, Files: files, Changes: changes, Command: p.Command, Dir: dir,
		ExitCode: p.ExitCode, Output: p.Output, At: p.At, SessionID: p.SessionID,
		Tool: cmp.Or(p.Tool, string(p.Kind)), On: files, Failed: p.Failed, Interrupted: p.Interrupted,
	})
	if seen.Candidate != nil {
		seen.Candidate = &b.s.locale.Named(*seen.Candidate)[0]
	}
	return ReportResult{Candidate: seen.Candidate, Hint: seen.Hint}, err
}

func (b *brain) lessons(ctx context.Context, p LessonsParams) ([]server.Card, error) {
	if p.File != "" {
		files, err := b.files([]string{p.File})
		if err != nil {
			return nil, err
		}
		if len(files) == 0 { // an unsaved or a virtual document
			return []server.Card{}, nil
		}
		p.File = files[0]
	}
	cards, err := b.Cards(ctx, server.CardFilter(p))
	if err == nil && p == (LessonsParams{}) {
		cards = append(cards, b.Unread()...)
	}
	return cards, err
}

func (b *brain) create(ctx context.Context, p CreateParams) (server.Created, error) {
	return b.Confirm(ctx, server.CreateRequest{
		Title: p.Title, CandidateID: p.CandidateID, Auto: p.Auto, SessionID: p.SessionID, Asked: p.Asked,
		Situation: p.Situation, Fields: p.Fields, Language: b.s.locale,
	})
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

func (b *brain) dropItem(ctx context.Context, p server.DropRequest) (server.Card, error) {
	return b.onCard(p.Path, func(path string) (server.Card, error) {
		return b.DropItem(ctx, server.DropRequest{Path: path, Item: p.Item})
	})
}

func (b *brain) template(_ context.Context, p TemplateParams) (server.Template, error) {
	return b.Template(server.CreateRequest{Situation: p.Situation, Fields: p.Fields, Language: b.s.locale})
}

func (b *brain) bump(ctx context.Context, p BumpParams) (server.Card, error) {
	return b.onCard(p.Path, func(path string) (server.Card, error) { return b.Bump(ctx, path, p.CandidateID) })
}

// status returns the method that gives a card one status.
func status(to lessons.Status) func(*brain, context.Context, PathParams) (server.Card, error) {
	return func(b *brain, ctx context.Context, p PathParams) (server.Card, error) {
		return b.onCard(p.Path, func(path string) (server.Card, error) { return b.SetStatus(ctx, path, to) })
	}
}

func (b *brain) delete(ctx context.Context, p PathParams) (server.Card, error) {
	return b.onCard(p.Path, func(path string) (server.Card, error) { return b.Delete(ctx, path) })
}

func (b *brain) promote(ctx context.Context, p PromoteParams) (server.Card, error) {
	return b.onCard(p.Path, func(path string) (server.Card, error) { return b.Promote(ctx, path, p.Title) })
}

func (b *brain) verify(ctx context.Context, p VerifyParams) (server.Card, error) {
	return b.onCard(p.Path, func(path string) (server.Card, error) { return b.Verify(ctx, path, !p.Off) })
}

func (b *brain) quarantine(ctx context.Context, p QuarantineParams) (server.Card, error) {
	return b.onCard(p.Path, func(path string) (server.Card, error) {
		return b.Quarantine(ctx, server.QuarantineRequest{Path: path, Reason: p.Reason, Lift: p.Lift})
	})
}

func (b *brain) merge(ctx context.Context, p MergeParams) (server.Card, error) {
	return b.onCard(p.Into, func(into string) (server.Card, error) {
		from, err := b.card(p.From)
		if err != nil {
			return server.Card{}, err
		}
		return b.Merge(ctx, server.MergeRequest{Into: into, From: from})
	})
}

func (b *brain) tidy(ctx context.Context, p server.TidyRequest) (server.Tidied, error) {
	found, err := b.Tidy(ctx, p)
	b.s.locale.Reasons(found.Suggestions)
	return found, err
}

func (b *brain) ignoreHere(ctx context.Context, p server.IgnoreRequest) ([]server.Ignored, error) {
	var err error
	if p.Path, err = b.card(p.Path); err != nil {
		return nil, err
	}
	return b.IgnoreHere(ctx, p)
}

func (b *brain) stats(ctx context.Context, _ Nothing) (server.Stats, error) {
	return b.Stats(ctx)
}

// onCard does something to the card that a name means.
func (b *brain) onCard(name string, do func(path string) (server.Card, error)) (server.Card, error) {
	path, err := b.card(name)
	if err != nil {
		return server.Card{}, err
	}
	return do(path)
}

func (b *brain) undo(ctx context.Context, p UndoParams) (server.Undone, error) {
	path, err := b.card(p.Path)
	if err != nil {
		return server.Undone{}, err
	}
	return b.Undo(ctx, server.UndoRequest{Path: path})
}

func (b *brain) history(ctx context.Context, p LogParams) ([]server.LogRow, error) {
	path, err := b.card(p.Path)
	if err != nil {
		return nil, err
	}
	return b.Log(ctx, server.LogRequest{Path: path, Limit: p.Limit})
}

func (b *brain) candidates(_ context.Context, _ Nothing) ([]server.Candidate, error) {
	return b.s.locale.Named(b.Candidates()...), nil
}

func (b *brain) dismiss(ctx context.Context, p DismissParams) (Nothing, error) {
	return Nothing{}, b.Dismiss(ctx, p.CandidateID)
}

func (b *brain) inbox(ctx context.Context, _ Nothing) (server.Inbox, error) {
	return b.Inbox(ctx, b.s.locale)
}

func (b *brain) review(ctx context.Context, p server.ReviewRequest) (server.Reviewed, error) {
	p.Language = cmp.Or(p.Language, b.s.locale)
	done, err := b.Review(ctx, p)
	for i, l := range done.Left {
		done.Left[i].Why = b.s.left(l)
	}
	return done, err
}

func (b *brain) past(ctx context.Context, p server.PastRequest) ([]server.Past, error) {
	list, err := b.Past(ctx, p)
	for i := range list {
		list[i].Candidate = b.s.locale.Named(list[i].Candidate)[0]
	}
	return list, err
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
