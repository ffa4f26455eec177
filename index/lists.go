package index

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// lists has the view of the last snapshot.
type lists struct {
	mu   sync.Mutex // guards view
	view *view
}

// view is one snapshot of bleve's segments, with what searches have looked up in it: unpacking a term's postings
// takes ten times what adding them to a score takes. The next snapshot begins anew.
type view struct {
	snapshot *scorch.IndexSnapshot // kept so that no other one gets its address
	bases    []uint32              // of the segments, for what they hold is numbered from 0
	boosts   []float32             // by document; 0 for a note
	n        int                   // documents that are there
	pivot    float64

	mu     sync.Mutex // guards the rest
	dfs    map[string]int
	byTerm map[string]postings
	held   int              // postings in byTerm
	sounds map[string]heard // what Korean words spell
}

// maxHeld bounds the postings that are kept, of 14 bytes each, and maxKnown the words of which something else is.
// Beyond it all are forgotten: what is asked for again comes back.
const (
	maxHeld  = 4 << 20
	maxKnown = 1 << 16
)

// segments is a view over bleve's postings as they stand in one snapshot, which its reader holds.
type segments struct {
	*view
	dicts []segment.TermDictionary // of the snapshot's segments, opened when one is needed
}

// at returns the view of a snapshot; pivot is that of the brain's documents.
func (l *lists) at(snapshot *scorch.IndexSnapshot, pivot float64) (*view, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.view != nil && l.view.snapshot == snapshot && l.view.pivot == pivot {
		return l.view, nil
	}
	v := &view{snapshot: snapshot, pivot: pivot, dfs: map[string]int{}, byTerm: map[string]postings{}, sounds: map[string]heard{}}
	total := 0
	for _, s := range snapshot.Segments() {
		v.bases = append(v.bases, uint32(total))
		total += int(s.FullSize())
		v.n += int(s.Count())
	}
	v.boosts = make([]float32, total)
	for i, s := range snapshot.Segments() {
		dict, err := s.Segment().Dictionary(fieldKind)
		if err == nil {
			err = eachPosting(s, dict, kindCard, func(id uint32, boost, _ uint64) { v.boosts[v.bases[i]+id] = float32(boost) / boostUnit })
		}
		if err != nil {
			return nil, fmt.Errorf("find the cards: %w", err)
		}
	}
	l.view = v
	return v, nil
}

// df returns how many documents hold a term.
func (s *segments) df(term string) (int, error) {
	s.mu.Lock()
	n, known := s.dfs[term]
	s.mu.Unlock()
	if known {
		return n, nil
	}
	dicts, err := s.dictionaries()
	if err != nil {
		return 0, fmt.Errorf("look up %q: %w", term, err)
	}
	for i, seg := range s.snapshot.Segments() {
		list, err := dicts[i].PostingsList([]byte(term), seg.Deleted(), nil)
		if err != nil {
			return 0, fmt.Errorf("look up %q: %w", term, err)
		}
		n += int(list.Count())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.dfs) >= maxKnown {
		clear(s.dfs)
	}
	s.dfs[term] = n
	return n, nil
}

// dictionaries returns the dictionaries of the segments. They serve one search, for they
// are not safe for concurrent use.
func (s *segments) dictionaries() ([]segment.TermDictionary, error) {
	if s.dicts == nil {
		var dicts []segment.TermDictionary
		for _, seg := range s.snapshot.Segments() {
			dict, err := seg.Segment().Dictionary(fieldText)
			if err != nil {
				return nil, err
			}
			dicts = append(dicts, dict)
		}
		s.dicts = dicts // all or none: they are looked up by the segment's number
	}
	return s.dicts, nil
}

func (s *segments) postings(term string) (postings, error) {
	df, err := s.df(term)
	if err != nil || df == 0 {
		return postings{}, err
	}
	s.mu.Lock()
	p, known := s.byTerm[term]
	s.mu.Unlock()
	if known {
		return p, nil
	}
	dicts, err := s.dictionaries()
	p = postings{make([]uint32, 0, df), make([]uint16, 0, df), make([]uint64, 0, df)}
	for i, seg := range s.snapshot.Segments() {
		if err == nil {
			err = eachPosting(seg, dicts[i], term, func(id uint32, frequency, length uint64) {
				u := unpacked(frequency)
				p.ids = append(p.ids, s.bases[i]+id)
				p.impacts = append(p.impacts, impactOf(float64(u.n), float64(length), s.pivot))
				p.places = append(p.places, u.places)
			})
		}
	}
	if err != nil {
		return postings{}, fmt.Errorf("look up %q: %w", term, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held += df; s.held > maxHeld {
		clear(s.byTerm)
		s.held = df
	}
	s.byTerm[term] = p
	return p, nil
}

// eachPosting visits each document of a segment that holds a term, but those that are gone, with the frequency of the
// term and the length of the document.
func eachPosting(s *scorch.SegmentSnapshot, dict segment.TermDictionary, term string, visit func(id uint32, frequency, length uint64)) error {
	list, err := dict.PostingsList([]byte(term), s.Deleted(), nil)
	if err != nil {
		return fmt.Errorf("open postings: %w", err)
	}
	for it := list.Iterator(true, true, false, nil); ; {
		p, err := it.Next()
		if err != nil {
			return fmt.Errorf("read postings: %w", err)
		}
		if p == nil {
			return nil
		}
		length, ok := p.(interface{ NormUint64() uint64 })
		if !ok {
			return fmt.Errorf("read postings: no length in %T", p)
		}
		visit(uint32(p.Number()), p.Frequency(), length.NormUint64())
	}
}

// postings are the documents that hold a term, in order, and how much of it each has, and where.
type postings struct {
	ids     []uint32
	impacts []uint16 // in steps of impactStep
	places  []uint64
}

// impactStep is the grain of BM25's share of a term's mass, which lies between 0 and k1 + 1.
const impactStep = (k1 + 1) / math.MaxUint16

// impactOf returns BM25's share of a term's mass for a document that has it tf times, in steps. The document's length adds to the count.
func impactOf(tf, length, pivot float64) uint16 {
	return uint16(max(1, tf*math.MaxUint16/(tf+k1*(1-b+b*length/pivot))+0.5))
}

// in returns a document's impact and which of its places have the term; 0 where the term is not in it.
func (p *postings) in(id uint32) (impact uint16, places uint64) {
	if at, ok := slices.BinarySearch(p.ids, id); ok {
		return p.impacts[at], p.places[at]
	}
	return 0, 0
}
