package index

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// lists keeps postings as they are scored: bleve's are packed for the disk, and unpacking
// one takes ten times what adding it to a score takes. A segment never changes, so what
// was unpacked of it serves until it is merged away.
type lists struct {
	mu     sync.Mutex // guards the rest
	view   *view      // of the last snapshot
	cards  map[uint64][]float32
	byTerm map[string]*termLists
	held   int              // postings in byTerm
	sounds map[string]heard // what Korean words spell in the view
}

// maxHeld bounds the postings that are kept, of some seven bytes each: those of 100,000
// notes, some 18 million. Unpacked, they are searched five times as fast.
const maxHeld = 24 << 20

// view is one snapshot of bleve's segments.
type view struct {
	snapshot *scorch.IndexSnapshot // kept so that no other one gets its address
	bases    []uint32              // of the segments, for what they hold is numbered from 0
	boosts   []float32
	highest  float32
	removed  []int // documents of a segment that are gone
	n        int
	pivot    float64
	norms    []float64 // by length, as far as lengths are common
}

// termLists are the postings of one term, by segment.
type termLists struct {
	of       *view
	df       int
	unpacked bool     // else nothing below is there
	postings postings // of all segments
	segments []segmentList
}

type segmentList struct {
	segment uint64
	postings
}

// segments is a view over bleve's postings as they stand in one snapshot, which its
// reader holds.
type segments struct {
	*view
	lists *lists
	dicts []segment.TermDictionary // of the snapshot's segments, opened when one is needed
}

func (s *segments) boosts() ([]float32, float32) { return s.view.boosts, s.highest }

func (s *segments) path(id uint32) (string, error) {
	return s.snapshot.ExternalID(api.NewIndexInternalID(nil, uint64(id)))
}

// at returns the view of a snapshot; pivot is that of the brain's documents.
func (l *lists) at(snapshot *scorch.IndexSnapshot, pivot float64) (*view, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.view != nil && l.view.snapshot == snapshot && l.view.pivot == pivot {
		return l.view, nil
	}
	v := &view{snapshot: snapshot, pivot: pivot}
	if l.view == nil || l.view.pivot != pivot {
		l.byTerm, l.held = map[string]*termLists{}, 0
		v.norms = normsOf(pivot)
	} else {
		v.norms = l.view.norms
	}
	total := 0
	for _, s := range snapshot.Segments() {
		total += int(s.FullSize())
	}
	v.boosts = make([]float32, 0, total)
	cards := make(map[uint64][]float32, len(l.cards))
	for _, s := range snapshot.Segments() {
		base := len(v.boosts)
		v.bases = append(v.bases, uint32(base))
		boosts, ok := l.cards[s.Id()]
		if !ok {
			boosts = make([]float32, s.FullSize())
			if err := eachPosting(s, fieldKind, kindCard, func(int) {}, func(id uint32, boost, _ uint64) { boosts[id] = float32(boost) / boostUnit }); err != nil {
				return nil, err
			}
		}
		for _, b := range boosts {
			v.highest = max(v.highest, b)
		}
		cards[s.Id()] = boosts
		v.boosts = append(v.boosts, boosts...)
		removed := 0
		if d := s.Deleted(); d != nil {
			for it := d.Iterator(); it.HasNext(); removed++ {
				v.boosts[base+int(it.Next())] = gone
			}
		}
		v.removed = append(v.removed, removed)
		v.n += len(boosts) - removed
	}
	l.cards, l.view, l.sounds = cards, v, map[string]heard{}
	return v, nil
}

