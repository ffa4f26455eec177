package index

import (
	"bytes"
	"context"
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
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	api "github.com/blevesearch/bleve_index_api"

	"github.com/handrail-dev/handrail/index/mapped"
	"github.com/handrail-dev/handrail/lessons/side"
)

// storeFormat names everything an index on disk depends on: the fields and their weights, the tokenizer, the coding of
// heads. Change it with any of them, and old indexes are built anew.
const storeFormat = "20"

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
	rootFile     = "root.bolt"
)

// batchPatience is how long a batch may take until the index is given up as damaged. Two
// thousand notes take well under a second.
const batchPatience = time.Minute

// errBroken says that bleve cannot write any more: the disk is full or gone, or one of its
// goroutines has died. It would go on trying for ever.
var errBroken = errors.New("the index cannot be saved")

// closePatience is how long Close waits for the last batch to be on disk; what is not is read again at the next open.
const closePatience = 5 * time.Second

// store is one generation: bleve's index in a folder of its own, or in memory.
type store struct {
	dir    string // "" in memory
	bleve  api.Index
	queue  *api.AnalysisQueue
	lists  lists
	broken chan struct{} // closed when bleve cannot write any more
	fail   func()        // closes it and tells the index
}

// stores are the open ones by folder, to which bleve tells what fails in the background.
var stores = func() *sync.Map {
	open := new(sync.Map)
	scorch.RegistryAsyncErrorCallbacks[scorch.Name] = func(_ error, dir string) {
		if s, ok := open.Load(dir); ok {
			s.(*store).fail()
		}
	}
	return open
}()

// openStore opens the generation that the manifest names, as openGeneration does. Any error means that the index
// has to be built anew.
func openStore(dir string, onBroken func(), merges map[string]any) (pic *picture, err error) {
	var m manifest
	src, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err == nil {
		err = json.Unmarshal(src, &m)
	}
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	if m.Format != storeFormat {
		return nil, fmt.Errorf("format %q, not %q", m.Format, storeFormat)
	}
	if !filepath.IsLocal(m.Generation) || !strings.HasPrefix(m.Generation, "gen-") {
		return nil, fmt.Errorf("manifest names %q", m.Generation)
	}
	gen := filepath.Join(dir, m.Generation)
	segments, err := verify(gen, m.Root)
	if err != nil {
		return nil, err
	}
	// Before bleve opens, for it writes to its root at once and the process may be killed.
	if err := writeManifest(dir, manifest{Format: storeFormat, Generation: m.Generation}); err != nil {
		return nil, err
	}
	var s *store
	if err := mapped.Read(func() (err error) {
		s, err = openGeneration(gen, onBroken, merges)
		if err == nil {
			pic, err = s.picture()
		}
		if err == nil && len(pic.heads) == 0 && segments > 0 {
			err = errors.New("a segment is missing") // bleve then begins with none
		}
		return err
	}); err != nil {
		if s != nil {
			err = errors.Join(err, s.close())
		}
		return nil, err
	}
	removeOthers(dir, m.Generation)
	return pic, nil
}

// verify returns how many segments there are. It checks what bleve does not: that its segments, and after a clean end its root
// file too, are as they were written. The search library maps them into memory and trusts
// every offset in them. 100 MB take some 20 ms.
func verify(gen, sum string) (segments int, err error) {
	root, err := os.ReadFile(filepath.Join(gen, rootFile))
	if err != nil || sum != "" && sum != checksum(root) {
		return 0, errors.Join(errors.New("the index's root is damaged"), err)
	}
	names, err := filepath.Glob(filepath.Join(gen, "*.zap"))
	for _, name := range names {
		// One that the root does not name was being written when the process was killed, and bleve removes it.
		if !bytes.Contains(root, []byte(filepath.Base(name))) {
			continue
		}
		// A segment ends with the checksum of all before it (zapx, write.go, persistFooter).
		sum, last, err := segmentSum(name)
		if err != nil {
			return 0, fmt.Errorf("read a segment: %w", err)
		}
		if sum != last {
			return 0, fmt.Errorf("segment %s is damaged", filepath.Base(name))
		}
	}
	return len(names), err
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
	_, err = io.CopyN(h, f, info.Size()-crc32.Size)
	if err == nil {
		err = binary.Read(f, binary.BigEndian, &last)
	}
	return h.Sum32(), last, err
}

func checksum(src []byte) string { return fmt.Sprintf("%08x-%d", crc32.ChecksumIEEE(src), len(src)) }

// building has bleve merge less while batches of a first index come, which takes a quarter off its time; merge makes up for it.
var building = map[string]any{"MaxSegmentsPerTier": 30, "FloorSegmentSize": batchDocs}

