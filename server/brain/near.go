package brain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/handrail-dev/handrail/index"
	"github.com/handrail-dev/handrail/index/near"
	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// Embeddings names a model that turns texts into vectors, and where it is. Without a URL
// there is none, and words alone find what speaks to a query.
type Embeddings = near.Config

const (
	// queryWait is how long a query waits for its vector: within what a hook has, and less than a person notices.
	queryWait = 150 * time.Millisecond
	// MaxEmbedded is how much of a text is embedded, in bytes: about what models read that know 512 tokens. maxRedacted
	// is how much of it is looked through for secrets, since what is taken out makes room for what follows.
	MaxEmbedded = 2000
	maxRedacted = 8 * MaxEmbedded
)

// vectorTier is the optional second opinion on what speaks to a query. Whatever goes wrong
// with its model, words find what they find without.
type vectorTier struct {
	mu      sync.Mutex   // held while one model is exchanged for another
	opts    near.Options // of the last model; the zero ones where another process owns the index
	model   atomic.Pointer[near.Model]
	pending atomic.Pointer[error] // a failure that was told to nobody yet
}

// Embed has another model asked from now on: that of the client who named one last. nil, and
// the same again, change nothing. It does not wait for the model.
func (s *Base) Embed(named *Embeddings) {
	t := &s.vectors
	t.mu.Lock()
	defer t.mu.Unlock()
	if named == nil || *named == t.opts.Config || t.opts.File == "" {
		return
	}
	if m := t.model.Swap(nil); m != nil {
		m.Close()
	}
	t.pending.Store(nil)
	t.opts.Config = *named
	if named.URL == "" {
		return
	}
	model, err := near.Open(t.opts)
	if err != nil {
		s.Logger.Warn("no embeddings; words alone find cards", "err", err)
		s.noEmbeddings(err)
		return
	}
	t.model.Store(model)
}

// contents returns the paths of the brain's files, by what they hold.
func (s *Base) contents() map[string][]string {
	names := map[string][]string{}
	for _, f := range s.Index.Files() {
		id := fmt.Sprintf("%x.%x", f.Hash, f.Size)
		names[id] = append(names[id], f.Path)
	}
	return names
}

// embedded returns what the model is sent of a file.
func (s *Base) embedded(rel string) string {
	src, err := s.Files.Read(rel)
	if err != nil {
		return rel // gone: its vector goes, too
	}
	card := lessons.ParseCard(rel, src)
	body := strings.TrimPrefix(strings.TrimSpace(card.Told()), "# "+card.Title)
	return cmp.Or(sent(card.Title+"\n"+card.Extra+strings.TrimSpace(body)), rel)
}

// sent returns what the model is sent of a text. Secrets are taken out before it is cut: of
// half a secret nobody would know what it is.
func sent(text string) string {
	return Head(leaks.Redact(Head(strings.TrimSpace(text), maxRedacted)), MaxEmbedded)
}

// noEmbeddings tells every connection why the model is not used, or the next one who listens.
func (s *Base) noEmbeddings(err error) {
	heard := false
	s.Tell(func(to *Notify) {
		if to.NoEmbeddings != nil {
			to.NoEmbeddings(err)
			heard = true
		}
	})
	if !heard {
		s.vectors.pending.Store(&err)
	}
}

// RankNear has the brain's files ranked by their nearness to a query.
func (s *Base) RankNear(ctx context.Context, query string) []near.Match {
	if m := s.vectors.model.Load(); m != nil {
		return m.Rank(ctx, sent(query), nearest)
	}
	return nil
}

// AsksModel reports whether texts go to a model for embeddings.
func (s *Base) AsksModel() bool { return s.vectors.model.Load() != nil }

// The vectors have a say by reciprocal rank: the file in place r (from 0) of those near to a
// query has its score multiplied with
//
//	1 + fuseWeight · fuseDepth / (fuseDepth + r)
//
// Scores by words are kept below that, and not ranks alone as in plain reciprocal rank fusion:
// they tell a sure hit from the best of a bad lot. docs/ranking.md has what either is worth.
const (
	fuseWeight = 0.1
	fuseDepth  = 20
	nearest    = 50 // so many of the near ones have a say
	// A file that shares no word with a search is found where it stands out from the brain, and
	// has at most aloneShare of the best score by words.
	standsOut  = 2
	aloneShare = 0.3
)

// Fuse gives the vectors their say in what words have found. What goes before a request, words
// alone select; vectors say which comes first. A search also shows what stands out to them.
func (s *Base) Fuse(q index.Query, hits []index.Hit, ranked []near.Match) []index.Hit {
	at := make(map[string]int, len(hits))
	top, served := 0.0, map[bool]int{} // by whether it is a card
	for i, h := range hits {
		at[h.Card.Path] = i
		if served[h.Card.Kind.IsCard()]++; q.Strength && served[h.Card.Kind.IsCard()] > MaxLessons {
			at[h.Card.Path] = -1
		}
		top = max(top, h.Score)
	}
	for place, match := range ranked {
		say := fuseDepth / (fuseDepth + float64(place))
		for _, path := range match.Names {
			i, found := at[path]
			if found && i >= 0 {
				h := &hits[i]
				h.Boost("vectors", 1+fuseWeight*say)
				h.Score, h.Similarity = h.Score*h.Boosts["vectors"], match.Cosine
			}
			if found || q.Strength || match.Out < standsOut {
				continue
			}
			if h, ok := s.Index.Hit(q, path); ok {
				h.Similarity, h.Score = match.Cosine, cmp.Or(top, 1)*aloneShare*say
				hits = append(hits, h)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}
