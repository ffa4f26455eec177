// Package side writes the files that Handrail keeps beside the cards, and names things by what they hold. It needs the
// standard library alone: the program of hooks uses it, which is to start at once.
package side

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Write puts a file in place whole, synced to disk, or not at all: who reads it finds the old one or the new one. Its folder
// has to be there; several may write it at once.
func Write(name string, data []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name) //nolint:forbidigo // the one place where it is done
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// WriteJSON is Write of a value as JSON, for the user alone.
func WriteJSON(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return Write(name, data, 0o600)
}

// JSON returns a value as JSON in which <, > and & stand as they are, for people to read and as hosts have it: on one line,
// or with an indentation, its further lines behind a prefix.
func JSON(v any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indent)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Sum returns the SHA-256 of a text in hexadecimal.
func Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Name returns the first bytes of the SHA-256 of some texts in hexadecimal: a short name of what they are about.
func Name(size int, texts ...string) string {
	return Sum([]byte(strings.Join(texts, "\x00")))[:2*size]
}

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
