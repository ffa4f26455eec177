package postcheck

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"handrail/lessons"
)

var fit = flag.Bool("fit", false, "rewrite weights.txt from the pairs of testdata and, by their labels, those of HANDRAIL_DATA")

func cardOf(items ...string) lessons.Card {
	c := lessons.Card{Path: "lessons/a.md", Title: "A", Kind: lessons.Lesson}
	for i, it := range items {
		c.Items = append(c.Items, lessons.Item{Text: it, Line: i + 10})
	}
	return c
}

func even(string) float64 { return 1 }

// sample is an item and a turn as the decision sees them.
type sample struct {
	set     string
	x       vector
	applies bool
	here    bool
	settled bool // whether it is shown was labelled
	shown   bool
	real    bool
}

// sampleOf looks at an item of a card after a turn; ok is false where it is decided without the weights.
func sampleOf(t Turn, c lessons.Card, item string) (s sample, ok bool) {
	r, w := read(t), understand(item, even)
	if !t.Holds() || len(w.units) == 0 || r.whole[w.key] {
		return s, false
	}
	a := aboutOf(t, c, even, r, readRequest(t.Request))
	s.here = a.here()
	s.x, _, _, _ = r.look(w)
	return s, true
}

var pairHead = regexp.MustCompile(`(?m)^-- (\d+ \S+ .*) --\n`)