// listing has bleve merge nothing while somebody waits for a list alone.
var listing = map[string]any{"MaxSegmentsPerTier": 1 << 20}

// openGeneration opens bleve's index in a folder, or in memory with "". merges are options of its merges, nil for its own.
func openGeneration(gen string, onBroken func(), merges map[string]any) (*store, error) {
	s := &store{dir: gen, queue: api.NewAnalysisQueue(1), broken: make(chan struct{})} // documents arrive analysed
	s.fail = sync.OnceFunc(func() {
		close(s.broken)
		onBroken()
	})
	config := map[string]any{
		"path":                   gen,
		"bolt_timeout":           "1s",
		"unsafe_batch":           true, // searchable before it is on disk
		"asyncErrorCallbackName": scorch.Name,
	}
	if merges != nil {
		config["scorchMergePlanOptions"] = merges
	}
	var err error
	s.bleve, err = scorch.NewScorch(scorch.Name, config, s.queue)
	if err == nil {
		stores.Store(gen, s)
		err = s.bleve.Open()
	}
	if err != nil {
		stores.Delete(gen)
		s.queue.Close()
		return nil, fmt.Errorf("open the index: %w", err)
	}
	return s, nil
}

// publish names s as the good generation and removes the others. root is the checksum of its root file if it is closed.
func (s *store) publish(dir, root string) error {
	generation := filepath.Base(s.dir)
	if err := writeManifest(dir, manifest{Format: storeFormat, Generation: generation, Root: root}); err != nil {
		return err
	}
	removeOthers(dir, generation)
	return nil
}

func writeManifest(dir string, m manifest) error {
	if err := side.WriteJSON(filepath.Join(dir, manifestFile), m); err != nil {
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

// apply indexes docs and takes removed paths out. Searches see it when apply returns; it is on disk later.
func (s *store) apply(docs []*doc, removed []string) error {
	batch := api.NewBatch()
	space := new(tokenSpace)
	for _, d := range docs {
		batch.Update(&bleveDoc{doc: d, space: space})
	}
	for _, p := range removed {
		batch.Delete(p)
	}
	if err := s.batch(batch); err != nil {
		return fmt.Errorf("index %d files: %w", len(docs), err)
	}
	return nil
}

func (s *store) batch(batch *api.Batch) error {
	result := make(chan error, 1)
	go func() { result <- mapped.Read(func() error { return s.bleve.Batch(batch) }) }()
	select {
	case err := <-result:
		return err
	case <-s.broken:
		return errBroken
	case <-time.After(batchPatience):
		return fmt.Errorf("no end after %v", batchPatience)
	}
}

// settle waits until all that was applied is on disk.
func (s *store) settle(ctx context.Context) error {
	if s.dir == "" {
		return nil
	}
	saved := make(chan error, 1)
	last := api.NewBatch() // bleve saves in order
	last.SetPersistedCallback(func(err error) { saved <- err })
	if err := s.batch(last); err != nil {
		return err
	}
	select {
	case err := <-saved:
		return err
	case <-s.broken:
		return errBroken
	case <-ctx.Done():
		return ctx.Err()
	}
}

// merge merges what was left apart while the index was built.
func (s *store) merge(ctx context.Context) error {
	return mapped.Read(func() error {
		if index, ok := s.bleve.(*scorch.Scorch); ok {
			return index.ForceMerge(ctx, &mergeplan.DefaultMergePlanOptions)
		}
		return nil
	})
}

// snapshot returns the documents as they are now, to be closed.
func (s *store) snapshot() (*scorch.IndexSnapshot, error) {
	r, err := s.bleve.Reader()
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	snapshot, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		return nil, errors.Join(fmt.Errorf("read the index: %T", r), r.Close())
	}
	return snapshot, nil
}

// close ends the store.
func (s *store) close() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	err = s.settle(ctx)
	defer func() {
		if p := recover(); p != nil { // closing a damaged index
			err = fmt.Errorf("close the index: %v", p)
		}
	}()
	err = errors.Join(err, s.bleve.Close())
	stores.Delete(s.dir)
	s.queue.Close()
	return err
}

// closeClean is close, noting in the folder's manifest that all ended well.
func (s *store) closeClean(dir string) error {
	if err := s.close(); err != nil || s.dir == "" {
		return err
	}
	root, err := os.ReadFile(filepath.Join(s.dir, rootFile))
	if err != nil {
		return fmt.Errorf("check the index's root: %w", err)
	}
	return s.publish(dir, checksum(root))
}

// discard closes a store that is given up and deletes it.
func (s *store) discard() error {
	err := s.close()
	if s.dir != "" {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}
