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

		notification("workspace/didChangeWatchedFiles", (*session).didChangeWatchedFiles),
		notification("workspace/didChangeConfiguration", (*session).didChangeConfiguration),
		notification("workspace/didChangeWorkspaceFolders", (*session).didChangeWorkspaceFolders),
		request("workspace/symbol", (*session).symbols),
		request("workspace/executeCommand", (*session).executeCommand),

		request("handrail/retrieve", (*session).retrieve),
		request("handrail/preflight", (*session).preflight),
		request("handrail/why", (*session).why),
		request("handrail/never", (*session).never),
		request("handrail/always", (*session).always),
		request("handrail/postcheck", (*session).postcheck),
		request("handrail/report", (*session).report),
		request("handrail/lessons", (*session).lessons),
		request("handrail/create", (*session).create),
		request("handrail/bump", (*session).bump).command(),
		request("handrail/ignore", status(lessons.Ignored)).command(),
		request("handrail/restore", status(lessons.Active)).command(),
		request("handrail/archive", status(lessons.Archived)).command(),
		request("handrail/delete", (*session).delete).command(),
		request("handrail/undo", (*session).undo).command(),
		request("handrail/promote", (*session).promote).command(),
		request("handrail/verify", (*session).verify).command(),
		request("handrail/quarantine", (*session).quarantine).command(),
		request("handrail/merge", (*session).merge).command(),
		request("handrail/tidy", (*session).tidy),
		request("handrail/consolidate", (*session).consolidate),
		request("handrail/relate", (*session).relate),
		request("handrail/ignoreHere", (*session).ignoreHere),
		request("handrail/overview", (*session).overview),
		request("handrail/retract", (*session).retract),
		request("handrail/stats", (*session).stats),
		request("handrail/log", (*session).history),
		request("handrail/episodes", (*session).episodes),
		request("handrail/forgetEpisodes", (*session).forgetEpisodes),
		request("handrail/candidates", (*session).candidates),
		request("handrail/dismiss", (*session).dismiss),
		request("handrail/inbox", (*session).inbox),
		request("handrail/review", (*session).review),
		request("handrail/past", (*session).past),
		request("handrail/brain", (*session).whichBrain),
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

func (s *session) retrieve(ctx context.Context, p RetrieveParams) (server.Retrieved, error) {
	b, err := s.opened()
	if err != nil {
		return server.Retrieved{}, err
	}
	files, err := b.files(p.Files)
	if err != nil {
		return server.Retrieved{}, err
	}
	return b.Retrieve(ctx, server.RetrieveRequest{Query: p.Query, All: p.All, Files: files, Project: p.Project, Limit: p.Limit, BudgetTokens: p.BudgetTokens})
}

func (s *session) preflight(ctx context.Context, p PreflightParams) (server.Preflight, error) {
	b, err := s.opened()
	if err != nil {
		return server.Preflight{}, err
	}
	files, err := b.files(p.Files)
	if err != nil {
		return server.Preflight{}, err
	}
	if s.limited {
		return server.Preflight{Lessons: []server.Hit{}, Notes: []server.Hit{}}, nil
	}
	return b.Preflight(ctx, server.PreflightRequest{Query: p.Query, SessionID: p.SessionID, Files: files, Project: cmp.Or(p.Project, s.project(files)), Aside: p.Aside})
}

func (s *session) why(ctx context.Context, p WhyParams) (server.Explanation, error) {
	b, err := s.opened()
	if err != nil {
		return server.Explanation{}, err
	}
	files, err := b.files(p.Files)
	if err != nil {
		return server.Explanation{}, err
	}
	if p.Path, err = b.card(p.Path); err != nil {
		return server.Explanation{}, err
	}
	if s.limited { // nothing comes
		return server.Explanation{Request: p.Query, Cards: []server.Explained{}}, nil
	}
	return b.Why(ctx, server.WhyRequest{
		Query: p.Query, AnswerID: p.AnswerID, Path: p.Path, SessionID: p.SessionID, Files: files, Project: cmp.Or(p.Project, s.project(files)), Language: s.locale,
	})
}

func (s *session) never(ctx context.Context, p NeverParams) (server.Never, error) {
	b, err := s.opened()
	if err != nil {
		return server.Never{}, err
	}
	if p.Path, err = b.card(p.Path); err != nil {
		return server.Never{}, err
	}
	return b.NeverFor(ctx, server.NeverRequest(p))
}

