package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"handrail/index/mapped"
)

// This file unpacks what queries will ask for before they do: the first to name a word
// would wait for its list, which takes longer than all else. Frequent words come first,
// for their lists are the longest and most queries have some.

const (
	// warmHeld bounds the postings that are unpacked so; the rest of maxHeld is for words
	// that are asked for.
	warmHeld = maxHeld * 3 / 4
	// warmTerms bounds the words, warmLeast is how many documents of the largest segment
	// hold the rarest: what is shorter is unpacked as soon as it is found.
	warmTerms = 20_000
	warmLeast = 32
	// warmBrain is the size of the smallest brain that is worth it, warmDocs that of the
	// smallest segment. Segments of 2,000 and less are merged anew with every few saves, so
	// that those of a small brain do not last; nor does any of their lists take long.
	warmBrain = 2500
	warmDocs  = 256
	// warmPause is how long a search or sync that is under way is waited for.
	warmPause = time.Millisecond
)

// keepWarm unpacks whenever that is asked for, until ctx ends.
func (x *Index) keepWarm(ctx context.Context) {
	for {
		select {
		case <-x.chilled:
		case <-ctx.Done():
			return
		}
		if err := x.warm(ctx, warmHeld); err != nil && ctx.Err() == nil {
			x.cfg.Log.Error("index could not be read", "err", err)
			x.rebuild()
		}
	}
}

// chill asks for what is not unpacked to be.
func (x *Index) chill() {
	select {
	case x.chilled <- struct{}{}:
	default: // asked for already
	}
}

// warm unpacks the lists of frequent words until so many postings are held. It gives way
// to searches and syncs, and ends when the segments that it began with are not searched any
// more: whoever searches others asks for them.
func (x *Index) warm(ctx context.Context, budget int) error {
	var store *store
	err := mapped.Read(func() error {
		c, done, err := func() (*segments, func(), error) {
			x.mu.RLock()
			defer x.mu.RUnlock() // also when damaged segments panic: what recovers locks it again
			if store = x.pic.store; store == nil {
				return nil, nil, nil
			}
			return x.pic.corpus()
		}()
		if err != nil || store == nil {
			return err
		}
		defer done()
		if !c.cold.Swap(false) {
			return nil
		}
		words, err := c.frequent(ctx, warmTerms)
		if err != nil {
			return err
		}
		for _, word := range words {
			for x.busy.Load() > 0 && ctx.Err() == nil && x.serves(store) {
				select {
				case <-time.After(warmPause):
				case <-ctx.Done():
				}
			}
			if ctx.Err() != nil || !x.serves(store) || !c.lists.takes(c.view, budget) {
				break
			}
			if _, err := c.postings(word); err != nil {
				return err
			}
		}
		if ctx.Err() == nil {
			c.lists.markWarm(c.view)
		}
		return nil
	})
	if !x.serves(store) {
		return nil // given up meanwhile
	}
	return err
}

// serves reports whether searches answer from a store.
func (x *Index) serves(s *store) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.pic.store == s
}

// frequent returns the words that most documents hold, the most frequent first, as the
// largest segment tells.
func (s *segments) frequent(ctx context.Context, limit int) ([]string, error) {
	largest := slices.MaxFunc(s.snapshot.Segments(), func(a, b *scorch.SegmentSnapshot) int { return cmp.Compare(a.FullSize(), b.FullSize()) })
	dict, err := largest.Segment().Dictionary(fieldText)
	if err != nil {
		return nil, fmt.Errorf("list frequent words: %w", err)
	}
	type counted struct {
		term string
		n    uint64
	}
	var found []counted
	for it := dict.AutomatonIterator(nil, nil, nil); ctx.Err() == nil; {
		e, err := it.Next()
		if err != nil {
			return nil, fmt.Errorf("list frequent words: %w", err)
		}
		if e == nil {
			break
		}
		if e.Count >= warmLeast {
			found = append(found, counted{e.Term, e.Count})
		}
	}
	slices.SortFunc(found, func(a, b counted) int { return cmp.Or(-cmp.Compare(a.n, b.n), strings.Compare(a.term, b.term)) })
	out := make([]string, min(limit, len(found)))
	for i := range out {
		out[i] = found[i].term
	}
	return out, ctx.Err()
}

// takes reports whether more of a view may be unpacked.
func (l *lists) takes(v *view, budget int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view == v && l.held < budget
}

// markWarm notes that a view's segments were warmed, if it is still the one.
func (l *lists) markWarm(v *view) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.view != v {
		return
	}
	l.warmed = make(map[uint64]bool, len(v.bases))
	for _, s := range v.snapshot.Segments() {
		l.warmed[s.Id()] = true
	}
}
