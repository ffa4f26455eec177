package index

import (
	"path"
	"slices"
	"strings"
	"time"

	api "github.com/blevesearch/bleve_index_api"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/terms"
)

const (
	// titleWeight is how many times a word of the title counts, tagWeight one of the tags, itemWeight one of the
	// checklist (which is part of the body and counts there too), pathWeight one of the file's name and its folder's.
	// docs/ranking.md has what each is worth.
	titleWeight = 3
	tagWeight   = 2
	itemWeight  = 1
	pathWeight  = 1

	fieldText = "t" // every word, weighted by where it stands
	fieldKind = "k" // kindCard for cards; its frequency is their boost
	fieldHead = "h" // the head, stored alone

	kindCard  = "card"
	boostUnit = 1000 // of a boost as a frequency, which is rounded up
)

// count is a term of a document, with its packed uses.
type count struct {
	term string
	uses int
}

// uses are how often a document uses a term, by weight, and where.
type uses struct {
	n      int
	places uint64 // a bit each; everywhere for a word of the title
}

// packed is how bleve keeps uses, as a frequency.
func (u uses) packed() int { return min(u.n, maxCount) | int(u.places)<<countBits }

func unpacked(frequency uint64) uses {
	return uses{int(frequency & maxCount), frequency >> countBits}
}

const (
	countBits = 8
	maxCount  = 1<<countBits - 1
	// A place is placeStep bytes, a turn of a conversation or two sentences, or in a text of
	// more than placeBits of these so many that they reach over it.
	placeStep  = 160
	placeBits  = 54 // so that the frequency stays below 63 bits
	everywhere = 1<<placeBits - 1
)

// stepOf returns how many bytes of a text are one place.
func stepOf(text string) int {
	return max(placeStep, (len(text)+placeBits-1)/placeBits)
}

// doc is a file read and cut into terms.
type doc struct {
	path   string
	head   head
	boost  int // of a card, in boostUnit; 0 for a note
	text   []count
	length int // of text, weighted
}

// reader cuts files into terms. It is not safe for concurrent use; each worker has one.
type reader struct {
	scan terms.Scanner
	text []count // of the file being read
	at   map[string]int
}

// racy is how close to the moment of reading a file's time may lie for a later change to
// leave the time as it is: two seconds, the coarsest clock of a common disk (FAT).
const racy = 2 * time.Second

// read makes a document of a file, with its words or without. at is the moment just before its bytes were read.
func (r *reader) read(f file, src []byte, at time.Time, words bool) *doc {
	card := lessons.ParseCard(f.rel, src)
	if r.at == nil {
		r.at = make(map[string]int)
	}
	clear(r.at)
	r.text = r.text[:0]
	d := &doc{path: f.rel, boost: boostOf(card)}
	if words {
		d.length = r.cut(card, func(term string, weight int, places uint64) {
			i, known := r.at[term]
			if !known {
				i = len(r.text)
				r.at[term] = i
				r.text = append(r.text, count{term: term})
			}
			u := unpacked(uint64(r.text[i].uses))
			r.text[i].uses = uses{u.n + weight, u.places | places}.packed()
		})
	}
	d.text = slices.Clone(r.text)
	mtime := f.mtime.UnixNano()
	if age := at.Sub(f.mtime); -racy < age && age < racy {
		mtime = racyTime
	}
	d.head = newHead(card, stat{Mtime: mtime, Size: f.size, Hash: HashOf(src), Length: uint32(d.length)})
	return d
}

// boostOf returns what a card's relevance is multiplied with whatever the query is, in
// boostUnit and rounded up; 0 for a note.
func boostOf(c lessons.Card) int {
	if !c.Kind.IsCard() {
		return 0
	}
	product := 1.0
	for _, f := range boosts(c, nil) {
		product *= f
	}
	return int(product*boostUnit) + 1
}

// cut calls text for every term of a card with its weight and where it is, and returns the sum of the weights.
func (r *reader) cut(card lessons.Card, text func(term string, weight int, places uint64)) (length int) {
	part := func(s string, weight int) {
		r.scan.Scan(s, func(t terms.Term) {
			if !t.Stop {
				length += weight
				text(t.Text, weight, everywhere)
			}
		})
	}
	part(card.Title, titleWeight)
	for _, tag := range card.Tags {
		part(tag, tagWeight)
	}
	for _, it := range card.Items {
		part(it.Text, itemWeight)
	}
	step := stepOf(card.Body)
	body := func(s string, place func(start int) int) {
		r.scan.Scan(s, func(t terms.Term) {
			if !t.Stop {
				length++
				text(t.Text, 1, 1<<place(t.Start))
			}
		})
	}
	body(card.Extra, func(int) int { return 0 })
	body(card.Words(), func(start int) int { return min(start/step, placeBits-1) })
	part(names(card), pathWeight)
	// Evidence is found by a search for its words, and is no passage that speaks to a request.
	r.scan.Scan(card.Section(lessons.Evidence).Text, func(t terms.Term) {
		if card.Kind.IsCard() && !t.Stop {
			text(t.Text, 1, 0)
		}
	})
	return length
}

