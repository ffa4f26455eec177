package daemon

import (
	"context"
	"encoding/json"
	"fmt"

	"handrail/lessons"
	"handrail/server"
)

// What can be asked, a line each: its name, whether it may be asked again when nobody
// knows if it was heard (it reads, or does the same twice as once), and who answers.
// Client has one function for each line, with the signature that server.Server's has.
var (
	retrieve     = method[server.RetrieveRequest, server.Retrieved]{"retrieve", true, (*server.Server).Retrieve}
	rank         = method[server.RetrieveRequest, []server.Hit]{"rank", true, (*server.Server).Rank}
	preflight    = method[server.PreflightRequest, server.Preflight]{"preflight", true, (*server.Server).Preflight}
	why          = method[server.WhyRequest, server.Explanation]{"why", true, (*server.Server).Why}
	never        = method[server.NeverRequest, server.Never]{"never", true, (*server.Server).NeverFor}
	always       = method[server.AlwaysRequest, server.Card]{"always", true, (*server.Server).AlwaysFor}
	answered     = method[server.AnswerRequest, server.Footer]{"answered", true, (*server.Server).Answered}
	observe      = method[server.Event, server.Observed]{"observe", true, (*server.Server).Observe}  // a daemon that died forgot what it saw
	touch        = method[server.TouchRequest, server.Touch]{"touch", false, (*server.Server).Touch} // a card is handed over once
	guard        = method[server.GuardRequest, server.Guarded]{"guard", true, (*server.Server).Guard}
	digest       = method[server.DigestRequest, server.Digest]{"digest", true, (*server.Server).Digest}
	heads        = method[server.HeadsRequest, server.Heads]{"heads", false, (*server.Server).Heads} // they are told once
	cards        = method[server.CardFilter, []server.Card]{"cards", true, (*server.Server).Cards}
	confirm      = method[server.CreateRequest, server.Created]{"confirm", false, (*server.Server).Confirm}
	bump         = method[cardParams, server.Card]{"bump", false, doBump}
	setStatus    = method[cardParams, server.Card]{"setStatus", true, doSetStatus}
	remove       = method[cardParams, server.Card]{"delete", false, doDelete}
	undo         = method[server.UndoRequest, server.Undone]{"undo", false, (*server.Server).Undo}
	history      = method[server.LogRequest, []server.LogRow]{"log", true, (*server.Server).Log}
	stats        = method[nothing, server.Stats]{"stats", true, doStats}
	tidy         = method[server.TidyRequest, server.Tidied]{"tidy", false, (*server.Server).Tidy}
	merge        = method[server.MergeRequest, server.Card]{"merge", false, (*server.Server).Merge}
	verify       = method[verifyParams, server.Card]{"verify", true, doVerify}
	quarantine   = method[server.QuarantineRequest, server.Card]{"quarantine", true, (*server.Server).Quarantine}
	promote      = method[cardParams, server.Card]{"promote", false, doPromote}
	consolidate  = method[nothing, server.Consolidation]{"consolidate", true, doConsolidate}
	retract      = method[server.RetractRequest, []string]{"retract", true, (*server.Server).Retract}
	ignoreHere   = method[server.IgnoreRequest, []server.Ignored]{"ignoreHere", true, (*server.Server).IgnoreHere}
	relate       = method[server.RelateRequest, server.Related]{"relate", true, (*server.Server).Relate}
	overview     = method[nothing, bool]{"overview", true, doOverview}
	episodes     = method[server.EpisodesRequest, []server.Episode]{"episodes", true, (*server.Server).Episodes}
	forget       = method[forgetParams, nothing]{"forgetEpisodes", false, doForget}
	candidates   = method[nothing, []server.Candidate]{"candidates", true, doCandidates}
	dismiss      = method[dismissParams, nothing]{"dismiss", false, doDismiss}
	inbox        = method[nothing, server.Inbox]{"inbox", true, doInbox}
	review       = method[server.ReviewRequest, server.Reviewed]{"review", false, (*server.Server).Review}
	past         = method[server.PastRequest, []server.Past]{"past", true, (*server.Server).Past}
	diagnose     = method[diagnoseParams, []lessons.Problem]{"diagnose", true, doDiagnose}
	filesChanged = method[changeParams, nothing]{"filesChanged", true, doFilesChanged}
	settle       = method[nothing, nothing]{"settle", true, doSettle}
	embed        = method[server.EmbeddingSettings, nothing]{"embed", true, doEmbed} // holds a key: not for a log
	extras       = method[server.ExtraSettings, nothing]{"extras", true, doExtras}
	embedded     = method[nothing, server.Embedded]{"embedded", true, doEmbedded}
)

// table is the daemon's view of the list.
func table(hook Hook) map[string]row {
	rows := map[string]row{}
	if hook != nil { // the relay is its client; it asks again by another way
		rows[relayed] = method[json.RawMessage, json.RawMessage]{relayed, false, func(s *server.Server, ctx context.Context, event json.RawMessage) (json.RawMessage, error) {
			return hook(ctx, s, event)
		}}
	}
	for _, r := range []row{
		retrieve, rank, preflight, why, never, always, answered, observe, touch, guard, digest, heads, cards, confirm, bump, setStatus, remove, undo, history,
		stats, tidy, merge, verify, quarantine, promote, consolidate, retract, relate, ignoreHere, overview, episodes, forget,
		candidates, dismiss, inbox, review, past, diagnose, filesChanged, settle, embed, embedded, extras,
	} {
		rows[r.called()] = r
	}
	return rows
}

