package ledger

import (
	"encoding/json"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

// Table is one bucket of a Store: rows by key, in memory, that are saved as JSON when they change. A row that Get or
// All returns shares its slices and maps with the table: a function that changes a row puts new ones in their place, or
// appends. Such a function runs under the store's lock: it must call no table.
type Table[V any] struct {
	store  *Store
	bucket string
	rows   map[string]V
	dirty  map[string]bool
	most   int // rows; 0 is without bound
	age    func(a, b V) int
}

// NewTable returns the table of a bucket, once for each. A row that is no V is left alone.
func NewTable[V any](s *Store, bucket string) *Table[V] {
	t := &Table[V]{store: s, bucket: bucket, rows: map[string]V{}, dirty: map[string]bool{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, raw := range s.raw[bucket] {
		var v V
		if json.Unmarshal(raw, &v) == nil {
			t.rows[key] = v
		}
	}
	delete(s.raw, bucket)
	s.tables = append(s.tables, t)
	return t
}

// Bound makes the table forget the first of more than most rows in an order, in bulk: there
// may be a quarter more of them.
func (t *Table[V]) Bound(most int, age func(a, b V) int) *Table[V] {
	t.most, t.age = most, age
	return t
}

// Get returns a row; ok is false when there is none.
func (t *Table[V]) Get(key string) (v V, ok bool) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	v, ok = t.rows[key]
	return v, ok
}

// Has reports whether there is a row.
func (t *Table[V]) Has(key string) bool {
	_, ok := t.Get(key)
	return ok
}

// Any reports whether is holds for a row.
func (t *Table[V]) Any(is func(key string, v V) bool) bool {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	for key, v := range t.rows {
		if is(key, v) {
			return true
		}
	}
	return false
}

// All returns the rows in an order, or in none.
func (t *Table[V]) All(compare func(a, b V) int) []V {
	t.store.mu.Lock()
	out := slices.AppendSeq(make([]V, 0, len(t.rows)), maps.Values(t.rows))
	t.store.mu.Unlock()
	if compare != nil {
		slices.SortFunc(out, compare)
	}
	return out
}

// Put keeps a row under a key.
func (t *Table[V]) Put(key string, v V) { t.Update(key, func(old *V) { *old = v }) }

// Update changes a row, or makes one of the zero V.
func (t *Table[V]) Update(key string, f func(*V)) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	v := t.rows[key]
	f(&v)
	t.set(key, v)
}

// Change changes a row that there is and returns it. f reports whether it changed anything;
// ok is false when there is no such row.
func (t *Table[V]) Change(key string, f func(*V) bool) (v V, ok bool) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	v, ok = t.rows[key]
	if ok && f(&v) {
		t.set(key, v)
	}
	return v, ok
}

// Delete forgets a row and returns what it was; ok is false when there was none.
func (t *Table[V]) Delete(key string) (v V, ok bool) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	v, ok = t.rows[key]
	if ok {
		delete(t.rows, key)
		t.touch(key)
	}
	return v, ok
}

// set keeps a row. The caller holds the store's lock.
func (t *Table[V]) set(key string, v V) {
	t.rows[key] = v
	t.touch(key)
	if t.most == 0 || len(t.rows) <= t.most+t.most/4 {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(t.rows), func(a, b string) int { return t.age(t.rows[a], t.rows[b]) })
	for _, key := range oldest[:len(oldest)-t.most] {
		delete(t.rows, key)
		t.touch(key)
	}
}

// touch has a row saved. The caller holds the store's lock.
func (t *Table[V]) touch(key string) {
	if t.store.db != nil && key != "" && len(key) <= bbolt.MaxKeySize { // which bbolt refuses, with all that is saved beside it
		t.dirty[key] = true
		t.store.changed()
	}
}

// changes returns what is to be saved. The caller holds the store's lock.
func (t *Table[V]) changes() (out []change) {
	for key := range t.dirty {
		c := change{bucket: t.bucket, key: key, undo: func() { t.dirty[key] = true }}
		if v, ok := t.rows[key]; ok {
			var err error
			c.value, err = json.Marshal(v)
			if err != nil {
				t.store.log.Warn("a row of the state cannot be saved", "table", t.bucket, "err", err)
				continue
			}
		}
		out = append(out, c)
	}
	clear(t.dirty)
	return out
}
