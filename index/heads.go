package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"sync"

	"handrail/lessons"
)

// head is what is kept of a file in memory, packed: a note takes some 100 bytes so that
// 100,000 of them are opened in milliseconds. The first bytes are fixed, the rest is read
// by card.
type head string

// Offsets of the fixed part.
const (
	headMtime  = 0 // nanoseconds
	headSize   = 8
	headHash   = 16 // of the bytes
	headLength = 24 // in weighted terms
	headCard   = 28 // 1 for cards
	headRest   = 29
)

// racyTime is the time of a file that was read so soon after it was written that its time
// cannot be trusted to show the next change.
const racyTime = 0

func (h head) uint64(at int) uint64 {
	var v uint64
	for i := 7; i >= 0; i-- {
		v = v<<8 | uint64(h[at+i])
	}
	return v
}

func (h head) mtime() int64 { return int64(h.uint64(headMtime)) }
func (h head) size() int64  { return int64(h.uint64(headSize)) }
func (h head) hash() uint64 { return h.uint64(headHash) }
func (h head) isCard() bool { return h[headCard] == 1 }
func (h head) length() int {
	return int(h[headLength]) | int(h[headLength+1])<<8 | int(h[headLength+2])<<16 | int(h[headLength+3])<<24
}

// newHead packs what a card's head holds. The format is part of storeFormat.
func newHead(c lessons.Card, mtime, size int64, hash uint64, length int) head {
	b := make([]byte, 0, 128)
	b = binary.LittleEndian.AppendUint64(b, uint64(mtime))
	b = binary.LittleEndian.AppendUint64(b, uint64(size))
	b = binary.LittleEndian.AppendUint64(b, hash)
	b = binary.LittleEndian.AppendUint32(b, uint32(length))
	flag := func(v bool) {
		if v {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	str := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	list := func(l []string) {
		b = binary.AppendUvarint(b, uint64(len(l)))
		for _, s := range l {
			str(s)
		}
	}
	flag(c.Kind.IsCard())
	str(c.Title)
	list(c.Tags)
	if !c.Kind.IsCard() {
		return head(b)
	}
	str(string(c.Kind))
	list(c.Paths)
	str(c.Project)
	str(string(c.Severity))
	str(string(c.Source))
	b = binary.AppendUvarint(b, uint64(max(1, c.Occurrences)))
	str(c.LastSeen.String())
	str(string(c.Status))
	str(c.ArchivedAt.String())
	flag(c.Verified)
	str(c.Quarantine)
	str(string(c.Guard))
	b = binary.AppendUvarint(b, uint64(len(c.Items)))
	for _, it := range c.Items {
		str(it.Text)
		b = binary.AppendUvarint(b, uint64(it.Line))
		flag(it.Done)
	}
	return head(b)
}

// card unpacks a head. What is damaged is left at its default; the log's checksums make
// that impossible in practice.
func (h head) card(path string) lessons.Card {
	b := h[headRest:]
	num := func() int {
		v, shift := uint64(0), 0
		for i := range len(b) {
			v |= uint64(b[i]&0x7f) << shift
			if b[i] < 0x80 {
				b = b[i+1:]
				return int(v)
			}
			shift += 7
		}
		b = ""
		return 0
	}
	str := func() string {
		n := num()
		if n < 0 || n > len(b) {
			b = ""
			return ""
		}
		s := b[:n]
		b = b[n:]
		return string(s)
	}
	list := func() []string {
		n := num()
		if n <= 0 || n > len(b) {
			return nil
		}
		out := make([]string, n)
		for i := range out {
			out[i] = str()
		}
		return out
	}
	flag := func() bool {
		if b == "" {
			return false
		}
		v := b[0] == 1
		b = b[1:]
		return v
	}
	c := lessons.Card{Path: path, Severity: lessons.Medium, Source: lessons.Curated, Status: lessons.Active, Occurrences: 1}
	c.Title, c.Tags = str(), list()
	if !h.isCard() {
		return c
	}
	c.Kind, c.Paths, c.Project = lessons.Kind(str()), list(), str()
	c.Severity, c.Source, c.Occurrences = lessons.Severity(str()), lessons.Source(str()), num()
	c.LastSeen, _ = lessons.ParseDate(str())
	c.Status = lessons.Status(str())
	c.ArchivedAt, _ = lessons.ParseDate(str())
	c.Verified, c.Quarantine, c.Guard = flag(), str(), lessons.Guard(str())
	if n := num(); n > 0 && n <= len(b) {
		c.Items = make([]lessons.Item, n)
		for i := range c.Items {
			c.Items[i] = lessons.Item{Text: str(), Line: num(), Done: flag()}
		}
	}
	return c
}

// headLog is the file of heads: one record for every file added, changed or removed, the
// last of a path being the one that counts. A record is its length, its checksum, the
// length of the path, the path, and the head, which is empty for a removed file.
type headLog struct {
	mu   sync.Mutex
	file *os.File
}

const recordHeader = 8

func appendRecord(b []byte, path string, h head) []byte {
	at := len(b)
	b = append(b, make([]byte, recordHeader)...)
	b = binary.AppendUvarint(b, uint64(len(path)))
	b = append(b, path...)
	b = append(b, h...)
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-recordHeader))
	binary.LittleEndian.PutUint32(b[at+4:], crc32.ChecksumIEEE(b[at+recordHeader:]))
	return b
}

