package index

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io/fs"
	"time"

	api "github.com/blevesearch/bleve_index_api"

	"handrail/lessons"
	"handrail/lessons/terms"
)

const (
	// titleWeight is how many times a word of the title counts, tagWeight one of the
	// tags, itemWeight one of the checklist (which is part of the body and counts there
	// too). See docs/ranking.md for what each is worth.
	titleWeight = 3
	tagWeight   = 2
	itemWeight  = 1

	fieldText = "t" // every word, weighted by where it stands
	fieldKind = "k" // kindCard for cards

	kindCard = "card"
)

// head is what is kept of a file in memory.
type head struct {
	card  lessons.Card // no body, no sections
	mtime int64        // nanoseconds; 0 when it cannot be trusted to show the next change
	size  int64
	hash  uint64 // of the bytes

	length int64 // of the text field, in weighted terms
}

// doc is a file read and cut into terms.
type doc struct {
	head   *head
	text   map[string]int
	length int
}

// reader prepares files. It is not safe for concurrent use; each worker has one.
type reader struct {
	scan terms.Scanner
}

// racy is how close to the moment of reading a file's time may lie for a later change
// to leave the time as it is: two seconds, the coarsest clock of a common disk (FAT).
const racy = 2 * time.Second

func (r *reader) read(rel string, info fs.FileInfo, src []byte, now time.Time) *doc {
	card, _ := lessons.Parse(rel, src)
	d := &doc{text: make(map[string]int, 64)}
	add := func(weight int) func(terms.Term) {
		return func(t terms.Term) {
			if !t.Stop {
				d.text[t.Text] += weight
				d.length += weight
			}
		}
	}
	r.scan.Scan(card.Title, add(titleWeight))
	for _, tag := range card.Tags {
		r.scan.Scan(tag, add(tagWeight))
	}
	for _, it := range card.Items {
		r.scan.Scan(it.Text, add(itemWeight))
	}
	r.scan.Scan(card.Body, add(1))

	h := fnv.New64a()
	h.Write(src)
	card.Body, card.Sections = "", nil
	d.head = &head{card: card, mtime: info.ModTime().UnixNano(), size: info.Size(), hash: h.Sum64(), length: int64(d.length)}
	if now.Sub(info.ModTime()) < racy {
		d.head.mtime = 0
	}
	return d
}

// bleveDoc is a doc as bleve takes it, already analysed.
type bleveDoc struct {
	id     string
	fields []api.Field
}

func (d *doc) bleve() *bleveDoc {
	b := &bleveDoc{id: d.head.card.Path}
	b.fields = append(b.fields, &field{name: fieldText, freqs: frequencies(d.text), length: d.length})
	if d.head.card.Kind.IsCard() {
		b.fields = append(b.fields, &field{name: fieldKind, freqs: frequencies(map[string]int{kindCard: 1}), length: 1})
	}
	return b
}

func frequencies(counts map[string]int) api.TokenFrequencies {
	out := make(api.TokenFrequencies, len(counts))
	rows := make([]api.TokenFreq, len(counts))
	i := 0
	for term, n := range counts {
		rows[i].Term = []byte(term)
		rows[i].SetFrequency(n)
		out[term] = &rows[i]
		i++
	}
	return out
}

func (d *bleveDoc) ID() string                               { return d.id }
func (d *bleveDoc) Size() int                                { return 64 * len(d.fields) }
func (d *bleveDoc) HasComposite() bool                       { return false }
func (d *bleveDoc) VisitComposite(api.CompositeFieldVisitor) {}
func (d *bleveDoc) NumPlainTextBytes() uint64                { return 0 }
func (d *bleveDoc) StoredFieldsBytes() uint64                { return uint64(len(d.id)) }
func (d *bleveDoc) Indexed() bool                            { return true }
func (d *bleveDoc) AddIDField() {
	d.fields = append(d.fields, &field{name: "_id", value: []byte(d.id), freqs: frequencies(map[string]int{d.id: 1}), length: 1, stored: true})
}

