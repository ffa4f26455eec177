package near

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/gofrs/flock"
	"gonum.org/v1/gonum/blas/gonum"
)

// Key names the text that a vector was made of.
type Key [16]byte

// header is the first line of the file: how many numbers a vector has, and the model. A
// change of what is embedded or how it is kept takes another version.
const header = "handrail vectors 2 %d %q\n"

// vectors holds one model's vectors in memory, unit rows in one flat slice, so that a
// search is one pass over it. Its file is the same: row i is record i (the key, the
// numbers, a checksum of both), and the last record takes the place of a removed one. The
// file may be lost. Any goroutine may search; one alone puts, keeps and closes, and writes
// the file without mu, since a search must not wait for a disk.
type vectors struct {
	model string
	lock  *flock.Flock

	file disk // nil for memory alone

	mu   sync.RWMutex // guards all below where it is not the one goroutine that reads
	dim  int          // 0 until the first vector
	keys []Key
	rows []float32
	at   map[Key]int
}

// disk is what is done with the file.
type disk interface {
	io.ReadCloser
	io.WriterAt
	Truncate(size int64) error
}

// openVectors reads the vectors of a model from the file in dir. Another model's, another
// version's and damaged ones are dropped. With an error they are kept in memory alone.
func openVectors(dir, model string) (v *vectors, err error) {
	v = &vectors{model: model, at: map[Key]int{}, lock: flock.New(filepath.Join(dir, "vectors.lock"))}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return v, fmt.Errorf("make the folder of vectors: %w", err)
	}
	if got, err := v.lock.TryLock(); err != nil || !got {
		return v, cmp.Or(err, errors.New("another process has the vectors open"))
	}
	file, err := os.OpenFile(filepath.Join(dir, "vectors.db"), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		v.file = file
		err = v.load()
	}
	return v, v.kept(err)
}

// load reads the file and cuts off what is torn. A damaged record is left out.
func (v *vectors) load() error {
	in := bufio.NewReaderSize(v.file, 1<<16)
	line, err := in.ReadSlice('\n')
	var model string
	if err == nil {
		_, err = fmt.Sscanf(string(line), header, &v.dim, &model)
	}
	if err != nil || model != v.model || v.dim <= 0 || v.dim > 1<<16 {
		return v.reset(0)
	}
	record := make([]byte, v.record())
	for slot := 0; ; slot++ {
		if _, err := io.ReadFull(in, record); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return v.file.Truncate(v.offset(len(v.keys)))
		} else if err != nil {
			return err
		}
		key, body := Key(record), record[:len(record)-4]
		if _, twice := v.at[key]; twice || crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(record[len(body):]) {
			continue
		}
		n := len(v.keys)
		v.at[key], v.keys = n, append(v.keys, key)
		for b := body[len(key):]; len(b) > 0; b = b[4:] {
			v.rows = append(v.rows, math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
		if n != slot {
			if err := v.write(n); err != nil {
				return err
			}
		}
	}
}

func (v *vectors) record() int { return len(Key{}) + 4*v.dim + 4 }

func (v *vectors) offset(row int) int64 {
	return int64(len(fmt.Sprintf(header, v.dim, v.model))) + int64(row)*int64(v.record())
}

func (v *vectors) row(i int) []float32 { return v.rows[i*v.dim : (i+1)*v.dim] }

// write puts a row where it belongs in the file.
func (v *vectors) write(row int) error {
	if v.file == nil {
		return nil
	}
	out := append(make([]byte, 0, v.record()), v.keys[row][:]...)
	for _, x := range v.row(row) {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	_, err := v.file.WriteAt(binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out)), v.offset(row))
	return err
}

// reset drops everything, for vectors of dim numbers.
func (v *vectors) reset(dim int) error {
	v.mu.Lock()
	v.dim, v.keys, v.rows, v.at = dim, nil, nil, map[Key]int{}
	v.mu.Unlock()
	if v.file == nil {
		return nil
	}
	err := v.file.Truncate(0)
	if err == nil && dim > 0 {
		_, err = v.file.WriteAt(fmt.Appendf(nil, header, dim, v.model), 0)
	}
	return err
}

// kept gives the file up when it cannot be written.
func (v *vectors) kept(err error) error {
	if err == nil {
		return nil
	}
	if v.file != nil {
		_ = v.file.Close() // its tail is cut when it is next opened
		v.file = nil
	}
	return fmt.Errorf("%w: %w", NotOnDisk, err)
}

func (v *vectors) close() {
	if v.file != nil {
		_ = v.file.Close() // a cache: what is lost is made again
		v.file = nil
	}
	_ = v.lock.Close()
}

