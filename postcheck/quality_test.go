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
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/handrail-dev/handrail/lessons"
)

func cardOf(items ...string) lessons.Card {
	c := lessons.Card{Path: "lessons/a.md", Title: "A", Kind: lessons.Lesson}
	for i, it := range items {
		c.Items = append(c.Items, lessons.Item{Text: it, Line: i + 10})
	}
	return c
}

// sample is a labelled item and what the words of a turn say of it.
type sample struct {
	share          float64 // of it that is shown
	here           bool    // its card speaks of the turn
	applies, shown bool    // as labelled
}

// sampleOf looks at an item of a card after a turn; ok is false where no words decide.
func sampleOf(t Turn, c lessons.Card, item string) (s sample, ok bool) {
	r, w := read(t), understand(item)
	if !t.Holds() || len(w) == 0 {
		return s, false
	}
	s.here, _ = about(t, c, r, readText(t.Request))
	s.share, _, _, _ = r.look(w, 0, r.deeds)
	return s, true
}

var pairHead = regexp.MustCompile(`(?m)^-- (\d+ \S+ .*) --\n`)

// made returns the pairs that were made up for tests: all of them apply.
func made(t testing.TB) (out []sample) {
	t.Helper()
	add := func(item, answer string, shown bool) {
		if s, ok := sampleOf(Turn{Answer: answer}, cardOf(item), item); ok {
			s.applies, s.shown = true, shown
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
			add(item, answer, mark == "- [x")
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
						s.applies, s.shown = part[1] == "yes", part[2] == "kept"
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

// TestFit prints what the judgement by words is worth.
func TestFit(t *testing.T) {
	real, invented := found(t), made(t)
	if len(real) == 0 {
		t.Skip("no real pairs: set HANDRAIL_DATA to a folder that holds real/answers.jsonl.gz")
	}
	var asked, warned, own score
	for _, s := range real {
		if s.applies {
			asked.add(!s.shown, s.share < most)
		}
		warned.add(s.applies && !s.shown, s.here && s.share < most)
	}
	for _, s := range invented {
		own.add(!s.shown, s.share < most)
	}
	t.Logf("real\nof those that apply, asked:  %v\nof all, unasked:  %v", asked, warned)
	t.Logf("made up, asked  %v", own)
}
