package daemon

import (
	"cmp"
	"context"
	"slices"

	"handrail/lessons"
	"handrail/server"
)

// Retrieve is server.Server's.
func (c *Client) Retrieve(ctx context.Context, r server.RetrieveRequest) (server.Retrieved, error) {
	return call(ctx, c, retrieve, r)
}

// Rank is server.Server's.
func (c *Client) Rank(ctx context.Context, r server.RetrieveRequest) ([]server.Hit, error) {
	return call(ctx, c, rank, r)
}

// Preflight is server.Server's.
func (c *Client) Preflight(ctx context.Context, r server.PreflightRequest) (server.Preflight, error) {
	return call(ctx, c, preflight, r)
}

// Why is server.Server's.
func (c *Client) Why(ctx context.Context, r server.WhyRequest) (server.Explanation, error) {
	return call(ctx, c, why, r)
}

// NeverFor is server.Server's.
func (c *Client) NeverFor(ctx context.Context, r server.NeverRequest) (server.Never, error) {
	return call(ctx, c, never, r)
}

// AlwaysFor is server.Server's.
func (c *Client) AlwaysFor(ctx context.Context, r server.AlwaysRequest) (server.Card, error) {
	return call(ctx, c, always, r)
}

// Answered is server.Server's.
func (c *Client) Answered(ctx context.Context, r server.AnswerRequest) (server.Footer, error) {
	return call(ctx, c, answered, r)
}

// Observe is server.Server's.
func (c *Client) Observe(ctx context.Context, e server.Event) (server.Observed, error) {
	return call(ctx, c, observe, e)
}

// Touch is server.Server's.
func (c *Client) Touch(ctx context.Context, r server.TouchRequest) (server.Touch, error) {
	return call(ctx, c, touch, r)
}

// Guard is server.Server's.
func (c *Client) Guard(ctx context.Context, r server.GuardRequest) (server.Guarded, error) {
	return call(ctx, c, guard, r)
}

// Digest is server.Server's.
func (c *Client) Digest(ctx context.Context, r server.DigestRequest) (server.Digest, error) {
	return call(ctx, c, digest, r)
}

// Heads is server.Server's.
func (c *Client) Heads(ctx context.Context, r server.HeadsRequest) (server.Heads, error) {
	return call(ctx, c, heads, r)
}

// Cards is server.Server's.
func (c *Client) Cards(ctx context.Context, f server.CardFilter) ([]server.Card, error) {
	return call(ctx, c, cards, f)
}

// Confirm is server.Server's.
func (c *Client) Confirm(ctx context.Context, r server.CreateRequest) (server.Created, error) {
	return call(ctx, c, confirm, r)
}

// Bump is server.Server's.
func (c *Client) Bump(ctx context.Context, path, candidateID string) (server.Card, error) {
	return call(ctx, c, bump, cardParams{Path: path, CandidateID: candidateID})
}

// SetStatus is server.Server's.
func (c *Client) SetStatus(ctx context.Context, path string, status lessons.Status) (server.Card, error) {
	return call(ctx, c, setStatus, cardParams{Path: path, Status: status})
}

// Delete is server.Server's.
func (c *Client) Delete(ctx context.Context, path string) (server.Card, error) {
	return call(ctx, c, remove, cardParams{Path: path})
}

// Undo is server.Server's.
func (c *Client) Undo(ctx context.Context, r server.UndoRequest) (server.Undone, error) {
	return call(ctx, c, undo, r)
}

// Candidates is server.Server's. Without a daemon it is what it was the last time.
func (c *Client) Candidates() []server.Candidate {
	list, ok := quiet(c.ctx, c, candidates, nothing{})
	c.mu.Lock()
	defer c.mu.Unlock()
	if ok {
		c.waiting = list
	}
	return append([]server.Candidate{}, c.waiting...)
}

// Dismiss is server.Server's.
func (c *Client) Dismiss(ctx context.Context, id string) error {
	_, err := call(ctx, c, dismiss, dismissParams{id})
	return err
}

// Inbox is server.Server's.
func (c *Client) Inbox(ctx context.Context) (server.Inbox, error) {
	return call(ctx, c, inbox, nothing{})
}

// Review is server.Server's.
func (c *Client) Review(ctx context.Context, r server.ReviewRequest) (server.Reviewed, error) {
	return call(ctx, c, review, r)
}

// Past is server.Server's.
func (c *Client) Past(ctx context.Context, r server.PastRequest) ([]server.Past, error) {
	return call(ctx, c, past, r)
}