func (s *session) always(ctx context.Context, p AlwaysParams) (server.Card, error) {
	return s.onCard(p.Path, func(b *brain, path string) (server.Card, error) {
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

func (s *session) postcheck(ctx context.Context, p PostcheckParams) (server.Footer, error) {
	b, err := s.opened()
	if err != nil {
		return server.Footer{}, err
	}
	cards := make([]string, len(p.Lessons))
	for i, name := range p.Lessons {
		if cards[i], err = b.card(name); err != nil {
			return server.Footer{}, err
		}
	}
	return b.Answered(ctx, server.AnswerRequest{AnswerID: p.AnswerID, Lessons: cards, Answer: p.Answer, Locale: s.locale})
}

func (s *session) report(ctx context.Context, p ReportParams) (ReportResult, error) {
	b, err := s.opened()
	if err != nil {
		return ReportResult{}, err
	}
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
		p.At = s.now()
	}
	if s.limited {
		return ReportResult{}, nil
	}
	seen, err := b.Observe(ctx, server.Event{
		Kind: p.Kind, Text: p.Text, Files: files, Changes: changes, Command: p.Command, Dir: dir,
		ExitCode: p.ExitCode, Output: p.Output, At: p.At, SessionID: p.SessionID,
		Tool: cmp.Or(p.Tool, string(p.Kind)), On: files, Failed: p.Failed, Interrupted: p.Interrupted,
	})
	return ReportResult{Candidate: seen.Candidate, Hint: seen.Hint}, err
}

func (s *session) lessons(ctx context.Context, p LessonsParams) ([]server.Card, error) {
	b, err := s.opened()
	if err != nil {
		return nil, err
	}
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
	return b.Cards(ctx, server.CardFilter(p))
}

func (s *session) create(ctx context.Context, p CreateParams) (server.Created, error) {
	b, err := s.opened()
	if err != nil {
		return server.Created{}, err
	}
	return b.Confirm(ctx, server.CreateRequest{
		Title: p.Title, CandidateID: p.CandidateID, EpisodeID: p.EpisodeID, Auto: p.Auto, SessionID: p.SessionID, Asked: p.Asked,
		Situation: p.Situation, Fields: p.Fields, Language: s.locale,
	})
}

func (s *session) bump(ctx context.Context, p BumpParams) (server.Card, error) {
	return s.onCard(p.Path, func(b *brain, path string) (server.Card, error) { return b.Bump(ctx, path, p.CandidateID) })
}

// status returns the method that gives a card one status.
func status(to lessons.Status) func(*session, context.Context, PathParams) (server.Card, error) {
	return func(s *session, ctx context.Context, p PathParams) (server.Card, error) {
		return s.onCard(p.Path, func(b *brain, path string) (server.Card, error) { return b.SetStatus(ctx, path, to) })
	}
}

func (s *session) delete(ctx context.Context, p PathParams) (server.Card, error) {
	return s.onCard(p.Path, func(b *brain, path string) (server.Card, error) { return b.Delete(ctx, path) })
}

func (s *session) promote(ctx context.Context, p PathParams) (server.Card, error) {
	return s.onCard(p.Path, func(b *brain, path string) (server.Card, error) { return b.Promote(ctx, path) })
}

func (s *session) verify(ctx context.Context, p VerifyParams) (server.Card, error) {
	return s.onCard(p.Path, func(b *brain, path string) (server.Card, error) { return b.Verify(ctx, path, !p.Off) })
}

func (s *session) quarantine(ctx context.Context, p QuarantineParams) (server.Card, error) {
	return s.onCard(p.Path, func(b *brain, path string) (server.Card, error) {
		return b.Quarantine(ctx, server.QuarantineRequest{Path: path, Reason: p.Reason, Lift: p.Lift})
	})
}

func (s *session) merge(ctx context.Context, p MergeParams) (server.Card, error) {
	return s.onCard(p.Into, func(b *brain, into string) (server.Card, error) {
		from, err := b.card(p.From)
		if err != nil {
			return server.Card{}, err
		}
		return b.Merge(ctx, server.MergeRequest{Into: into, From: from})
	})
}

func (s *session) tidy(ctx context.Context, p server.TidyRequest) (server.Tidied, error) {
	b, err := s.opened()
	if err != nil {
		return server.Tidied{}, err
	}
	return b.Tidy(ctx, p)
}

func (s *session) ignoreHere(ctx context.Context, p server.IgnoreRequest) ([]server.Ignored, error) {
	b, err := s.opened()
	if err != nil {
		return nil, err
	}
	if p.Path, err = b.card(p.Path); err != nil {
		return nil, err
	}
	return b.IgnoreHere(ctx, p)
}

func (s *session) stats(ctx context.Context, _ Nothing) (server.Stats, error) {
	b, err := s.opened()
	if err != nil {
		return server.Stats{}, err
	}
	return b.Stats(ctx)
}

func (s *session) onCard(name string, do func(b *brain, path string) (server.Card, error)) (server.Card, error) {
	b, err := s.opened()
	if err != nil {
		return server.Card{}, err
	}
	path, err := b.card(name)
	if err != nil {
		return server.Card{}, err
	}
	return do(b, path)
}

func (s *session) undo(ctx context.Context, p UndoParams) (server.Undone, error) {
	b, err := s.opened()
	if err != nil {
		return server.Undone{}, err
	}
	path, err := b.card(p.Path)
	if err != nil {
		return server.Undone{}, err
	}
	return b.Undo(ctx, server.UndoRequest{Path: path})
}

func (s *session) history(ctx context.Context, p LogParams) ([]server.LogRow, error) {
	b, err := s.opened()
	if err != nil {
		return nil, err
	}
	path, err := b.card(p.Path)
	if err != nil {
		return nil, err
	}
	return b.Log(ctx, server.LogRequest{Path: path, Limit: p.Limit})
}

func (s *session) candidates(_ context.Context, _ Nothing) ([]server.Candidate, error) {
	b, err := s.opened()
	if err != nil {
		return nil, err
	}
	return b.Candidates(), nil
}

func (s *session) dismiss(ctx context.Context, p DismissParams) (Nothing, error) {
	b, err := s.opened()
	if err != nil {
		return Nothing{}, err
	}
	return Nothing{}, b.Dismiss(ctx, p.CandidateID)
}

func (s *session) inbox(ctx context.Context, _ Nothing) (server.Inbox, error) {
	b, err := s.opened()
	if err != nil {
		return server.Inbox{}, err
	}
	return b.Inbox(ctx)
}

func (s *session) review(ctx context.Context, p server.ReviewRequest) (server.Reviewed, error) {
	b, err := s.opened()
	if err != nil {
		return server.Reviewed{}, err
	}
	p.Language = cmp.Or(p.Language, s.locale)
	done, err := b.Review(ctx, p)
	for i, l := range done.Left {
		done.Left[i].Why = s.locale.Left(l)
	}
	return done, err
}

func (s *session) past(ctx context.Context, p server.PastRequest) ([]server.Past, error) {
	b, err := s.opened()
	if err != nil {
		return nil, err
	}
	return b.Past(ctx, p)
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
