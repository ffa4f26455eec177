package index

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"

	"handrail/index/mapped"
)

// storeFormat names everything an index on disk depends on: the fields and their
// weights, the tokenizer, the coding of heads. Change it with any of them, and old
// indexes are built anew.
const storeFormat = "12"

// manifest says which generation in the folder is the good one.
type manifest struct {
	Format     string `json:"format"`
	Generation string `json:"generation"`
	// Root is the checksum of bleve's root file, written by Close and taken out by the
	// next open: without it the process before did not end well.
	Root string `json:"root,omitempty"`
}

const (
	manifestFile = "manifest.json"
	headsFile    = "heads.log"
	bleveFolder  = "bleve"
	rootFile     = "root.bolt"
)

// batchPatience is how long a batch may take until the index is given up as damaged. Two
// thousand notes take well under a second.
const batchPatience = time.Minute

// errBroken says that bleve cannot write any more: the disk is full or gone, or one of its
// goroutines has died. It would go on trying for ever.
var errBroken = errors.New("the index cannot be saved")

// guardPause is how often a save that is under way is looked after.
const guardPause = 50 * time.Millisecond

// closePatience is how long Close waits for the last batch to be on disk; what is not is
// read again at the next open.
const closePatience = 5 * time.Second

// store is one generation on disk: bleve's segments and the log of heads beside them.
// Heads follow what is safe on disk, so that after a crash a file is at worst read again.
type store struct {
	dir   string // of this generation
	bleve api.Index
	queue *api.AnalysisQueue
	heads *headLog
	lists lists

	guard    sync.WaitGroup
	begun    chan struct{} // a batch was applied
	closing  chan struct{}
	broken   chan struct{} // closed when bleve cannot write any more
	onBroken func()

	mu      sync.Mutex // guards the rest
	unsaved int        // batches that are not yet on disk
	saved   chan struct{}
	failed  error // of writing the heads
}

// openStore opens the generation that the manifest names. Any error means that the index
// has to be built anew.
func openStore(dir string, onBroken func()) (s *store, heads headSet, err error) {
	src, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return nil, headSet{}, fmt.Errorf("read the manifest: %w", err)
	}
	var m manifest
	if err := json.Unmarshal(src, &m); err != nil {
		return nil, headSet{}, fmt.Errorf("read the manifest: %w", err)
	}
	if m.Format != storeFormat {
		return nil, headSet{}, fmt.Errorf("format %q, not %q", m.Format, storeFormat)
	}
	if !filepath.IsLocal(m.Generation) || !strings.HasPrefix(m.Generation, "gen-") {
		return nil, headSet{}, fmt.Errorf("manifest names %q", m.Generation)
	}
	gen := filepath.Join(dir, m.Generation)
	verified := make(chan error, 1)
	go func() { verified <- verify(gen, m.Root) }()
	heads, err = readHeads(filepath.Join(gen, headsFile))
	if err := cmp.Or(<-verified, err); err != nil {
		return nil, headSet{}, err
	}
	err = mapped.Read(func() error {
		if s, err = openGeneration(gen, heads, onBroken); err != nil {
			return err
		}
		if n, err := s.docCount(); err != nil || n != uint64(len(heads.byPath)) {
			return errors.Join(fmt.Errorf("%d documents for %d files", n, len(heads.byPath)), err, s.close())
		}
		return nil
	})
	if err != nil {
		return nil, headSet{}, err
	}
	if err := writeManifest(dir, manifest{Format: storeFormat, Generation: m.Generation}); err != nil {
		return nil, headSet{}, errors.Join(err, s.close())
	}
	removeOthers(dir, m.Generation)
	return s, heads, nil
}

// verify checks what bleve does not: that its segments, and after a clean end its root
// file too, are as they were written. The search library maps them into memory and trusts
// every offset in them. 100 MB take some 20 ms.
func verify(gen, root string) error {
	folder := filepath.Join(gen, bleveFolder)
	if root != "" {
		if sum, err := checksum(filepath.Join(folder, rootFile)); err != nil || sum != root {
			return errors.Join(errors.New("the index's root is damaged"), err)
		}
	}
	segments, err := filepath.Glob(filepath.Join(folder, "*.zap"))
	if err != nil {
		return err
	}
	for _, name := range segments {
		// A segment ends with the checksum of all before it (zapx, write.go, persistFooter).
		sum, last, err := segmentSum(name)
		if err != nil {
			return fmt.Errorf("read a segment: %w", err)
		}
		if sum != last {
			return fmt.Errorf("segment %s is damaged", filepath.Base(name))
		}
	}
	return nil
}

// segmentSum returns the checksum of all but a file's last four bytes, and those bytes.
func segmentSum(name string) (sum, last uint32, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	h := crc32.NewIEEE()
	if _, err := io.CopyN(h, f, info.Size()-crc32.Size); err != nil {
		return 0, 0, err
	}
	if err := binary.Read(f, binary.BigEndian, &last); err != nil {
		return 0, 0, err
	}
	return h.Sum32(), last, nil
}

func checksum(name string) (string, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%08x-%d", crc32.ChecksumIEEE(src), len(src)), nil
}

// createStore begins a new generation; publish makes it the good one.
func createStore(dir string, onBroken func()) (*store, error) {
	gen := filepath.Join(dir, "gen-"+rand.Text()[:12])
	if err := os.MkdirAll(gen, 0o700); err != nil {
		return nil, fmt.Errorf("make an index: %w", err)
	}
	return openGeneration(gen, headSet{}, onBroken)
}

