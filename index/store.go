package index

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"
	"go.etcd.io/bbolt"
)

// storeFormat names everything an index on disk depends on: the fields and their
// weights, the tokenizer, the coding of heads. Change it with any of them, and old
// indexes are built anew.
const storeFormat = "1"

// manifest says which generation in the folder is the good one.
type manifest struct {
	Format     string `json:"format"`
	Generation string `json:"generation"`
}

const manifestFile = "manifest.json"

// store is one generation on disk: bleve's segments, and the heads beside them. The
// heads of a batch are written after its postings are safe on disk, so that after a
// crash a file is at worst read again.
type store struct {
	dir   string // of this generation
	bleve api.Index
	queue *api.AnalysisQueue
	heads *bbolt.DB
}

var headBucket = []byte("heads")

// openStore opens the generation that the manifest names. Any error means that the
// index has to be built anew.
func openStore(dir string) (s *store, heads map[string]*head, err error) {
	src, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return nil, nil, fmt.Errorf("read the manifest: %w", err)
	}
	var m manifest
	if err := json.Unmarshal(src, &m); err != nil {
		return nil, nil, fmt.Errorf("read the manifest: %w", err)
	}
	if m.Format != storeFormat {
		return nil, nil, fmt.Errorf("format %q, not %q", m.Format, storeFormat)
	}
	if !filepath.IsLocal(m.Generation) || !strings.HasPrefix(m.Generation, "gen-") {
		return nil, nil, fmt.Errorf("manifest names %q", m.Generation)
	}
	gen := filepath.Join(dir, m.Generation)
	if _, err := os.Stat(filepath.Join(gen, "heads.db")); err != nil {
		return nil, nil, err // opening would make an empty one
	}
	defer func() { // both libraries panic on some damaged files
		if p := recover(); p != nil {
			s, heads, err = nil, nil, fmt.Errorf("damaged: %v", p)
		}
	}()
	if s, err = openGeneration(gen); err != nil {
		return nil, nil, err
	}
	if heads, err = s.loadHeads(); err != nil {
		return nil, nil, errors.Join(err, s.close())
	}
	if n, err := s.docCount(); err != nil || n < uint64(len(heads)) {
		return nil, nil, errors.Join(fmt.Errorf("%d documents for %d files (%w)", n, len(heads), err), s.close())
	}
	removeOthers(dir, m.Generation)
	return s, heads, nil
}

// createStore begins a new generation; publish makes it the good one.
func createStore(dir string) (*store, error) {
	gen := filepath.Join(dir, "gen-"+rand.Text()[:12])
	if err := os.MkdirAll(gen, 0o700); err != nil {
		return nil, fmt.Errorf("make an index: %w", err)
	}
	return openGeneration(gen)
}

func openGeneration(gen string) (*store, error) {
	db, err := bbolt.Open(filepath.Join(gen, "heads.db"), 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		return nil, fmt.Errorf("open the index's heads: %w", err)
	}
	queue := api.NewAnalysisQueue(1) // documents arrive analysed
	idx, err := scorch.NewScorch(scorch.Name, map[string]any{
		"path":         filepath.Join(gen, "bleve"),
		"bolt_timeout": "1s",
		"unsafe_batch": true, // see store: heads follow what is on disk
	}, queue)
	if err == nil {
		err = idx.Open()
	}
	if err != nil {
		queue.Close()
		return nil, errors.Join(fmt.Errorf("open the index: %w", err), db.Close())
	}
	return &store{dir: gen, bleve: idx, queue: queue, heads: db}, nil
}

// publish names s as the good generation and removes the others.
func (s *store) publish(dir string) error {
	src, err := json.Marshal(manifest{Format: storeFormat, Generation: filepath.Base(s.dir)})
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, manifestFile+".tmp")
	if err := os.WriteFile(temp, src, 0o600); err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	if err := os.Rename(temp, filepath.Join(dir, manifestFile)); err != nil { //nolint:forbidigo // the cache folder is ours
		return fmt.Errorf("write the manifest: %w", err)
	}
	removeOthers(dir, filepath.Base(s.dir))
	return nil
}

// removeOthers deletes generations that were given up.
func removeOthers(dir, keep string) {
	old, err := filepath.Glob(filepath.Join(dir, "gen-*"))
	if err != nil {
		return
	}
	for _, d := range old {
		if filepath.Base(d) != keep {
			_ = os.RemoveAll(d) // tried again at the next start
		}
	}
}

// apply indexes docs and takes removed paths out. Searches see it at once; the heads
// are written when the postings are on disk.
func (s *store) apply(ctx context.Context, docs []*doc, removed []string) error {
	batch := api.NewBatch()
	for _, d := range docs {
		b := d.bleve()
		b.AddIDField()
		batch.Update(b)
	}
	for _, p := range removed {
		batch.Delete(p)
	}
	persisted := make(chan error, 1)
	batch.SetPersistedCallback(func(err error) { persisted <- err })
	if err := s.bleve.Batch(batch); err != nil {
		return fmt.Errorf("index %d files: %w", len(docs), err)
	}
	select {
	case err := <-persisted:
		if err != nil {
			return fmt.Errorf("save the index: %w", err)
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.heads.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(headBucket)
		if err != nil {
			return fmt.Errorf("save the index's heads: %w", err)
		}
		for _, d := range docs {
			if err := b.Put([]byte(d.head.card.Path), d.head.encode()); err != nil {
				return fmt.Errorf("save the index's heads: %w", err)
			}
		}
		for _, p := range removed {
			if err := b.Delete([]byte(p)); err != nil {
				return fmt.Errorf("save the index's heads: %w", err)
			}
		}
		return nil
	})
}

func (s *store) loadHeads() (map[string]*head, error) {
	heads := map[string]*head{}
	err := s.heads.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(headBucket)
		if b == nil {
			return nil
		}
		return b.ForEach(func(k, v []byte) error {
			h, err := decodeHead(string(k), v)
			if err != nil {
				return err
			}
			heads[h.card.Path] = h
			return nil
		})
	})
	return heads, err
}

func (s *store) docCount() (uint64, error) {
	r, err := s.bleve.Reader()
	if err != nil {
		return 0, err
	}
	defer r.Close() //nolint:errcheck // a snapshot
	return r.DocCount()
}

func (s *store) close() (err error) {
	defer func() {
		if p := recover(); p != nil { // closing a damaged index
			err = fmt.Errorf("close the index: %v", p)
		}
	}()
	err = errors.Join(s.bleve.Close(), s.heads.Close())
	s.queue.Close()
	return err
}
