package index

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// docsRoot is where the pages of the bilingual brain lie, one folder a language.
const docsRoot = "astro/src/content/docs/"

// questions reads a set of the project's own: paths, a tab, a text; halves by line.
func questions(t testing.TB, name string) (dev, test []judged) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "testdata", "quality", name))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(src)) {
		paths, text, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		j := judged{text: text}
		for p := range strings.SplitSeq(paths, ",") {
			j.relevant = append(j.relevant, docsRoot+p+".md")
		}
		if n++; n%2 == 1 {
			dev = append(dev, j)
		} else {
			test = append(test, j)
		}
	}
	return dev, test
}

// unpack returns the Markdown files of a brain among the real data.
func unpack(t testing.TB, archive string) map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(dataDir(t), archive))
	if err != nil {
		t.Skipf("no %s: set HANDRAIL_DATA to a folder that holds it", archive)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || !strings.HasSuffix(h.Name, ".md") {
			continue
		}
		src, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(h.Name, "./")] = string(src)
	}
}

// inOtherLanguage names a page's translation.
func inOtherLanguage(path string) string {
	if rest, ok := strings.CutPrefix(path, docsRoot+"ko/"); ok {
		return docsRoot + "en/" + rest
	}
	return docsRoot + "ko/" + strings.TrimPrefix(path, docsRoot+"en/")
}

// graded is a set's figures by the ten best.
type graded struct {
	n               int
	hit1, hit5, ten float64
	mrr, ndcg       float64
	misses          []string
}

func (g graded) String() string {
	return fmt.Sprintf("n %d  hit@1 %.3f  hit@5 %.3f  hit@10 %.3f  MRR@10 %.3f  nDCG@10 %.3f", g.n, g.hit1, g.hit5, g.ten, g.mrr, g.ndcg)
}

// join adds what another brain came to.
func (g *graded) join(o graded) {
	n, m := float64(g.n), float64(o.n)
	for _, f := range []struct{ to, from *float64 }{{&g.hit1, &o.hit1}, {&g.hit5, &o.hit5}, {&g.ten, &o.ten}, {&g.mrr, &o.mrr}, {&g.ndcg, &o.ndcg}} {
		*f.to = (*f.to*n + *f.from*m) / max(1, n+m)
	}
	g.n += o.n
}

// grade asks every question of a set. A page counts once, and of several right ones any
// is as good as another, so that nDCG is 1 when the first is right.
func grade(t testing.TB, x *Index, set []judged) graded {
	t.Helper()
	g := graded{n: len(set)}
	for _, j := range set {
		hits, err := x.Search(context.Background(), Query{Text: j.text, Cards: true, Notes: true})
		if err != nil {
			t.Fatal(err)
		}
		at := 1 + slices.IndexFunc(hits, func(h Hit) bool { return slices.Contains(j.relevant, h.Card.Path) })
		if at > 0 {
			g.ten++
			g.mrr += 1 / float64(at)
			g.ndcg += 1 / math.Log2(float64(at)+1)
		}
		if at == 1 {
			g.hit1++
		}
		if 1 <= at && at <= 5 {
			g.hit5++
		}
		if at != 1 {
			first := "nothing"
			if len(hits) > 0 {
				first = hits[0].Card.Path + " by " + strings.Join(hits[0].Terms, ", ")
			}
			g.misses = append(g.misses, fmt.Sprintf("place %d: %s: %s; first is %s", at, strings.TrimPrefix(j.relevant[0], docsRoot), j.text, strings.TrimPrefix(first, docsRoot)))
		}
	}
	n := float64(max(1, g.n))
	g.hit1, g.hit5, g.ten, g.mrr, g.ndcg = g.hit1/n, g.hit5/n, g.ten/n, g.mrr/n, g.ndcg/n
	return g
}

// TestSetsQuality measures every set on real data. A change of ranking shows in the golden
// file, with the questions of the development halves that are not answered first; rewrite
// it with -update and look at what went where.
func TestSetsQuality(t *testing.T) {
	reports, later := duplicates(t)
	pages := unpack(t, "brain-astro-en-ko.tgz")
	koreanDev, koreanTest := questions(t, "korean.tsv")
	namesDev, namesTest := questions(t, "korean-names.tsv")
	othersDev, othersTest := questions(t, "korean-others.tsv")
	mixedDev, mixedTest := questions(t, "mixed.tsv")
	apart := maps.Clone(pages) // without the translations of what is asked for
	for _, j := range slices.Concat(mixedDev, mixedTest) {
		for _, p := range j.relevant {
			delete(apart, inOtherLanguage(p))
		}
	}
	inBoth, inOne := brainOf(t, pages), brainOf(t, apart)
	var table, misses strings.Builder
	for _, s := range []struct {
		name string
		x    *Index
		set  []judged
		show bool
	}{
		{"later bug reports", brainOf(t, reports), later, false},
		{"Korean, development", inBoth, koreanDev, true},
		{"Korean, test", inBoth, koreanTest, false},
		{"names, development", inBoth, namesDev, true},
		{"names, test", inBoth, namesTest, false},
		{"others, development", inBoth, othersDev, true},
		{"others, test", inBoth, othersTest, false},
		{"mixed, development", inOne, mixedDev, true},
		{"mixed, test", inOne, mixedTest, false},
	} {
		g := grade(t, s.x, s.set)
		fmt.Fprintf(&table, "%-22s %v\n", s.name, g)
		if s.show {
			fmt.Fprintf(&misses, "\n%s\n%s\n", s.name, strings.Join(g.misses, "\n"))
		}
	}
	long := sessions(t)
	for _, name := range slices.Sorted(maps.Keys(long)) {
		var all graded
		for _, b := range long[name] {
			all.join(grade(t, brainOf(t, b.files), b.asked))
		}
		fmt.Fprintf(&table, "%-22s %v\n", name, all)
	}
	t.Logf("\n%s", table.String())
	compareGolden(t, "sets.golden", table.String()+misses.String())
}