func (d *bleveDoc) VisitFields(visit api.FieldVisitor) {
	for _, f := range d.fields {
		visit(f)
	}
}

// field is one analysed field. Nothing is stored but the id, and no positions are kept.
type field struct {
	name   string
	value  []byte
	freqs  api.TokenFrequencies
	length int
	stored bool
}

func (f *field) Name() string                                   { return f.name }
func (f *field) Value() []byte                                  { return f.value }
func (f *field) ArrayPositions() []uint64                       { return nil }
func (f *field) EncodedFieldType() byte                         { return 't' }
func (f *field) Analyze()                                       {}
func (f *field) AnalyzedLength() int                            { return f.length }
func (f *field) AnalyzedTokenFrequencies() api.TokenFrequencies { return f.freqs }
func (f *field) NumPlainTextBytes() uint64                      { return 0 }
func (f *field) Options() api.FieldIndexingOptions {
	if f.stored {
		return api.IndexField | api.StoreField
	}
	return api.IndexField
}

// encode packs a head: numbers, then strings with their lengths. The format is part of
// storeFormat.
func (h *head) encode() []byte {
	c := h.card
	b := binary.AppendVarint(nil, h.mtime)
	b = binary.AppendVarint(b, h.size)
	b = binary.AppendVarint(b, h.length)
	b = binary.LittleEndian.AppendUint64(b, h.hash)
	str := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	list := func(l []string) {
		b = binary.AppendUvarint(b, uint64(len(l)))
		for _, s := range l {
			str(s)
		}
	}
	str(string(c.Kind))
	str(c.Title)
	list(c.Tags)
	if !c.Kind.IsCard() {
		return b
	}
	list(c.Paths)
	str(c.Project)
	str(string(c.Severity))
	str(string(c.Source))
	b = binary.AppendVarint(b, int64(c.Occurrences))
	str(c.LastSeen.String())
	str(string(c.Status))
	str(c.ArchivedAt.String())
	verified := int64(0)
	if c.Verified {
		verified = 1
	}
	b = binary.AppendVarint(b, verified)
	b = binary.AppendUvarint(b, uint64(len(c.Items)))
	for _, it := range c.Items {
		str(it.Text)
		b = binary.AppendVarint(b, int64(it.Line))
	}
	return b
}

var errHead = errors.New("head is damaged")

func decodeHead(path string, b []byte) (*head, error) {
	ok := true
	num := func() int64 {
		v, n := binary.Varint(b)
		if n <= 0 {
			ok = false
			return 0
		}
		b = b[n:]
		return v
	}
	count := func() int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > uint64(len(b)) {
			ok = false
			return 0
		}
		b = b[n:]
		return int(v)
	}
	str := func() string {
		n := count()
		if n > len(b) {
			ok = false
			return ""
		}
		s := string(b[:n])
		b = b[n:]
		return s
	}
	list := func() []string {
		var out []string
		for range count() {
			if !ok {
				return nil
			}
			out = append(out, str())
		}
		return out
	}
	h := &head{card: lessons.Card{Path: path}}
	h.mtime, h.size, h.length = num(), num(), num()
	if len(b) < 8 {
		return nil, errHead
	}
	h.hash, b = binary.LittleEndian.Uint64(b), b[8:]
	c := &h.card
	c.Kind, c.Title, c.Tags = lessons.Kind(str()), str(), list()
	c.Severity, c.Source, c.Status, c.Occurrences = lessons.Medium, lessons.Curated, lessons.Active, 1
	if c.Kind.IsCard() {
		c.Paths, c.Project = list(), str()
		c.Severity, c.Source = lessons.Severity(str()), lessons.Source(str())
		c.Occurrences = int(num())
		c.LastSeen, _ = lessons.ParseDate(str())
		c.Status = lessons.Status(str())
		c.ArchivedAt, _ = lessons.ParseDate(str())
		c.Verified = num() == 1
		for range count() {
			if !ok {
				break
			}
			c.Items = append(c.Items, lessons.Item{Text: str(), Line: int(num())})
		}
	}
	if !ok {
		return nil, errHead
	}
	return h, nil
}
