package ledger

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/handrail-dev/handrail/index/mapped"
	"github.com/handrail-dev/handrail/triggers/leaks"
)

// ErrLocked says that another process has the state open.
var ErrLocked = errors.New("state is owned by another process")

// File is the name of the file in a brain's state folder. Its time is that of the last change.
const File = "state.db"

// saveDelay bounds what a crash can lose: less than a second of it.
const saveDelay = 300 * time.Millisecond

// Store is the state of one brain: tables in memory that are saved to one bbolt file saveDelay after a change, because
// a request must not wait for a disk. What is saved holds no secrets. It is safe for concurrent use.
type Store struct {
	log *slog.Logger
	db  *bbolt.DB // nil in memory

	saving sync.Mutex // one save at a time, in the order of the changes; guards closed
	closed bool

	mu     sync.Mutex                   // guards all below, and the rows of all tables
	raw    map[string]map[string][]byte // by bucket: what no table has taken over yet
	tables []interface{ changes() []change }
	due    bool // a save is to come
}

// change is a row to be saved; a nil value deletes it.
type change struct {
	bucket, key string
	value       []byte
	undo        func() // makes the row dirty again
}

// InMemory returns a Store that is gone when the process ends.
func InMemory() *Store { return &Store{} }

// Open opens or makes the file in dir. A damaged file is moved aside, never overwritten.
// ErrLocked when another process has it open.
func Open(dir string, log *slog.Logger) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	path := filepath.Join(dir, File)
	s := &Store{log: log}
	err := s.open(path)
	if slices.ContainsFunc(damage, func(is error) bool { return errors.Is(err, is) }) {
		aside := path + ".corrupt-" + time.Now().UTC().Format("20060102T150405.000000000")
		if os.Rename(path, aside) != nil { //nolint:forbidigo // side data, not a card
			return nil, err
		}
		log.Warn("state file was damaged and moved aside", "file", aside, "err", err)
		err = s.open(path)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// damage are the errors about the file itself; all others are about the disk or another Handrail.
var damage = []error{mapped.ErrDamaged, bolterrors.ErrInvalid, bolterrors.ErrVersionMismatch, bolterrors.ErrChecksum}

// open opens the file and reads all of it.
func (s *Store) open(path string) error {
	err := mapped.Read(func() (err error) {
		s.db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: 100 * time.Millisecond})
		if err != nil {
			if strings.HasPrefix(err.Error(), "file size too small") { // bbolt has no name for it
				err = fmt.Errorf("%w: %w", mapped.ErrDamaged, err)
			}
			return err
		}
		if err := s.db.View(s.read); err != nil {
			return errors.Join(err, s.db.Close())
		}
		return nil
	})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return ErrLocked
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

func (s *Store) read(tx *bbolt.Tx) error {
	s.raw = map[string]map[string][]byte{}
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		rows := map[string][]byte{}
		s.raw[string(name)] = rows
		return b.ForEach(func(k, v []byte) error {
			rows[string(k)] = slices.Clone(v)
			return nil
		})
	})
}

// changed has a save come. The caller holds mu.
func (s *Store) changed() {
	if !s.due {
		s.due = true
		time.AfterFunc(saveDelay, func() { _ = s.Save() }) // what cannot be written is logged, and comes with the next
	}
}

// Save writes what has changed, and waits for a save that is under way. What cannot be
// written is kept for the next save.
func (s *Store) Save() error {
	s.saving.Lock()
	defer s.saving.Unlock()
	if s.db == nil || s.closed {
		return nil
	}
	s.mu.Lock()
	s.due = false
	var list []change
	for _, t := range s.tables {
		list = append(list, t.changes()...)
	}
	s.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	for i, c := range list { // no caller can forget it here, and none waits for it
		list[i].key = leaks.Keep(c.key)
		if c.value != nil {
			list[i].value = leaks.KeepJSON(c.value)
		}
	}
	err := s.db.Update(func(tx *bbolt.Tx) error {
		for _, c := range list {
			b, err := tx.CreateBucketIfNotExists([]byte(c.bucket))
			if err == nil && c.value == nil {
				err = b.Delete([]byte(c.key))
			} else if err == nil {
				err = b.Put([]byte(c.key), c.value)
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
		for _, c := range list {
			c.undo()
		}
		s.mu.Unlock()
		return fmt.Errorf("save the state: %w", err)
	}
	return nil
}

// Close saves and closes the file.
func (s *Store) Close() error {
	_ = s.Save() // it is logged
	s.saving.Lock()
	defer s.saving.Unlock()
	s.closed = true
	if s.db == nil {
		return nil
	}
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close the state: %w", err)
	}
	return nil
}