// put keeps unit vectors. Those of another length than before take the place of all, which
// moved says. After NotOnDisk they are in memory.
func (v *vectors) put(made map[Key][]float32) (moved bool, err error) {
	dim := 0
	for _, x := range made {
		if dim == 0 {
			dim = len(x)
		}
		if len(x) != dim {
			return false, fmt.Errorf("%w: vectors of %d and %d numbers", BadAnswer, dim, len(x))
		}
	}
	if dim > 0 && dim != v.dim {
		moved = v.dim > 0
		err = v.kept(v.reset(dim))
	}
	return moved, cmp.Or(err, v.save(v.set(made)))
}

// set keeps vectors in memory and returns their rows.
func (v *vectors) set(made map[Key][]float32) (rows []int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key, x := range made {
		i, ok := v.at[key]
		if ok {
			copy(v.row(i), x)
		} else {
			i = len(v.keys)
			v.at[key], v.keys, v.rows = i, append(v.keys, key), append(v.rows, x...)
		}
		rows = append(rows, i)
	}
	return rows
}

// save writes rows.
func (v *vectors) save(rows []int) (err error) {
	for _, i := range rows {
		err = cmp.Or(err, v.kept(v.write(i)))
	}
	return err
}

// keep forgets every vector whose key is not live.
func (v *vectors) keep(live func(Key) bool) (removed int, err error) {
	before := len(v.keys)
	err = v.save(v.drop(live))
	if removed = before - len(v.keys); removed > 0 && v.file != nil {
		err = cmp.Or(err, v.kept(v.file.Truncate(v.offset(len(v.keys)))))
	}
	return removed, err
}

// drop takes vectors whose key is not live out of memory and returns the rows that are others now.
func (v *vectors) drop(live func(Key) bool) (rows []int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := 0; i < len(v.keys); {
		key, last := v.keys[i], len(v.keys)-1
		if live(key) {
			i++
			continue
		}
		copy(v.row(i), v.row(last))
		v.keys[i] = v.keys[last]
		v.at[v.keys[i]] = i
		delete(v.at, key)
		v.keys, v.rows = v.keys[:last], v.rows[:last*v.dim]
		if len(rows) == 0 || rows[len(rows)-1] != i {
			rows = append(rows, i)
		}
	}
	for len(rows) > 0 && rows[len(rows)-1] >= len(v.keys) {
		rows = rows[:len(rows)-1]
	}
	return rows
}

func (v *vectors) has(key Key) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	_, ok := v.at[key]
	return ok
}

// size returns how many vectors there are, and how many numbers each has.
func (v *vectors) size() (n, dim int) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.keys), v.dim
}

// Match is a text and how near it is.
type Match struct {
	Key    Key
	Names  []string // what the text is called
	Cosine float64
}

// Ranking is how near all texts are to one. Mean and Deviation describe the cosines, which
// every model spreads over a range of its own. The zero one is of no model.
type Ranking struct {
	Best            []Match // nearest first
	Count           int     // of all texts
	Mean, Deviation float64
}

// split is how many rows are worth a goroutine.
const split = 2048

// nearest ranks all vectors by their cosine with the unit vector q; the best limit of them
// by key. A vector of another length is near to nothing.
func (v *vectors) nearest(q []float32, limit int) Ranking {
	v.mu.RLock()
	defer v.mu.RUnlock()
	n := len(v.keys)
	if len(q) != v.dim || n == 0 || limit <= 0 {
		return Ranking{}
	}
	cosines := make([]float32, n)
	parts := min(runtime.GOMAXPROCS(0), (n+split-1)/split)
	var wg sync.WaitGroup
	for part := range parts {
		wg.Go(func() {
			for i := part * n / parts; i < (part+1)*n/parts; i++ {
				// In assembly on amd64, which a loop in Go cannot match; see BenchmarkNearest.
				cosines[i] = gonum.Implementation{}.Sdot(v.dim, q, 1, v.row(i), 1)
			}
		})
	}
	wg.Wait()

	out := Ranking{Count: n}
	var sum, squares float64
	for i, c := range cosines {
		sum += float64(c)
		squares += float64(c) * float64(c)
		if match := (Match{Key: v.keys[i], Cosine: float64(c)}); len(out.Best) < limit || nearer(match, out.Best[limit-1]) < 0 {
			at, _ := slices.BinarySearchFunc(out.Best, match, nearer)
			out.Best = slices.Insert(out.Best, at, match)[:min(limit, len(out.Best)+1)]
		}
	}
	out.Mean = sum / float64(n)
	out.Deviation = math.Sqrt(max(0, squares/float64(n)-out.Mean*out.Mean))
	return out
}

func nearer(a, b Match) int {
	return cmp.Or(-cmp.Compare(a.Cosine, b.Cosine), slices.Compare(a.Key[:], b.Key[:]))
}

// unit returns v with length one, and false for one without a direction.
func unit(v []float32) ([]float32, bool) {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if squares == 0 || math.IsNaN(squares) || math.IsInf(squares, 0) {
		return nil, false
	}
	out, norm := make([]float32, len(v)), math.Sqrt(squares)
	for i, x := range v {
		out[i] = float32(float64(x) / norm)
	}
	return out, true
}