// made returns the pairs that were made up for tests, in halves: all of them apply.
func made(t testing.TB) (out []sample) {
	t.Helper()
	add := func(set, item, answer string, shown bool) {
		if s, ok := sampleOf(Turn{Answer: answer}, cardOf(item), item); ok {
			s.set, s.applies, s.settled, s.shown = set, true, true, shown
			out = append(out, s)
		}
	}
	data, err := os.ReadFile(filepath.Join("..", "testdata", "postcheck", "pairs.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	heads := pairHead.FindAllIndex(data, -1)
	for i, h := range heads {
		end := len(data)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		list, answer, _ := strings.Cut(string(data[h[1]:end]), "\n\n")
		for line := range strings.SplitSeq(list, "\n") {
			mark, item, _ := strings.Cut(line, "] ")
			add([]string{"even", "odd"}[i%2], item, answer, mark == "- [x")
		}
	}
	return out
}

// found returns the labelled pairs of real answers and items, whose texts are in HANDRAIL_DATA.
func found(t testing.TB) (out []sample) {
	t.Helper()
	dir := os.Getenv("HANDRAIL_DATA")
	if dir == "" {
		return nil
	}
	labels := map[string][]string{}
	data, err := os.ReadFile(filepath.Join("..", "testdata", "postcheck", "labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if row := strings.Fields(line); len(row) == 4 && row[0] != "#" {
			labels[row[0]] = append(labels[row[0]], strings.Join(row[1:], " "))
		}
	}
	cards := brains(t, filepath.Join(dir, "real", "rule-brains.tgz"))
	f, err := os.Open(filepath.Join(dir, "real", "answers.jsonl.gz"))
	if err != nil {
		t.Skipf("no real answers: %v", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var row struct{ Repo, Request, Answer string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		for _, l := range labels[digest(row.Answer)] {
			part := strings.Fields(l)
			for _, c := range cards[row.Repo] {
				for _, it := range c.Items {
					if digest(c.Path+"\n"+it.Text) != part[0] {
						continue
					}
					if s, ok := sampleOf(Turn{Request: row.Request, Answer: row.Answer}, c, it.Text); ok && part[1] != "unsure" {
						s.set, s.real, s.applies, s.settled, s.shown = row.Repo, true, part[1] == "yes", part[1] == "yes", part[2] == "kept"
						out = append(out, s)
					}
				}
			}
		}
	}
	return out
}

// digest is how labels name a text without holding it.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// brains returns the cards of an archive of brains, by repository.
func brains(t testing.TB, name string) map[string][]lessons.Card {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("no real cards: %v", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]lessons.Card{}
	for files := tar.NewReader(z); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		part := strings.SplitN(strings.TrimPrefix(h.Name, "./"), "/", 2)
		if len(part) < 2 || !strings.HasSuffix(h.Name, ".md") {
			continue
		}
		if c, _ := lessons.Parse(part[1], text); c.Kind.IsCard() {
			repo := strings.Replace(part[0], "+", "/", 1)
			out[repo] = append(out[repo], c)
		}
	}
}

// score counts how items were judged; a hit is a rightly open one.
type score struct{ hit, missed, wrong, right int }

func (s *score) add(open, said bool) {
	switch {
	case open && said:
		s.hit++
	case open:
		s.missed++
	case said:
		s.wrong++
	default:
		s.right++
	}
}

func (s score) String() string {
	p, r := float64(s.hit)/float64(max(s.hit+s.wrong, 1)), float64(s.hit)/float64(max(s.hit+s.missed, 1))
	return fmt.Sprintf("of %4d open %4d found, %4d wrong, %4d right: P %.3f R %.3f F1 %.3f", s.hit+s.missed, s.hit, s.wrong, s.right, p, r, 2*p*r/max(p+r, 1e-9))
}

// learn fits the weights to what applies. A real pair counts as much as four that were made up.
func learn(real, invented []sample) vector {
	settled := slices.DeleteFunc(slices.Clone(real), func(s sample) bool { return !s.settled })
	return logistic(slices.Concat(settled, invented), ridge)
}

// ridge keeps weights small: the pairs are few.
const ridge = 1.0

// logistic fits weights by Newton's method.
func logistic(data []sample, ridge float64) (w vector) {
	for range 30 {
		var grad vector
		var hess [factsCount][factsCount]float64
		for _, s := range data {
			p := 1 / (1 + math.Exp(-s.x.dot(&w)))
			y := 0.0
			if s.shown {
				y = 1
			}
			for i := range s.x {
				grad[i] += (y - p) * s.x[i]
				for j := range s.x {
					hess[i][j] += p * (1 - p) * s.x[i] * s.x[j]
				}
			}
		}
		for i := range w {
			hess[i][i] += 1e-6
			if i != always {
				grad[i] -= ridge * w[i]
				hess[i][i] += ridge
			}
		}
		for i, step := range solve(hess, grad) {
			w[i] += step
		}
	}
	return w
}

// solve returns x of a·x = b, by elimination.
func solve(a [factsCount][factsCount]float64, b vector) vector {
	for i := range b {
		p := i
		for r := i + 1; r < len(b); r++ {
			if math.Abs(a[r][i]) > math.Abs(a[p][i]) {
				p = r
			}
		}
		a[i], a[p], b[i], b[p] = a[p], a[i], b[p], b[i]
		for r := i + 1; r < len(b); r++ {
			f := a[r][i] / a[i][i]
			for c := i; c < len(b); c++ {
				a[r][c] -= f * a[i][c]
			}
			b[r] -= f * b[i]
		}
	}
	for i := len(b) - 1; i >= 0; i-- {
		for c := i + 1; c < len(b); c++ {
			b[i] -= a[i][c] * b[c]
		}
		b[i] /= a[i][i]
	}
	return b
}

// TestFit prints what the judgement by words is worth with whole repositories left out; -fit learns the weights anew.
func TestFit(t *testing.T) {
	real, invented := found(t), made(t)
	if len(real) == 0 {
		t.Skip("no real pairs: set HANDRAIL_DATA to a folder that holds real/answers.jsonl.gz")
	}
	var sets []string
	for _, s := range real {
		if !slices.Contains(sets, s.set) {
			sets = append(sets, s.set)
		}
	}
	var asked, warned score
	for _, set := range sets {
		in := func(s sample) bool { return s.set == set }
		w := learn(slices.DeleteFunc(slices.Clone(real), in), invented)
		for _, s := range real {
			if in(s) {
				z := s.x.dot(&w)
				if s.applies {
					asked.add(!s.shown, z < shownAt || s.x[inOne] < half)
				}
				warned.add(s.applies && !s.shown, s.here && (z < shownAt || s.x[inOne] < half))
			}
		}
	}
	t.Logf("real, repositories left out\nof those that apply, asked:  %v\nof all, unasked:  %v", asked, warned)
	var own score
	for _, set := range []string{"even", "odd"} {
		in := func(s sample) bool { return s.set == set }
		w := learn(real, slices.DeleteFunc(slices.Clone(invented), in))
		for _, s := range invented {
			if in(s) {
				own.add(!s.shown, s.x.dot(&w) < shownAt || s.x[inOne] < half)
			}
		}
	}
	t.Logf("made up, sets left out, asked  %v", own)
	w := learn(real, invented)
	var b strings.Builder
	b.WriteString("# fact, and what it adds to the log odds that an item is shown. Learned by TestFit; do not edit.\n")
	for i, n := range factNames {
		fmt.Fprintf(&b, "%s %.3f\n", n, w[i])
	}
	if *fit {
		if err := os.WriteFile("weights.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if b.String() != weightsText {
		t.Error("weights.txt is not what the pairs make; rewrite it with -fit")
	}
}
