package index

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSilenceQuality measures the floor on brains of several sizes and kinds: how many
// queries get the card that was written for them, and how many about other things get
// any. "Other" is by collection, not by reading.
func TestSilenceQuality(t *testing.T) {
	docs, later := duplicates(t)
	reports := slices.Sorted(maps.Keys(docs))
	type note struct{ title, body string }
	var notes []note
	til := unpack(t, "brain-til.tgz")
	// The list of all notes would answer everything.
	for _, p := range slices.Sorted(maps.Keys(til)) {
		if title, body, _ := strings.Cut(strings.TrimLeft(til[p], "# \n"), "\n"); len(body) > 200 && !strings.HasSuffix(p, "README.md") {
			notes = append(notes, note{strings.TrimSpace(title), body})
		}
	}
	drawn := rand.New(rand.NewPCG(2, 2))
	drawn.Shuffle(len(notes), func(i, j int) { notes[i], notes[j] = notes[j], notes[i] })
	drawn.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
	drawn.Shuffle(len(later), func(i, j int) { later[i], later[j] = later[j], later[i] })

	var titles, bodies, bugs, solutions []string
	for _, n := range notes[:600] {
		titles, bodies = append(titles, n.title), append(bodies, n.title+"\n"+n.body)
	}
	for _, q := range later[:600] {
		bugs = append(bugs, q.text)
	}
	for _, text := range unpack(t, "brain-solutions.tgz") {
		if _, rest, ok := strings.Cut(text, "\ntitle:"); ok {
			title, _, _ := strings.Cut(rest, "\n")
			solutions = append(solutions, strings.Trim(title, " \""))
		}
	}

	var table strings.Builder
	block := func(x *Index, text string) []Hit {
		hits, err := x.Search(context.Background(), Query{Text: text, Cards: true, Limit: 5, Strength: true})
		if err != nil {
			t.Fatal(err)
		}
		hits = Certain(hits)
		return hits
	}
	for _, size := range []int{20, 200, 2000} {
		for _, kind := range []string{"bug reports", "notes"} {
			var right, asked int
			var blocks, others [4]int
			brains := max(1, min(6, 600/size))
			for n := range brains {
				files := map[string]string{}
				var set []judged
				unrelatedTo := [][]string{titles, bodies, solutions, unrelated}
				if kind == "notes" {
					unrelatedTo = [][]string{bugs, nil, solutions, unrelated}
					for i, one := range notes[min(len(notes), n*size):min(len(notes), (n+1)*size)] {
						path := fmt.Sprintf("lessons/%04d.md", i)
						files[path] = one.body
						set = append(set, judged{one.title, []string{path}})
					}
					set = set[:min(len(set), 300)]
				} else {
					for _, id := range reports[n*size : (n+1)*size] {
						files["lessons/"+id] = docs[id]
					}
					for _, q := range later {
						if at := "lessons/" + q.relevant[0]; files[at] != "" {
							set = append(set, judged{q.text, []string{at}})
						}
					}
				}
				x := brainOf(t, files)
				for _, q := range set {
					asked++
					if slices.ContainsFunc(block(x, q.text), func(h Hit) bool { return slices.Contains(q.relevant, h.Card.Path) }) {
						right++
					}
				}
				for k, texts := range unrelatedTo {
					for _, text := range texts {
						others[k]++
						if len(block(x, text)) > 0 {
							blocks[k]++
						}
					}
				}
			}
			share := func(k int) float64 { return float64(blocks[k]) / float64(max(1, others[k])) }
			fmt.Fprintf(&table, "%-11s %4d  right %.3f of %4d  block for the other collection %.3f, in full %.3f, solutions %.3f, everyday %.3f\n",
				kind, size, float64(right)/float64(max(1, asked)), asked, share(0), share(1), share(2), share(3))
		}
	}
	t.Logf("\n%s", table.String())
	compareGolden(t, "silence.golden", table.String())
}
