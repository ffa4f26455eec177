package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"handrail/index"
	"handrail/index/embed"
	"handrail/index/vectors"
	"handrail/lessons"
	"handrail/triggers/leaks"
)

// vectorTier is the optional second opinion on what speaks to a query: an embeddings model
// that a person named. It is off without one. Whatever goes wrong with it, words alone
// find what they find without it.
//
// Files are embedded in the background, a query while its words are searched for. What
// is sent to the model has no secrets in it.
type vectorTier struct {
	dir      string // of the store
	wait     time.Duration
	now      func() time.Time
	log      *slog.Logger
	idx      *index.Index
	read     func(rel string) ([]byte, error)
	announce func(Notice) bool // false when nobody heard it

	setting sync.Mutex // held while one model is exchanged for another
	said    EmbeddingSettings
	store   *vectors.Store // nil before the first model, and where the disk has no place

	mu      sync.Mutex // guards the fields below
	model   *embedder  // nil when the tier is off
	pending *Notice    // said to nobody yet
}

// newVectorTier returns the tier, off.
func (s *Server) newVectorTier(cfg Config) *vectorTier {
	return &vectorTier{
		dir: orDefault(cfg.VectorDir, s.cacheDir(cfg)), wait: cmp.Or(cfg.QueryWait, queryWait), now: time.Now, log: s.log,
		idx: s.idx, read: s.brain.Read, announce: s.announce,
	}
}

// announce tells every connection, and reports whether there was one to hear it.
func (s *Server) announce(notice Notice) (heard bool) {
	s.tell(func(n *Notify) {
		if n.Notice != nil {
			n.Notice(notice)
			heard = true
		}
	})
	return heard
}

const (
	// queryWait is how long a query waits for its vector: within what a hook has, and less
	// than a person notices.
	queryWait = 150 * time.Millisecond
	// lateWait is how long the model may take to finish what nobody waits for any more: it
	// may be loading, and the next query gains by that.
	lateWait = 20 * time.Second
	// batchWait is how long it may take over a batch of files.
	batchWait = 2 * time.Minute
	// batchFiles is small, so that a query need not wait long behind a batch.
	batchFiles = 8
	// maxEmbedded is how much of a text is embedded, in bytes: about what models read that
	// know 512 tokens.
	maxEmbedded = 2000
	// maxRedacted is how much of a text is looked through for secrets, in bytes. It is more,
	// since what is taken out makes room for what follows.
	maxRedacted = 8 * maxEmbedded
	// maxFlights is how many queries may be with the model at a time, maxQueries how many
	// vectors of queries are remembered.
	maxFlights = 4
	maxQueries = 64
)