func openGeneration(gen string, heads headSet, onBroken func()) (*store, error) {
	log, err := openHeadLog(filepath.Join(gen, headsFile), heads)
	if err != nil {
		return nil, err
	}
	queue := api.NewAnalysisQueue(1) // documents arrive analysed
	idx, err := scorch.NewScorch(scorch.Name, map[string]any{
		"path":         filepath.Join(gen, bleveFolder),
		"bolt_timeout": "1s",
		"unsafe_batch": true, // see store: heads follow what is on disk
	}, queue)
	if err == nil {
		err = idx.Open()
	}
	if err != nil {
		queue.Close()
		return nil, errors.Join(fmt.Errorf("open the index: %w", err), log.close())
	}
	s := &store{
		dir: gen, bleve: idx, queue: queue, heads: log, saved: make(chan struct{}), onBroken: onBroken,
		begun: make(chan struct{}, 1), closing: make(chan struct{}), broken: make(chan struct{}),
	}
	s.guard.Go(s.watchSaves)
	return s, nil
}

// watchSaves looks after saves until the store is closed or broken: bleve tells of neither
// but counts its errors.
func (s *store) watchSaves() {
	for {
		select {
		case <-s.begun:
		case <-s.closing:
			return
		}
		for s.unsavedBatches() > 0 {
			select {
			case <-time.After(guardPause):
			case <-s.closing:
				return
			}
			if n, ok := s.bleve.StatsMap()["TotOnErrors"].(uint64); ok && n > 0 {
				close(s.broken)
				s.onBroken()
				return
			}
		}
	}
}

func (s *store) unsavedBatches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsaved
}

// publish names s as the good generation and removes the others. root is the checksum of
// its root file if it is closed.
func (s *store) publish(dir, root string) error {
	generation := filepath.Base(s.dir)
	if err := writeManifest(dir, manifest{Format: storeFormat, Generation: generation, Root: root}); err != nil {
		return err
	}
	removeOthers(dir, generation)
	return nil
}

func writeManifest(dir string, m manifest) error {
	src, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(dir, manifestFile), src); err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
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

// apply indexes docs and takes removed paths out. Searches see it when apply returns; it
// is on disk later, and the heads after it.
func (s *store) apply(docs []*doc, removed []string) error {
	batch := api.NewBatch()
	space := new(tokenSpace)
	var records []byte
	for _, d := range docs {
		batch.Update(&bleveDoc{doc: d, space: space})
		records = appendRecord(records, d.path, d.head)
	}
	for _, p := range removed {
		batch.Delete(p)
		records = appendRecord(records, p, "")
	}
	s.mu.Lock()
	s.unsaved++
	s.mu.Unlock()
	select {
	case s.begun <- struct{}{}:
	default: // being watched
	}
	batch.SetPersistedCallback(func(err error) {
		if err == nil {
			err = s.heads.append(records)
		}
		s.done(err)
	})
	result := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				result <- fmt.Errorf("damaged: %v", p)
			}
		}()
		result <- s.bleve.Batch(batch)
	}()
	patience := time.NewTimer(batchPatience)
	defer patience.Stop()
	select {
	case err := <-result:
		if err != nil {
			s.done(err)
			return fmt.Errorf("index %d files: %w", len(docs), err)
		}
		return nil
	case <-s.broken:
		return fmt.Errorf("index %d files: %w", len(docs), errBroken)
	case <-patience.C:
		return fmt.Errorf("index %d files: no end after %v", len(docs), batchPatience)
	}
}

// touch notes new times of files whose bytes are the same.
func (s *store) touch(docs []*doc) error {
	var records []byte
	for _, d := range docs {
		records = appendRecord(records, d.path, d.head)
	}
	return s.heads.append(records)
}

func (s *store) done(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = errors.Join(s.failed, err)
	if s.unsaved--; s.unsaved == 0 {
		close(s.saved)
		s.saved = make(chan struct{})
	}
}

func (s *store) isBroken() bool {
	select {
	case <-s.broken:
		return true
	default:
		return false
	}
}

// settle waits until all that was applied is on disk.
func (s *store) settle(ctx context.Context) error {
	s.mu.Lock()
	unsaved, saved := s.unsaved, s.saved
	s.mu.Unlock()
	if unsaved > 0 {
		select {
		case <-saved:
		case <-s.broken:
			return errBroken
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

func (s *store) docCount() (uint64, error) {
	r, err := s.bleve.Reader()
	if err != nil {
		return 0, err
	}
	defer r.Close() //nolint:errcheck // a snapshot
	return r.DocCount()
}

// close ends the store.
func (s *store) close() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	err = s.settle(ctx)
	close(s.closing)
	s.guard.Wait()
	defer func() {
		if p := recover(); p != nil { // closing a damaged index
			err = fmt.Errorf("close the index: %v", p)
		}
	}()
	err = errors.Join(err, s.bleve.Close(), s.heads.close())
	s.queue.Close()
	return err
}

// closeClean is close, noting in the folder's manifest that all ended well.
func (s *store) closeClean(dir string) error {
	if err := s.close(); err != nil {
		return err
	}
	root, err := checksum(filepath.Join(s.dir, bleveFolder, rootFile))
	if err != nil {
		return fmt.Errorf("check the index's root: %w", err)
	}
	return s.publish(dir, root)
}

// discard closes a store that is given up and deletes it.
func (s *store) discard() error { return errors.Join(s.close(), os.RemoveAll(s.dir)) }
