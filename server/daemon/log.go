package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"handrail/triggers/leaks"
)

// maxLog bounds a log file, in bytes: some thousand lines, more than anyone reads.
const maxLog = 256 << 10

// Log is the file that a daemon writes to in the state folder. When it is full it becomes
// the file beside it (".old") and a new one begins. It is safe for concurrent use.
type Log struct {
	path string
	max  int64

	mu   sync.Mutex // guards the fields below
	file *os.File
	size int64
}

// OpenLog opens the log of the daemon that cfg names.
func OpenLog(cfg Config) (*Log, error) {
	root, err := rootOf(cfg.Brain)
	if err != nil {
		return nil, err
	}
	p, err := locate(cfg, root)
	if err != nil {
		return nil, err
	}
	l := &Log{path: filepath.Join(p.Dir, p.Name+".log"), max: maxLog}
	return l, l.open()
}

func (l *Log) open() error {
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("open the log: %w", err), file.Close())
	}
	l.file, l.size = file, info.Size()
	return nil
}

// File is what is written to now, for the runtime's last words.
func (l *Log) File() *os.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file
}

// Write adds a line, without secrets.
func (l *Log) Write(line []byte) (int, error) {
	text := leaks.Keep(string(line))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size+int64(len(text)) > l.max && l.size > 0 {
		if err := l.turn(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.WriteString(text)
	l.size += int64(n)
	if err != nil {
		return min(n, len(line)), err
	}
	return len(line), nil
}

// turn begins a new file.
func (l *Log) turn() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("turn the log: %w", err)
	}
	if err := os.Rename(l.path, l.path+".old"); err != nil { //nolint:forbidigo // side data, not a card
		return errors.Join(fmt.Errorf("turn the log: %w", err), l.open())
	}
	return l.open()
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
