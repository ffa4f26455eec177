package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"handrail/index/mapped"
	"handrail/triggers"
)

// state is what Handrail remembers about a brain outside its cards: candidates that
// wait, those a person dismissed, which cards the last answers were given, and what joins
// the turns of a conversation. It lives
// in one bbolt file in the user's state folder; without one it lives in memory.
//
// Writes are gathered and saved by one goroutine at most saveDelay later, because a
// preflight must not wait for a disk.
type state struct {
	log  *slog.Logger
	db   *bbolt.DB     // nil in memory
	wake chan struct{} // something is dirty
	quit chan struct{} // closed by close
	done chan struct{} // the saving goroutine has ended

	saving sync.Mutex // one save at a time, in the order of the changes

	mu    sync.Mutex // guards all below
	data  map[bucket]map[string][]byte
	dirty map[bucket]map[string]bool
}

type bucket string

const (
	dismissedBucket bucket = "dismissed"  // candidate id → time
	candidateBucket bucket = "candidates" // candidate id → Candidate
	answerBucket    bucket = "answers"    // answer id → answer
	sessionBucket   bucket = "sessions"   // session id → session
	usageBucket     bucket = "usage"      // card → usage
	mergedBucket    bucket = "merged"     // act and card → merged
	detectorBucket  bucket = "detector"   // failingKey → []triggers.Failing
	mutedBucket     bucket = "muted"      // pattern id → Muted
	wornBucket      bucket = "worn"       // file → wornFile
	ignoredBucket   bucket = "ignored"    // ignoredKey → Ignored
	hooksBucket     bucket = "hooks"      // an agent's host → when its hooks last asked what to begin with
	neverBucket     bucket = "never"      // id → neverRow
	toolsBucket     bucket = "tools"      // what an agent calls itself → when it last started our MCP server
)

const failingKey = "failing"

// saveDelay bounds what a crash can lose: less than a second of it.
const saveDelay = 300 * time.Millisecond

// stateFormat is the version of the file. A newer file is left alone.
const stateFormat = "1"

var errStateLocked = errors.New("state is owned by another process")

func memoryState() *state {
	return &state{data: map[bucket]map[string][]byte{}, dirty: map[bucket]map[string]bool{}}
}

// openState opens or makes the state file in dir. A damaged file is moved aside, never
// overwritten.
func openState(dir string, log *slog.Logger) (*state, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	path := filepath.Join(dir, "state.db")
	db, err := openBolt(path)
	if err != nil && !errors.Is(err, errStateLocked) && !diskRefuses(err) {
		aside := path + ".corrupt-" + time.Now().UTC().Format("20060102T150405.000000000")
		if os.Rename(path, aside) != nil { //nolint:forbidigo // side data, not a card
			return nil, err
		}
		log.Warn("state file was damaged and moved aside", "file", aside, "err", err)
		db, err = openBolt(path)
	}
	if err != nil {
		return nil, err
	}
	s := memoryState()
	s.log, s.db = log, db
	if err := s.load(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.wake, s.quit, s.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go s.saveLoop()
	return s, nil
}

// diskRefuses reports whether an error is about the disk, not about the file on it.
func diskRefuses(err error) bool {
	for _, is := range []error{os.ErrPermission, syscall.ENOSPC, syscall.EFBIG, syscall.EROFS} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

func openBolt(path string) (db *bbolt.DB, err error) {
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
		return nil, errStateLocked
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return db, nil
}

// readAll touches every page that is in use.
func readAll(tx *bbolt.Tx) error {
	return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
		var sum byte
		return b.ForEach(func(k, v []byte) error {
			for _, part := range [][]byte{k, v} {
				if n := len(part); n > 0 {
					sum ^= part[0] ^ part[n-1]
				}
			}
			return nil
		})
	})
}