var errHeads = errors.New("heads are damaged")

// headSet is what a log comes to.
type headSet struct {
	byPath map[string]head
	length int // of all files, in weighted terms
	stale  int // records that do not count
}

// readHeads reads a log.
func readHeads(name string) (headSet, error) {
	text, err := readText(name) // what the heads are cut from
	if err != nil {
		return headSet{}, fmt.Errorf("read the heads: %w", err)
	}
	var record []byte
	out := headSet{byPath: make(map[string]head, len(text)/128)}
	for at := 0; at < len(text); {
		if len(text)-at < recordHeader {
			return headSet{}, errHeads
		}
		record = append(record[:0], text[at:at+recordHeader]...)
		n, sum := int(binary.LittleEndian.Uint32(record)), binary.LittleEndian.Uint32(record[4:])
		at += recordHeader
		if n > len(text)-at {
			return headSet{}, errHeads
		}
		record = append(record[:0], text[at:at+n]...)
		l, w := binary.Uvarint(record)
		if crc32.ChecksumIEEE(record) != sum || w <= 0 || l > uint64(n-w) {
			return headSet{}, errHeads
		}
		path, h := text[at+w:at+w+int(l)], head(text[at+w+int(l):at+n])
		at += n
		if old, ok := out.byPath[path]; ok {
			out.stale++
			out.length -= old.length()
		}
		switch {
		case h == "":
			delete(out.byPath, path)
			out.stale++
		case len(h) < headRest:
			return headSet{}, errHeads
		default:
			out.byPath[path] = h
			out.length += h.length()
		}
	}
	return out, nil
}

// readText reads a file as a string: what is read as bytes would be copied as a whole.
func readText(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // read only
	var b strings.Builder
	if info, err := f.Stat(); err == nil {
		b.Grow(int(info.Size()))
	}
	_, err = io.Copy(&b, f)
	return b.String(), err
}

// openHeadLog opens a log for writing, rewritten without its stale records when those are
// the larger part.
func openHeadLog(name string, heads headSet) (*headLog, error) {
	if heads.stale > len(heads.byPath)+1000 {
		var b []byte
		for p, h := range heads.byPath {
			b = appendRecord(b, p, h)
		}
		if err := replaceFile(name, b); err != nil {
			return nil, fmt.Errorf("rewrite the heads: %w", err)
		}
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the heads: %w", err)
	}
	return &headLog{file: f}, nil
}

// replaceFile puts a new file in a name's place in one step.
func replaceFile(name string, src []byte) error {
	temp := name + ".tmp"
	if err := os.WriteFile(temp, src, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, name) //nolint:forbidigo // the cache folder is Handrail's own
}

func (l *headLog) append(records []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.Write(records); err != nil {
		return fmt.Errorf("save the heads: %w", err)
	}
	return nil
}

func (l *headLog) close() error { return l.file.Close() }
