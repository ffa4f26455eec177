package index

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// joined is a brain of long files: several texts in each, and what asks for one of them.
type joined struct {
	files map[string]string
	asked []judged
}

// said is a text with the question that it answers.
type said struct{ text, asks string }

// join writes so many texts into each of so many files, and makes brains as long as
// there are texts; write renders the n-th text of a file.
func join(texts []said, perFile, files int, write func(n int, t said) said) []joined {
	var out []joined
	for ; len(texts) >= perFile*files; texts = texts[perFile*files:] {
		b := joined{files: map[string]string{}}
		for i := range files {
			name := fmt.Sprintf("notes/session-%03d.md", i+1)
			var s strings.Builder
			fmt.Fprintf(&s, "# Session %d\n\n", i+1)
			for n, t := range texts[i*perFile : (i+1)*perFile] {
				t = write(n, t)
				s.WriteString(t.text + "\n\n")
				if t.asks != "" {
					b.asked = append(b.asked, judged{t.asks, []string{name}})
				}
			}
			b.files[name] = s.String()
		}
		out = append(out, b)
	}
	return out
}

func plainly(_ int, t said) said { return t }

// spoken puts a text into the mouths of two people, paragraph by paragraph, so that both
// names are everywhere, and asks what one of them said.
func spoken(n int, t said) said {
	who := []string{"Caroline", "Melanie"}
	var out []string
	for i, p := range strings.Split(t.text, "\n\n") {
		out = append(out, fmt.Sprintf("**%s:** %s", who[(i+n)%2], p))
	}
	ask := []string{"What did %s say about: %s", "When did %s find out how to %s?", "How did %s %s?"}[n%3]
	return said{strings.Join(out, "\n\n"), fmt.Sprintf(ask, who[n%2], t.asks)}
}

// sessions returns sets of long texts and short questions: developers' notes asked for by
// their titles, which were taken out, and bug reports by the first words of later ones.
func sessions(t testing.TB) map[string][]joined {
	t.Helper()
	shuffled := rand.New(rand.NewPCG(1, 1))
	var notes []said
	til := unpack(t, "brain-til.tgz")
	for _, p := range slices.Sorted(maps.Keys(til)) {
		title, body, _ := strings.Cut(strings.TrimLeft(til[p], "# \n"), "\n")
		if len(strings.Fields(title)) > 2 && len(body) > 200 {
			notes = append(notes, said{strings.TrimSpace(body), strings.TrimSpace(title)})
		}
	}
	shuffled.Shuffle(len(notes), func(i, j int) { notes[i], notes[j] = notes[j], notes[i] })
	docs, later := duplicates(t)
	first := map[string]string{} // by report, a later one's first words
	for _, q := range later {
		words := strings.Fields(q.text)
		first[q.relevant[0]] = strings.Join(words[:min(12, len(words))], " ")
	}
	var reports []said
	for _, p := range slices.Sorted(maps.Keys(docs)) {
		reports = append(reports, said{strings.TrimPrefix(docs[p], "# "), first[p]})
	}
	shuffled.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
	return map[string][]joined{
		"notes, one a file":     join(notes, 1, len(notes), plainly),
		"notes, ten a file":     join(notes, 10, len(notes)/10, plainly),
		"notes as talks":        join(notes, 12, 27, spoken),
		"reports, eight a file": join(reports, 8, 40, plainly),
	}
}
