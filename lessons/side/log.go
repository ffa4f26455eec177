package side

import (
	"os"
	"sync"
)

// MaxLog bounds the file of a Log, in bytes: some thousand lines, more than anyone reads.
const MaxLog = 256 << 10

// Log is a file of lines. When it is full it becomes the file beside it (".old") and a new one begins. It is safe for concurrent use.
type Log struct {
	path    string
	through func(line string) string

	mu   sync.Mutex // guards file
	file *os.File
}

// OpenLog opens the log in a file. through is what its lines go through.
func OpenLog(path string, through func(line string) string) (*Log, error) {
	l := &Log{path: path, through: through}
	return l, l.open()
}

func (l *Log) open() (err error) {
	l.file, err = os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return err
}

// File is what is written to now, for the runtime's last words.
func (l *Log) File() *os.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file
}

// Write adds a line.
func (l *Log) Write(line []byte) (int, error) {
	text := l.through(string(line))
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, err := l.file.Stat(); err == nil && info.Size() > 0 && info.Size()+int64(len(text)) > MaxLog {
		// One that cannot be moved aside goes on. Where a file that is open cannot be moved, it is closed before.
		_ = l.file.Close()
		_ = os.Rename(l.path, l.path+".old") //nolint:forbidigo // side data, not a card
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	if _, err := l.file.WriteString(text); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