// What the session answers by itself stands here for the client's end.
var (
	listen = method[nothing, nothing]{"listen", true, nil}
	follow = method[followParams, nothing]{"follow", true, nil} // these and no other workspaces, for this client
)

// What is said beside those: by the client to begin and to end, by the daemon of its own.
const (
	helloMethod  = "hello"  // the first thing said; its meaning holds for every protocol
	endMethod    = "end"    // a newer build asks the daemon to make room; the same
	relayed      = "hook"   // an event as a hook had it
	pingMethod   = "ping"   // a client whose call takes long asks whether anybody hears
	cancelNotice = "cancel" // the caller waits no longer

	readyNotice     = "ready"     // the index has caught up with the disk
	candidateNotice = "candidate" // the fields of server.Notify
	footerNotice    = "footer"
	changedNotice   = "changed"
	progressNotice  = "progress"
	personNotice    = "notice"
	byeNotice       = "bye" // the daemon ends; calls after the last one it names were not heard
)

// method is one line of the list.
type method[P, R any] struct {
	name  string
	again bool
	do    func(*server.Server, context.Context, P) (R, error)
}

// row is a method whose types do not matter.
type row interface {
	called() string
	answer(ctx context.Context, s *server.Server, params json.RawMessage) (json.RawMessage, error)
}

func (m method[P, R]) called() string { return m.name }

func (m method[P, R]) answer(ctx context.Context, s *server.Server, params json.RawMessage) (json.RawMessage, error) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, fmt.Errorf("%s: read the parameters: %w", m.name, err)
	}
	r, err := m.do(s, ctx, p)
	if err != nil {
		return nil, err
	}
	raw, err := marshal(r)
	if err != nil {
		return nil, fmt.Errorf("%s: write the result: %w", m.name, err)
	}
	return raw, nil
}

// Parameters of methods whose Go function takes more than one, or none.
type (
	nothing    struct{}
	cardParams struct {
		Path        string
		CandidateID string         `json:",omitempty"`
		Status      lessons.Status `json:",omitempty"`
	}
	verifyParams struct {
		Path     string
		Verified bool
	}
	dismissParams  struct{ ID string }
	forgetParams   struct{ IDs []string }
	diagnoseParams struct {
		Path string
		Src  []byte
	}
	changeParams struct {
		Cause server.Cause
		Paths []string
	}
	followParams struct{ Workspaces []string }

	helloParams struct {
		Protocol int   `json:"protocol"`
		Build    Build `json:"build"`
		Listen   bool  `json:"listen"`
	}
	helloResult struct {
		Protocol int   `json:"protocol"`
		Build    Build `json:"build"`
		PID      int   `json:"pid"`
		Ready    bool  `json:"ready"`
	}
	cancelParams struct {
		ID int64 `json:"id"`
	}
	byeParams struct {
		Last int64 `json:"last"`
	}
	progressParams struct{ Done, Total int }
)

func doBump(s *server.Server, ctx context.Context, p cardParams) (server.Card, error) {
	return s.Bump(ctx, p.Path, p.CandidateID)
}

func doSetStatus(s *server.Server, ctx context.Context, p cardParams) (server.Card, error) {
	return s.SetStatus(ctx, p.Path, p.Status)
}

func doDelete(s *server.Server, ctx context.Context, p cardParams) (server.Card, error) {
	return s.Delete(ctx, p.Path)
}

func doStats(s *server.Server, ctx context.Context, _ nothing) (server.Stats, error) {
	return s.Stats(ctx)
}

func doVerify(s *server.Server, ctx context.Context, p verifyParams) (server.Card, error) {
	return s.Verify(ctx, p.Path, p.Verified)
}

func doPromote(s *server.Server, ctx context.Context, p cardParams) (server.Card, error) {
	return s.Promote(ctx, p.Path)
}

func doConsolidate(s *server.Server, ctx context.Context, _ nothing) (server.Consolidation, error) {
	return s.Consolidate(ctx)
}

func doOverview(s *server.Server, ctx context.Context, _ nothing) (bool, error) {
	return s.Overview(ctx)
}

func doCandidates(s *server.Server, _ context.Context, _ nothing) ([]server.Candidate, error) {
	return s.Candidates(), nil
}

func doInbox(s *server.Server, ctx context.Context, _ nothing) (server.Inbox, error) {
	return s.Inbox(ctx)
}

func doDismiss(s *server.Server, ctx context.Context, p dismissParams) (nothing, error) {
	return nothing{}, s.Dismiss(ctx, p.ID)
}

func doForget(s *server.Server, ctx context.Context, p forgetParams) (nothing, error) {
	return nothing{}, s.ForgetEpisodes(ctx, p.IDs)
}

func doDiagnose(s *server.Server, _ context.Context, p diagnoseParams) ([]lessons.Problem, error) {
	return s.Diagnose(p.Path, p.Src), nil
}

func doFilesChanged(s *server.Server, ctx context.Context, p changeParams) (nothing, error) {
	s.FilesChanged(ctx, p.Cause, p.Paths...)
	return nothing{}, nil
}

func doSettle(s *server.Server, ctx context.Context, _ nothing) (nothing, error) {
	return nothing{}, s.Settle(ctx)
}

func doEmbed(s *server.Server, _ context.Context, p server.EmbeddingSettings) (nothing, error) {
	s.Embed(p)
	return nothing{}, nil
}

func doExtras(s *server.Server, _ context.Context, p server.ExtraSettings) (nothing, error) {
	s.SetExtras(p)
	return nothing{}, nil
}

func doEmbedded(s *server.Server, ctx context.Context, _ nothing) (server.Embedded, error) {
	return s.Embedded(ctx)
}
