package hook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/lessons/lazyregexp"
	"github.com/handrail-dev/handrail/lessons/side"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/hear"
	"github.com/handrail-dev/handrail/server/judge"
	"github.com/handrail-dev/handrail/server/say"
	"github.com/handrail-dev/handrail/triggers"
)

// Loop is what a hook needs of a *server.Server.
type Loop interface {
	Preflight(context.Context, deliver.PreflightRequest) (deliver.Preflight, error)
	Answered(context.Context, judge.AnswerRequest) (brain.Footer, error)
	Observe(context.Context, triggers.Event) (hear.Observed, error)
	Touch(context.Context, deliver.TouchRequest) (deliver.Touch, error)
	Guard(context.Context, judge.GuardRequest) (judge.Guarded, error)
	Heads(context.Context, deliver.HeadsRequest) (deliver.Heads, error)
	Trusted(context.Context) bool
}

// Config says how one event is answered.
type Config struct {
	Host   string              // the host's name; "" recognises it
	Event  string              // the event's name where the payload has none
	Guard  bool                // the person wants guarded cards to ask and to refuse
	Late   bool                // the host has given up waiting: the loop is told, and says nothing
	Beside bool                // another brain hears the conversation too, and asks the person
	Getenv func(string) string // the environment the host gave the process
	Locale say.Locale          // language of what the person is told
	Log    *slog.Logger
	Seen   func(host string) // told whose event it is, where Handrail listens to it; may be nil
	// Connect returns the loop of the brain that a folder belongs to, and the project's name. It is told whether a
	// conversation begins.
	Connect func(ctx context.Context, dir string, begins bool) (Loop, string, error)
	// Delivered has then called once it is known whether the answer came to the host; nil where it always does.
	Delivered func(then func(came bool))
}

// kind is what an event means to the loop.
type kind int

const (
	sessionBegins kind = iota + 1
	promptSent         // the person's words are on their way to the model
	toolAsked          // the agent is about to act
	toolGuarded        // the same, and nothing but the guard wants to know
	toolEnded          // it has acted
	answerGiven        // the agent has said something to the person
	turnFinished       // it has said all, the words perhaps only in the transcript
)

// event is what every host's payload comes to.
type event struct {
	triggers.Event        // what the loop is told of it; of a prompt, Text
	name           string // as the host spells it
	kind           kind
	request        string // Copilot: the whole text the model is about to get
	fresh          bool   // sessionBegins: the model's context is empty
	subagent       bool
	unended        bool // a call whose end the host does not tell
	answer         string
	transcript     string   // file
	use            use      // of a tool call: what it does with Files
	wrote          []string // files that a command changed
	input          payload  // of the tool
	toldWas        bool     // the host said what a file held that was written as a whole
}

// reply is what the loop has to say to an event.
type reply struct {
	context string // for the model
	notice  string // one line for the person
	guarded judge.Guarded
}

// ErrUnknownHost says that a payload is from no host Handrail knows.
var ErrUnknownHost = errors.New("unknown host")

// Answer takes one event through the loop and returns what is to be printed: one JSON
// object, or nothing. The error is for the log; the host is never to see it.
func Answer(ctx context.Context, raw []byte, cfg Config) ([]byte, error) {
	var p payload
	if err := json.Unmarshal(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), &p); err != nil {
		return nil, fmt.Errorf("read the payload: %w", err)
	}
	h, ok := recognise(p, cfg.Host, cfg.Getenv)
	if !ok {
		return nil, fmt.Errorf("event %q: %w", cmp.Or(p.text("hook_event_name", "hookEventName", "hookName"), cfg.Event), ErrUnknownHost)
	}
	e := h.read(p, cfg)
	spec, ok := h.events[e.name]
	if !ok {
		return nil, nil // the host has more to tell than Handrail listens to
	}
	e.kind = spec.kind
	if cfg.Seen != nil {
		cfg.Seen(h.name)
	}
	loop, project, err := cfg.Connect(ctx, e.Dir, e.kind == sessionBegins)
	if errors.Is(err, lessons.ErrNoBrain) {
		return nil, nil // most folders have none
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", h.name, e.name, err)
	}
	t := turn{ctx: ctx, told: context.WithoutCancel(ctx), loop: loop, host: h, spec: spec, project: project, cfg: cfg}
	t.silent = cfg.Late || !loop.Trusted(t.told)
	r, err := t.take(e)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", h.name, e.name, err)
	}
	if cfg.Late {
		return nil, nil
	}
	answer := h.write(e, t.allowed(r))
	if answer == nil {
		return nil, nil
	}
	return side.JSON(answer, "", "")
}

