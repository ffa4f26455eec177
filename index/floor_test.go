package index

import (
	"context"
	"fmt"
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
		{"a long card that says it in one place", "Lanterns", filler(120) + together + filler(120), true},
		{"a long card that has it in its title", "Rotate the signing certificate of the webhook", filler(240), true},
		{"a card with the words far apart", "Lanterns", scattered(10), false},
		{"a long card with the words far apart", "Lanterns", scattered(60), false},
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

// TestCertain holds that cards and notes are judged apart, each by the best of its kind.
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
		{"near the best", []Hit{hit("lesson", 2), hit("lesson", 0.81), hit("lesson", 0.79)}, 2},
		{"notes lift no card", []Hit{hit("note", 3), hit("lesson", 0.9)}, 1},
	} {
		if got := Certain(tt.hits); len(got) != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, len(got), tt.want)
		}
	}
}