// names returns what a file and its folder are called, in words. A folder that only says what
// kind of card it holds is left out, as all keys and headings that cards share.
func names(card lessons.Card) string {
	folder, file := path.Split(card.Path)
	file = strings.TrimSuffix(file, path.Ext(file))
	if card.Kind.IsCard() && lessons.IsFolderOfCards(path.Base(folder)) {
		folder = ""
	}
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' {
			return ' '
		}
		return r
	}, path.Base(folder)+" "+file)
}

// bleveDoc is a doc as bleve takes it, already analysed.
type bleveDoc struct {
	doc   *doc
	space *tokenSpace

	counted bool // bleve has asked for the terms once
}

// tokenSpace is where one batch's documents lay out their terms, one after the other:
// bleve reads a document's terms and forgets them before it turns to the next.
type tokenSpace struct {
	text, kind, id tokens
}

type tokens struct {
	byTerm api.TokenFrequencies
	rows   []api.TokenFreq
}

func (t *tokens) reset(n int) {
	if t.byTerm == nil {
		t.byTerm = make(api.TokenFrequencies, n)
	}
	clear(t.byTerm)
	if cap(t.rows) < n {
		t.rows = make([]api.TokenFreq, n)
	}
	t.rows = t.rows[:n]
}

func (t *tokens) set(i int, term string, n int) {
	t.rows[i].SetFrequency(n)
	t.byTerm[term] = &t.rows[i]
}

func (d *bleveDoc) ID() string                               { return d.doc.path }
func (d *bleveDoc) Size() int                                { return 24 * len(d.doc.text) }
func (d *bleveDoc) HasComposite() bool                       { return false }
func (d *bleveDoc) VisitComposite(api.CompositeFieldVisitor) {}
func (d *bleveDoc) NumPlainTextBytes() uint64                { return 0 }
func (d *bleveDoc) StoredFieldsBytes() uint64                { return uint64(len(d.doc.path)) }
func (d *bleveDoc) Indexed() bool                            { return true }
func (d *bleveDoc) AddIDField()                              {} // it is always visited

func (d *bleveDoc) VisitFields(visit api.FieldVisitor) {
	visit(&field{name: "_id", in: d, options: api.IndexField | api.StoreField})
	visit(&field{name: fieldHead, in: d, options: api.StoreField})
	visit(&field{name: fieldText, in: d, options: api.IndexField})
	if d.doc.boost > 0 {
		visit(&field{name: fieldKind, in: d, options: api.IndexField})
	}
}

// field is one analysed field. No positions are kept.
type field struct {
	name    string
	in      *bleveDoc
	options api.FieldIndexingOptions
}

func (f *field) Name() string                      { return f.name }
func (f *field) ArrayPositions() []uint64          { return nil }
func (f *field) EncodedFieldType() byte            { return 't' }
func (f *field) Analyze()                          {}
func (f *field) NumPlainTextBytes() uint64         { return 0 }
func (f *field) Options() api.FieldIndexingOptions { return f.options }

// Value returns what is stored: bleve asks for it once, and visits the fields five times.
func (f *field) Value() []byte {
	if f.name == fieldHead {
		return f.in.doc.head.pack()
	}
	return []byte(f.in.doc.path)
}

func (f *field) AnalyzedLength() int {
	if f.name == fieldText {
		return f.in.doc.length
	}
	return 1
}

func (f *field) AnalyzedTokenFrequencies() api.TokenFrequencies {
	d := f.in.doc
	var t *tokens
	switch f.name {
	case fieldText:
		t = &f.in.space.text
		t.reset(len(d.text))
		for i, c := range d.text {
			t.set(i, c.term, c.uses)
		}
		if f.in.counted { // bleve counts terms, takes them, and then writes, for which it needs most memory
			d.text = nil
		}
		f.in.counted = true
	case fieldKind:
		t = &f.in.space.kind
		t.reset(1)
		t.set(0, kindCard, d.boost)
	default:
		t = &f.in.space.id
		t.reset(1)
		t.set(0, d.path, 1)
	}
	return t.byTerm
}