// turn is one event on its way through the loop.
type turn struct {
	ctx     context.Context // ends when the host does not wait any more
	told    context.Context // what the loop is told of outlives that
	loop    Loop
	host    *host
	spec    spec
	project string
	silent  bool // the loop is told, and hands nothing over: the host does not wait, or the brain is not trusted
	cfg     Config
}

// allowed leaves of a reply what the host can hand on at this event.
func (t turn) allowed(r reply) reply {
	if !t.spec.context {
		r.context = ""
	}
	if !t.spec.notice {
		r.notice = ""
	}
	return r
}

func (t turn) take(e event) (reply, error) {
	switch e.kind {
	case sessionBegins:
		return t.begin(e)
	case promptSent:
		return t.prompt(e)
	case toolGuarded:
		return t.guard(e), nil
	case toolAsked, toolEnded:
		return t.act(e)
	case answerGiven, turnFinished:
		return t.finish(e)
	}
	return reply{}, nil
}

// begin starts a conversation, with the titles of cards.
func (t turn) begin(e event) (reply, error) {
	if e.subagent {
		return reply{}, nil
	}
	if e.fresh {
		if _, err := t.observe(triggers.Event{Kind: triggers.Begin, SessionID: e.SessionID}); err != nil {
			return reply{}, err
		}
	}
	if !t.spec.context || t.silent {
		return reply{}, nil
	}
	return reply{context: t.heads(e, "")}, nil
}

// heads returns the titles that the conversation is told now, with what goes to the model beside them.
func (t turn) heads(e event, beside string) string {
	begins := e.kind == sessionBegins
	r := deliver.HeadsRequest{
		SessionID: e.SessionID, Project: t.project, Host: t.host.name, Locale: t.cfg.Locale, Begins: begins,
		Resumed: begins && !e.fresh && !t.host.drops, Dropped: begins && !e.fresh && t.host.drops,
		Served: e.kind == promptSent && !t.host.unsure, Beside: beside,
	}
	if r.Resumed && t.host.receipts {
		if tail, err := readTranscript(e.transcript); err == nil && len(tail) < maxTranscript {
			r.Receipts = append([]string{}, lessons.Receipts(withoutHooks(tail))...)
		}
	}
	h, err := t.loop.Heads(t.ctx, r)
	if err != nil {
		t.cfg.Log.Warn("no titles", "err", err)
	}
	if h.Text != "" && t.cfg.Delivered != nil {
		t.cfg.Delivered(func(came bool) {
			if came {
				return
			}
			if _, err := t.loop.Heads(t.told, deliver.HeadsRequest{SessionID: e.SessionID, Lost: true}); err != nil {
				t.cfg.Log.Warn("titles that did not arrive count as told", "err", err)
			}
		})
	}
	return h.Text
}

// observe tells the loop what happened.
func (t turn) observe(e triggers.Event) (hear.Observed, error) {
	e.Beside = t.cfg.Beside
	return t.loop.Observe(t.told, e)
}

