package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestStrengthDoesNotGrowWithLength holds that words scattered over a long card are chance,
// and that the same words in one passage of it, or in its title, are not.
func TestStrengthDoesNotGrowWithLength(t *testing.T) {
	const query = "rotate the signing certificate of the payment webhook"
	words := []string{"rotate", "signing", "certificate", "payment", "webhook"}
	filler := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "Paragraph %d tells of harbours, lanterns and ropes number %d.\n\n", i, i*7)
		}
		return b.String()
	}
	scattered := func(gap int) string {
		var b strings.Builder
		for _, w := range words {
			b.WriteString(filler(gap) + "Here the " + w + " is named.\n\n" + filler(gap))
		}
		return b.String()
	}
	together := "The payment webhook fails after we rotate its signing certificate.\n\n"
	for _, tt := range []struct {
		name, title, body string
		certain           bool
	}{
		{"a short card that says it", "Lanterns", together, true},
		{"a long card that says it in one place", "Webhooks of the harbour", filler(120) + together + filler(120), true},
		{"a long card that has it in its title", "Rotate the signing certificate of the webhook", filler(240), true},
		{"a card with the words far apart", "Lanterns", scattered(10), false},
		{"a long card with the words far apart", "Lanterns", scattered(60), false},
		{"a card that has it in its evidence alone", "Lanterns", filler(2) + "## Evidence\n\n" + together, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"lessons/a.md": "# " + tt.title + "\n\n" + tt.body}
			for i := range 10 {
				files[fmt.Sprintf("lessons/other-%d.md", i)] = fmt.Sprintf("# Other %d\n\nSomething about kettle number %d.\n", i, i)
			}
			hits, err := brainOf(t, files).Search(context.Background(), Query{Text: query, Cards: true, Strength: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(Certain(hits)) > 0; got != tt.certain {
				t.Errorf("certain %t, want %t: %+v", got, tt.certain, hits)
			}
		})
	}
}

// TestEvidenceIsFound holds that a search finds a card by its evidence, behind one that says it.
func TestEvidenceIsFound(t *testing.T) {
	files := map[string]string{
		"lessons/shown.md": "# Lanterns\n\nThey hang.\n\n## 증거\n\n```diff\n-return sorted_orders(shop)\n```\n",
		"lessons/said.md":  "# Reports call sorted_orders twice\n\nOnce is enough.\n",
	}
	hits, err := brainOf(t, files).Search(context.Background(), Query{Text: "sorted_orders", Cards: true})
	if err != nil || len(hits) != 2 || hits[1].Card.Path != "lessons/shown.md" {
		t.Errorf("%+v, %v", hits, err)
	}
}

// TestStrongestGoFirst holds that hits are ordered by strength, with what their paths add, so
// that the surest card is among the first however many others have a higher score.
func TestStrongestGoFirst(t *testing.T) {
	files := map[string]string{"lessons/surest.md": "---\ntype: lesson\npaths: [\"billing/hook.go\"]\n---\n# Rotate the invoice webhook certificate\n\n" + strings.Repeat("It stands beside the harbour.\n\n", 60)}
	for i := range 30 {
		files[fmt.Sprintf("lessons/%02d.md", i)] = fmt.Sprintf("---\ntype: lesson\nseverity: high\n---\n# Rotate the invoice kettle %d\n", i)
	}
	x := brainOf(t, files)
	q := Query{Text: "invoice webhook certificate rotate", Cards: true, Limit: 20, Strength: true}
	without, err := x.Search(context.Background(), q)
	if err != nil || len(without) == 0 || without[0].Card.Path != "lessons/surest.md" {
		t.Fatalf("%v, %+v", err, without)
	}
	q.Files = []string{"billing/hook.go"}
	with, err := x.Search(context.Background(), q)
	if err != nil || with[0].Strength != pathsLift*without[0].Strength {
		t.Errorf("%v: %v with its file, %v without", err, with[0].Strength, without[0].Strength)
	}
	if stands, err := x.Explain(context.Background(), q, "lessons/surest.md"); err != nil || stands.Hit.Strength != with[0].Strength {
		t.Errorf("explained as %+v, %v", stands, err)
	}
}

// TestCertain holds that each hit is judged by itself: a strong one lifts no other.
func TestCertain(t *testing.T) {
	hit := func(kind string, strength float64) Hit {
		var h Hit
		if kind != "note" {
			h.Card.Kind = "lesson"
		}
		h.Strength = strength
		return h
	}
	for _, tt := range []struct {
		name string
		hits []Hit
		want int
	}{
		{"nothing", nil, 0},
		{"below the floor", []Hit{hit("lesson", 0.99), hit("note", 0.5)}, 0},
		{"beside a strong one", []Hit{hit("lesson", 2), hit("lesson", 1), hit("note", 0.9)}, 2},
	} {
		if got := Certain(tt.hits); len(got) != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, len(got), tt.want)
		}
	}
}

// TestTheEndingOfAFilesNameIsNoWord: a request that names tasks.md is about tasks.
func TestTheEndingOfAFilesNameIsNoWord(t *testing.T) {
	for text, want := range map[string][]string{
		"tasks.md":        {"tasks.md", "task"},
		"src/user_id.ts":  {"src/user_id.ts", "src", "user", "id"},
		"strings.Builder": {"strings.builder", "string", "builder"},
	} {
		var got []string
		for _, u := range parse(text).units {
			got = append(got, u.word)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
