package server

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"handrail/index"
	"handrail/index/near"
	"handrail/lessons"
	"handrail/triggers/leaks"
)

// Embeddings names a model that turns texts into vectors, and where it is. Without a URL
// there is none, and words alone find what speaks to a query.
type Embeddings = near.Config

// EmbeddingSettings is what one client says of embeddings; nil says nothing. A person who
// has both an editor and an environment that name a model means the editor's.
type EmbeddingSettings struct {
	Editor      *Embeddings // the editor's settings, the zero one when they name no model
	Environment *Embeddings // the HANDRAIL_EMBEDDINGS_… variables
}

// wanted returns what counts.
func (s EmbeddingSettings) wanted() Embeddings {
	for _, e := range []*Embeddings{s.Editor, s.Environment} {
		if e != nil && e.URL != "" {
			return *e
		}
	}
	return Embeddings{}
}

// Embedded says which model has a say in what is found, and how many texts have a vector.
type Embedded struct {
	Model string `json:"model"`
	Texts int    `json:"texts"` // those that say the same count once
}

// Notice is something that a person should know once: a fault of the embeddings model.
type Notice struct {
	Code    near.Fault `json:"code"`
	Subject string     `json:"subject,omitzero"` // what the sentence is about
}

const (
	// queryWait is how long a query waits for its vector: within what a hook has, and less
	// than a person notices.
	queryWait = 150 * time.Millisecond
	// maxEmbedded is how much of a text is embedded, in bytes: about what models read that
	// know 512 tokens.
	maxEmbedded = 2000
	// maxRedacted is how much of a text is looked through for secrets, in bytes. It is more,
	// since what is taken out makes room for what follows.
	maxRedacted = 8 * maxEmbedded
)

// vectorTier is the optional second opinion on what speaks to a query: an embeddings model
// that a person named. Whatever goes wrong with it, words alone find what they find without.
type vectorTier struct {
	opts near.Options // for every model

	setting sync.Mutex // held while one model is exchanged for another
	said    EmbeddingSettings

	mu      sync.Mutex // guards the fields below
	model   *near.Near // nil when the tier is off
	pending *Notice    // said to nobody yet
}

// startVectors starts the tier with what the settings name.
func (s *Server) startVectors(cfg Config) {
	s.vectors = &vectorTier{opts: near.Options{
		Dir: s.cacheDir(cfg), Wait: cmp.Or(cfg.QueryWait, queryWait), Log: s.log, Ready: s.idx.CaughtUp(),
		Names: func() map[near.Key][]string {
			names := map[near.Key][]string{}
			for _, f := range s.idx.Files() {
				key := keyOf(f)
				names[key] = append(names[key], f.Path)
			}
			return names
		},
		Text: func(key near.Key, rel string) (string, bool) {
			src, err := s.brain.Read(rel)
			if err != nil || keyOf(index.File{Size: int64(len(src)), Hash: index.HashOf(src)}) != key {
				return "", false // changed since: it waits for its turn
			}
			card, _ := lessons.Parse(rel, src)
			body := strings.TrimSpace(card.Told())
			if rest, ok := strings.CutPrefix(body, "# "+card.Title); ok {
				body = strings.TrimSpace(rest)
			}
			return sent(card.Title + "\n" + card.Extra + body), true
		},
	}}
	s.Embed(cfg.Embeddings)
}

// keyOf names a file's content.
func keyOf(f index.File) (key near.Key) {
	binary.LittleEndian.PutUint64(key[:8], f.Hash)
	binary.LittleEndian.PutUint64(key[8:], uint64(f.Size))
	return key
}

// sent returns what the model is sent of a text. Secrets are taken out before it is cut: of
// half a secret nobody would know what it is.
func sent(text string) string {
	return head(leaks.Redact(head(strings.TrimSpace(text), maxRedacted)), maxEmbedded)
}

// Embed takes what a client says of embeddings. What it says nothing of stays as it is, and
// the same again changes nothing. It does not wait for the model.
func (s *Server) Embed(said EmbeddingSettings) {
	t := s.vectors
	if t == nil {
		return
	}
	t.setting.Lock()
	defer t.setting.Unlock()
	before := t.said.wanted()
	t.said.Editor, t.said.Environment = cmp.Or(said.Editor, t.said.Editor), cmp.Or(said.Environment, t.said.Environment)
	cfg := t.said.wanted()
	if cfg == before {
		return
	}
	t.use(nil)
	if cfg.URL == "" {
		s.log.Info("embeddings are off")
		return
	}
	opts := t.opts
	opts.Config = cfg
	opts.Tell = func(err error) { s.notice(err, strings.TrimSpace(cfg.Model)) }
	model, err := near.Open(opts)
	if err != nil {
		s.log.Warn("embeddings are off", "err", err)
		s.notice(err, "")
		return // the person was told; a client's other business goes on
	}
	t.use(model)
	s.log.Info("embeddings are on", "model", strings.TrimSpace(cfg.Model))
}

// use exchanges the model for another, nil for none. The caller holds setting.
func (t *vectorTier) use(model *near.Near) {
	t.mu.Lock()
	before := t.model
	if t.model = model; model == nil {
		t.pending = nil
	}
	t.mu.Unlock()
	if before != nil {
		before.Close()
	}
}