// prompt puts the block before a request and listens to what the person says. A sub-agent's
// prompt is the agent's, not the person's.
func (t turn) prompt(e event) (reply, error) {
	if e.subagent {
		return reply{}, nil
	}
	files, _ := commandFiles(e.Text, e.Dir) // those that the person names
	request := deliver.PreflightRequest{
		Query: e.Text, Files: files, SessionID: e.SessionID, Project: t.project, Agent: t.host.title, Once: true, Unserved: t.silent,
		Hooked: true, Compacts: t.host.compacts,
	}
	p, err := t.loop.Preflight(t.ctx, request)
	if err != nil && t.ctx.Err() != nil { // too late for cards, not for the words
		request.Unserved = true
		p, err = t.loop.Preflight(t.told, request)
	}
	if err != nil || p.Repeat {
		return reply{}, err
	}
	// All titles come here where the conversation's beginning could not wait for the index, or the host has no such event.
	var r reply
	if !request.Unserved {
		r.context = say.Joined("\n\n", lessons.Receipted(p.Block, judge.Receipt(p.AnswerID)), p.Context)
		r.context = say.Joined("\n\n", t.heads(e, r.context), r.context)
	}
	seen, err := t.observe(triggers.Event{
		Kind: triggers.Message, Text: e.Text, Files: files, Dir: e.Dir, SessionID: e.SessionID, Agent: t.host.name, Late: t.cfg.Late || t.ctx.Err() != nil,
	})
	if err != nil {
		t.cfg.Log.Warn("message not observed", "err", err)
	}
	if seen.Invite && !t.silent {
		r.context = say.Joined("\n\n", r.context, invitation)
	}
	return r, nil
}

// invitation is what an agent is told where the person may have said that something went wrong: it has read the conversation, and judges.
const invitation = "[HANDRAIL] If the person is saying that something fails again, or that you were wrong, call lessons_draft with what went wrong, why, and how to check it next time. If not, ignore this line."

// guard asks what the cards want of an action before it is done. Whatever goes wrong on the
// way lets the action through.
func (t turn) guard(e event) reply {
	if !t.cfg.Guard || t.silent || len(t.spec.guards) == 0 || e.use != edits && e.use != runs {
		return reply{}
	}
	g, err := t.loop.Guard(t.ctx, judge.GuardRequest{Project: t.project, Changes: e.planned(), Command: e.Command, Locale: t.cfg.Locale})
	if err != nil {
		t.cfg.Log.Warn("not guarded", "err", err)
		return reply{}
	}
	if t.ctx.Err() != nil || !slices.Contains(t.spec.guards, g.Decision) {
		return reply{}
	}
	return reply{guarded: g}
}

// act tells the loop what an agent does and hands the agent the card that belongs there.
func (t turn) act(e event) (reply, error) {
	var guarded reply
	if e.kind == toolAsked {
		guarded = t.guard(e)
	}
	if guarded.guarded.Decision == lessons.GuardDeny {
		return guarded, nil // it never begins, and nobody turned it down: the loop is not told
	}
	for _, ev := range e.deeds() {
		if _, err := t.observe(ev); err != nil {
			return reply{}, err
		}
	}
	if guarded != (reply{}) || t.silent || !t.spec.context || e.use == unknownUse || len(e.Files) == 0 && e.Command == "" {
		return guarded, nil
	}
	r := deliver.TouchRequest{SessionID: e.SessionID, Project: t.project, Files: e.Files, Command: e.Command, Reads: e.use == reads, Changes: e.planned()}
	if e.use == runs {
		r.Files, r.Reads = commandFiles(deliver.Worked(e.Command), e.Dir)
		if e.Failed || e.ExitCode == nil { // some hosts do not tell how a command ended
			r.Output = e.Output
		}
	}
	got, err := t.loop.Touch(t.ctx, r)
	return reply{context: lessons.Receipted(got.Text, got.Receipt)}, err
}