// df returns how many documents hold a term. What none ever did costs little and leaves
// nothing behind.
func (s *segments) df(term string) (int, error) {
	if t := s.lists.known(term); t != nil && t.of == s.view {
		return t.df, nil
	}
	dicts, err := s.dictionaries()
	if err != nil {
		return 0, fmt.Errorf("look up %q: %w", term, err)
	}
	if !slices.ContainsFunc(dicts, func(dict segment.TermDictionary) bool {
		ok, failed := dict.Contains([]byte(term))
		err = cmp.Or(err, failed)
		return ok
	}) {
		return 0, err
	}
	n := 0
	for i, seg := range s.snapshot.Segments() {
		list, err := dicts[i].PostingsList([]byte(term), seg.Deleted(), nil)
		if err != nil {
			return 0, fmt.Errorf("look up %q: %w", term, err)
		}
		n += int(list.Count())
	}
	t := &termLists{of: s.view, df: n}
	if old := s.lists.known(term); old != nil && old.of.pivot == s.pivot {
		t.segments = old.segments // to be taken over by postings
	}
	s.lists.keep(term, t)
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
	known := s.lists.known(term)
	if known != nil && known.of == s.view && known.unpacked {
		return known.postings, nil
	}
	t := &termLists{of: s.view, df: df, unpacked: true}
	for i, seg := range s.snapshot.Segments() {
		list, ok := known.in(seg.Id(), s.pivot)
		if !ok {
			unpacked, err := s.unpack(seg, term)
			if err != nil {
				return postings{}, fmt.Errorf("look up %q: %w", term, err)
			}
			list = segmentList{seg.Id(), unpacked}
		}
		t.segments = append(t.segments, list)
		t.postings.n += list.n
		t.postings.most = max(t.postings.most, list.most)
		for _, r := range list.runs {
			r.base += s.bases[i]
			t.postings.runs = append(t.postings.runs, r)
		}
	}
	s.lists.keep(term, t)
	return t.postings, nil
}

func (l *lists) known(term string) *termLists {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byTerm[term]
}

// in returns what is known of a segment.
func (t *termLists) in(segment uint64, pivot float64) (segmentList, bool) {
	if t == nil || t.of.pivot != pivot {
		return segmentList{}, false
	}
	for _, s := range t.segments {
		if s.segment == segment {
			return s, true
		}
	}
	return segmentList{}, false
}

// keep remembers a term's postings, unless the view has gone by meanwhile.
func (l *lists) keep(term string, t *termLists) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.view != t.of {
		return
	}
	if old := l.byTerm[term]; old != nil {
		l.held -= old.size()
	}
	l.byTerm[term] = t
	l.held += t.size()
	for other, o := range l.byTerm { // in no order: what is asked for again comes back
		if l.held <= maxHeld {
			break
		}
		l.held -= o.size()
		delete(l.byTerm, other)
	}
}

func (t *termLists) size() int {
	const entry = 64 // what an entry weighs beside its postings, in postings
	n := entry
	for _, s := range t.segments {
		n += s.n
	}
	return n
}

// unpack returns the postings of a term in one segment, numbered from 0.
func (v *view) unpack(s *scorch.SegmentSnapshot, term string) (postings, error) {
	var p packer
	err := eachPosting(s, fieldText, term, func(n int) { p = newPacker(n) }, func(id uint32, frequency, length uint64) {
		var norm float64
		if length < uint64(len(v.norms)) {
			norm = v.norms[length]
		} else {
			norm = normOf(float64(length), v.pivot)
		}
		u := unpacked(frequency)
		p.add(id, impactOf(float64(u.n), norm), u.places)
	})
	return p.postings(), err
}

// eachPosting calls begin with the number of documents of a segment that hold a term, also
// those that are gone, and visit for each of them, with the frequency of the term and the
// length of the document.
func eachPosting(s *scorch.SegmentSnapshot, field, term string, begin func(n int), visit func(id uint32, frequency, length uint64)) error {
	dict, err := s.Segment().Dictionary(field)
	if err != nil {
		return fmt.Errorf("open a dictionary: %w", err)
	}
	list, err := dict.PostingsList([]byte(term), nil, nil)
	if err != nil {
		return fmt.Errorf("open postings: %w", err)
	}
	begin(int(list.Count()))
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