func (t *vectorTier) close() {
	if t != nil {
		t.setting.Lock()
		defer t.setting.Unlock()
		t.use(nil)
	}
}

// on returns the model, nil when the tier is off.
func (t *vectorTier) on() *near.Near {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.model
}

// rank has the brain's files ranked by their nearness to a query; see near.Near.Rank.
func (s *Server) rank(ctx context.Context, query string) (ranked func() near.Ranking, on bool) {
	m := s.vectors.on()
	if m == nil {
		return func() near.Ranking { return near.Ranking{} }, false
	}
	return m.Rank(ctx, sent(query), nearest), true
}

// Embedded waits until every file that can have a vector has one; without a model it
// returns the zero Embedded at once. ErrNoVectors when the model fails.
func (s *Server) Embedded(ctx context.Context) (Embedded, error) {
	if s.vectors == nil {
		return Embedded{}, nil
	}
	s.vectors.setting.Lock()
	named, model := s.vectors.said.wanted(), s.vectors.on()
	s.vectors.setting.Unlock()
	if named.URL == "" {
		return Embedded{}, nil
	}
	if model == nil {
		return Embedded{}, ErrNoVectors
	}
	texts, err := model.Wait(ctx)
	if errors.Is(err, near.Down) {
		err = ErrNoVectors
	}
	if err != nil {
		return Embedded{}, err
	}
	return Embedded{strings.TrimSpace(named.Model), texts}, nil
}

// notice tells a fault of the model to every connection, or to the next one who listens.
func (s *Server) notice(err error, model string) {
	n := Notice{near.Down, model}
	errors.As(err, &n.Code)
	var status near.StatusError
	if n.Code == near.Failed && errors.As(err, &status) {
		n.Subject = status.Error()
	}
	heard := false
	s.tell(func(to *Notify) {
		if to.Notice != nil {
			to.Notice(n)
			heard = true
		}
	})
	if !heard {
		s.vectors.mu.Lock()
		defer s.vectors.mu.Unlock()
		s.vectors.pending = &n
	}
}

// missed returns what nobody was there to hear.
func (t *vectorTier) missed() *Notice {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.pending
	t.pending = nil
	return n
}

// The vector tier has a say by reciprocal rank: the file in place r (from 0) of those near
// to a query has its score multiplied with
//
//	1 + fuseWeight · fuseDepth / (fuseDepth + r)
//
// Scores by words are kept below that, and not ranks alone as in plain reciprocal rank
// fusion: they tell a sure hit from the best of a bad lot. docs/vectors.md has what either
// is worth.
const (
	fuseWeight = 0.1
	fuseDepth  = 20
	// nearest is how many of the near ones have a say.
	nearest = 50
	// aloneShare is what a file that shares no word with the query has at most, of the best
	// score by words.
	aloneShare = 0.3
	// standsOut is how many deviations above the mean of the brain such a file's cosine
	// must be. Every model spreads its cosines over a range of its own.
	standsOut = 2
	// A card that words hold back goes before a request only if it says nearly the same:
	// both its cosine and its distance from the rest must be rare.
	certainCosine = 0.85
	certainOut    = 4
	// certainFiles is how many files a brain must have for its deviations to mean anything.
	certainFiles = 30
)

// fuse gives the vectors their say in what words have found. Of a query with a floor they
// order what is served by words, and add cards that are certain by their vector alone
// where there is room; words alone decide the rest.
func (s *Server) fuse(q index.Query, hits []index.Hit, ranked near.Ranking) []index.Hit {
	if len(ranked.Best) == 0 {
		return hits
	}
	at := make(map[string]int, len(hits))
	top, served := 0.0, map[bool]int{} // by whether it is a card
	for i, h := range hits {
		card := h.Card.Kind.IsCard()
		if served[card]++; q.Strength && served[card] > maxLessons {
			at[h.Card.Path] = -1
			continue
		}
		at[h.Card.Path] = i
		top = max(top, h.Score)
	}
	if len(hits) == 0 {
		top = 1
	}
	for place, match := range ranked.Best {
		say := fuseDepth / (fuseDepth + float64(place))
		for _, path := range match.Names {
			i, found := at[path]
			switch {
			case found && i >= 0:
				h := &hits[i]
				if h.Boosts == nil {
					h.Boosts = map[string]float64{}
				}
				h.Boosts["vectors"] = 1 + fuseWeight*say
				h.Score *= h.Boosts["vectors"]
				h.Similarity = match.Cosine
			case !found && alone(q, ranked, match) && (!q.Strength || served[true] < maxLessons):
				h, ok := s.idx.Hit(q, path)
				if !ok || q.Strength && !h.Card.Kind.IsCard() {
					continue
				}
				h.Similarity, h.Score = match.Cosine, top*aloneShare*say
				hits = append(hits, h)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b index.Hit) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), -strings.Compare(a.Card.LastSeen.String(), b.Card.LastSeen.String()), strings.Compare(a.Card.Path, b.Card.Path))
	})
	return hits
}

// alone reports whether a file is near enough to be found by its vector alone.
func alone(q index.Query, ranked near.Ranking, match near.Match) bool {
	out := match.Cosine - ranked.Mean
	if q.Strength {
		return ranked.Count >= certainFiles && match.Cosine >= certainCosine && out >= certainOut*ranked.Deviation
	}
	return out >= standsOut*ranked.Deviation
}