// deeds returns what the loop is told of a tool call. What a command wrote comes first: the tests behind it on the
// line ran on that.
func (e event) deeds() (told []triggers.Event) {
	ev := e.Event
	switch other := e.use == reads || e.use == unknownUse; {
	case other && (e.kind == toolAsked || e.Tool == ""), e.unended:
		return nil
	case other:
		ev.Kind, ev.Command = triggers.Tool, ""
	case e.kind == toolAsked:
		ev.Kind = triggers.Call
	case e.use == runs:
		if len(e.wrote) > 0 {
			told = append(told, triggers.Event{Kind: triggers.Edit, SessionID: e.SessionID, Files: e.wrote, Changes: e.Changes})
		}
		ev.Kind = triggers.Command
	default: // of one that failed the loop knows that nothing was changed
		ev.Kind = triggers.Edit
	}
	return append(told, ev)
}

// Told returns what the loop would have been told of an event by a host's hook: the person's words, or a tool call that
// ended. Whoever reads a transcript asks it, so that the same comes of what happened before the hooks were there.
func Told(host string, raw map[string]json.RawMessage) []triggers.Event {
	h, ok := recognise(raw, host, func(string) string { return "" })
	if !ok {
		return nil
	}
	e := h.read(raw, Config{})
	switch e.kind = h.events[e.name].kind; e.kind {
	case promptSent:
		e.Kind = triggers.Message
		return []triggers.Event{e.Event}
	case toolEnded:
		return e.deeds()
	default:
		return nil
	}
}

// Acts reports whether a host's tool edits files or runs commands. Of any other's calls nothing is told.
func Acts(host, tool string) bool {
	h, ok := recognise(nil, host, nil)
	return ok && (h.tools[tool] == edits || h.tools[tool] == runs)
}

// elsewhere matches in a transcript the call of a sub-agent or of a server's tool: hooks that are registered for some
// tools do not tell of it.
var elsewhere = lazyregexp.New(`"name"\s*:\s*"(?:Task|Agent|mcp__\w+|spawn_agent|runSubagent)"`)

// finish checks the answer. The person hears of it only when something is amiss, or asks to be recorded.
func (t turn) finish(e event) (reply, error) {
	if e.subagent {
		return reply{}, nil
	}
	r := judge.AnswerRequest{
		SessionID: e.SessionID, Answer: e.answer, Watched: true, Commands: t.host.name != "generic",
		Line: t.spec.notice && !t.cfg.Late, Locale: t.cfg.Locale,
	}
	begins := e.answer
	if e.transcript != "" {
		tail, err := readTranscript(e.transcript)
		if err != nil {
			t.cfg.Log.Info("transcript not read", "host", t.host.name, "err", err)
		} else {
			r.Elsewhere = elsewhere().Match(tail)
			r.Receipts = lessons.Receipts(withoutHooks(tail))
			// What was handed over in a longer turn may stand before the tail, and a host may write its last lines when they were read.
			answer, begun := lastAnswer(tail)
			if begun {
				begins = answer
			}
			whole := (begun || len(tail) < maxTranscript) && strings.Contains(oneLine(answer), oneLine(e.answer))
			r.Transcript = whole && (t.host.receipts || len(r.Receipts) > 0) // one that holds a receipt holds all
			if r.Answer == "" && e.kind == turnFinished {
				r.Answer = answer
			}
		}
	}
	if r.Answer == "" || r.SessionID == "" {
		return reply{}, nil
	}
	if _, err := t.observe(triggers.Event{Kind: triggers.Answer, SessionID: e.SessionID, Text: begins}); err != nil {
		return reply{}, err
	}
	f, err := t.loop.Answered(t.told, r)
	if errors.Is(err, brain.ErrUnknownAnswer) {
		return reply{}, nil // the session began before the hook was installed
	}
	return reply{notice: f.Line}, err
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// absolute returns a file as the server knows it.
func absolute(dir, file string) string {
	file = find.Absolute(dir, file)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil { // about to be made
		return filepath.Join(real, filepath.Base(file))
	}
	return file
}