// set takes settings and turns to the model that they name.
func (t *vectorTier) set(said EmbeddingSettings) {
	t.setting.Lock()
	defer t.setting.Unlock()
	before := t.said.wanted()
	if said.Editor != nil {
		t.said.Editor = said.Editor
	}
	if said.Environment != nil {
		t.said.Environment = said.Environment
	}
	cfg := t.said.wanted()
	if cfg == before {
		return
	}
	t.stop()
	if cfg.URL == "" {
		t.log.Info("embeddings are off")
		return
	}
	client, err := embed.New(embed.Config{URL: cfg.URL, Model: cfg.Model, Key: cfg.Key})
	if err != nil {
		t.log.Warn("embeddings are off", "err", err)
		t.tell(noticeOf(err, cfg.Model))
		return // the person was told; a client's other business goes on
	}
	if t.store == nil {
		if t.store, err = vectors.Open(t.dir, t.now, t.log); err != nil {
			t.log.Warn("vectors are kept in memory", "err", err)
		}
	}
	m := &embedder{
		tier: t, client: client, name: strings.TrimSpace(cfg.Model), store: t.store, wake: make(chan struct{}, 1),
		flights: make(chan struct{}, maxFlights), queries: map[string][]float32{}, empty: map[vectors.Key]bool{}, recalled: make(chan struct{}), complete: make(chan struct{}), failing: make(chan struct{}),
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.wg.Go(m.run)
	t.mu.Lock()
	t.model = m
	t.mu.Unlock()
	t.log.Info("embeddings are on", "model", m.name)
}

// stop turns the tier off. No goroutine of it is left. The caller holds setting.
func (t *vectorTier) stop() {
	t.mu.Lock()
	m := t.model
	t.model, t.pending = nil, nil
	t.mu.Unlock()
	if m != nil {
		m.mu.Lock()
		m.cancel()
		m.mu.Unlock()
		m.wg.Wait()
		m.client.Close()
	}
}

func (t *vectorTier) close() error {
	if t == nil {
		return nil
	}
	t.setting.Lock()
	defer t.setting.Unlock()
	t.stop()
	if t.store == nil {
		return nil
	}
	return t.store.Close()
}

// on returns the model, nil when the tier is off.
func (t *vectorTier) on() *embedder {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.model
}

// changed has files embedded that were written since.
func (t *vectorTier) changed() {
	if m := t.on(); m != nil {
		m.mu.Lock()
		m.again()
		m.mu.Unlock()
	}
}

func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// again has run look at the files once more; until it has, they are not complete. The
// caller holds mu, so that a pass that ends now does not say they are.
func (m *embedder) again() {
	anew(&m.complete)
	poke(m.wake)
}

// tell says something to the person, or to the next one who listens.
func (t *vectorTier) tell(n Notice) {
	if t.announce(n) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending = &n
}

// heard returns what nobody was there to hear.
func (t *vectorTier) heard() *Notice {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.pending
	t.pending = nil
	return n
}

// embedder is the tier with one model.
type embedder struct {
	tier   *vectorTier
	client *embed.Client
	name   string
	store  *vectors.Store // may be nil

	ctx     context.Context // ends with the model's time
	cancel  context.CancelFunc
	wg      sync.WaitGroup // every goroutine
	wake    chan struct{}
	flights chan struct{}        // a slot for each query that is with the model
	empty   map[vectors.Key]bool // content that has no vector; of run alone

	mu      sync.Mutex               // guards the fields below
	matrix  *vectors.Matrix          // nil until a length is known
	paths   map[vectors.Key][]string // the brain's files
	queries map[string][]float32
	busy    bool      // files are being embedded: a query may have to wait for that
	doubt   bool      // a query's vector has another length: ask again how long they are
	until   time.Time // the model is left alone till then
	pause   time.Duration
	told    bool // the person knows

	complete chan struct{} // closed while every file has a vector, or can have none
	failing  chan struct{} // closed while the model fails

	recalled chan struct{} // closed when the vectors that are kept are at hand
}

// failed leaves the model alone for a while, and says so once.
func (m *embedder) failed(err error) (pause time.Duration) {
	m.mu.Lock()
	first, now := m.pause == 0, m.tier.now()
	if !now.Before(m.until) { // else it was asked before the pause began
		m.pause = min(max(2*m.pause, firstPause), lastPause)
		m.until = now.Add(m.pause)
	}
	pause = m.until.Sub(now)
	tell := !m.told
	m.told = true
	if errors.Is(err, errDimension) { // it does answer
		m.doubt = true
		m.again()
	} else {
		done(m.failing)
	}
	m.mu.Unlock()
	if first {
		m.tier.log.Warn("no embeddings; words alone find cards", "model", m.name, "err", err)
	}
	if tell {
		m.tier.tell(noticeOf(err, m.name))
	}
	return pause
}

// done closes a channel that is open, anew opens one that is closed. Callers take turns.
func done(c chan struct{}) {
	if !isDone(c) {
		close(c)
	}
}

func anew(c *chan struct{}) {
	if isDone(*c) {
		*c = make(chan struct{})
	}
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// worked ends a pause. The person is not told again when the next one begins.
func (m *embedder) worked() {
	m.mu.Lock()
	before := m.pause
	m.pause, m.until = 0, time.Time{}
	anew(&m.failing)
	m.mu.Unlock()
	if before > 0 {
		m.tier.log.Info("embeddings are back", "model", m.name)
	}
}

// rank has a query's vector made and the brain's ranked by it. The function it returns
// waits for that, for as long as a query may; it returns the zero Ranking where words
// alone must do.
func (m *embedder) rank(ctx context.Context, query string) (wait func() vectors.Ranking) {
	none := func() vectors.Ranking { return vectors.Ranking{} }
	m.mu.Lock() // also keeps stop from waiting before the goroutine is counted
	defer m.mu.Unlock()
	if v, known := m.queries[query]; known {
		return func() vectors.Ranking { return m.nearest(v) }
	}
	if query == "" || m.matrix == nil || m.matrix.Len() == 0 || m.tier.now().Before(m.until) || m.ctx.Err() != nil {
		return none
	}
	select {
	case m.flights <- struct{}{}:
	default:
		return none // the model has enough to do
	}
	answer := make(chan []float32, 1)
	m.wg.Go(func() {
		defer func() { <-m.flights }()
		answer <- m.embedQuery(query)
	})
	late := time.NewTimer(m.tier.wait)
	return func() vectors.Ranking {
		defer late.Stop()
		select {
		case v := <-answer:
			return m.nearest(v)
		case <-late.C:
			m.mu.Lock()
			busy := m.busy
			m.mu.Unlock()
			if !busy {
				m.failed(errSlow)
			}
		case <-ctx.Done():
		case <-m.ctx.Done():
		}
		return vectors.Ranking{}
	}
}

// embedQuery asks for the vector of a query and remembers it; nil without one.
func (m *embedder) embedQuery(query string) []float32 {
	ctx, cancel := context.WithTimeout(m.ctx, max(lateWait, m.tier.wait))
	defer cancel()
	began := time.Now()
	got, err := m.client.Embed(ctx, []string{m.sent(query)})
	if m.ctx.Err() != nil {
		return nil
	}
	if err != nil {
		m.failed(err)
		return nil
	}
	v, ok := vectors.Unit(got[0])
	m.mu.Lock()
	if ok && len(v) != m.matrix.Dim() {
		ok, err = false, errDimension
	}
	if ok {
		if len(m.queries) >= maxQueries {
			clear(m.queries)
		}
		m.queries[query] = v
	}
	m.mu.Unlock()
	switch {
	case err != nil:
		m.failed(err)
		return nil
	case !ok:
		return nil
	case time.Since(began) <= m.tier.wait:
		m.worked()
	}
	return v
}

// nearest ranks the brain's files by their nearness to a vector.
func (m *embedder) nearest(v []float32) vectors.Ranking {
	m.mu.Lock()
	matrix := m.matrix
	m.mu.Unlock()
	if v == nil {
		return vectors.Ranking{}
	}
	return matrix.Nearest(v, nearest)
}

// named returns the files that have the content of a key.
func (m *embedder) named(key vectors.Key) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.paths[key]
}

// textOf returns the text of a file.
func textOf(c lessons.Card) string {
	body := strings.TrimSpace(c.Body)
	if rest, ok := strings.CutPrefix(body, "# "+c.Title); ok {
		body = strings.TrimSpace(rest)
	}
	return c.Title + "\n" + c.Extra + body
}

// sent returns what the model is sent of a text. Secrets are taken out before it is cut: of
// half a secret nobody would know what it is.
func (m *embedder) sent(text string) string {
	return head(leaks.Redact(head(strings.TrimSpace(text), maxRedacted)), maxEmbedded)
}

// run embeds the brain's files, now and whenever they change, until the model's time ends.
func (m *embedder) run() {
	select {
	case <-m.tier.idx.Ready():
	case <-m.ctx.Done():
		return
	}
	for {
		err := m.pass()
		if m.ctx.Err() != nil {
			return
		}
		if err == nil {
			select {
			case <-m.wake:
				continue
			case <-m.ctx.Done():
				return
			}
		}
		select {
		case <-time.After(m.failed(err)):
		case <-m.ctx.Done():
			return
		}
	}
}

// Embedded waits until every file that can have a vector has one; without a model it
// returns the zero Embedded at once. ErrNoVectors when the model fails.
func (s *Server) Embedded(ctx context.Context) (Embedded, error) {
	m := s.vectors.on()
	if m == nil {
		if s.vectors != nil && s.vectors.wants() {
			return Embedded{}, ErrNoVectors
		}
		return Embedded{}, nil
	}
	m.mu.Lock()
	complete, failing := m.complete, m.failing
	m.mu.Unlock()
	select {
	case <-complete:
	case <-failing:
		return Embedded{}, ErrNoVectors
	case <-m.ctx.Done():
		return Embedded{}, m.ctx.Err()
	case <-ctx.Done():
		return Embedded{}, ctx.Err()
	}
	out := Embedded{Model: m.name}
	if matrix := m.current(); matrix != nil {
		out.Texts = matrix.Len()
	}
	return out, nil
}

// wants reports whether a model is named.
func (t *vectorTier) wants() bool {
	t.setting.Lock()
	defer t.setting.Unlock()
	return t.said.wanted().URL != ""
}

var errFlips = errors.New("the model makes vectors of different lengths")