// Diagnose is server.Server's. Without a daemon it is what the parser alone can say.
func (c *Client) Diagnose(path string, src []byte) []lessons.Problem {
	problems, ok := quiet(c.ctx, c, diagnose, diagnoseParams{path, src})
	if !ok {
		_, problems = lessons.Parse(path, src)
	}
	return problems
}

// Diagnoser is server.Server's.
func (c *Client) Diagnoser() func(path string, src []byte) []lessons.Problem { return c.Diagnose }

// FilesChanged is server.Server's. It returns when the daemon was told.
func (c *Client) FilesChanged(ctx context.Context, cause server.Cause, paths ...string) {
	_, _ = quiet(ctx, c, filesChanged, changeParams{cause, paths}) // a daemon that could not be told looks when it starts
}

// Settle is server.Server's.
func (c *Client) Settle(ctx context.Context) error {
	_, err := call(ctx, c, settle, nothing{})
	return err
}

// Follow is server.Server's; a daemon that takes the place of this one follows too.
func (c *Client) Follow(workspaces []string) {
	c.mu.Lock()
	c.workspaces = slices.Clone(workspaces)
	c.mu.Unlock()
	_, _ = quiet(c.ctx, c, follow, followParams{workspaces})
}

// Stats is server.Server's.
func (c *Client) Stats(ctx context.Context) (server.Stats, error) {
	return call(ctx, c, stats, nothing{})
}

// Tidy is server.Server's.
func (c *Client) Tidy(ctx context.Context, r server.TidyRequest) (server.Tidied, error) {
	return call(ctx, c, tidy, r)
}

// Merge is server.Server's.
func (c *Client) Merge(ctx context.Context, r server.MergeRequest) (server.Card, error) {
	return call(ctx, c, merge, r)
}

// Verify is server.Server's.
func (c *Client) Verify(ctx context.Context, path string, verified bool) (server.Card, error) {
	return call(ctx, c, verify, verifyParams{path, verified})
}

// Quarantine is server.Server's.
func (c *Client) Quarantine(ctx context.Context, r server.QuarantineRequest) (server.Card, error) {
	return call(ctx, c, quarantine, r)
}

// Promote is server.Server's.
func (c *Client) Promote(ctx context.Context, path string) (server.Card, error) {
	return call(ctx, c, promote, cardParams{Path: path})
}

// Consolidate is server.Server's.
func (c *Client) Consolidate(ctx context.Context) (server.Consolidation, error) {
	return call(ctx, c, consolidate, nothing{})
}

// Retract is server.Server's.
func (c *Client) Retract(ctx context.Context, r server.RetractRequest) ([]string, error) {
	return call(ctx, c, retract, r)
}

// Relate is server.Server's.
func (c *Client) Relate(ctx context.Context, r server.RelateRequest) (server.Related, error) {
	return call(ctx, c, relate, r)
}

// IgnoreHere is server.Server's.
func (c *Client) IgnoreHere(ctx context.Context, r server.IgnoreRequest) ([]server.Ignored, error) {
	return call(ctx, c, ignoreHere, r)
}

// Overview is server.Server's.
func (c *Client) Overview(ctx context.Context) (changed bool, err error) {
	return call(ctx, c, overview, nothing{})
}

// Episodes is server.Server's.
func (c *Client) Episodes(ctx context.Context, r server.EpisodesRequest) ([]server.Episode, error) {
	return call(ctx, c, episodes, r)
}

// ForgetEpisodes is server.Server's.
func (c *Client) ForgetEpisodes(ctx context.Context, ids []string) error {
	_, err := call(ctx, c, forget, forgetParams{ids})
	return err
}

// Log is server.Server's.
func (c *Client) Log(ctx context.Context, r server.LogRequest) ([]server.LogRow, error) {
	return call(ctx, c, history, r)
}

// Embed is server.Server's; a daemon that takes the place of this one is told too.
func (c *Client) Embed(said server.EmbeddingSettings) {
	c.mu.Lock()
	e := &c.embeddings
	e.Editor, e.Environment = cmp.Or(said.Editor, e.Editor), cmp.Or(said.Environment, e.Environment)
	c.mu.Unlock()
	_, _ = quiet(c.ctx, c, embed, said)
}

// Embedded is server.Server's.
func (c *Client) Embedded(ctx context.Context) (server.Embedded, error) {
	return call(ctx, c, embedded, nothing{})
}

// SetExtras is server.Server's; a daemon that takes the place of this one is told too.
func (c *Client) SetExtras(said server.ExtraSettings) {
	c.mu.Lock()
	c.extras = c.extras.With(said)
	c.mu.Unlock()
	_, _ = quiet(c.ctx, c, extras, said)
}
