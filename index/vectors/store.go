// Package vectors keeps what an embeddings model made of the brain's files, and finds what
// is near to a text: a cache on disk ([Store]) and an exact search in memory ([Matrix]).
//
// The cache is disposable, like the index beside it. Each model and length of vectors has
// a space of its own, so that going back to a model costs nothing. The package asks no
// model (that is package embed) and does not know what a file is: it knows keys.
package vectors

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"handrail/index/mapped"
)

// Key names the content that a vector was made of.
type Key [16]byte

// ErrLocked says that another process has the store open.
var ErrLocked = errors.New("vectors are kept by another process")

const (
	// format is the version of what is embedded and how it is kept; it is part of a space's
	// name.
	format = "1"
	// maxSpaces is how many models' vectors are kept: the one in use and those a person may
	// go back to.
	maxSpaces = 3
	// purgeBatch bounds one transaction of a purge.
	purgeBatch = 512
)

// Inside a space's bucket.
var (
	usedKey    = []byte("used") // when it was opened last, in nanoseconds
	vectorsKey = []byte("vectors")
)

// Store is the vectors of one brain in one bbolt file. It is safe for concurrent use.
type Store struct {
	db  *bbolt.DB
	now func() time.Time
}

// Open opens or makes the store in dir. A damaged one is begun anew. ErrLocked when
// another process has it open.
func Open(dir string, now func() time.Time, log *slog.Logger) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of vectors: %w", err)
	}
	path := filepath.Join(dir, "vectors.db")
	db, err := open(path)
	if err != nil && !errors.Is(err, ErrLocked) && !errors.Is(err, os.ErrPermission) && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EROFS) {
		log.Warn("vectors were damaged and are made anew", "file", path, "err", err)
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("remove damaged vectors: %w", err)
		}
		db, err = open(path)
	}
	if err != nil {
		return nil, err
	}
	return &Store{db, now}, nil
}

// open opens the file and reads through it once.
func open(path string) (db *bbolt.DB, err error) {
	err = mapped.Read(func() error {
		if db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: 100 * time.Millisecond}); err != nil {
			return err
		}
		if err := db.View(readAll); err != nil {
			return errors.Join(err, db.Close())
		}
		return nil
	})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return db, nil
}

// readAll touches every page that is in use.
func readAll(tx *bbolt.Tx) error {
	return eachSpace(tx, func(_ []byte, b *bbolt.Bucket) error {
		var sum byte
		return b.Bucket(vectorsKey).ForEach(func(_, v []byte) error {
			if len(v) > 0 {
				sum ^= v[0] ^ v[len(v)-1]
			}
			return nil
		})
	})
}

func eachSpace(tx *bbolt.Tx, f func(name []byte, b *bbolt.Bucket) error) error {
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		if b.Bucket(vectorsKey) == nil {
			return fmt.Errorf("space %q has no vectors", name)
		}
		return f(name, b)
	})
}

// Close releases the store.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close the vectors: %w", err)
	}
	return nil
}

// Space is one model's vectors of one length.
type Space struct {
	Model string
	Dim   int
}

func prefix(model string) []byte { return []byte(format + "\x00" + model + "\x00") }

func (p Space) name() []byte { return append(prefix(p.Model), strconv.Itoa(p.Dim)...) }

// Latest returns the space of a model that was in use last.
func (s *Store) Latest(model string) (space Space, ok bool, err error) {
	var last uint64
	err = s.db.View(func(tx *bbolt.Tx) error {
		return eachSpace(tx, func(name []byte, b *bbolt.Bucket) error {
			rest, mine := bytes.CutPrefix(name, prefix(model))
			if dim, err := strconv.Atoi(string(rest)); mine && err == nil && (!ok || usedAt(b) > last) {
				space, ok, last = Space{model, dim}, true, usedAt(b)
			}
			return nil
		})
	})
	if err != nil {
		return Space{}, false, fmt.Errorf("look for vectors of %q: %w", model, err)
	}
	return space, ok, nil
}

func usedAt(b *bbolt.Bucket) uint64 {
	if v := b.Get(usedKey); len(v) == 8 {
		return binary.LittleEndian.Uint64(v)
	}
	return 0
}

// Load opens a space, new or not, and returns its vectors. Of more than three spaces those
// that were not used for longest are removed.
func (s *Store) Load(p Space) (*Matrix, error) {
	m := NewMatrix(p.Dim)
	err := s.db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(p.name())
		if err != nil {
			return err
		}
		if err := b.Put(usedKey, binary.LittleEndian.AppendUint64(nil, uint64(s.now().UnixNano()))); err != nil {
			return err
		}
		vectors, err := b.CreateBucketIfNotExists(vectorsKey)
		if err != nil {
			return err
		}
		err = vectors.ForEach(func(k, v []byte) error {
			if row, ok := unpack(v, p.Dim); ok && len(k) == len(Key{}) {
				m.Set(Key(k), row)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return dropOldest(tx, p)
	})
	if err != nil {
		return nil, fmt.Errorf("load the vectors of %q: %w", p.Model, err)
	}
	return m, nil
}

// dropOldest removes the spaces that are one too many, never the one in use.
func dropOldest(tx *bbolt.Tx, used Space) error {
	for {
		n := 0
		var oldest []byte
		var at uint64
		err := eachSpace(tx, func(name []byte, b *bbolt.Bucket) error {
			n++
			if !bytes.Equal(name, used.name()) && (oldest == nil || usedAt(b) < at) {
				oldest, at = bytes.Clone(name), usedAt(b)
			}
			return nil
		})
		if err != nil || n <= maxSpaces {
			return err
		}
		if err := tx.DeleteBucket(oldest); err != nil {
			return err
		}
	}
}

// Put keeps vectors, all of them or none.
func (s *Store) Put(p Space, vectors map[Key][]float32) error {
	err := s.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(p.name())
		if b == nil {
			return errors.New("the space was never loaded")
		}
		for key, v := range vectors {
			if err := b.Bucket(vectorsKey).Put(bytes.Clone(key[:]), pack(v)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep vectors of %q: %w", p.Model, err)
	}
	return nil
}

// Purge removes from every space the vectors whose key is not live, a few hundred at a
// time so that nobody waits for it.
func (s *Store) Purge(ctx context.Context, live func(Key) bool) (removed int, err error) {
	for ctx.Err() == nil {
		n := 0
		err := s.db.Update(func(tx *bbolt.Tx) error {
			return eachSpace(tx, func(_ []byte, b *bbolt.Bucket) error {
				c := b.Bucket(vectorsKey).Cursor()
				var gone [][]byte
				for k, _ := c.First(); k != nil && n < purgeBatch; k, _ = c.Next() {
					if len(k) != len(Key{}) || !live(Key(k)) {
						gone = append(gone, bytes.Clone(k))
						n++
					}
				}
				for _, k := range gone {
					if err := b.Bucket(vectorsKey).Delete(k); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if err != nil {
			return removed, fmt.Errorf("purge vectors: %w", err)
		}
		if removed += n; n < purgeBatch {
			return removed, nil
		}
	}
	return removed, ctx.Err()
}

func pack(v []float32) []byte {
	out := make([]byte, 0, 4*len(v))
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// unpack returns the unit vector that was packed; ok is false for anything else.
func unpack(b []byte, dim int) (v []float32, ok bool) {
	if len(b) != 4*dim {
		return nil, false
	}
	v = make([]float32, dim)
	var squares float64
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		squares += float64(v[i]) * float64(v[i])
	}
	return v, math.Abs(squares-1) < 0.01
}
