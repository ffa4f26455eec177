package near

import (
	"bufio"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func openIn(t *testing.T, dir, model string) *vectors {
	t.Helper()
	v, err := openVectors(dir, model)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.close)
	return v
}

func (v *vectors) fill(t *testing.T, n, dim int) {
	t.Helper()
	for i := range n {
		if _, err := v.put(map[Key][]float32{keyOf(i): direction(t, i, dim)}); err != nil {
			t.Fatal(err)
		}
	}
}

// holds fails unless these vectors and no others are there, each under its own key.
func (v *vectors) holds(t *testing.T, dim int, want ...int) {
	t.Helper()
	if n, _ := v.size(); n != len(want) {
		t.Errorf("%d vectors, not %d", n, len(want))
	}
	for _, i := range want {
		if best := v.nearest(direction(t, i, dim), 1).Best; len(best) == 0 || best[0].Key != keyOf(i) || best[0].Cosine < .999 {
			t.Errorf("the vector of %d came back as %v", i, best)
		}
	}
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// TestVectorsAreKept: what was put, replaced and removed is so when the file is opened
// again; another model begins with nothing.
func TestVectorsAreKept(t *testing.T) {
	dir := t.TempDir()
	v := openIn(t, dir, "m")
	v.fill(t, 20, 8)
	if n, err := v.keep(func(k Key) bool { return binary.LittleEndian.Uint64(k[:]) > 5 && k != keyOf(19) }); n != 6 || err != nil {
		t.Fatalf("removed %d: %v", n, err)
	}
	left := upTo(19)[5:]
	v.holds(t, 8, left...)
	v.close()
	if info, err := os.Stat(filepath.Join(dir, "vectors.db")); err != nil || info.Size() != v.offset(len(left)) {
		t.Errorf("the file has %d bytes: %v", info.Size(), err)
	}
	v = openIn(t, dir, "m")
	v.holds(t, 8, left...)
	v.fill(t, 3, 16)
	v.holds(t, 16, 0, 1, 2)
	v.close()
	v = openIn(t, dir, "m")
	v.holds(t, 16, 0, 1, 2)
	v.close()
	v = openIn(t, dir, "other")
	v.holds(t, 16)
	v.fill(t, 2, 8)
	v.holds(t, 8, 0, 1)
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	v := openIn(t, dir, "m")
	v.fill(t, 2, 8)
	second, err := openVectors(dir, "m")
	if !errors.Is(err, NotOnDisk) && err == nil || second.file != nil {
		t.Fatalf("the second one gets %v", err)
	}
	second.fill(t, 3, 8) // in memory
	second.holds(t, 8, 0, 1, 2)
	second.close()
	v.close()
	openIn(t, dir, "m").holds(t, 8, 0, 1)
}

// TestDamage damages the file in the ways that disks do: what is whole stays, and the file
// goes on being of use.
func TestDamage(t *testing.T) {
	const n, dim = 30, 8
	record := (&vectors{dim: dim}).record()
	first := int((&vectors{dim: dim, model: "m"}).offset(0))
	for name, c := range map[string]struct {
		harm func([]byte) []byte
		want []int
	}{
		"torn":         {func(b []byte) []byte { return b[:len(b)-3] }, upTo(n - 1)},
		"cut":          {func(b []byte) []byte { return b[:first+4*record] }, upTo(4)},
		"tail":         {func(b []byte) []byte { return append(b, "rubbish"...) }, upTo(n)},
		"first record": {func(b []byte) []byte { b[first+20] ^= 1; return b }, upTo(n)[1:]},
		"key":          {func(b []byte) []byte { b[first] ^= 1; return b }, upTo(n)[1:]},
		"twice":        {func(b []byte) []byte { return append(b, b[first:first+record]...) }, upTo(n)},
		"zeroed":       {func(b []byte) []byte { clear(b[first+record:]); return b }, upTo(1)},
		"header":       {func(b []byte) []byte { b[0] = 'x'; return b }, nil},
		"version":      {func(b []byte) []byte { return []byte(strings.Replace(string(b), "vectors 2", "vectors 1", 1)) }, nil},
		"no vectors":   {func([]byte) []byte { return []byte("handrail vectors 2 0 \"m\"\n") }, nil},
		"huge":         {func([]byte) []byte { return []byte("handrail vectors 2 99999999999 \"m\"\n") }, nil},
		"no line":      {func(b []byte) []byte { return make([]byte, 1<<17) }, nil},
		"empty":        {func([]byte) []byte { return nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			v := openIn(t, dir, "m")
			v.fill(t, n, dim)
			v.close()
			path := filepath.Join(dir, "vectors.db")
			src, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, c.harm(src), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			v = openIn(t, dir, "m")
			v.holds(t, dim, c.want...)
			v.close()
			v = openIn(t, dir, "m") // as it was put right
			v.holds(t, dim, c.want...)
			v.fill(t, n+2, dim)
			v.close()
			openIn(t, dir, "m").holds(t, dim, upTo(n+2)...)
		})
	}
}

// TestFileThatCannotBeWritten: what cannot be kept is in memory, and said once.
func TestFileThatCannotBeWritten(t *testing.T) {
	v := openIn(t, t.TempDir(), "m")
	v.fill(t, 2, 8)
	v.file.Close()
	if _, err := v.put(map[Key][]float32{keyOf(2): direction(t, 2, 8)}); !errors.Is(err, NotOnDisk) {
		t.Errorf("%v", err)
	}
	v.fill(t, 4, 8)
	v.holds(t, 8, 0, 1, 2, 3)
}

// busyDisk calls busy while it writes.
type busyDisk struct {
	disk
	busy func(what string)
}

func (d busyDisk) WriteAt(p []byte, at int64) (int, error) {
	d.busy("write")
	return d.disk.WriteAt(p, at)
}

func (d busyDisk) Truncate(size int64) error {
	d.busy("truncate")
	return d.disk.Truncate(size)
}

// TestSearchesDoNotWaitForTheDisk: while it writes and cuts, what there is can be searched.
func TestSearchesDoNotWaitForTheDisk(t *testing.T) {
	dir := t.TempDir()
	v := openIn(t, dir, "m")
	seen := map[string]bool{}
	v.file = busyDisk{v.file, func(what string) {
		seen[what] = true
		if !v.mu.TryRLock() {
			t.Fatalf("a search waits for a %s", what)
		}
		v.mu.RUnlock()
	}}
	v.fill(t, 20, 8)
	v.fill(t, 20, 16) // another length: all of it anew
	if n, err := v.keep(func(k Key) bool { return k != keyOf(3) && k != keyOf(19) }); n != 2 || err != nil {
		t.Fatalf("removed %d: %v", n, err)
	}
	if !seen["write"] || !seen["truncate"] {
		t.Errorf("the disk did %v", seen)
	}
	v.close()
	openIn(t, dir, "m").holds(t, 16, slices.Concat(upTo(3), upTo(19)[4:])...)
}

// writeBatches is what TestKilledWhileWriting kills: it keeps batches of ten for ever and
// says when each is on disk.
func writeBatches(dir string) error {
	s, err := openVectors(dir, "m")
	if err != nil {
		return err
	}
	for batch := 0; ; batch++ {
		all := map[Key][]float32{}
		for i := range 10 {
			v := make([]float32, 16)
			v[i] = 1
			all[keyOf(10*batch+i)] = v
		}
		if _, err := s.put(all); err != nil {
			return err
		}
		os.Stdout.WriteString(strconv.Itoa(batch) + "\n")
	}
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("HANDRAIL_TEST_WRITES"); dir != "" {
		os.Stderr.WriteString(writeBatches(dir).Error())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestKilledWhileWriting holds that a batch which was said to be kept is, and a vector there whole or
// not at all.
func TestKilledWhileWriting(t *testing.T) {
	for round := range 3 {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "HANDRAIL_TEST_WRITES="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last := -1
		lines := bufio.NewScanner(out)
		for last < 5+7*round && lines.Scan() {
			if last, err = strconv.Atoi(strings.TrimSpace(lines.Text())); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		if last < 5 {
			t.Fatalf("it ended by itself after batch %d", last)
		}
		v := openIn(t, dir, "m")
		if n, _ := v.size(); n < 10*(last+1) {
			t.Errorf("%d vectors after batch %d", n, last)
		}
		for i := range v.keys {
			if c := cosine(v.row(i), v.row(i)); c != 1 {
				t.Errorf("row %d has the length %g", i, c)
			}
		}
	}
}