func (s *state) load() error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		meta, err := tx.CreateBucketIfNotExists([]byte("meta"))
		if err != nil {
			return fmt.Errorf("make the state: %w", err)
		}
		if f := meta.Get([]byte("format")); f != nil && string(f) > stateFormat {
			return fmt.Errorf("state has format %s, newer than %s", f, stateFormat)
		}
		if err := meta.Put([]byte("format"), []byte(stateFormat)); err != nil {
			return err
		}
		for _, b := range []bucket{dismissedBucket, candidateBucket, answerBucket, sessionBucket, usageBucket, mergedBucket, detectorBucket, mutedBucket, ignoredBucket, neverBucket, toolsBucket, hooksBucket, wornBucket} {
			bk, err := tx.CreateBucketIfNotExists([]byte(b))
			if err != nil {
				return err
			}
			s.data[b] = map[string][]byte{}
			if err := bk.ForEach(func(k, v []byte) error {
				s.data[b][string(k)] = slices.Clone(v)
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// put remembers value under key; a nil value forgets the key.
func (s *state) put(b bucket, key string, value any) {
	var raw []byte
	if value != nil {
		var err error
		if raw, err = json.Marshal(value); err != nil {
			return // our own types always marshal
		}
	}
	s.mu.Lock()
	if s.data[b] == nil {
		s.data[b] = map[string][]byte{}
	}
	if raw == nil {
		delete(s.data[b], key)
	} else {
		s.data[b][key] = raw
	}
	if s.db != nil {
		if s.dirty[b] == nil {
			s.dirty[b] = map[string]bool{}
		}
		s.dirty[b][key] = true
	}
	s.mu.Unlock()
	if s.wake != nil {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

func (s *state) saveLoop() {
	defer close(s.done)
	for {
		select {
		case <-s.quit:
			s.save()
			return
		case <-s.wake:
		}
		select {
		case <-s.quit:
		case <-time.After(saveDelay):
		}
		s.save()
	}
}

// save writes what is dirty, and waits for a save that is under way.
func (s *state) save() {
	if s.db == nil {
		return
	}
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	dirty := s.dirty
	s.dirty = map[bucket]map[string]bool{}
	type entry struct {
		b   bucket
		key string
		val []byte
	}
	var entries []entry
	for b, keys := range dirty {
		for k := range keys {
			entries = append(entries, entry{b, k, s.data[b][k]})
		}
	}
	s.mu.Unlock()
	if len(entries) == 0 {
		return
	}
	err := s.db.Update(func(tx *bbolt.Tx) error {
		for _, e := range entries {
			bk := tx.Bucket([]byte(e.b))
			var err error
			if e.val == nil {
				err = bk.Delete([]byte(e.key))
			} else {
				err = bk.Put([]byte(e.key), e.val)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.log.Warn("state not saved; it is kept in memory", "err", err)
		s.mu.Lock()
		for _, e := range entries { // try again with the next change
			if s.dirty[e.b] == nil {
				s.dirty[e.b] = map[string]bool{}
			}
			s.dirty[e.b][e.key] = true
		}
		s.mu.Unlock()
	}
}

func (s *state) close() error {
	if s.db == nil {
		return nil
	}
	close(s.quit)
	<-s.done
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close the state: %w", err)
	}
	return nil
}

func (s *state) dismissed(id string) bool { return s.has(dismissedBucket, id) }

func (s *state) has(b bucket, key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.data[b][key]
	return ok
}

// candidates returns those that wait, oldest first.
func (s *state) candidates() []Candidate {
	out := decodeAll[Candidate](s, candidateBucket)
	slices.SortFunc(out, func(a, b Candidate) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

func (s *state) answers() []answer { return decodeAll[answer](s, answerBucket) }

// failing returns the test runs that wait for a pass.
func (s *state) failing() []triggers.Failing {
	return slices.Concat(decodeAll[[]triggers.Failing](s, detectorBucket)...)
}

func (s *state) sessions() []session { return decodeAll[session](s, sessionBucket) }

func decodeAll[T any](s *state, b bucket) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []T
	for _, raw := range s.data[b] {
		var v T
		if json.Unmarshal(raw, &v) == nil {
			out = append(out, v)
		}
	}
	return out
}
